/**
 * Tapes under real faults, for minutes: processes killed at any moment, writers that compete. The promise is always the same:
 * nothing that was acknowledged is lost, and what is left can be repaired and proven.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayTape } from '../../src/tape/replay.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { dir, launcher, start, write, writeAndKill } from '../support/tape-processes.ts';

/** Of each kind. By hand: `npm run test:power -- --rounds 10000`. */
const KILLS = Number(process.env.POWER_KILLS ?? 200);
const AT_ONCE = 4;

describe('a writer that is killed', () => {
  it(`at any moment, ${KILLS} times, loses nothing it was acknowledged, and its tape can always be repaired`, async () => {
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
  });

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

describe('writers that compete', () => {
  it('for one tape: exactly one writes, the others are told who', async () => {
    const path = join(dir, 'competed.jsonl');
    const runs = await Promise.all(Array.from({ length: 6 }, () => write([path, 'written', '200', '10000'])));
    const won = runs.filter(({ lines }) => lines.at(-1) === 'closed');
    const lost = runs.filter(({ lines }) => lines.at(-1)!.startsWith('error TAPE_LOCKED'));
    expect(won.length).toBeGreaterThanOrEqual(1);
    expect(won.length + lost.length).toBe(6);
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: won.length * 201 });
  });

  it('for a tape whose writer is dead: one takes it over, and none of the others writes with it', async () => {
    for (let round = 0; round < 3; round++) {
      const path = join(dir, `inherited-${round}.jsonl`);
      await writeAndKill(path, 'written', 'open', 5);
      expect(readdirSync(dir)).toContain(`inherited-${round}.jsonl.lock`);
      const runs = await Promise.all(
        Array.from({ length: 4 }, () => write([path, 'written', '100', '10000'])),
      );
      expect(runs.filter(({ lines }) => lines.at(-1) === 'closed').length).toBeGreaterThanOrEqual(1);
      expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
      expect(readdirSync(dir).filter((name) => name.startsWith(`inherited-${round}.jsonl.`))).toEqual([]);
    }
  });
});

describe('launchers that are killed', () => {
  /** Rounds on one tape. */
  const ROUNDS = 25;

  it(`while they share one tape and one count, ${KILLS} times, lose no decision and no count that was given, and hold nobody up`, async () => {
    for (let kills = 0, part = 0; kills < KILLS; part++) {
      const place = join(dir, `launchers-${part}`);
      const given: string[] = [];
      for (let round = 0; round < ROUNDS && kills < KILLS; round++) {
        const names = Array.from({ length: AT_ONCE }, (_, i) => `${round}.${i}`);
        // Of some rounds one comes to its end, beside the others.
        const ends = round % 5 === 0 ? 1 : 0;
        const told = await Promise.all(
          names.map((name, i) =>
            start([launcher, place, name, '12'], i < ends ? Infinity : 1 + ((kills + i) % 6)),
          ),
        );
        kills += told.filter(({ lines }) => lines.length < 12).length;
        given.push(...told.flatMap(({ lines }) => lines));
        if (ends > 0) expect(told[0]!.lines).toHaveLength(12);
      }
      await checkShared(place, given);
      rmSync(place, { recursive: true });
    }
  });

  /** `given`: what each was given, `REASON COUNT`. */
  async function checkShared(place: string, given: readonly string[]): Promise<void> {
    const path = join(place, 'one.jsonl');
    const { lines } = await start([launcher, place, 'last', '1']);
    expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
    const recorded = new Set(
      [...readTape(path).entries].flatMap(({ record }) =>
        record.type === 'decision' ? [record.out.reason ?? undefined] : [],
      ),
    );
    const [reasons, counts] = [/^not \S+/, /\d+$/].map((part) => given.map((line) => part.exec(line)?.[0]));
    expect(reasons!.filter((reason) => !recorded.has(reason))).toEqual([]);
    expect(new Set(counts).size).toBe(given.length);
    expect(Number(/\d+$/.exec(lines[0]!)![0])).toBeGreaterThan(Math.max(...counts!.map(Number)));
    expect((await replayTape(path)).differences).toEqual([]);
  }
});
