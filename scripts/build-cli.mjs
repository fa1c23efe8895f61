// Bundles the command line into one CJS file: it starts faster than ESM and needs nothing beside it.
import { chmodSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const CLI_FILE = join(root, 'dist/cli/harness.cjs');

/** The example `harness demo` runs; it is part of the bundle. */
export const DEMO_FOLDER = join(root, 'examples/01-governed-agent');

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
    define: {
      HARNESS_VERSION: JSON.stringify(version),
      HARNESS_DEMO: JSON.stringify(JSON.stringify(filesOf(DEMO_FOLDER))),
    },
    // Loaded where a project uses them, from wherever it has installed them.
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(outfile, 0o755);
  renameSync(outfile, CLI_FILE);
}

/** Path to text, in a fixed order. What a session left behind there is not part of it. */
function filesOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}runs${sep}`))
    .sort();
  return Object.fromEntries(
    files.map((file) => [relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')]),
  );
}
