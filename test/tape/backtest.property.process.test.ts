/**
 * What holds for every session: the policy that made a tape never comes out changed in a backtest, and what is not the same is
 * either changed or said to be not replayable.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { hookOf, session, sketches, story } from '../support/random-sessions.ts';

const RUNS = Number(process.env.REPLAY_RUNS ?? 150);
const SEED = Number(process.env.REPLAY_SEED ?? 17);

describe('a backtest, for random hooks and random sessions', () => {
  it('of the same policy reports no change', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(sketches, story, async (given, events) => {
        const hooks = given.map(hookOf);
        const path = await session(hooks, events);
        const result = await new Backtest(hooks).run(path);
        expect(result.changed).toEqual([]);
        expect(result.same + result.notReplayable.length).toBe(result.decisions);
        same += result.same;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(same).toBeGreaterThan(RUNS);
  });

  it('of another policy counts every decision once', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(sketches, sketches, story, async (given, other, events) => {
        const path = await session(given.map(hookOf), events);
        const result = await new Backtest(other.map(hookOf)).run(path);
        expect(result.same + result.changed.length + result.notReplayable.length).toBe(result.decisions);
        expect(result.changed.map(({ counterfactual }) => counterfactual)).toEqual(
          result.changed.map((_, at) => at > 0),
        );
        changed += result.changed.length;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(changed).toBeGreaterThan(0);
  });
});
