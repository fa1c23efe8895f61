// Builds the command line and the library: one CommonJS file with all code, which loads a module of it on demand, and two small entries
// beside it, the command and the launcher that agents call. They need nothing but each other.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildBundle } from './build-bundle.mjs';
import { LIBRARY, writeLibrary } from './build-library.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const CLI_FILE = join(root, 'dist/cli/harness.cjs');

/** The launcher that agents call. */
export const HOOK_FILE = join(root, 'dist/cli/hook.cjs');

const CORE_FILE = join(root, 'dist/cli/core.cjs');
const BUNDLE_FILE = join(root, 'dist/cli/bundle.cjs');
const LIBRARY_FILE = join(root, 'dist/cli/library.cjs');

/** Node scans a CommonJS file that a module imports for the names of its exports: a short one. */
const LIBRARY_TEXT = `module.exports = (name) => (name === '.' ? require('./core.cjs').library : require('./bundle.cjs').library[name]());\n`;

/** Replaced by the digest of the build, once that is known. */
const BUILD = 'HARNESS-BUILD-DIGEST';

/** The example `harness demo` runs; it is part of the bundle. */
export const DEMO_FOLDER = join(root, 'examples/01-governed-agent');

export async function buildCli() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const options = {
    outdir: dirname(CLI_FILE),
    outExtension: { '.js': '.cjs' },
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    absWorkingDir: root,
    loader: { '.md': 'text', '.yaml': 'text' },
    define: {
      HARNESS_VERSION: JSON.stringify(version),
      HARNESS_BUILD: JSON.stringify(BUILD),
      HARNESS_DEMO: JSON.stringify(JSON.stringify(demoFiles())),
    },
    // Loaded where a project uses them, from wherever it has installed them.
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    // Sources name it where they run as modules.
    logOverride: { 'empty-import-meta': 'silent' },
  };
  const { core, rest } = await buildBundle(
    { ...options, plugins: [lateBuiltins] },
    LIBRARY.filter(({ name }) => name !== '.'),
  );
  const entries = await build({
    ...options,
    entryPoints: { harness: 'src/cli/main.ts', hook: 'src/cli/hook-entry.ts' },
    banner: { js: `#!/usr/bin/env node\n// build ${BUILD}` },
  });
  const texts = [core.text, rest.text, ...entries.outputFiles.map(({ text }) => text)];
  const digest = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 8).toUpperCase();
  const put = (path, text) => putInPlace(path, text.replaceAll(BUILD, digest));
  rmSync(join(dirname(CLI_FILE), 'cache'), { recursive: true, force: true });
  put(CORE_FILE, inAscii(core.text));
  put(BUNDLE_FILE, inAscii(rest.text));
  put(LIBRARY_FILE, LIBRARY_TEXT);
  writeLibrary(LIBRARY_FILE);
  // The entries last: by then everything they load is there.
  for (const { path, text } of entries.outputFiles) put(join(dirname(CLI_FILE), basename(path)), text);
  return [core, rest, entries].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** Modules of Node that its own start does not load and most calls never use: together a tenth of what a launcher without a daemon costs. */
const LATE_BUILTINS = /^node:(child_process|crypto|dns|fs\/promises|http|https|net|readline|tty|zlib)$/;

/** Loads them when a name of theirs is first used, not with the module that imports them. */
const lateBuiltins = {
  name: 'late-builtins',
  setup(bundler) {
    bundler.onResolve({ filter: LATE_BUILTINS }, ({ path }) => ({ path, namespace: 'late' }));
    bundler.onLoad({ filter: LATE_BUILTINS, namespace: 'late' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      return {
        contents: `for (const name of ${JSON.stringify(names)})
          Object.defineProperty(exports, name, { enumerable: true, get: () => process.getBuiltinModule('${path}')[name] });`,
      };
    });
  },
};

/** Outside of ASCII a text takes twice the memory and longer to read. esbuild escapes what is not in a regular expression. */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Written beside and moved into place, so that a command started meanwhile never reads half a file. */
function putInPlace(path, text) {
  const beside = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(beside, text, { mode: 0o755 });
  renameSync(beside, path);
}

/** Path to text, in a fixed order. What a session left behind there is not part of it. */
/** Null for what `harness init` writes to the same path: those texts are in the bundle already. */
function demoFiles() {
  const templates = filesOf(join(root, 'src/cli/init/templates'));
  const files = Object.entries(filesOf(DEMO_FOLDER));
  const isTemplate = (path, text) => templates[path.replace('.harness/', '')] === text;
  return Object.fromEntries(files.map(([path, text]) => [path, isTemplate(path, text) ? null : text]));
}

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
