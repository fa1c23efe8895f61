/**
 * Loads `bundle.cjs`, which holds all code of the command and the library, with the code that V8 made of it in an earlier process:
 * compiling takes longer than deciding. The cache lies beside the bundle and is used only if it belongs to the owner of the bundle or
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

/** The exports of the bundle that its entries use: functions that load a module on demand, as `scripts/build-cli.mjs` writes them. */
export interface Bundle {
  readonly imports: () => Pick<typeof import('../machine/index.ts'), 'useImporter'>;
  readonly launcher: () => Pick<typeof import('../launcher/index.ts'), 'runHook'>;
  readonly command: () => typeof import('./run-command.ts');
}

export interface LoadedBundle {
  readonly bundle: Bundle;
  /** Writes what V8 compiled in this process, unless it came from the cache. To be called when the answer is given. */
  readonly saveCode: () => void;
}

const OTHERS_WRITE = 0o022;

/** `use` names the cache: each use runs another part of the bundle. */
export function loadBundle(use: 'hook' | 'decide'): LoadedBundle {
  const folder = __dirname;
  const file = join(folder, 'bundle.cjs');
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
  const bundle = module.exports as Bundle;
  bundle.imports().useImporter((specifier) => import(specifier));
  const isCached = cachedData !== null && script.cachedDataRejected === false;
  return {
    bundle,
    saveCode: () => (isCached ? undefined : writeCache(cache, script)),
  };
}

function readCache(cache: string, bundle: string): Buffer | null {
  try {
    const owners = [statSync(bundle).uid, process.getuid?.() ?? 0];
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
