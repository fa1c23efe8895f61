/**
 * How lines hang together: each entry carries the SHA-256 of the bytes of the line before it, without its line end, and a
 * number one higher. What this file says about a line holds for writers, readers and verifiers alike.
 */
import { hash } from 'node:crypto';
import { canonicalJson, canonicalWithOrder } from '../base/canonical-json.ts';
import type { Header, SessionRecord, TapeRecord } from './entry.ts';
import { recordable } from './recordable.ts';

/** A line longer than this is refused by the writer and taken for damage by readers. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Of a line without its line end: text as UTF-8, or the bytes themselves. */
export function hashLine(line: string | Uint8Array): string {
  return hash('sha256', line, 'hex');
}

export function headerLine(header: Header): string {
  return canonicalJson(header);
}

/** The canonical JSON of an entry, put together from its parts: `ms`, `order`, `prev`, `record`, `seq`. */
export function entryLine(seq: number, prev: string, record: TapeRecord, ms?: number): string {
  const { text, order: found } = encode(record);
  // The keys of the record itself have no order; those of what it holds do, since a hook may have gone through them.
  const order = found[0]?.[0] === 0 ? found.slice(1) : found;
  const time = ms === undefined || !(ms >= 0 && ms < Infinity) ? '' : `"ms":${rounded(ms)},`;
  const keys = order.length === 0 ? '' : `"order":${JSON.stringify(order)},`;
  return `{${time}${keys}"prev":"${prev}","record":${text},"seq":${seq}}`;
}

/** Whatever a hook managed to return, there is a line for it: what JSON cannot hold becomes a placeholder. */
function encode(record: TapeRecord): { text: string; order: readonly (readonly number[])[] } {
  try {
    return canonicalWithOrder(record);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return canonicalWithOrder(recordable(record));
  }
}

/** Microseconds are as fine as the clock is worth. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What a writer that lets go in good order leaves as the last entry. A tape that ends otherwise was cut short. */
export function closing(seq: number): SessionRecord {
  return { type: 'session', kind: 'closed', data: { entries: seq } };
}

/**
 * The line of the closing entry: since nothing comes after it, every byte of it has to be known. It is what `entryLine` makes
 * of `closing`, spelled out, because every line of a tape is held against it.
 */
export function closingLine(seq: number, prev: string): string {
  const data = `{"entries":${seq}}`;
  return `{"prev":"${prev}","record":{"data":${data},"kind":"closed","type":"session"},"seq":${seq}}`;
}
