/**
 * Which tapes a path means: a file is itself, a folder all `.jsonl` files in it, a project the tapes of its runs, and a name
 * that is no path the tape whose name or session begins so. Beside it how reading them is shown where it takes long.
 */
import { closeSync, constants, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { machineHost } from '../../machine/index.ts';
import { layerPlaces } from '../../policy/index.ts';
import { type Header, readHeader } from '../../tape/index.ts';
import { type Output, quote, UsageError } from '../../terminal/index.ts';

const RUNS = join('.harness', 'runs');
const SUFFIX = '.jsonl';

/** The tape on which `tape prune` leaves what went: it is proven like any other, and is nobody's run. */
export const PRUNED = 'harness.pruned';

export interface FoundTape {
  readonly files: readonly string[];
  /** Whether the path is one tape. */
  readonly single: boolean;
}

/** Without a path: the runs of the project around this folder, or else of the user. */
export function findTapes(path?: string): FoundTape {
  if (path === undefined) return { files: runsHere(), single: false };
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { files: [byShortId(path)], single: true };
  if (!stat.isDirectory()) return { files: [path], single: true };
  const here = tapesIn(path);
  const files = here.length > 0 ? here : tapesIn(join(path, RUNS));
  if (files.length === 0) throw new UsageError(`there are no tapes (*${SUFFIX}) in ${quote(path)}`);
  return { files, single: false };
}

/** One tape to look at: of several the newest, and it is said which. */
export function newestTape(path: string | undefined, output: Output): string {
  const { files, single } = findTapes(path);
  if (single || files.length === 1) return files[0]!;
  const newest = newestFirst(files.filter((file) => basename(file, SUFFIX) !== PRUNED))[0]!;
  output.note(`the newest of ${files.length} tapes: ${newest}`);
  return newest;
}

/** One tape to change: nothing is chosen for a person. */
export function oneTape(path: string): string {
  const { files, single } = findTapes(path);
  if (single || files.length === 1) return files[0]!;
  throw new UsageError(`${quote(path)} holds ${files.length} tapes; name one: ${someNames(files)}`);
}

/** By when they began; a file that does not say it is last. */
function newestFirst(files: readonly string[]): string[] {
  const started = new Map(files.map((file) => [file, headerAt(file)?.started ?? '']));
  return [...files].sort((a, b) => compare(started.get(b)!, started.get(a)!) || compare(a, b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `4f1c`, or with its folder `runs/4f1c`. The name of a file decides; only if none fits, the session it holds. */
function byShortId(path: string): string {
  const id = basename(path);
  const folders = id === path ? [...runFolders(), ...foldersHere('imports')] : [dirname(path)];
  const files = folders.flatMap(tapesIn);
  const named = files.filter((file) => basename(file).startsWith(id));
  const fits = named.length > 0 ? named : files.filter((file) => headerAt(file)?.session.startsWith(id));
  const exact = fits.filter((file) => basename(file, SUFFIX) === id);
  const found = exact.length === 1 ? exact : fits;
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new UsageError(`${quote(id)} fits ${found.length} tapes: ${someNames(found)}`);
  }
  const looked = folders.length === 0 ? '' : `, and no tape in ${folders.map(quote).join(' or ')} begins so`;
  throw new UsageError(`no such file or folder: ${quote(path)}${looked}`);
}

function someNames(files: readonly string[]): string {
  const names = files.slice(0, 5).map((file) => basename(file, SUFFIX));
  return `${names.join(', ')}${files.length > names.length ? ', …' : ''}`;
}

function runsHere(): string[] {
  const folders = runFolders();
  const files = folders.map(tapesIn).find((each) => each.length > 0);
  if (files !== undefined) return files;
  throw new UsageError(
    `no tapes in ${quote(resolve('.'))} or its parents (they are in ${RUNS}); give the path of one`,
  );
}

/** Where runs are kept, from the nearest: those of the projects around this folder, then those of the user. */
export function runFolders(from = '.'): string[] {
  return foldersHere('runs', from);
}

export function foldersHere(kind: 'runs' | 'imports', from = '.'): string[] {
  const folders: string[] = [];
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    folders.push(join(dir, '.harness', kind));
    if (dirname(dir) === dir) break;
  }
  const { user } = layerPlaces(machineHost);
  if (user !== null) folders.push(join(user, kind));
  return folders.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
}

export function tapesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Null for a file that is no tape. */
export function headerAt(file: string): Header | null {
  try {
    // Without blocking, for a named pipe nobody writes to.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return readHeader(handle, file);
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** Says on a terminal how far reading has come, once it takes longer than a second. */
export function progressOf(what: string, output: Output): (done: number, all: number) => void {
  if (process.stderr.isTTY !== true) return () => {};
  let said = Date.now();
  return (done, all) => {
    if (Date.now() - said < 1000) return;
    said = Date.now();
    output.note(`${what}: ${Math.floor((done / Math.max(all, 1)) * 100)} %`);
  };
}
