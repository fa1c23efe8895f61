/**
 * The tests in tiers, known by the suffix of the file. `npm test` is the quick one: what a change breaks at once. `test:whole`
 * (`*.process.test.ts`) runs the built command, real processes and every sample; `test:slow` (`*.slow.test.ts`) minutes of hostile
 * input; `test:fleet` (`*.fleet.test.ts`) wants PostgreSQL; `.ci/run` runs all four. `test:limits` (`*.limits.test.ts`) is for changes of
 * the language.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** These run the built command, or for seconds: compilers, processes by the dozen, thousands of generated cases. */
const PROCESS = ['{src,test}/**/*.process.test.ts'];
/** Minutes of hostile input, servers and killed processes. */
const SLOW = ['{src,test}/**/*.slow.test.ts'];
/** A quarter of an hour of its own. */
const LIMITS = ['{src,test}/**/*.limits.test.ts'];
/** Wants the database that `npm run test:fleet` starts. */
const FLEET = ['test/fleet/*.fleet.test.ts'];
const NOT_OURS = '**/node_modules/**';

const tests = { include: ['{src,test}/**/*.test.ts'], globalSetup: ['test/packs-first.ts'] };
const built = { globalSetup: [...tests.globalSetup, 'test/cli/build-first.ts'] };
const TIERS = {
  // Files share what they import: half of the time went into reading the same modules again.
  quick: [
    {
      ...tests,
      name: 'quick',
      isolate: false,
      exclude: [...PROCESS, ...SLOW, ...LIMITS, ...FLEET, NOT_OURS],
    },
  ],
  // Processes of their own, on a machine that others use.
  whole: [{ ...built, name: 'whole', include: PROCESS, maxConcurrency: 2 }],
  slow: [{ ...built, name: 'slow', include: SLOW }],
  limits: [{ ...tests, name: 'limits', include: LIMITS }],
  fleet: [{ ...built, name: 'fleet', include: FLEET, fileParallelism: false }],
  // Files that are named on the command line, whatever their tier.
  named: [
    { ...tests, name: 'quick', exclude: [...PROCESS, ...SLOW, ...LIMITS, ...FLEET, NOT_OURS] },
    { ...built, name: 'built', include: [...PROCESS, ...SLOW, ...LIMITS] },
  ],
};
const named = process.argv.slice(2).some((word) => /^(\.\/)?(src|test)\//.test(word));
const tier = (process.env.HARNESS_TEST ?? (named ? 'named' : 'quick')) as keyof typeof TIERS;
if (!Object.hasOwn(TIERS, tier))
  throw new Error(`HARNESS_TEST: want ${Object.keys(TIERS).join(', ')}, got ${tier}`);

export default defineConfig({
  test: {
    // These only end what hangs. What has to be fast is held by the time of the processor, or by which of two answers came first.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    // One less is the default, and on two cores that is half of them.
    maxWorkers: availableParallelism(),
    // The policy of whoever runs the tests is no part of them, nor is what they trust: the folders of tests are thrown away.
    env: {
      HOME: join(tmpdir(), 'harness-tests-have-no-home'),
      XDG_CONFIG_HOME: join(tmpdir(), 'harness-tests-have-no-user-policy'),
      HARNESS_TRUST: 'all',
      // A test that is about the daemon has an environment of its own.
      HARNESS_DAEMON: 'off',
    },
    projects: TIERS[tier].map((test) => ({ extends: true, test })),
  },
});
