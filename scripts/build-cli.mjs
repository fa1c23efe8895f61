// Bundles the command line into CJS files, which start faster than ESM: an entry that knows the commands, and chunks it
// loads for the one that is wanted. They need nothing but each other.
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const CLI_FILE = join(root, 'dist/cli/harness.cjs');

/** The example `harness demo` runs; it is part of the bundle. */
export const DEMO_FOLDER = join(root, 'examples/01-governed-agent');

export async function buildCli() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { outputFiles } = await build({
    entryPoints: { harness: join(root, 'src/cli/main.ts') },
    outdir: dirname(CLI_FILE),
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Only this format can be split; `asCommonJs` does the rest.
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    legalComments: 'none',
    loader: { '.md': 'text' },
    define: {
      HARNESS_VERSION: JSON.stringify(version),
      HARNESS_DEMO: JSON.stringify(JSON.stringify(filesOf(DEMO_FOLDER))),
    },
    // Loaded where a project uses them, from wherever it has installed them.
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    plugins: [besideChunks],
  });
  const packages = await build({
    entryPoints: Object.fromEntries(ON_DEMAND.map((name) => [`chunks/${name}`, name])),
    outdir: dirname(CLI_FILE),
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    absWorkingDir: root,
  });
  for (const { path, text } of packages.outputFiles) putInPlace(path, text);
  // The entry last: by then everything it may ask for is there.
  outputFiles.sort((a, b) => Number(a.path === CLI_FILE) - Number(b.path === CLI_FILE));
  for (const { path, text } of outputFiles) {
    const code = await asCommonJs(text);
    putInPlace(path, path === CLI_FILE ? `#!/usr/bin/env node\n${code}` : code);
  }
}

/** Packages that few runs need and that take long to load: a file each, which nobody opens before it is asked for. */
const ON_DEMAND = ['re2js', 'yaml'];

const besideChunks = {
  name: 'beside-chunks',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${ON_DEMAND.join('|')})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }));
  },
};

/** A module as CommonJS. What it imports while running, other chunks, becomes a `require` as well: that starts no ESM loader. */
async function asCommonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    // A way of loading that only the ESM build takes.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return code.replace(/\bimport\(("\.[^"]+\.cjs")\)/g, 'Promise.resolve().then(()=>require($1))');
}

/** Written beside and moved into place, so that a command started meanwhile never reads half a file. */
function putInPlace(path, text) {
  const beside = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(beside, text);
  chmodSync(beside, 0o755);
  renameSync(beside, path);
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
