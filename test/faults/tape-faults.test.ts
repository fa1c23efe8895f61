/**
 * Tapes under real faults: processes killed at any moment, a disk that is full, writers that compete. The promise is always
 * the same: nothing that was acknowledged is lost, and what is left can be repaired and proven.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import type { Acknowledge } from '../../src/tape/writer.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { tapeHeader } from '../support/tape.ts';

/** More with `TAPE_KILLS=5000 npx vitest run test/faults/tape-faults.test.ts`. */
const KILLS = Number(process.env.TAPE_KILLS ?? 200);
const AT_ONCE = 4;

const dir = mkdtempSync(join(tmpdir(), 'harness-tape-'));
const program = join(dir, 'tape-process.mjs');

beforeAll(async () => {
  const entry = new URL('../support/tape-process.ts', import.meta.url).pathname;
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Told {
  readonly lines: readonly string[];
  /** The last entry it was acknowledged; 0 where none was. */
  readonly acknowledged: number;
}

function told(output: string): Told {
  const lines = output.split('\n').slice(0, -1);
  const numbers = lines.map(Number).filter((number) => number > 0);
  return { lines, acknowledged: Math.max(0, ...numbers) };
}

/** Starts a writer and kills it so many milliseconds after it has opened the tape, or after it was started. */
function writeAndKill(
  path: string,
  acknowledge: Acknowledge,
  after: 'start' | 'open',
  ms: number,
): Promise<Told> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, path, acknowledge, '400', '150000']);
    let output = '';
    const kill = () => setTimeout(() => child.kill('SIGKILL'), ms);
    if (after === 'start') kill();
    child.stdout.on('data', (chunk) => {
      if (after === 'open' && output === '') kill();
      output += String(chunk);
    });
    child.on('close', () => resolve(told(output)));
  });
}

describe('a writer that is killed', () => {
  it(
    `at any moment, ${KILLS} times, loses nothing it was acknowledged, and its tape can always be repaired`,
    async () => {
      let cut = 0;
      let kills = 0;
      const worker = async (number: number) => {
        for (let round = 0; kills < KILLS; round++) {
          const turn = kills++;
          // Every third kill meets a tape that was killed before; all levels take part.
          const path = join(dir, `killed-${number}-${Math.floor(round / 3)}.jsonl`);
          const acknowledge = turn % 10 === 0 ? 'synced' : 'written';
          const after = turn % 8 === 7 ? 'start' : 'open';
          const { acknowledged } = await writeAndKill(path, acknowledge, after, (turn * 7) % 40);
          cut += check(path, acknowledged, round % 3 === 2);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => worker(number)));
      expect(kills).toBeGreaterThanOrEqual(KILLS);
      expect(cut).toBeGreaterThan(KILLS / 4);
    },
    Math.max(60_000, KILLS * 400),
  );

  /** 1 where it was cut off. */
  function check(path: string, acknowledged: number, last: boolean): number {
    const before = readdirSync(dir).includes(path.slice(dir.length + 1)) ? verifyTape(path) : null;
    // Killed before there was a tape.
    if (before === null) {
      expect(acknowledged).toBe(0);
      return 0;
    }
    // It may have come to its end first.
    if (!before.ok) expect(before).toMatchObject({ state: 'cut', repairable: true });
    expect(before.entries).toBeGreaterThanOrEqual(acknowledged);
    if (!last) return before.ok ? 0 : 1;
    TapeWriter.open(path, { header: null }).close();
    expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
    const entries = [...readTape(path).entries];
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, i) => i + 1));
    rmSync(path);
    return 0;
  }
});

describe('a disk that is full', () => {
  it('is an error the host sees; what was acknowledged before stays, and the tape can be repaired', () => {
    const path = join(dir, 'full.jsonl');
    // The limit is on the size of a file, in blocks of 512 or 1024 bytes: to the writer it is a disk without room.
    const line = `ulimit -f 40; exec "$0" "$@"`;
    const args = [program, path, 'written', '100000', '5000'];
    const { stdout, status } = spawnSync('sh', ['-c', line, process.execPath, ...args], { encoding: 'utf8' });
    const { lines, acknowledged } = told(stdout);
    expect(status).toBe(1);
    expect(lines.at(-1)).toMatch(/^error TAPE_WRITE_FAILED cannot write .*EFBIG/);
    expect(acknowledged).toBeGreaterThan(10);
    // The half line that got through was taken back.
    expect(verifyTape(path)).toMatchObject({ entries: acknowledged, state: 'cut', repairable: true });
    TapeWriter.open(path, { header: null }).close();
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: acknowledged + 2 });
  });
});

describe('writers that compete', () => {
  it('for one tape: exactly one writes, the others are told who', async () => {
    const path = join(dir, 'competed.jsonl');
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => run([program, path, 'written', '200', '10000'])),
    );
    const won = runs.filter(({ lines }) => lines.at(-1) === 'closed');
    const lost = runs.filter(({ lines }) => lines.at(-1)!.startsWith('error TAPE_LOCKED'));
    expect(won.length).toBeGreaterThanOrEqual(1);
    expect(won.length + lost.length).toBe(6);
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: won.length * 201 });
  }, 60_000);

  it('for a tape whose writer is dead: one takes it over, and none of the others writes with it', async () => {
    for (let round = 0; round < 3; round++) {
      const path = join(dir, `inherited-${round}.jsonl`);
      await writeAndKill(path, 'written', 'open', 5);
      expect(readdirSync(dir)).toContain(`inherited-${round}.jsonl.lock`);
      const runs = await Promise.all(
        Array.from({ length: 4 }, () => run([program, path, 'written', '100', '10000'])),
      );
      expect(runs.filter(({ lines }) => lines.at(-1) === 'closed').length).toBeGreaterThanOrEqual(1);
      expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
      expect(readdirSync(dir).filter((name) => name.startsWith(`inherited-${round}.jsonl.`))).toEqual([]);
    }
  }, 60_000);

  it('a lock that nobody can judge from here is left alone', () => {
    const path = join(dir, 'elsewhere.jsonl');
    for (const holder of ['', 'garbage', JSON.stringify({ pid: 1, host: 'another-machine', boot: 'x' })]) {
      writeFileSync(`${path}.lock`, holder);
      expect(() => TapeWriter.open(path, { header: tapeHeader() })).toThrow(
        expect.objectContaining({ code: 'TAPE_LOCKED' }),
      );
    }
    rmSync(`${path}.lock`);
  });

  function run(args: readonly string[]): Promise<Told> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args);
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += String(chunk);
      });
      child.on('close', () => resolve(told(output)));
    });
  }
});

it('a tape that goes on without its writer being stopped is told to the host once', () => {
  const path = join(dir, 'dropped.jsonl');
  const told: string[] = [];
  const tape = TapeWriter.open(path, { header: tapeHeader(), onBroken: (error) => told.push(error.code) });
  tape.note('x', 1);
  // The descriptor is taken from under it, which no write survives.
  (tape as unknown as { file: number }).file = -1;
  expect([tape.note('x', 2), tape.note('x', 3)].length).toBe(2);
  expect(told).toEqual(['TAPE_WRITE_FAILED']);
  expect(tape.broken).toMatchObject({ code: 'TAPE_WRITE_FAILED' });
  tape.close();
  expect(verifyTape(path)).toMatchObject({ entries: 1, state: 'cut', repairable: true });
});
