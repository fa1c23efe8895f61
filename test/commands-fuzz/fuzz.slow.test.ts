/**
 * 20,000 made-up texts, run for real in an empty root by dash and bash: every program that ran is one that the reader named.
 * Unprivileged, in namespaces of its own, with stubs for programs; where there are no namespaces it says so and runs nothing.
 */
import { expect, it } from 'vitest';
import { fuzzTraces, whyNoSandbox } from './fuzz.ts';

const SEED = 33;
/** For each of the two shells. */
const TEXTS = 10_000;
const why = whyNoSandbox();

it.skipIf(why !== null)(
  `of ${2 * TEXTS} texts that ran, none ran a program that the reader did not name${why === null ? '' : ` (skipped: ${why})`}`,
  { timeout: 900_000 },
  async () => {
    const options = { seed: SEED, from: 0, count: TEXTS, batch: 1000, say: () => {} };
    const { forms, runs, misses } = await fuzzTraces(options);
    expect(misses).toEqual([]);
    expect(forms).toBe(2 * TEXTS);
    expect(runs).toBeGreaterThan(TEXTS);
  },
);
