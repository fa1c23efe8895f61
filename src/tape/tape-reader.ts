/**
 * Reads a tape from its file, line by line in constant memory. It checks the shape of what it reads and nothing about the
 * chain: whoever needs proof asks verify.ts first.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { restoreOrder } from '../base/canonical-json.ts';
import { HarnessError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { MAX_LINE_BYTES } from './chain.ts';
import { type Entry, type Header, TAPE_VERSION } from './entry.ts';

export interface Line {
  /** Without the line end. Valid until the next line is asked for. */
  readonly bytes: Buffer;
  /** Where the line begins in the file. */
  readonly start: number;
  /** False for a last line that no line end closes. */
  readonly whole: boolean;
}

export interface Tape {
  readonly header: Header;
  /** In the order of the file; a torn last line is left out. Can be gone through once. */
  readonly entries: Iterable<Entry>;
}

const CHUNK = 1024 * 1024;

/** Throws TAPE_INVALID for a file that is no tape, and from the entries for a line that is none. */
export function readTape(path: string): Tape {
  const lines = readLines(path);
  const first = lines.next();
  if (first.done || !first.value.whole) throw invalid(path, 'has no header');
  const header = parseHeader(first.value.bytes.toString('utf8'));
  if (typeof header === 'string') {
    lines.return(undefined);
    throw invalid(path, header);
  }
  return { header, entries: entriesOf(path, lines) };
}

function* entriesOf(path: string, lines: Iterable<Line>): Generator<Entry> {
  let number = 1;
  for (const { bytes, whole } of lines) {
    number++;
    if (!whole) return;
    const entry = parseEntry(bytes.toString('utf8'));
    if (typeof entry === 'string') throw invalid(path, `line ${number} ${entry}`);
    yield entry;
  }
}

/** The lines of a file. A line too long to be one comes cut, as the last and not whole. */
export function* readLines(path: string, onBytes?: (done: number, all: number) => void): Generator<Line> {
  const file = openTapeFile(path);
  try {
    const all = fstatSync(file).size;
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, all + 1));
    let start = 0;
    let held = 0;
    for (;;) {
      const read = readSync(file, buffer, held, buffer.length - held, null);
      if (read === 0) break;
      const end = held + read;
      let from = 0;
      let to = buffer.indexOf(10, held);
      while (to !== -1 && to < end) {
        yield { bytes: buffer.subarray(from, to), start: start + from, whole: true };
        from = to + 1;
        to = buffer.indexOf(10, from);
      }
      held = end - from;
      start += from;
      if (held > MAX_LINE_BYTES) break;
      // What is left begins the next line; a line that fills the buffer gets a larger one.
      const next = held * 2 > buffer.length ? Buffer.allocUnsafe(buffer.length * 2 + 1) : buffer;
      buffer.copy(next, 0, from, end);
      buffer = next;
      onBytes?.(start, all);
    }
    if (held > 0) yield { bytes: buffer.subarray(0, held), start, whole: false };
  } finally {
    closeSync(file);
  }
}

/** A file that can be read from its beginning to its end: no folder, no device, no pipe. */
function openTapeFile(path: string): number {
  let file: number;
  try {
    // Without blocking, for a named pipe nobody writes to.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    throw invalid(path, `cannot be read: ${(thrown as Error).message}`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw invalid(path, 'is not a regular file');
}

/** The header, or what is wrong with it. */
export function parseHeader(line: string): Header | string {
  const value = parse(line);
  if (!isJsonObject(value) || value.tape === undefined) return 'is not a tape: its first line is no header';
  if (value.tape !== TAPE_VERSION) {
    return `is a tape of version ${JSON.stringify(value.tape)}; this program reads version ${TAPE_VERSION}`;
  }
  const texts = ['session', 'engine', 'host', 'started'].every((key) => typeof value[key] === 'string');
  const { policy } = value;
  if (!texts || !isJsonObject(policy) || typeof policy.digest !== 'string' || !Array.isArray(policy.hooks)) {
    return 'has a header that lacks a field';
  }
  return value as unknown as Header;
}

const HASH = /^[0-9a-f]{64}$/;

/** The entry with the keys of its record as they stood when it was written, or what is wrong with it. */
export function parseEntry(line: string): Entry | string {
  const entry = checkEntry(line);
  if (typeof entry === 'string' || entry.order === undefined) return entry;
  try {
    return { ...entry, record: restoreOrder(entry.record, entry.order) };
  } catch {
    return 'has an order of keys that does not fit';
  }
}

/** The entry with the keys of its record sorted, as they stand in the line. */
export function checkEntry(line: string): Entry | string {
  const value = parse(line);
  if (value === undefined) return 'is not JSON';
  if (!isJsonObject(value) || !isJsonObject(value.record) || typeof value.record.type !== 'string') {
    return 'is not an entry';
  }
  if (typeof value.seq !== 'number' || !Number.isSafeInteger(value.seq)) return 'has no number';
  if (typeof value.prev !== 'string' || !HASH.test(value.prev)) return 'has no hash';
  return value as unknown as Entry;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function invalid(path: string, what: string): HarnessError {
  return new HarnessError('TAPE_INVALID', `${path} ${what}`);
}
