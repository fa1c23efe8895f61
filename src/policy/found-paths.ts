/**
 * What was found at a set of paths: while every one of them is as it was, so is whatever was read from them. Files are compared by
 * their record, not by their content; the time of the last change of a record cannot be set back by a program.
 */
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { codeOf } from '../files/index.ts';

/** Without `join`, which takes each path apart: folders here are whole paths, and names have no dots to resolve. */
export function joinName(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** File systems count time in steps: of two changes within one step, the second does not show. */
const SETTLED_MS = 100;

/** `unknown`: it cannot be looked at. */
type FoundPath = Stats | 'absent' | 'unknown';

interface Folder {
  found: FoundPath;
  /** Whether the folder was quiet long enough for its times to tell of the next change. */
  settled: boolean;
  /** Names that were looked for, and whether they were there. */
  readonly names: Map<string, boolean>;
}

export class FoundPaths {
  private readonly files = new Map<string, { readonly links: boolean; readonly found: FoundPath }>();
  private readonly folders = new Map<string, Folder>();

  /** With `links` the link itself is looked at, otherwise the file it leads to. */
  file(path: string, links = false): void {
    if (!this.files.has(path)) this.files.set(path, { links, found: statOf(path, links) });
  }

  /** The path is looked at as a file, too. */
  isFolder(path: string): boolean {
    this.file(path);
    const { found } = this.files.get(path)!;
    return typeof found === 'object' && found.isDirectory();
  }

  /** The names in a folder, sorted; none of a folder that cannot be read: then no policy is read from it either. */
  names(path: string): string[] {
    this.file(path);
    try {
      return readdirSync(path).sort();
    } catch {
      return [];
    }
  }

  /** Paths below a folder, less those that are not there. Of a folder without them only the folder is looked at again. */
  thoseIn(path: string, below: readonly string[]): string[] {
    const folder = this.folder(path);
    if (typeof folder.found !== 'object') return [];
    const there: string[] = [];
    for (const [first, rest] of byFirstPart(below)) {
      if (!hasEntry(folder, path, first)) continue;
      const at = joinName(path, first);
      if (rest.includes('')) there.push(at);
      const further = rest.filter((name) => name !== '');
      if (further.length > 0) there.push(...this.thoseIn(at, further));
    }
    return there;
  }

  /** Whether nothing changed within the last moment: only then a later look can tell. */
  isSettled(now: number): boolean {
    for (const { found } of this.files.values())
      if (typeof found === 'object' && lastChange(found) >= now - SETTLED_MS) return false;
    return true;
  }

  isUnchanged(now: number): boolean {
    for (const [path, { links, found }] of this.files) if (!isSame(found, statOf(path, links))) return false;
    for (const [path, folder] of this.folders) if (!isFolderSame(path, folder, now)) return false;
    return true;
  }

  /** All files with their records, for a comparison with another look at the same policy. */
  toString(): string {
    const records: string[] = [];
    for (const [path, { found }] of this.files) {
      if (found === 'unknown') records.push(path);
      if (typeof found !== 'object' || found.isDirectory()) continue;
      const { ino, size, mtimeMs, ctimeMs, mode } = found;
      records.push(`${path} ${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`);
    }
    return records.join('\n');
  }

  private folder(path: string): Folder {
    const known = this.folders.get(path);
    if (known !== undefined) return known;
    // Never settled at the first look: the names are looked for after it.
    const folder = { found: statOf(path, false), settled: false, names: new Map<string, boolean>() };
    this.folders.set(path, folder);
    return folder;
  }
}

/** A folder that changed is the same while the names that count in it are there or not, as they were. */
function isFolderSame(path: string, folder: Folder, now: number): boolean {
  const found = statOf(path, false);
  if (folder.settled && isSame(folder.found, found)) return true;
  if (typeof folder.found !== 'object' || typeof found !== 'object') return folder.found === found;
  const { dev, ino, mode, uid } = folder.found;
  if (found.dev !== dev || found.ino !== ino || found.mode !== mode || found.uid !== uid) return false;
  for (const [name, there] of folder.names)
    if ((statOf(joinName(path, name), true) !== 'absent') !== there) return false;
  folder.found = found;
  folder.settled = lastChange(found) < now - SETTLED_MS;
  return true;
}

function hasEntry(folder: Folder, path: string, name: string): boolean {
  let there = folder.names.get(name);
  if (there === undefined) {
    there = statOf(joinName(path, name), true) !== 'absent';
    folder.names.set(name, there);
  }
  return there;
}

const STAT = { throwIfNoEntry: false } as const;

function statOf(path: string, links: boolean): FoundPath {
  try {
    return (links ? lstatSync(path, STAT) : statSync(path, STAT)) ?? 'absent';
  } catch (thrown) {
    return codeOf(thrown) === 'ENOTDIR' ? 'absent' : 'unknown';
  }
}

function lastChange({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

function isSame(a: FoundPath, b: FoundPath): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return (
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.mode === b.mode &&
    a.uid === b.uid
  );
}

/** Lists of paths are tables: each is sorted by first parts once. An empty rest stands for the first part itself. */
const byFirst = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();

function byFirstPart(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = byFirst.get(paths);
  if (known !== undefined) return known;
  const made = new Map<string, string[]>();
  for (const path of paths) {
    const [first = '', ...rest] = path.split('/');
    made.set(first, [...(made.get(first) ?? []), rest.join('/')]);
  }
  byFirst.set(paths, made);
  return made;
}
