/**
 * Finds the end of a tape to append to. A crash of a process leaves at most a last line that was not written to its end. A
 * loss of power may also leave zero bytes in place of any page that was not on the disk yet. Both are torn tails: they are
 * cut off, and nothing before them is touched. Any other break in the chain is a change that no crash explains.
 */
import { fstatSync, ftruncateSync } from 'node:fs';
import { HarnessError } from '../base/index.ts';
import { machineHost, readAt, uptimeMs } from '../machine/index.ts';
import { closingLine, hashLine, MAX_LINE_BYTES } from './chain.ts';
import type { Header } from './entry.ts';
import { linkOf } from './envelope.ts';
import { readLines } from './tape-file.ts';
import { checkEntry, parseEntry, parseHeader } from './tape-reader.ts';

export interface TapeTail {
  /** The number of the last whole entry; 0 where there is only the header. */
  readonly seq: number;
  /** The hash of the last whole line. */
  readonly head: string;
  /** Up to and with the line end of that line. */
  readonly size: number;
  /** Bytes after it: what was never written to its end. */
  readonly torn: number;
  /** Whether the last entry says that the writer let go in good order. */
  readonly closed: boolean;
}

/**
 * Reads the last batch: back to the closing entry before it. Reads the whole tape only if the machine was started again since
 * the tape was written, or the last batch is broken. Throws TAPE_INVALID for a break that no crash explains.
 */
export function checkedTail(file: number, path: string): TapeTail {
  const { size: all, mtimeMs } = fstatSync(file);
  const isOfEarlierBoot = mtimeMs < machineHost.now() - uptimeMs();
  return !isOfEarlierBoot && lastBatchIsChain(file, all) ? readTail(file, path) : scan(all, path);
}

/** Whether the lines after the closing entry before the last line are a chain; false if that is too far back to tell. */
function lastBatchIsChain(file: number, all: number): boolean {
  for (let length = STEP; length <= MOST_READ_BACK; length *= 4) {
    const from = Math.max(0, all - length);
    const lines = wholeLines(readAt(file, from, all - from), from === 0);
    const before = lines.findLastIndex((line, at) => at < lines.length - 1 && isClosing(line));
    if (before === -1 && from > 0) continue;
    const batch = lines.slice(Math.max(0, before));
    return batch.every((line, at) => !line.includes(0) && (at === 0 || follows(line, batch[at - 1]!)));
  }
  return false;
}

function follows(line: Buffer, before: Buffer): boolean {
  const [link, last] = [linkOf(line), linkOf(before)];
  return link !== null && link.seq === (last?.seq ?? 0) + 1 && link.prev === hashLine(before);
}

function isClosing(line: Buffer): boolean {
  const link = line.length < LONGEST_CLOSING ? linkOf(line) : null;
  return link !== null && line.toString('latin1') === closingLine(link.seq, link.prev);
}

const LONGEST_CLOSING = 256;
const MOST_READ_BACK = 4 * 1024 * 1024;

/** Follows the chain from the header to its end or to its first break. */
function scan(all: number, path: string): TapeTail {
  let tail = { seq: -1, head: '', size: 0, closed: false };
  let lost: LostPages | null = null;
  for (const { bytes, whole } of readLines(path)) {
    if (bytes.length > MAX_LINE_BYTES) throw new HarnessError('TAPE_INVALID', `${path} ends in no line`);
    if (!whole) break;
    if (lost !== null) {
      lost.add(bytes);
      continue;
    }
    if (bytes.includes(0)) {
      lost = new LostPages();
      continue;
    }
    const seq = tail.seq + 1;
    const link = seq === 0 ? { seq, prev: '' } : linkOf(bytes);
    if (link?.seq !== seq || link.prev !== tail.head) {
      const what = `entry ${seq} does not continue the chain, and no crash explains that`;
      throw new HarnessError('TAPE_INVALID', `${path}: ${what}; see \`harness tape verify\``);
    }
    tail = { seq, head: hashLine(bytes), size: tail.size + bytes.length + 1, closed: isClosing(bytes) };
  }
  if (tail.seq === -1) throw new HarnessError('TAPE_INVALID', `${path} has no whole line`);
  if (lost !== null && !lost.isOfOneCrash()) {
    const what = `entry ${tail.seq + 1} is damaged, and entries were written long after it`;
    throw new HarnessError('TAPE_INVALID', `${path}: ${what}; see \`harness tape verify\``);
  }
  return { ...tail, torn: all - tail.size };
}

/** Systems write a page to the disk within about half a minute. */
const CRASH_MS = 5 * 60_000;

/** Lines after the first with zero bytes, to tell a crash from a change: a crash loses only what was written just before it. */
export class LostPages {
  private first: number | null = null;
  private last: number | null = null;

  add(line: Buffer): void {
    const entry = line.includes(0) ? '' : checkEntry(line.toString('utf8'));
    if (typeof entry === 'string' || entry.at === undefined) return;
    this.first ??= entry.at;
    this.last = entry.at;
  }

  isOfOneCrash(): boolean {
    return this.first === null || this.last! - this.first <= CRASH_MS;
  }
}

/** Reads only the last line and checks nothing before it: for whoever looks and does not append. */
export function readTail(file: number, path: string): TapeTail {
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

export function cutTorn(file: number, tail: TapeTail): void {
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

/** Without the first where it may be half of one. */
export function wholeLines(bytes: Buffer, fromStart: boolean): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = fromStart ? 0 : bytes.indexOf(10) + 1, to = 0; ; from = to + 1) {
    to = bytes.indexOf(10, from);
    if (to === -1) return lines;
    lines.push(bytes.subarray(from, to));
  }
}
