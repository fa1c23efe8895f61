/** Which terms of a policy are weaker than those before: for a table of machines, by how long they have been out of touch. */
import { expect, it } from 'vitest';
import { type StaleTerms, weakensTerms } from '../../src/fleet/index.ts';
import { WHEN_STALE } from '../../src/policy/index.ts';

const AGES = [null, 10, 20, 30];
const TERMS: StaleTerms[] = WHEN_STALE.flatMap((when_stale) =>
  AGES.filter((max_age) => when_stale === 'keep' || max_age !== null).map((max_age) => ({
    when_stale,
    max_age,
  })),
);

/** How strict a machine is that has been out of touch for so long. */
function strictness({ when_stale, max_age }: StaleTerms, seconds: number): number {
  return max_age !== null && seconds > max_age ? WHEN_STALE.indexOf(when_stale) : 0;
}

it('terms are weaker exactly if some machine would be less strict after some time without contact', () => {
  for (const before of TERMS)
    for (const next of TERMS) {
      const less = [5, 15, 25, 35].some((time) => strictness(next, time) < strictness(before, time));
      expect([before, next, weakensTerms(before, next)]).toEqual([before, next, less]);
    }
});
