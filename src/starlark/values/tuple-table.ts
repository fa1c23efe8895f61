/**
 * The index of the tuples among the keys of one dict or set: a Map knows objects by identity, and to encode each tuple as a text takes
 * twice as long. Every look at another tuple is a step: keys made to collide cost the script that made them.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { hashKey } from './hash.ts';
import { Tuple } from './list.ts';
import { isObject, type Value } from './value.ts';

const FIRST_SIZE = 8;

export class TupleCell {
  readonly tuple: Tuple;
  /** Where the tuple stands among the keys; -1 until it is there. */
  place = -1;
  constructor(tuple: Tuple) {
    this.tuple = tuple;
  }
}

/** A tuple, nothing, or where a tuple was removed. */
type Slot = TupleCell | null | false;

export class TupleTable {
  private slots: Slot[] = emptySlots(FIRST_SIZE);
  /** Slots that are not empty, those of removed tuples included. */
  private used = 0;

  /** The tuple here that equals the given one; fails where that cannot be a key. */
  find(tuple: Tuple, thread?: Thread): TupleCell | undefined {
    const hash = tuple.hash === 0 ? hashTuple(tuple, thread, 0) : tuple.hash;
    const { slots } = this;
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const there = slots[at] as Slot;
      if (there === null) return undefined;
      if (there !== false) {
        const other = there.tuple;
        if (other === tuple || (other.hash === hash && sameTuple(other, tuple, thread, 0))) return there;
      }
      thread?.spend(1);
    }
  }

  /** The same; where there is none, the given one is it from now on. */
  claim(tuple: Tuple, thread?: Thread): TupleCell {
    const there = this.find(tuple, thread);
    if (there !== undefined) return there;
    if (++this.used * 2 > this.slots.length) this.grow();
    const cell = new TupleCell(tuple);
    put(this.slots, cell);
    return cell;
  }

  /** Removes the tuple itself, which is here. */
  delete(tuple: Tuple): void {
    const mask = this.slots.length - 1;
    let at = tuple.hash & mask;
    while ((this.slots[at] || null)?.tuple !== tuple) at = (at + 1) & mask;
    this.slots[at] = false;
  }

  private grow(): void {
    const kept = this.slots.filter((each) => each instanceof TupleCell);
    this.slots = emptySlots(Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(4 * (kept.length + 1)))));
    this.used = kept.length + 1;
    for (const each of kept) put(this.slots, each);
  }
}

export const NO_TUPLES = new TupleTable();

function emptySlots(size: number): Slot[] {
  return new Array<Slot>(size).fill(null);
}

function put(slots: Slot[], cell: TupleCell): void {
  const mask = slots.length - 1;
  let at = cell.tuple.hash & mask;
  while (slots[at] !== null) at = (at + 1) & mask;
  slots[at] = cell;
}

/** Never 0, which stands for a hash not known yet. */
function hashTuple(tuple: Tuple, thread: Thread | undefined, depth: number): number {
  if (tuple.hash !== 0) return tuple.hash;
  if (depth > MAX_NESTING) throw new StarlarkError('depth', `key nested deeper than ${MAX_NESTING} levels`);
  const { items } = tuple;
  thread?.spend(items.length);
  let hash = items.length;
  for (let i = 0; i < items.length; i++) {
    hash = Math.imul(hash ^ hashPart(items[i]!, thread, depth), 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  return (tuple.hash = hash === 0 ? 1 : hash);
}

function hashPart(part: Value, thread: Thread | undefined, depth: number): number {
  if (typeof part === 'number') return hashNumber(part);
  if (typeof part === 'string') return hashText(part, thread);
  if (part instanceof Tuple) return hashTuple(part, thread, depth + 1);
  const key = hashKey(part, thread);
  if (typeof key === 'number') return hashNumber(key);
  if (typeof key === 'string') return hashText(key, thread);
  // What is known by identity has no number that would be the same in every run.
  return typeof key === 'bigint' ? Number(BigInt.asIntN(32, key)) : key === true ? 2 : 3;
}

function hashNumber(value: number): number {
  const low = value | 0;
  return Math.imul(low === value ? low : (value * 4.8e-7) ^ (value * 2097152), 0x9e3779b1);
}

/** Units of a text that count; of a longer one they are taken from all over it. */
const UNITS = 64;

function hashText(text: string, thread: Thread | undefined): number {
  const { length } = text;
  const step = length <= UNITS ? 1 : Math.ceil(length / UNITS);
  thread?.spend(length >> 4);
  let hash = length;
  for (let i = 0; i < length; i += step) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

function sameTuple(a: Tuple, b: Tuple, thread: Thread | undefined, depth: number): boolean {
  const x = a.items;
  const y = b.items;
  if (x.length !== y.length) return false;
  if (depth > MAX_NESTING) throw new StarlarkError('depth', `key nested deeper than ${MAX_NESTING} levels`);
  if (depth > 0) thread?.spend(1);
  for (let i = 0; i < x.length; i++)
    if (x[i] !== y[i] && !samePart(x[i]!, y[i]!, thread, depth)) return false;
  return true;
}

/** Of two that are not the same to the engine. */
function samePart(x: Value, y: Value, thread: Thread | undefined, depth: number): boolean {
  if (x instanceof Tuple) return y instanceof Tuple && sameTuple(x, y, thread, depth + 1);
  if (y instanceof Tuple || (!isObject(x) && !isObject(y))) return false;
  // As a Map compares: NaN is one key.
  return Object.is(hashKey(x, thread), hashKey(y, thread));
}
