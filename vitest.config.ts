import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests of the command line run the built command; everything else runs the sources. */
const WHOLE_COMMAND = ['test/cli/**/*.test.ts'];
/** Minutes of hostile input, servers and killed processes: `npm run test:slow`, and part of `.ci/run`. */
const SLOW = [
  'test/starlark/huge.test.ts',
  'test/starlark/depth.test.ts',
  'src/**/*.slow.test.ts',
  'test/**/*.slow.test.ts',
];
const slow = process.env.HARNESS_TEST === 'slow';

export default defineConfig({
  test: {
    testTimeout: slow ? 120_000 : 20_000,
    pool: 'forks',
    // The policy of whoever runs the tests is no part of them.
    env: { XDG_CONFIG_HOME: join(tmpdir(), 'harness-tests-have-no-user-policy') },
    projects: slow
      ? [{ extends: true, test: { name: 'slow', include: SLOW } }]
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
            test: { name: 'command', include: WHOLE_COMMAND, globalSetup: ['test/cli/build-first.ts'] },
          },
        ],
  },
});
