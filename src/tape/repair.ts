/**
 * Finds where a tape can be gone on with. A crash leaves at most a last line that was not written to its end: that tail is
 * cut off, and nothing before it is touched.
 */
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { HarnessError } from '../base/errors.ts';
import { closingLine, hashLine, MAX_LINE_BYTES } from './chain.ts';
import type { Header } from './entry.ts';
import { parseEntry, parseHeader } from './tape-reader.ts';

export interface Tail {
  /** The number of the last whole entry; 0 where there is only the header. */
  readonly seq: number;
  /** The hash of the last whole line. */
  readonly head: string;
  /** Up to and with the line end of that line. */
  readonly size: number;
  /** Bytes after it: a line that was never written to its end. */
  readonly torn: number;
  /** Whether the last entry says that the writer let go in good order. */
  readonly closed: boolean;
}

/** Reads only the end of the file, whatever its size. Throws TAPE_INVALID where the last whole line is no entry. */
export function readTail(file: number, path: string): Tail {
  const all = fstatSync(file).size;
  const { line, end } = lastLine(file, all, path);
  const text = line.toString('utf8');
  const at = { head: hashLine(line), size: end, torn: all - end };
  const entry = parseEntry(text);
  if (typeof entry !== 'string') {
    return { ...at, seq: entry.seq, closed: text === closingLine(entry.seq, entry.prev) };
  }
  if (end === line.length + 1 && typeof parseHeader(text) !== 'string')
    return { ...at, seq: 0, closed: false };
  throw new HarnessError('TAPE_INVALID', `${path}: the last whole line ${entry}`);
}

export function cutTorn(file: number, tail: Tail): void {
  if (tail.torn > 0) ftruncateSync(file, tail.size);
}

/** The header alone. */
export function readHeader(file: number, path: string): Header {
  for (let length = STEP; ; length *= 4) {
    const bytes = readAt(file, 0, length);
    const end = bytes.indexOf(10);
    if (end === -1 && bytes.length === length && length < MAX_LINE_BYTES) continue;
    const header = end === -1 ? 'has no whole header' : parseHeader(bytes.toString('utf8', 0, end));
    if (typeof header === 'string') throw new HarnessError('TAPE_INVALID', `${path} ${header}`);
    return header;
  }
}

const STEP = 64 * 1024;

/** The last line that has a line end, and the place after that line end. */
function lastLine(file: number, all: number, path: string): { line: Buffer; end: number } {
  for (let length = STEP; ; length *= 4) {
    const from = Math.max(0, all - length);
    const bytes = readAt(file, from, all - from);
    const end = bytes.lastIndexOf(10);
    const start = end <= 0 ? -1 : bytes.lastIndexOf(10, end - 1);
    if (end !== -1 && (start !== -1 || from === 0)) {
      return { line: bytes.subarray(start + 1, end), end: from + end + 1 };
    }
    if (from === 0) throw new HarnessError('TAPE_INVALID', `${path} has no whole line`);
    if (length > 2 * MAX_LINE_BYTES) throw new HarnessError('TAPE_INVALID', `${path} ends in no line`);
  }
}

export function readAt(file: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let held = 0;
  while (held < length) {
    const read = readSync(file, buffer, held, length - held, from + held);
    if (read === 0) break;
    held += read;
  }
  return buffer.subarray(0, held);
}
