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
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** Put in by the build: a digest of every file of it, since V8 tells texts apart by their length only. */
declare const HARNESS_BUILD: string;

interface Compiling {
  _compile(content: string, filename: string): unknown;
  exports: unknown;
  require(id: string): unknown;
}

export interface CodeCache {
  /** Keeps what was compiled in this process, if it was not kept before. */
  save(): void;
}

/** After the build only what loads modules of others has it: chunks are required. */
const LOADS = /\bimport\(/;

const NONE: CodeCache = { save: () => {} };

/** For the chunks beside the launcher's entry. */
export function useCodeCache(entry: string): CodeCache {
  const root = dirname(realpathSync(entry));
  const folder = join(root, 'cache', `${HARNESS_BUILD}-${process.version}-${process.arch}`);
  const known = stateOf(folder, entry);
  if (known === 'not ours') return NONE;
  const fresh: [Script, string][] = [];
  const proto = Module.prototype as unknown as Compiling;
  const plain = proto._compile;
  proto._compile = function (this: Compiling, content, filename) {
    // Code that loads modules while it runs cannot, if it comes from the cache: Node forgets there who is to load them.
    if (!filename.startsWith(`${root}/chunks/`) || LOADS.test(content)) {
      return plain.call(this, content, filename);
    }
    const file = join(folder, `${basename(filename)}.cache`);
    const cachedData = known === 'there' ? readIfThere(file) : undefined;
    const script = new Script(`(function(exports,require,module){${content}\n})`, {
      filename,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined) fresh.push([script, file]);
    const run = script.runInThisContext() as (...args: unknown[]) => unknown;
    return run.call(this.exports, this.exports, (id: string) => this.require(id), this);
  };
  return { save: () => save(folder, fresh) };
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
