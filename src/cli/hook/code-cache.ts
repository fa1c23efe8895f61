/**
 * The launcher's own files, compiled: kept beside them by the first process, used by those after it. To compile them takes
 * longer than to decide. What is kept is code: the folder has to belong to the owner of the launcher, or to this user, and
 * nobody else may write there. Without it everything works as well, only later.
 */
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Script } from 'node:vm';

/** Put in by the build: a digest of every file of it, since V8 tells texts apart by their length only. */
declare const HARNESS_BUILD: string;
/** Put in by the build: the file that holds nearly all of it. */
declare const HARNESS_PACK: string;

interface Loading {
  _compile(content: string, filename: string): unknown;
  exports: unknown;
  filename: string;
  loaded: boolean;
  require(id: string): unknown;
}

interface ModuleClass {
  new (filename: string): Loading;
  readonly prototype: Loading;
  readonly _cache: Record<string, Loading>;
}

export interface CodeCache {
  /** Keeps what was compiled in this process, if it was not kept before. */
  save(): void;
}

/** After the build only what loads modules of others has it: chunks are required. */
const LOADS = /\bimport\(/;

const NONE: CodeCache = { save: () => {} };

let keeps = true;

/** This process went a way that the next one does not take: what it compiled is no use to others. */
export function keepNoCode(): void {
  keeps = false;
}

/** For the files beside the launcher's entry. Each use runs other parts of them, and has what it runs. */
export function useCodeCache(entry: string, use: 'hook' | 'decide'): CodeCache {
  const root = dirname(realpathSync(entry));
  const folder = join(root, 'cache', `${HARNESS_BUILD}-${process.version}-${process.arch}`);
  const known = stateOf(folder, entry);
  if (known === 'not ours') return NONE;
  const fresh: [Script, string][] = [];
  // Not imported: a process that has no cache, such as one from a heap snapshot, does without them.
  const vm = process.getBuiltinModule('node:vm');
  const { Module } = process.getBuiltinModule('node:module');
  const compile = (module: Loading, content: string, filename: string): void => {
    const file = join(folder, `${basename(filename)}.${use}`);
    const cachedData = known === 'there' ? readIfThere(file) : undefined;
    const text = `(function(exports,require,module,__filename,__dirname){${content}\n})`;
    const script = new vm.Script(text, { filename, ...(cachedData !== undefined && { cachedData }) });
    // One that V8 does not want, such as half a file, is made anew.
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.push([script, file]);
    const run = script.runInThisContext() as (...args: unknown[]) => unknown;
    const load = (id: string) => module.require(id);
    run.call(module.exports, module.exports, load, module, filename, dirname(filename));
  };
  const modules = Module as unknown as ModuleClass;
  const plain = modules.prototype._compile;
  modules.prototype._compile = function (this: Loading, content, filename) {
    // Code that loads modules while it runs cannot, if it comes from the cache: Node forgets there who is to load them.
    if (!filename.startsWith(`${root}/chunks/`) || LOADS.test(content)) {
      return plain.call(this, content, filename);
    }
    return compile(this, content, filename);
  };
  openPack(modules, join(root, 'chunks', HARNESS_PACK), compile);
  return { save: () => (keeps ? save(folder, fresh) : undefined) };
}

/** Loads the file as `require` would, without looking for it, and as the bytes it is made of: all of it is ASCII. */
function openPack(
  modules: ModuleClass,
  file: string,
  compile: (module: Loading, content: string, filename: string) => void,
): void {
  const module = new modules(file);
  module.filename = file;
  compile(module, readFileSync(file, 'latin1'), file);
  module.loaded = true;
  modules._cache[file] = module;
}

type State = 'there' | 'absent' | 'not ours';

function stateOf(folder: string, entry: string): State {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    const owners = [statSync(entry).uid, process.getuid?.() ?? 0];
    const ours = found.isDirectory() && owners.includes(found.uid) && (found.mode & 0o022) === 0;
    return ours ? 'there' : 'not ours';
  } catch {
    return 'not ours';
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Written beside and moved into place: half a file is never read. */
function save(folder: string, fresh: readonly (readonly [Script, string])[]): void {
  try {
    if (fresh.length > 0) mkdirSync(folder, { recursive: true, mode: 0o755 });
    for (const [script, file] of fresh) {
      const beside = `${file}.${process.pid}`;
      writeFileSync(beside, script.createCachedData(), { mode: 0o644 });
      renameSync(beside, file);
    }
  } catch {
    // A package folder that belongs to somebody else, or a full disk: the next process compiles again.
  }
}
