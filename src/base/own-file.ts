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
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { randomHex } from './random.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Opens the file itself. A link at that name is an error (ELOOP). */
export function openOwn(path: string, flags: number, mode = 0o600): number {
  return openSync(path, flags | (O_NOFOLLOW ?? 0), mode);
}

export interface ReplaceOptions {
  readonly mode?: number;
  /** The disk has it before it takes its place. */
  readonly flush?: boolean;
}

/** Puts a file in the place of whatever has that name, in one step: a crash leaves the old one or the new one. */
export function replaceFile(path: string, content: string | Uint8Array, options: ReplaceOptions = {}): void {
  const { mode = 0o600, flush = false } = options;
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

/** Makes a file that is not there yet; one that is, or a link, stays as it is. */
export function makeFile(path: string, content: string, mode = 0o644): void {
  try {
    writeFileSync(path, content, { flag: 'wx', mode });
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
    const found = lstatSync(at, { throwIfNoEntry: false }) ?? made(at, mode);
    if (!found.isDirectory()) throw new Error(`${at} is not a folder of its own`);
  }
  return at;
}

function made(folder: string, mode: number): Stats {
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  return lstatSync(folder);
}
