/**
 * The outbox of a machine is its tapes: files that stay where they are until the hub has them. This file finds them, reads whole
 * lines from a position, and finds the position of an entry the hub names.
 */
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked } from '../machine/index.ts';
import { hashLine, headerOf, MAX_LINE_BYTES, readLines } from '../tape/index.ts';
import { BATCH_BYTES, placeOf, sessionName } from './protocol.ts';

export interface OutboxTape {
  readonly file: string;
  readonly folder: string;
  readonly place: string;
  /** As the hub names it. */
  readonly session: string;
  readonly ino: number;
  readonly size: number;
  readonly mtime: number;
}

/** Where an entry is in a file. */
export interface Position {
  /** The number of the line; 0 is the header, -1 is before it. */
  readonly seq: number;
  readonly head: string;
  /** Of the first byte of the line, and of the first byte after its end. */
  readonly start: number;
  readonly end: number;
}

export const BEFORE_HEADER: Position = { seq: -1, head: '', start: 0, end: 0 };

const SUFFIX = '.jsonl';

/** The session of a file never changes, so it is read once. */
const sessions = new Map<string, { readonly ino: number; readonly session: string }>();

/** Tapes of a folder by name. A second file of one session is left out: the first one is the tape. */
export function tapesOfFolder(folder: string): OutboxTape[] {
  const found = new Map<string, OutboxTape>();
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size === 0) continue;
    const session = sessionOf(file, stats.ino);
    if (session === null || found.has(session)) continue;
    const { ino, size, mtimeMs: mtime } = stats;
    found.set(session, { file, folder, place: placeOf(folder), session, ino, size, mtime });
  }
  return [...found.values()];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .sort();
  } catch {
    return [];
  }
}

function sessionOf(file: string, ino: number): string | null {
  const known = sessions.get(file);
  if (known?.ino === ino) return known.session;
  try {
    const session = sessionName(headerOf(file).session);
    sessions.set(file, { ino, session });
    return session;
  } catch {
    // No tape, or one whose header is being written.
    return null;
  }
}

/** A write that fails is taken back within this time. */
const SETTLED_MS = 1000;

/**
 * Bytes that may be sent. A writer takes back a batch that it could not write whole; so the last bytes of a tape that a process is
 * writing wait until that write is over.
 */
export function confirmedSize({ file, size, mtime }: OutboxTape, before: number, now: number): number {
  const settled = Math.abs(now - mtime) >= SETTLED_MS;
  return settled || !isLocked(file) ? size : Math.min(before, size);
}

/** Whole lines with their ends, at most about a batch, and at least one line if there is one. */
export function readBatchOf(file: string, from: number, limit: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const all = Math.min(limit, fstatSync(handle).size) - from;
    for (let want = BATCH_BYTES; all > 0; want *= 4) {
      const bytes = Buffer.alloc(Math.min(want, all));
      const read = readSync(handle, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, read).lastIndexOf(10) + 1;
      if (end > 0) return bytes.subarray(0, end);
      if (bytes.length === all || want > MAX_LINE_BYTES) break;
    }
    return Buffer.alloc(0);
  } finally {
    closeSync(handle);
  }
}

/** Whether the line is still where it was. */
export function isAt(file: string, { seq, head, start, end }: Position): boolean {
  if (seq < 0) return true;
  if (end <= start) return false;
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    const read = readSync(handle, bytes, 0, bytes.length, start);
    return read === bytes.length && bytes.at(-1) === 10 && hashLine(bytes.subarray(0, -1)) === head;
  } finally {
    closeSync(handle);
  }
}

/** The position of the line with that number and hash; null if the file does not have it. */
export function findLine(file: string, seq: number, head: string): Position | null {
  if (seq < 0) return BEFORE_HEADER;
  let number = 0;
  let start = 0;
  for (const { bytes, whole } of readLines(file)) {
    if (!whole) return null;
    const end = start + bytes.length + 1;
    if (number === seq) return hashLine(bytes) === head ? { seq, head, start, end } : null;
    number++;
    start = end;
  }
  return null;
}

/** How many lines end in the rest of a file. */
export function linesAfter(file: string, from: number): number {
  let count = 0;
  for (const { whole } of readLines(file, undefined, from)) if (whole) count++;
  return count;
}

/** The first byte of an entry, counted on from a position before it. */
export function startOfEntry(file: string, { seq, end }: Position, entry: number): number {
  let [start, next] = [end, seq + 1];
  for (const { bytes, whole } of readLines(file, undefined, end)) {
    if (next++ >= entry || !whole) break;
    start += bytes.length + 1;
  }
  return start;
}
