import { defineConfig } from 'vitest/config';

/** Tests of the command line run the built command; everything else runs the sources. */
const WHOLE_COMMAND = ['test/cli/**/*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...WHOLE_COMMAND, '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: { name: 'command', include: WHOLE_COMMAND, globalSetup: ['test/cli/build-first.ts'] },
      },
    ],
  },
});
