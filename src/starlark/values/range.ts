/**
 * range: the numbers from `start` to `stop`, `step` apart, never all in memory at once.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { checkedIndex } from './sequence.ts';
import { RANGE } from './size.ts';
import { type Cursor, Float, type ReprWriter, StarObject, typeName, type Value } from './value.ts';

export class Range extends StarObject {
  readonly type = 'range';
  readonly start: number;
  readonly stop: number;
  /** Never zero. */
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  /** A range of ints as a script gave them. */
  static of(start: number | bigint, stop: number | bigint, step: number | bigint): Range {
    for (const bound of [start, stop, step]) {
      if (typeof bound === 'bigint') fail(`range: ${bound} out of range (want value in signed 54-bit range)`);
    }
    if (step === 0) fail('range: step argument must not be zero');
    if (!Number.isSafeInteger(Number(stop) - Number(start))) fail('range: too many elements');
    return new Range(Number(start), Number(stop), Number(step));
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  override truth(): boolean {
    return this.length > 0;
  }

  override writeRepr(out: ReprWriter): void {
    const { start, stop, step } = this;
    if (step !== 1) out.text(`range(${start}, ${stop}, ${step})`);
    else out.text(start === 0 ? `range(${stop})` : `range(${start}, ${stop})`);
  }

  override hashKey(): undefined {
    return undefined;
  }

  /** Two ranges are equal when they are the same sequence. */
  override equals(other: StarObject): boolean {
    if (!(other instanceof Range) || this.length !== other.length) return false;
    if (this.length === 0) return true;
    return this.start === other.start && (this.length === 1 || this.step === other.step);
  }

  override len(): number {
    return this.length;
  }

  override cursor(): Cursor {
    return new RangeCursor(this);
  }

  override getItem(_thread: Thread, key: Value): Value {
    return this.at(checkedIndex('range', key, this.length));
  }

  override sliceItems(thread: Thread, start: number, step: number, count: number): Range {
    thread.charge(RANGE);
    const first = this.start + start * this.step;
    const by = this.step * step;
    // A step may be clamped to the largest int; with one element or none its size does not matter.
    if (count <= 1) return new Range(first, first + count * Math.sign(this.step), Math.sign(this.step));
    return new Range(first, first + count * by, by);
  }

  override contains(_thread: Thread, item: Value): boolean {
    if (typeof item === 'bigint') return false;
    const number = item instanceof Float ? item.value : item;
    if (typeof number !== 'number')
      fail(`'in <range>' requires integer as left operand, not ${typeName(item)}`);
    const offset = (number - this.start) / this.step;
    return Number.isInteger(offset) && offset >= 0 && offset < this.length && this.at(offset) === number;
  }
}

class RangeCursor implements Cursor {
  private at = 0;
  private readonly range: Range;
  constructor(range: Range) {
    this.range = range;
  }
  next(): Value | undefined {
    return this.at < this.range.length ? this.range.at(this.at++) : undefined;
  }
  close(): void {}
}
