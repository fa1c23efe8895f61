/**
 * Writing that never goes through a link: a name that somebody has put a link at is refused or replaced, never followed, and
 * what is written first under another name is made new there. For records, keys and whatever else a neighbour could aim at.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { randomHex } from './random.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Opens the file itself. A link at that name is an error (ELOOP). */
export function openOwn(path: string, flags: number, mode = 0o600): number {
  return openSync(path, flags | (O_NOFOLLOW ?? 0), mode);
}

export interface ReplaceOptions {
  readonly mode?: number;
  /**
   * The disk has the content before it takes its place: otherwise a loss of power may leave an empty file under the name. False for what
   * is only a cache, or is durable only where a setting says so.
   */
  readonly flush?: boolean;
}

/** Puts a file in the place of whatever has that name, in one step: a crash leaves the old one or the new one. */
export function replaceFile(path: string, content: string | Uint8Array, options: ReplaceOptions = {}): void {
  const { mode = 0o600, flush = true } = options;
  const scratch = `${path}.${randomHex(8)}`;
  const file = openOwn(scratch, O_WRONLY | O_CREAT | O_EXCL, mode);
  try {
    try {
      writeFileSync(file, content);
      if (flush) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(scratch, path);
  } catch (thrown) {
    rmSync(scratch, { force: true });
    throw thrown;
  }
}

/** Removes what a `replaceFile` that was killed has left beside the file. For a caller that alone writes the file. */
export function clearScratch(path: string): void {
  const name = basename(path);
  for (const other of readdirSync(dirname(path))) {
    const isScratch = other.startsWith(`${name}.`) && /^\.[0-9a-f]{16}$/.test(other.slice(name.length));
    if (isScratch) rmSync(join(dirname(path), other), { force: true });
  }
}

/** The disk has the names of the folder: a file that was made or replaced there is found after a loss of power. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // Some systems cannot sync a folder.
  } finally {
    closeSync(handle);
  }
}

/** The disk has the content of a file that another call has written. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes a folder and those above it. The disk has the names of those that were made: what is synced in them is then found. */
export function makeFolder(path: string, mode = 0o777): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let at = path; ; at = dirname(at)) {
    syncFolder(dirname(at));
    if (at === first || at === dirname(at)) return;
  }
}

/** Makes a file that is not there yet; one that is, or a link, stays as it is. */
export function makeFile(path: string, content: string, mode = 0o644): void {
  try {
    writeFileSync(path, content, { flag: 'wx', mode, flush: true });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

/**
 * Makes a file that appears with its content or not at all, by the one process that comes first. False where there is one, a
 * link included.
 */
export function createFile(path: string, content: string, mode = 0o600): boolean {
  const scratch = `${path}.${randomHex(8)}`;
  const file = openOwn(scratch, O_WRONLY | O_CREAT | O_EXCL, mode);
  try {
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(scratch, path);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  } finally {
    rmSync(scratch, { force: true });
  }
}

/** A folder below another, made if it is not there. None of the folders on the way down may be a link. */
export function ownFolder(root: string, inside: string, mode = 0o777): string {
  let at = root;
  for (const part of inside.split(sep)) {
    at = join(at, part);
    const found = lstatSync(at, { throwIfNoEntry: false }) ?? createdFolder(at, mode);
    if (!found.isDirectory()) throw new Error(`${at} is not a folder of its own`);
  }
  return at;
}

function createdFolder(folder: string, mode: number): Stats {
  try {
    mkdirSync(folder, { mode });
    syncFolder(dirname(folder));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  return lstatSync(folder);
}
