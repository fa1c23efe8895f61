/**
 * bytes: an immutable string of numbers from 0 to 255, kept as text with one unit for each, which the engine cuts, joins, compares
 * and searches faster than anything else.
 */
import { latin1Of } from '../../base/index.ts';
import { fail, StarlarkError } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { indexOfText } from './find-text.ts';
import { quoteBytes, sequenceLength } from './quote.ts';
import { checkedIndex, repeatCount, textOf } from './sequence.ts';
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
  get type(): 'bytes' {
    return 'bytes';
  }
  /** One character for each byte. */
  readonly units: string;

  constructor(data: Uint8Array | string) {
    super();
    this.units = typeof data === 'string' ? data : latin1Of(data);
  }

  /** The UTF-8 encoding; a lone surrogate becomes U+FFFD. */
  static encode(text: string): Bytes {
    return new Bytes(ENCODER.encode(text));
  }

  get length(): number {
    return this.units.length;
  }

  /** A copy. */
  get data(): Uint8Array {
    const { units } = this;
    const data = new Uint8Array(units.length);
    for (let i = 0; i < data.length; i++) data[i] = units.charCodeAt(i);
    return data;
  }

  /** The text, with one U+FFFD for every byte that is no part of valid UTF-8. */
  decode(): string {
    const { data } = this;
    const out = new TextBuilder();
    let from = 0;
    for (let at = 0; at < data.length; ) {
      const size = sequenceLength(data, at);
      if (size > 0) {
        at += size;
        continue;
      }
      if (at > from) out.add(DECODER.decode(data.subarray(from, at)));
      out.add('\ufffd');
      from = ++at;
    }
    out.add(DECODER.decode(data.subarray(from)));
    return out.finish();
  }

  override truth(): boolean {
    return this.length > 0;
  }

  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    thread?.spend(this.length >> 2);
    // The longest it can become, while it is not known how long that is.
    thread?.charge(4 * this.length);
    out.text(quoteBytes(this.data));
  }

  override hashKey(): Key {
    return `\0b${this.units}`;
  }

  override equals(other: StarObject, _nested: unknown, thread: Thread): boolean {
    if (this === other) return true;
    return other instanceof Bytes && this.length === other.length && this.order(other, null, thread) === 0;
  }

  override order(other: StarObject, _nested: unknown, thread: Thread): number | undefined {
    if (!(other instanceof Bytes)) return undefined;
    thread.spend(Math.min(this.length, other.length) >> 4);
    return this.units === other.units ? 0 : this.units < other.units ? -1 : 1;
  }

  override len(): number {
    return this.length;
  }

  override getItem(_thread: Thread, key: Value): Value {
    return this.units.charCodeAt(checkedIndex('bytes', key, this.length));
  }

  override sliceItems(thread: Thread, start: number, step: number, count: number): Bytes {
    thread.charge(BYTES + count);
    thread.spend(count >> 4);
    if (step === 1) return new Bytes(this.units.substring(start, start + count));
    return new Bytes(textOf(count, (i) => this.units.charCodeAt(start + i * step)));
  }

  override contains(thread: Thread, item: Value): boolean {
    if (item instanceof Bytes) return this.indexOf(thread, item, 0) !== -1;
    if (typeof item !== 'number' && typeof item !== 'bigint') {
      fail(`'in bytes' requires bytes or int as left operand, not ${typeName(item)}`);
    }
    thread.spend(this.length >> 4);
    return this.units.includes(String.fromCharCode(byteValue(item, 'int in bytes: ')));
  }

  /** Where `part` begins at or after `from`, or -1. */
  indexOf(thread: Thread, part: Bytes, from: number): number {
    return indexOfText(thread, this.units, part.units, from);
  }

  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (op === '+' && !reversed && other instanceof Bytes) {
      reserve(thread, this.length + other.length);
      return new Bytes(this.units + other.units);
    }
    if (op === '*') {
      const count = repeatCount(other, this.length);
      if (count === undefined) return undefined;
      reserve(thread, this.length * count);
      return new Bytes(this.units.repeat(count));
    }
    return undefined;
  }
}

function reserve(thread: Thread, length: number): void {
  thread.charge(BYTES + length);
  thread.spend(length >> 4);
  if (length > MAX_BYTES) throw new StarlarkError('memory', `bytes of length ${length} are too long`);
}

/** An int as one byte; `context` begins the message. */
export function byteValue(value: Value, context: string): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    fail(`${context}got ${typeName(value)}, want int`);
  }
  if (value < 0 || value > 255) fail(`${context}${value} out of range (want value in unsigned 8-bit range)`);
  return Number(value);
}
