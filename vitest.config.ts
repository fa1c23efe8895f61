/**
 * The tests in tiers. `npm test` is the quick one: what a change breaks at once. `test:whole` runs the built command, real
 * processes and every sample; `test:slow` minutes of hostile input; `.ci/run` runs all three. `test:limits` is for changes of
 * the language.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** These run the built command. */
const COMMAND = [
  'test/cli/**/*.test.ts',
  'test/adapters/**/*.test.ts',
  'test/approvals/**/*.test.ts',
  'test/daemon/**/*.test.ts',
  'test/hostile/**/*.test.ts',
];
/** These run the sources, for seconds each: compilers, processes by the dozen, thousands of generated cases. */
const LONG = [
  'src/adapters/guard-line.test.ts',
  'src/adapters/in-process.test.ts',
  'src/adapters/install/file-plan.test.ts',
  'src/adapters/install/json-edit.test.ts',
  'src/adapters/install/toml-edit.test.ts',
  'src/base/process.test.ts',
  'src/base/typescript/hooks.test.ts',
  'src/frontends/profile/actions.test.ts',
  'src/frontends/settings/command-line.test.ts',
  'src/cli/agent/conversation.test.ts',
  'src/match/command/properties.test.ts',
  'src/match/secrets/secrets.test.ts',
  'src/policy/diff/search.test.ts',
  'src/policy/stores/run-store-processes.test.ts',
  'src/policy/stores/run-store.test.ts',
  'src/script/builtins/shell.test.ts',
  'src/starlark/compile/compile-limits.test.ts',
  'src/starlark/values/bytes.test.ts',
  'test/agent/killed.test.ts',
  'test/commands-fuzz/**/*.test.ts',
  'test/commands/score.test.ts',
  'test/examples.test.ts',
  'test/faults/**/*.test.ts',
  'test/model-server/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/policy/kept-projects.test.ts',
  'test/policy/patches.test.ts',
  'test/policy/strict.test.ts',
  'test/seeds/004-harness-framework.test.ts',
  'test/seeds/samples.test.ts',
  'test/starlark/charges.test.ts',
  'test/starlark/fuzz.test.ts',
  'test/starlark/generated-code.test.ts',
  'test/starlark/host-samples.test.ts',
  'test/starlark/security.test.ts',
  'test/tape/*.property.test.ts',
  'test/tape/hostile.test.ts',
  'test/who/limits.test.ts',
  'test/who/remote-tables.test.ts',
  'test/who/tenants.test.ts',
  'test/who/views.test.ts',
];
/** Minutes of hostile input, servers and killed processes. */
const SLOW = [
  'test/starlark/huge.test.ts',
  'test/starlark/depth.test.ts',
  'src/**/*.slow.test.ts',
  'test/**/*.slow.test.ts',
];
/** A quarter of an hour of its own. */
const LIMITS = ['test/starlark/limits-hold.slow.test.ts'];
const NOT_OURS = '**/node_modules/**';

const BUILT = ['test/cli/build-first.ts'];
const source = { name: 'source', include: ['src/**/*.test.ts', 'test/**/*.test.ts'] };
const TIERS = {
  // Files share what they import: half of the time went into reading the same modules again.
  quick: [{ ...source, isolate: false, exclude: [...COMMAND, ...LONG, ...SLOW, NOT_OURS] }],
  whole: [
    { name: 'source', include: LONG, exclude: [...SLOW, NOT_OURS] },
    // Processes of their own, on a machine that others use.
    {
      name: 'command',
      include: COMMAND,
      exclude: [...SLOW, NOT_OURS],
      globalSetup: BUILT,
      maxConcurrency: 2,
    },
  ],
  slow: [{ name: 'slow', include: SLOW, exclude: [...LIMITS, NOT_OURS], globalSetup: BUILT }],
  limits: [{ name: 'limits', include: LIMITS }],
  // Files that are named on the command line, whatever their tier.
  named: [
    { ...source, exclude: [...COMMAND, ...SLOW, NOT_OURS] },
    { name: 'command', include: [...COMMAND, ...SLOW], exclude: [NOT_OURS], globalSetup: BUILT },
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
    },
    projects: TIERS[tier].map((test) => ({ extends: true, test })),
  },
});
