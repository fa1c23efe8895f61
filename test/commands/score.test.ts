/**
 * Floors under what the packs reach on the corpus: they may only rise. The held half is counted and never looked at.
 */
import { describe, expect, it } from 'vitest';
import type { Half } from './load.ts';
import { type Count, score } from './score.ts';

const share = ({ hits, all }: Count): number => hits / all;

/** Least shares stopped, most shares stopped of what must pass. */
const FLOORS: Readonly<Record<Half, Readonly<Record<string, number>>>> = {
  seen: { dangerous: 0.99, twins: 0.99, around: 0.99, text: 0.01, asked: 0, blocked: 0 },
  held: { dangerous: 0.945, twins: 0.944, around: 0.907, text: 0.027, asked: 5, blocked: 2 },
};

describe.each<Half>(['seen', 'held'])('the packs on the %s half', (half) => {
  it('stop what is dangerous, let pass what is everyday, and tell text from command', async () => {
    const reached = await score(half);
    const floor = FLOORS[half];
    expect(share(reached.dangerousStopped)).toBeGreaterThanOrEqual(floor.dangerous!);
    expect(share(reached.twinsStopped)).toBeGreaterThanOrEqual(floor.twins!);
    expect(share(reached.aroundStopped)).toBeGreaterThanOrEqual(floor.around!);
    expect(share(reached.textStopped)).toBeLessThanOrEqual(floor.text!);
    expect(reached.everydayBlocked.hits).toBeLessThanOrEqual(floor.blocked!);
    expect(reached.everydayStopped.hits).toBeLessThanOrEqual(floor.asked!);
  });
});
