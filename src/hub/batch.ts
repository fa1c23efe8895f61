/**
 * A batch as a machine posts it: gzip around raw lines. It is unpacked within limits, proven as far as it can be without the
 * database, and its facts are read. What needs the stored head is left to the transaction.
 */
import { gunzip } from 'node:zlib';
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

export async function readBatch(
  body: Uint8Array,
  from: number,
  session: string,
  signed: SignedHead | null,
): Promise<Batch | BadBatch> {
  const raw = await unpack(body);
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

/** Of lines to their gzip: most batches are unpacked into one buffer. */
const USUAL_RATIO = 6;

function unpack(body: Uint8Array): Promise<Buffer | BadBatch> {
  if (body.length === 0) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    const chunkSize = Math.min(Math.max(body.length * USUAL_RATIO, 16 * 1024), BATCH_BYTES * 2);
    gunzip(body, { chunkSize, maxOutputLength: MAX_BATCH_BYTES }, (error, raw) => {
      if (error === null) return resolve(raw);
      const large = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      resolve(
        large
          ? { status: 413, error: `a batch holds at most ${MAX_BATCH_BYTES} bytes of lines` }
          : { status: 400, error: 'the body is not gzip' },
      );
    });
  });
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
