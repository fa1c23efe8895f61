/**
 * A batch as a machine posts it: gzip around raw lines. It is unpacked within limits, proven as far as it can be without the
 * database, and its facts are read. What needs the stored head is left to the transaction.
 */
import { gunzipSync } from 'node:zlib';
import { BATCH_BYTES, MAX_BATCH_BYTES, MAX_BATCH_LINES, sessionName } from '../fleet/index.ts';
import { type ChainPart, linkOf, proveOn, type SignedHead } from '../tape/index.ts';
import { FactReader } from './facts.ts';

export interface Batch {
  readonly from: number;
  /** The hash of the line before the first; empty where the batch begins with the header. */
  readonly prev: string;
  readonly part: ChainPart;
  /** Entries that were proven, the header included: 0 for an empty batch. */
  readonly lines: number;
  readonly facts: FactReader;
  readonly rawBytes: number;
  readonly body: Uint8Array;
  readonly signed: SignedHead | null;
}

/** Why a batch is refused before the database is asked. */
export interface BadBatch {
  readonly status: 400 | 413;
  readonly error: string;
}

export function readBatch(
  body: Buffer,
  from: number,
  session: string,
  signed: SignedHead | null,
): Batch | BadBatch {
  const raw = unpack(body);
  if ('error' in raw) return raw;
  if (raw.length > 0 && raw.at(-1) !== 10) return { status: 400, error: 'the last line has no line end' };
  const lines = splitLines(raw);
  if (lines.length > MAX_BATCH_LINES)
    return { status: 413, error: `a batch has at most ${MAX_BATCH_LINES} lines, got ${lines.length}` };
  const first = lines[0];
  const prev = first === undefined || from === 0 ? '' : (linkOf(first)?.prev ?? '');
  const proving = proveOn(from === 0 ? null : { seq: from - 1, head: prev }, signed);
  const facts = new FactReader();
  let count = 0;
  for (const line of lines) {
    if (!proving.add(line)) break;
    if (from + count > 0) facts.add(line, from + count);
    count++;
  }
  const part = headerChecked(proving.result(), session);
  return { from, prev, part, lines: lines.length, facts, rawBytes: raw.length, body, signed };
}

function headerChecked(part: ChainPart, session: string): ChainPart {
  if (part.header === null || sessionName(part.header.session) === session) return part;
  return { ...part, broken: { at: 0, what: `is of another session than ${session}` } };
}

/** A gzip ends with the size of what it holds. One buffer of that size; a wrong size only costs time. */
const SIZE_BYTES = 4;
const LEAST_BUFFER = 1024;

/** At once, as the lines are proven: what is unpacked lives no longer than this turn, which the garbage collector rewards. */
function unpack(body: Buffer): Buffer | BadBatch {
  if (body.length === 0) return body;
  const size = body.length < SIZE_BYTES ? 0 : body.readUInt32LE(body.length - SIZE_BYTES);
  const chunkSize = Math.max(LEAST_BUFFER, size <= BATCH_BYTES ? size + 1 : BATCH_BYTES);
  try {
    return gunzipSync(body, { chunkSize, maxOutputLength: MAX_BATCH_BYTES });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      return { status: 400, error: 'the body is not gzip' };
    return { status: 413, error: `a batch holds at most ${MAX_BATCH_BYTES} bytes of lines` };
  }
}

/** Lines without their ends. */
export function splitLines(raw: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < raw.length; ) {
    const to = raw.indexOf(10, from);
    const end = to === -1 ? raw.length : to;
    lines.push(raw.subarray(from, end));
    from = end + 1;
  }
  return lines;
}
