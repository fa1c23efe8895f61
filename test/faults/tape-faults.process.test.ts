/**
 * Tapes under faults that take no time to make: one kill, a disk that is full, a lock that cannot be judged. The minutes of
 * kills and races are in tape-faults.slow.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayTape } from '../../src/tape/replay.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { tapeHeader } from '../support/tape.ts';
import { dir, launcher, program, start, told, write, writeAndKill } from '../support/tape-processes.ts';

it('a writer that is killed loses nothing it was acknowledged, and the next one takes its tape over', async () => {
  const path = join(dir, 'killed.jsonl');
  const { acknowledged } = await writeAndKill(path, 'written', 'open', 15);
  expect(acknowledged).toBeGreaterThan(0);
  expect(verifyTape(path).entries).toBeGreaterThanOrEqual(acknowledged);
  expect((await write([path, 'written', '10', '100'])).lines.at(-1)).toBe('closed');
  expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
});

it('many short processes append to one tape: nothing is lost, and the chain is one', async () => {
  const place = join(dir, 'shared');
  const names = ['a', 'b', 'c', 'd'];
  const told = await Promise.all(names.map((name) => start([launcher, place, name, '5'])));
  for (const [i, { lines }] of told.entries()) {
    expect(lines.map((line) => line.replace(/ \d+$/, ''))).toEqual(
      Array.from({ length: 5 }, (_, n) => `not ${names[i]}-${n}`),
    );
  }
  const counts = told.flatMap(({ lines }) => lines.map((line) => Number(line.split(' ').at(-1))));
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  const path = join(place, 'one.jsonl');
  expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
  expect(await replayTape(path)).toMatchObject({ decisions: 20, differences: [], unfinished: 0 });
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

describe('a tape whose lock', () => {
  const path = join(dir, 'locked.jsonl');
  const open = () => TapeWriter.open(path, { header: tapeHeader(), waitMs: 1000 }).close();

  it('names a process on another machine is not written to', () => {
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'another-machine', boot: 'x' }));
    expect(open).toThrow(expect.objectContaining({ code: 'TAPE_LOCKED' }));
    rmSync(`${path}.lock`);
  });

  it.each([
    ['is empty', ''],
    ['is no lock', 'garbage'],
  ])('%s is written to within a second', (_name, content) => {
    writeFileSync(`${path}.lock`, content);
    open();
    expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
  });
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
