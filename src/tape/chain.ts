/**
 * How lines hang together: each entry carries the SHA-256 of the bytes of the line before it, without its line end, and a
 * number one higher. What this file says about a line holds for writers, readers and verifiers alike.
 */

import { type Canonical, canonicalJson, canonicalWithOrder, sha256Hex } from '../base/index.ts';
import type { Header, SessionRecord, TapeRecord } from './entry.ts';
import { recordable } from './recordable.ts';

/** A line longer than this is refused by the writer and taken for damage by readers. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Of a line without its line end: text as UTF-8, or the bytes themselves. */
export function hashLine(line: string | Uint8Array): string {
  return sha256Hex(line);
}

export function headerLine(header: Header): string {
  return canonicalJson(header);
}

/** An entry before it has its place in a chain: everything but its number and the hash before it. */
export interface EntryBody {
  /** `at`, `ms` and `order` as text, each with its comma. */
  readonly before: string;
  /** The record as canonical JSON. */
  readonly record: string;
}

/** `at` is null for the closing entry. */
export function entryBody(record: TapeRecord, at: number | null, ms?: number | readonly number[]): EntryBody {
  return textBody(encode(record), at, ms);
}

/** The same of a record that is text already. */
export function textBody(
  { text, order: found }: Canonical,
  at: number | null,
  ms?: number | readonly number[],
): EntryBody {
  // The keys of the record itself have no order; those of what it holds do, since a hook may have gone through them.
  const order = found[0]?.[0] === 0 ? found.slice(1) : found;
  const time = at === null ? '' : `"at":${at},`;
  const keys = order.length === 0 ? '' : `"order":${JSON.stringify(order)},`;
  return { before: `${time}${msText(ms)}${keys}`, record: text };
}

/** The canonical JSON of an entry, put together from its parts: `at`, `ms`, `order`, `prev`, `record`, `seq`. */
export function entryLine(seq: number, prev: string, { before, record }: EntryBody): string {
  return `{${before}"prev":"${prev}","record":${record},"seq":${seq}}`;
}

/** Whatever a hook managed to return, there is a line for it: what JSON cannot hold becomes a placeholder. */
function encode(record: TapeRecord): Canonical {
  try {
    return canonicalWithOrder(record);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return canonicalWithOrder(recordable(record));
  }
}

function msText(ms: number | readonly number[] | undefined): string {
  if (ms === undefined) return '';
  if (typeof ms === 'number') return isTime(ms) ? `"ms":${rounded(ms)},` : '';
  let text = '';
  for (const one of ms) text += `${text === '' ? '' : ','}${isTime(one) ? rounded(one) : 0}`;
  return `"ms":[${text}],`;
}

function isTime(ms: number): boolean {
  return ms >= 0 && ms < Infinity;
}

/** Microseconds are as fine as the clock is worth. As JSON writes the number, which takes longer for one with a fraction. */
function rounded(ms: number): string {
  const micros = Math.round(ms * 1000);
  if (micros >= 1e9) return String(micros / 1000);
  const whole = Math.floor(micros / 1000);
  return `${whole}${FRACTIONS[micros - whole * 1000]!}`;
}

const FRACTIONS: readonly string[] = Array.from({ length: 1000 }, (_, thousandths) =>
  String(thousandths / 1000).slice(1),
);

/** What a writer that lets go in good order leaves as the last entry. A tape that ends otherwise was cut short. */
export function closing(seq: number): SessionRecord {
  return { type: 'session', kind: 'closed', data: { entries: seq } };
}

/**
 * The line of the closing entry: since nothing comes after it, every byte of it has to be known, and so it has no time of
 * day. It is what `entryLine` makes of `closing`, spelled out, because every line of a tape is held against it.
 */
export function closingLine(seq: number, prev: string): string {
  const data = `{"entries":${seq}}`;
  return `{"prev":"${prev}","record":{"data":${data},"kind":"closed","type":"session"},"seq":${seq}}`;
}
