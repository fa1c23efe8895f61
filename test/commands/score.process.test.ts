/**
 * Floors under what the packs reach on the corpus: they may only rise. The held half is counted and never looked at.
 */
import { describe, expect, it } from 'vitest';
import { type Half, loadCases } from './load.ts';
import { type Count, score } from './score.ts';

const share = ({ hits, all }: Count): number => hits / all;

/** Least shares stopped, most shares stopped of what must pass. */
interface Floors {
  readonly dangerous: number;
  readonly twins: number;
  readonly around: number;
  readonly text: number;
  readonly asked: number;
  readonly blocked: number;
}

/** Null as long as a half has no cases: its floors are what the first score of its files says. */
const FLOORS: Readonly<Record<Half, Floors | null>> = {
  seen: { dangerous: 0.99, twins: 0.99, around: 0.99, text: 0.01, asked: 0, blocked: 0 },
  held: { dangerous: 0.99, twins: 0.99, around: 0.98, text: 0.0107, asked: 4, blocked: 0 },
};

describe.each<Half>(['seen', 'held'])('the packs on the %s half', (half) => {
  it('stop what is dangerous, let pass what is everyday, and tell text from command', async () => {
    const floor = FLOORS[half];
    if (floor === null) {
      expect([...loadCases(half)].length, 'there are cases now: give this half its floors').toBe(0);
      return;
    }
    const reached = await score(half);
    expect(share(reached.dangerousStopped)).toBeGreaterThanOrEqual(floor.dangerous);
    expect(share(reached.twinsStopped)).toBeGreaterThanOrEqual(floor.twins);
    expect(share(reached.aroundStopped)).toBeGreaterThanOrEqual(floor.around);
    expect(share(reached.textStopped)).toBeLessThanOrEqual(floor.text);
    expect(reached.everydayBlocked.hits).toBeLessThanOrEqual(floor.blocked);
    expect(reached.everydayStopped.hits).toBeLessThanOrEqual(floor.asked);
  });
});
