/**
 * Loads `core.cjs` and `bundle.cjs`, which hold all code, with the code that V8 made of them in an earlier process: compiling takes
 * longer than deciding. The cache lies beside them and is used only if it belongs to their owner or
 * to this user, and nobody else can write there. V8 rejects the cache of another version of itself, and of a text of another length;
 * the digest of the build in its name rejects the rest. A cache that cannot be written is harmless: the next start is slower.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import vm from 'node:vm';

/** Set by the build. */
declare const HARNESS_BUILD: string;

/** The folder of the entry that this file is bundled into, wherever a link to it or a file that loads it stands. */
declare const __dirname: string;

/** The exports of `core.cjs` that the entries use. */
type Core = Pick<typeof import('../machine/index.ts'), 'useImporter'> &
  Pick<typeof import('../launcher/index.ts'), 'runHook'>;

/** Of `bundle.cjs`: a function that loads the command line. */
interface Rest {
  readonly command: () => typeof import('./run-command.ts');
}

export interface Loaded<Exports> {
  readonly exports: Exports;
  /** Writes what V8 compiled in this process, unless it came from the cache. To be called when the answer is given. */
  readonly saveCode: () => void;
}

const OTHERS_WRITE = 0o022;

/** `use` names the cache: each use runs another part of the code. */
export function loadCore(use: 'hook' | 'decide'): Loaded<Core> {
  const loaded = load<Core>('core.cjs', use);
  loaded.exports.useImporter((specifier) => import(specifier));
  return loaded;
}

export function loadCommand(): Loaded<Rest> {
  const core = loadCore('decide');
  const rest = load<Rest>('bundle.cjs', 'command');
  const saveCode = () => {
    core.saveCode();
    rest.saveCode();
  };
  return { exports: rest.exports, saveCode };
}

function load<Exports>(name: string, use: string): Loaded<Exports> {
  const folder = __dirname;
  const file = join(folder, name);
  const cache = join(folder, 'cache', `${HARNESS_BUILD}-${process.version}-${process.arch}.${use}`);
  const cachedData = readCache(cache, file);
  // The build writes ASCII, which needs no decoding.
  const script = new vm.Script(
    `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'latin1')}\n})`,
    { filename: file, ...(cachedData !== null && { cachedData }) },
  );
  const module = new Module(file);
  const require = createRequire(file);
  // A module of a policy that imports the library gets this copy of it, not a second one.
  require.cache[file] = module;
  script.runInThisContext()(module.exports, require, module, file, folder);
  module.loaded = true;
  const isCached = cachedData !== null && script.cachedDataRejected === false;
  return {
    exports: module.exports as Exports,
    saveCode: () => (isCached ? undefined : writeCache(cache, script)),
  };
}

function readCache(cache: string, file: string): Buffer | null {
  try {
    const owners = [statSync(file).uid, process.getuid?.() ?? 0];
    const isOwn = [dirname(cache), cache].every((path) => {
      const { uid, mode } = statSync(path);
      return owners.includes(uid) && (mode & OTHERS_WRITE) === 0;
    });
    return isOwn ? readFileSync(cache) : null;
  } catch {
    return null;
  }
}

/** By a new file that is moved into place: a process never reads half a cache. */
function writeCache(cache: string, script: vm.Script): void {
  try {
    mkdirSync(dirname(cache), { recursive: true, mode: 0o755 });
    const beside = `${cache}.${process.pid}`;
    writeFileSync(beside, script.createCachedData(), { mode: 0o644 });
    renameSync(beside, cache);
  } catch {}
}
