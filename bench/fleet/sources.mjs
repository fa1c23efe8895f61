// Machines, authors and views of the fleet as the tests and the hub have them: the sources as they are, not what was built last.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const SOURCES = `
  export { TestMachine } from './test/fleet/machine.ts';
  export { metadataDigest, packedBytes, publishProposal, publishedAt, rollOutOnHub, rootDocument, signed, targetsFor } from './src/fleet/index.ts';
  export { HubQueries, Machines, migrateDatabase, openAdmin, openPostgres, openSchema } from './src/hub/index.ts';
  export { policyAnswers } from './src/frameworks/fetch/answers.ts';
  export { machineHost } from './src/machine/index.ts';
  export { openPolicy } from './src/policy/index.ts';
  export { openSessionTape } from './src/session/index.ts';
`;

export async function sources() {
  // Below the root, so that packages are found from it.
  const outfile = join(root, 'dist', `bench-fleet-${process.pid}.mjs`);
  await build({
    stdin: { contents: SOURCES, resolveDir: root },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    loader: { '.md': 'text', '.yaml': 'text' },
    define: { HARNESS_VERSION: '"0.0.0"', HARNESS_BUILD: '"bench"', HARNESS_DEMO: '"{}"' },
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
