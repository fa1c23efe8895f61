// Bundles the command line into one CJS file: it starts faster than ESM and needs nothing beside it.
import { chmodSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const CLI_FILE = join(root, 'dist/cli/harness.cjs');

export async function buildCli() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // Written beside and moved into place, so that a command started meanwhile never reads half a file.
  const outfile = `${CLI_FILE}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    loader: { '.md': 'text' },
    // A way of loading that only the ESM build takes.
    logOverride: { 'empty-import-meta': 'silent' },
    define: { HARNESS_VERSION: JSON.stringify(version) },
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(outfile, 0o755);
  renameSync(outfile, CLI_FILE);
}
