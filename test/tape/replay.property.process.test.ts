/**
 * What holds for every session: whatever its hooks read, keep, emit, rewrite, break or leave unanswered, and however its
 * dispatches overlap, the tape replays without a difference, with the hooks and without them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replayTape } from '../../src/tape/replay.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { hookOf, session, sketches, story } from '../support/random-sessions.ts';
import { recordsOf } from '../support/taped.ts';

const RUNS = Number(process.env.REPLAY_RUNS ?? 150);

describe('replay, for random hooks and random sessions', () => {
  it('finds no difference, with the hooks and without them', async () => {
    let decisions = 0;
    await fc.assert(
      fc.asyncProperty(sketches, story, async (given, events) => {
        const hooks = given.map(hookOf);
        const path = await session(hooks, events);
        expect(verifyTape(path)).toMatchObject({ ok: true });
        const again = await replayTape(path, { hooks });
        expect(again.differences).toEqual([]);
        expect(again.decisions).toBeGreaterThanOrEqual(events.length);
        const without = await replayTape(path);
        expect(without.differences).toEqual([]);
        expect(without.decisions).toBe(again.decisions);
        decisions += again.decisions;
      }),
      { numRuns: RUNS },
    );
    expect(decisions).toBeGreaterThan(RUNS);
  });

  it('notices a hook that says something else', async () => {
    let noticed = 0;
    await fc.assert(
      fc.asyncProperty(sketches, story, fc.nat(), async (given, events, pick) => {
        const hooks = given.map(hookOf);
        const path = await session(hooks, events);
        const changed = pick % given.length;
        const other = { ...given[changed]!, ending: given[changed]!.ending === 'block' ? 'allow' : 'block' };
        const replayed = hooks.map((one, at) => (at === changed ? hookOf(other, at) : one));
        const { differences } = await replayTape(path, { hooks: replayed });
        const answered = answeredBy(path, `h${changed}`);
        if (answered) noticed++;
        expect(differences.length > 0).toBe(answered);
      }),
      { numRuns: RUNS },
    );
    expect(noticed).toBeGreaterThan(0);
  });
});

/** Whether the hook gave an answer of its own at least once: not the clock, not an abort. */
function answeredBy(path: string, name: string): boolean {
  return recordsOf(path).some(
    (record) =>
      (record.type === 'hook_returned' && record.hook === name) ||
      (record.type === 'hook_failed' &&
        record.hook === name &&
        record.state === 'ran' &&
        record.failure?.kind !== 'timeout' &&
        record.failure?.kind !== 'aborted'),
  );
}
