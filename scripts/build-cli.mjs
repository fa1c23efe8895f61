// Bundles the command line into CJS files, which start faster than ESM: an entry that knows the commands, and chunks it
// loads for the one that is wanted. They need nothing but each other.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { LIBRARY_ENTRIES, writeLibrary } from './build-library.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const CLI_FILE = join(root, 'dist/cli/harness.cjs');

/** The launcher that agents call. */
export const HOOK_FILE = join(root, 'dist/cli/hook.cjs');

/** The script that starts them, from a heap snapshot where one is kept. */
export const START_FILE = join(root, 'dist/cli/start.sh');

/** What package managers link. */
export const BIN_FILE = join(root, 'dist/cli/harness');

/** Makes such snapshots. */
export const HOLD_FILE = join(root, 'dist/cli/hold.cjs');

/** Stands for the digest of everything that was built, until that is known. */
const BUILD = 'HARNESS-BUILD-DIGEST';

/** Stands for the version, in the script that starts commands. */
const VERSION = 'HARNESS-VERSION';

/** Stands for the name of the file with all that is started again and again. */
const PACK = 'HARNESS-PACK-FILE';

const ENTRIES = ['harness.cjs', 'hook.cjs', 'hold.cjs', 'snapshot.cjs'];

/** What stands beside them as it is written. */
const SCRIPTS = ['start.sh', 'harness', 'boot.cjs'];

/** The example `harness demo` runs; it is part of the bundle. */
export const DEMO_FOLDER = join(root, 'examples/01-governed-agent');

/** Packages that few runs need and that take long to load: a file each, which nobody opens before it is asked for. */
const ON_DEMAND = ['re2js', 'yaml'];

const COMMON = {
  outdir: dirname(CLI_FILE),
  outExtension: { '.js': '.cjs' },
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  legalComments: 'none',
  absWorkingDir: root,
};

export async function buildCli() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    ...COMMON,
    entryPoints: {
      harness: 'src/cli/main.ts',
      hook: 'src/cli/hook-entry.ts',
      hold: 'src/cli/snapshot/hold-entry.ts',
      snapshot: 'src/cli/snapshot/snapshot-entry.ts',
      ...LIBRARY_ENTRIES,
    },
    // Only this format can be split; `asCommonJs` does the rest.
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    metafile: true,
    loader: { '.md': 'text', '.yaml': 'text' },
    define: {
      HARNESS_VERSION: JSON.stringify(version),
      HARNESS_BUILD: JSON.stringify(BUILD),
      HARNESS_PACK: JSON.stringify(PACK),
      HARNESS_DEMO: JSON.stringify(JSON.stringify(filesOf(DEMO_FOLDER))),
    },
    // Loaded where a project uses them, from wherever it has installed them.
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    plugins: [besideChunks, lateModules],
  });
  const packages = await build({
    ...COMMON,
    entryPoints: Object.fromEntries(ON_DEMAND.map((name) => [`chunks/${name}`, name])),
    format: 'cjs',
    metafile: true,
  });
  const texts = new Map();
  for (const { path, text } of outputFiles) texts.set(basename(path), await asCommonJs(text));
  for (const { path, text } of packages.outputFiles) texts.set(basename(path), text);
  const { files, pack } = withPack(texts, metafile.outputs);
  for (const [name, text] of files) files.set(name, text.replaceAll(PACK, pack));
  for (const name of SCRIPTS) files.set(name, readFileSync(join(root, 'src/cli/snapshot', name), 'utf8'));
  const digest = hashOf([...files].flat().join('\n'));
  for (const [name, text] of files)
    files.set(name, text.replaceAll(BUILD, digest).replaceAll(VERSION, version));
  for (const [name, text] of files) {
    if (ENTRIES.includes(name)) continue;
    const beside = SCRIPTS.includes(name);
    putInPlace(join(dirname(CLI_FILE), beside ? '' : 'chunks', name), text);
  }
  writeLibrary(metafile.outputs, join(dirname(CLI_FILE), 'chunks'), (chunk) =>
    files.has(chunk) ? null : `require("./${pack}")("./${chunk}")`,
  );
  // The entries last: by then everything they may ask for is there. Each says of which build it is.
  for (const entry of ENTRIES) {
    const text = `#!/usr/bin/env node\n// build ${digest}\n${files.get(entry)}`;
    putInPlace(join(dirname(CLI_FILE), entry), text);
  }
  return [metafile, packages.metafile].flatMap(({ inputs }) => Object.keys(inputs));
}

const besideChunks = {
  name: 'beside-chunks',
  setup({ onResolve }) {
    const filter = new RegExp(`^(${ON_DEMAND.join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path: `./${path}.cjs`, external: true }));
  },
};

/**
 * What few decisions need, in modules that have nothing but functions: loaded when one of them is called, and not kept in a heap
 * snapshot. They may have no state, since there may be two of them in a process.
 */
const LATE_MODULES = [
  'src/files/parse-artifact.ts',
  'src/frontends/markdown/build-hook.ts',
  'src/frontends/packs/shipped-text.ts',
  'src/match/secrets/looks-by-keyword.ts',
  'src/script/selector.ts',
  'src/starlark/compile/analyze.ts',
  'src/starlark/resolve/resolve.ts',
  'src/starlark/syntax/parse.ts',
];

/** Who imports such a module gets one that loads it; see `asCommonJs`. */
const lateModules = {
  name: 'late-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, kind, namespace }) => {
      const file = join(resolveDir, path);
      const isLate = kind === 'import-statement' && LATE_MODULES.includes(relative(root, file));
      return isLate && namespace === 'file' ? { path: file, namespace: 'late' } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const exported = [...text.matchAll(/^export (?!type |interface )(?:async )?(\S+) (\w+)/gm)];
      if (exported.some(([, what]) => what !== 'function'))
        throw new Error(`want nothing but functions in ${path}, which is loaded late`);
      const load = `${LATE_LOAD}(import(${JSON.stringify(`./${basename(path)}`)}))`;
      const contents = exported.map(
        ([, , name]) => `export function ${name}(...given){return ${load}.${name}(...given)}`,
      );
      return { contents: contents.join('\n'), loader: 'js', resolveDir: dirname(path) };
    });
  },
};

const LATE_LOAD = 'HARNESS_LATE';

/** Parts of Node that take long to load, and that few processes need: each is there when something of it is first asked for. */
const LATE_BUILT_IN =
  /=require\("(node:(?:child_process|crypto|http|https|net|os|readline|timers\/promises))"\)/g;

/**
 * A module as CommonJS. What it imports while running, other chunks, becomes a `require`: that starts no ESM loader. What it exports
 * is an object made at its end, without a function for each name: chunks do not load each other in a circle.
 */
async function asCommonJs(text) {
  const { code } = await transform(
    text.replace(EXPORTS, (_, names) => `${EXPORTED}({${asFields(names)}});`),
    {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: true,
      // A way of loading that only the ESM build takes.
      logOverride: { 'empty-import-meta': 'silent' },
    },
  );
  return code
    .replace(/\bHARNESS_LATE\(import\(("\.[^"]+\.cjs")\)\)/g, 'late($1)')
    .replace(LATE_BUILT_IN, '=new Proxy({},{get:(_,name)=>require("$1")[name]})')
    .replace(/\bimport\(("\.[^"]+\.cjs")\)/g, 'Promise.resolve().then(()=>require($1))')
    .replace(`${EXPORTED}(`, 'module.exports=(');
}

const EXPORTS = /\bexport\{([^}]*)\};?\s*$/;
const EXPORTED = 'HARNESS_EXPORTED';

/** `a as b,c` as the fields of an object. */
function asFields(names) {
  const pairs = names.split(',').map((name) => name.trim().split(/\s+as\s+/));
  return pairs.map(([own, outside = own]) => `${outside}:${own}`).join(',');
}

/** What programs start again and again. */
const OFTEN = ['src/cli/hook/run-hook.ts', 'src/cli/decide.ts'];

/** Code that loads modules of others while it runs cannot, if it comes from a cache: Node forgets there who is to load them. */
const LOADS = /\bimport\(/;

/**
 * Puts everything that the launcher and `decide` may load into one file: to find and open thirty takes longer than to read
 * them, and what of it never runs costs nothing but its bytes. The file gives a `require` for what is in it, which others use.
 */
function withPack(texts, outputs) {
  const chunkOf = (source) =>
    basename(Object.keys(outputs).find((path) => outputs[path].entryPoint === source));
  // What every command needs is no part of it: the others do not read it for that.
  const always = [basename(CLI_FILE), chunkOf('src/cli/run-command.ts')];
  const early = new Set(always.flatMap((entry) => [...closure(entry, outputs)]));
  const first = OFTEN.map(chunkOf);
  const often = new Set(first.flatMap((chunk) => [...closure(chunk, outputs, LATE)]));
  const inside = [...often].filter((chunk) => !early.has(chunk) && !LOADS.test(texts.get(chunk)));
  const pack = `core-${hashOf(inside.map((chunk) => texts.get(chunk)).join())}.cjs`;
  const packed = new Set(inside);
  const linked = (text, from) =>
    text.replace(/\b(?:require|late)\("((?:\.\/chunks|\.)\/([^"]+\.cjs))"\)/g, (_, path, chunk) => {
      return packed.has(chunk) ? `require("${from}${pack}")("./${chunk}")` : `require("${path}")`;
    });
  const chunks = inside.map((chunk) => {
    // What is not inside is required by its name, so that bundlers see it.
    const text = texts.get(chunk).replace(/\b(require|late)\("\.\/([^"]+\.cjs)"\)/g, (_, how, name) => {
      if (!packed.has(name)) return `require("./${name}")`;
      return `${how === 'late' ? 'late' : 'load'}("./${name}")`;
    });
    if (text.includes(END)) throw new Error(`${chunk} holds what stands between chunks`);
    return `${JSON.stringify(`./${chunk}`)}:function(module,exports){${text}\n},${END}`;
  });
  const files = new Map([[pack, asAscii(packText(chunks))]]);
  for (const [chunk, text] of texts) {
    if (packed.has(chunk)) continue;
    const whole = chunk === basename(HOOK_FILE) ? inOneFile(chunk, texts, outputs) : text;
    files.set(chunk, linked(whole, ENTRIES.includes(chunk) ? './chunks/' : './'));
  }
  return { files, pack };
}

/**
 * An entry with a copy of all it needs at once: to find and open a few files takes longer than to run it. Nothing in them may
 * remember anything, since others have their own.
 */
function inOneFile(entry, texts, outputs) {
  const inside = new Set(closure(entry, outputs));
  const own = (text) =>
    text.replace(/\brequire\("\.\/(?:chunks\/)?([^"]+\.cjs)"\)/g, (_, name) =>
      inside.has(name) ? `load("./${name}")` : `require("./chunks/${name}")`,
    );
  const chunks = [...inside]
    .filter((name) => name !== entry)
    .map((name) => `${JSON.stringify(`./${name}`)}:function(module,exports){${own(texts.get(name))}\n},`);
  return `${packText(chunks).replace('module.exports=load;\n', '')}${own(texts.get(entry))}`;
}

/** Stands before and behind each chunk of a pack: `boot.cjs` takes them one by one. */
const END = '\n//\n';

function packText(chunks) {
  return `"use strict";const chunks={${END}${chunks.join('')}};
const loaded=new Map();
function load(name){let module=loaded.get(name);
if(module===undefined){loaded.set(name,module={exports:{}});chunks[name](module,module.exports);}
return module.exports;}
const late=load;
module.exports=load;
`;
}

/** Ways in which a chunk names another: at once, and while it runs. */
const AT_ONCE = ['import-statement'];
const LATE = ['import-statement', 'dynamic-import'];

/** A chunk and all it cannot do without, or also all it may ask for. */
function closure(start, outputs, kinds = AT_ONCE) {
  const known = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const found = new Set([start]);
  for (const name of found) {
    for (const { path, kind } of known.get(name)?.imports ?? []) {
      if (kinds.includes(kind) && known.has(basename(path))) found.add(basename(path));
    }
  }
  return found;
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
}

/** Outside of ASCII a file takes longer to read, and twice the memory. What esbuild leaves stands in patterns. */
function asAscii(text) {
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
