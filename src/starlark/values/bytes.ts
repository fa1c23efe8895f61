/**
 * bytes: an immutable string of numbers from 0 to 255.
 */
import { compareBytes, fillWith, latin1Of } from '../../base/bytes.ts';
import { fail, StarlarkError } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { indexOfText } from './find-text.ts';
import { quoteBytes, sequenceLength } from './quote.ts';
import { checkedIndex, repeatCount } from './sequence.ts';
import { BYTES } from './size.ts';
import { TextBuilder } from './text-builder.ts';
import {
  type ArithmeticOperator,
  type Key,
  type ReprWriter,
  StarObject,
  typeName,
  type Value,
} from './value.ts';

const MAX_BYTES = 2 ** 29 - 24;
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

export class Bytes extends StarObject {
  readonly type = 'bytes';
  /** Not to be changed by anyone. */
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    super();
    this.data = data;
  }

  /** The UTF-8 encoding; a lone surrogate becomes U+FFFD. */
  static encode(text: string): Bytes {
    return new Bytes(ENCODER.encode(text));
  }

  get length(): number {
    return this.data.length;
  }

  /** The text, with one U+FFFD for every byte that is no part of valid UTF-8. */
  decode(): string {
    const out = new TextBuilder();
    let from = 0;
    for (let at = 0; at < this.data.length; ) {
      const size = sequenceLength(this.data, at);
      if (size > 0) {
        at += size;
        continue;
      }
      if (at > from) out.add(DECODER.decode(this.data.subarray(from, at)));
      out.add('\ufffd');
      from = ++at;
    }
    out.add(DECODER.decode(this.data.subarray(from)));
    return out.finish();
  }

  override truth(): boolean {
    return this.data.length > 0;
  }

  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    thread?.spend(this.data.length >> 2);
    // The longest it can become, while it is not known how long that is.
    thread?.charge(4 * this.data.length);
    out.text(quoteBytes(this.data));
  }

  override hashKey(): Key {
    return `\0b${this.latin1()}`;
  }

  /** One character for each byte. */
  private latin1(): string {
    return latin1Of(this.data);
  }

  override equals(other: StarObject, _nested: unknown, thread: Thread): boolean {
    if (this === other) return true;
    return other instanceof Bytes && this.length === other.length && this.order(other, null, thread) === 0;
  }

  override order(other: StarObject, _nested: unknown, thread: Thread): number | undefined {
    if (!(other instanceof Bytes)) return undefined;
    thread.spend(Math.min(this.length, other.length) >> 4);
    return compareBytes(this.data, other.data);
  }

  override len(): number {
    return this.data.length;
  }

  override getItem(_thread: Thread, key: Value): Value {
    return this.data[checkedIndex('bytes', key, this.data.length)]!;
  }

  override sliceItems(thread: Thread, start: number, step: number, count: number): Bytes {
    thread.charge(BYTES + count);
    thread.spend(count >> 4);
    if (step === 1) return new Bytes(this.data.slice(start, start + count));
    const out = new Uint8Array(count);
    for (let i = 0, at = start; i < count; i++, at += step) out[i] = this.data[at]!;
    return new Bytes(out);
  }

  override contains(thread: Thread, item: Value): boolean {
    if (item instanceof Bytes) return this.indexOf(thread, item, 0) !== -1;
    if (typeof item !== 'number' && typeof item !== 'bigint') {
      fail(`'in bytes' requires bytes or int as left operand, not ${typeName(item)}`);
    }
    thread.spend(this.length >> 4);
    return this.data.includes(byteValue(item, 'int in bytes: '));
  }

  /** Where `part` begins at or after `from`, or -1. */
  indexOf(thread: Thread, part: Bytes, from: number): number {
    return indexOfText(thread, this.latin1(), part.latin1(), from);
  }

  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (op === '+' && !reversed && other instanceof Bytes) {
      return new Bytes(joinBytes(thread, [this.data, other.data]));
    }
    if (op === '*') {
      const count = repeatCount(other, this.length);
      if (count !== undefined) return new Bytes(this.repeated(thread, count));
    }
    return undefined;
  }

  private repeated(thread: Thread, count: number): Uint8Array {
    const length = this.length * count;
    thread.charge(BYTES + length);
    thread.spend(length >> 4);
    const out = new Uint8Array(length);
    fillWith(out, this.data);
    return out;
  }
}

function joinBytes(thread: Thread, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  thread.charge(BYTES + length);
  thread.spend(length >> 4);
  if (length > MAX_BYTES) throw new StarlarkError('memory', `bytes of length ${length} are too long`);
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** An int as one byte; `context` begins the message. */
export function byteValue(value: Value, context: string): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    fail(`${context}got ${typeName(value)}, want int`);
  }
  if (value < 0 || value > 255) fail(`${context}${value} out of range (want value in unsigned 8-bit range)`);
  return Number(value);
}
