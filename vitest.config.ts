import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests of the command line run the built command; everything else runs the sources. */
const WHOLE_COMMAND = [
  'test/cli/**/*.test.ts',
  'test/adapters/**/*.test.ts',
  'test/daemon/**/*.test.ts',
  'test/hostile/**/*.test.ts',
];
/** Minutes of hostile input, servers and killed processes: `npm run test:slow`, and part of `.ci/run`. */
const SLOW = [
  'test/starlark/huge.test.ts',
  'test/starlark/depth.test.ts',
  'src/**/*.slow.test.ts',
  'test/**/*.slow.test.ts',
];
/** A quarter of an hour of its own, for changes of the language: `npm run test:limits`. */
const LIMITS = ['test/starlark/limits-hold.slow.test.ts'];
const asked = process.env.HARNESS_TEST;
const slow = asked === 'slow' || asked === 'limits';

export default defineConfig({
  test: {
    testTimeout: slow ? 120_000 : 20_000,
    pool: 'forks',
    // The policy of whoever runs the tests is no part of them, nor is what they trust: the folders of tests are thrown away.
    env: {
      HOME: join(tmpdir(), 'harness-tests-have-no-home'),
      XDG_CONFIG_HOME: join(tmpdir(), 'harness-tests-have-no-user-policy'),
      HARNESS_TRUST: 'all',
    },
    projects: slow
      ? [
          {
            extends: true,
            test:
              asked === 'limits'
                ? { name: 'limits', include: LIMITS }
                : {
                    name: 'slow',
                    include: SLOW,
                    exclude: [...LIMITS, '**/node_modules/**'],
                    globalSetup: ['test/cli/build-first.ts'],
                  },
          },
        ]
      : [
          {
            extends: true,
            test: {
              name: 'source',
              include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
              exclude: [...WHOLE_COMMAND, ...SLOW, '**/node_modules/**'],
            },
          },
          {
            extends: true,
            test: {
              name: 'command',
              include: WHOLE_COMMAND,
              exclude: [...SLOW, '**/node_modules/**'],
              globalSetup: ['test/cli/build-first.ts'],
              // Processes of their own, on a machine that others use.
              maxConcurrency: 2,
            },
          },
        ],
  },
});
