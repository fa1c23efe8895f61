/**
 * set: unique values in the order they were first added.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { encodeParts, hashKey } from './hash.ts';
import { ENTRY, LIST, SET, TEXT } from './size.ts';
import {
  type ArithmeticOperator,
  type Cursor,
  type Key,
  type ReprWriter,
  StarObject,
  type Value,
} from './value.ts';

export class StarSet extends StarObject {
  readonly type = 'set';
  frozen = false;
  /** Iterations under way; while positive, mutation is an error. */
  locks = 0;
  private elements = new Map<Key, Value>();
  /** Stands after the elements popped so far: to look from the start again would be to pass every one of them again. */
  private oldest: Iterator<Key> | null = null;

  /** A set of these elements; of equal ones the first stays. */
  static of(thread: Thread, items: Iterable<Value>): StarSet {
    thread.charge(SET);
    const set = new StarSet();
    for (const item of items) set.insert(thread, item);
    return set;
  }

  get size(): number {
    return this.elements.size;
  }

  has(item: Value, thread?: Thread): boolean {
    return this.elements.has(hashKey(item, thread));
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen hash table". */
  mutable(verb: string): void {
    if (this.frozen) fail(`cannot ${verb} frozen hash table`);
    if (this.locks > 0) fail(`cannot ${verb} hash table during iteration`);
  }

  add(thread: Thread, item: Value): void {
    this.mutable('insert into');
    this.insert(thread, item);
  }

  /** Removes an element; whether it was there. */
  delete(thread: Thread, item: Value): boolean {
    this.mutable('delete from');
    return this.elements.delete(hashKey(item, thread));
  }

  /** Clearing an empty set changes nothing and so is always allowed. */
  clear(): void {
    if (this.elements.size === 0) return;
    this.mutable('clear');
    this.elements.clear();
  }

  /** Removes and returns the oldest element; undefined where there is none. */
  pop(): Value | undefined {
    this.mutable('delete from');
    if (this.elements.size === 0) return undefined;
    let next = (this.oldest ??= this.elements.keys()).next();
    if (next.done === true) next = (this.oldest = this.elements.keys()).next();
    const key = next.value!;
    const item = this.elements.get(key)!;
    this.elements.delete(key);
    return item;
  }

  items(): Value[] {
    return Array.from(this.elements.values());
  }

  copy(thread: Thread): StarSet {
    thread.charge(SET + ENTRY * this.size);
    thread.spend(this.size);
    return StarSet.adopt(new Map(this.elements));
  }

  union(thread: Thread, others: Iterable<Value>): StarSet {
    const result = this.copy(thread);
    for (const item of others) {
      thread.spend(1);
      result.insert(thread, item);
    }
    return result;
  }

  /** In the order of this set. */
  intersection(thread: Thread, other: StarSet): StarSet {
    return this.filtered(thread, (key) => other.elements.has(key));
  }

  difference(thread: Thread, other: StarSet): StarSet {
    return this.filtered(thread, (key) => !other.elements.has(key));
  }

  symmetricDifference(thread: Thread, other: StarSet): StarSet {
    const result = this.difference(thread, other);
    for (const [key, item] of other.difference(thread, this).elements) result.elements.set(key, item);
    return result;
  }

  /** Whether every element is in `other` too. */
  isSubset(thread: Thread, other: StarSet): boolean {
    thread.spend(this.size);
    if (this.size > other.size) return false;
    for (const key of this.elements.keys()) if (!other.elements.has(key)) return false;
    return true;
  }

  /** Becomes what `other` is: how the in-place operators end. `other` must not be used any more. */
  replaceWith(verb: string, other: StarSet): void {
    this.mutable(verb);
    this.elements = other.elements;
    this.oldest = null;
  }

  private static adopt(elements: Map<Key, Value>): StarSet {
    const set = new StarSet();
    set.elements = elements;
    return set;
  }

  private insert(thread: Thread, item: Value): void {
    const key = hashKey(item, thread);
    if (this.elements.has(key)) return;
    thread.charge(typeof key === 'string' && key !== item ? ENTRY + TEXT + key.length : ENTRY);
    this.elements.set(key, item);
  }

  private filtered(thread: Thread, keep: (key: Key) => boolean): StarSet {
    thread.spend(this.size);
    const result = new Map<Key, Value>();
    for (const [key, item] of this.elements) if (keep(key)) result.set(key, item);
    thread.charge(SET + ENTRY * result.size);
    return StarSet.adopt(result);
  }

  override truth(): boolean {
    return this.size > 0;
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    for (const item of this.elements.values()) if (item instanceof StarObject) queue.push(item);
  }

  override writeRepr(out: ReprWriter): void {
    out.nest(this, 'set([', '])', () => {
      let first = true;
      for (const item of this.elements.values()) {
        if (!first) out.text(', ');
        first = false;
        out.value(item);
      }
    });
  }

  /** Only a frozen set can be a key. Order does not count, so its elements are sorted. */
  override hashKey(nested: (part: Value) => Key): Key | undefined {
    if (!this.frozen) return undefined;
    const parts = this.items().map((item) => encodeParts('', [nested(item)]));
    return encodeParts('e', parts.sort());
  }

  override equals(other: StarObject, _nested: unknown, thread: Thread): boolean {
    if (!(other instanceof StarSet) || this.size !== other.size) return false;
    thread.spend(this.size);
    for (const key of this.elements.keys()) if (!other.elements.has(key)) return false;
    return true;
  }

  override len(): number {
    return this.size;
  }

  override cursor(thread: Thread): Cursor {
    thread.spend(this.size >> 4);
    thread.charge(LIST + 8 * this.size);
    return new SetCursor(this);
  }

  override contains(thread: Thread, item: Value): boolean {
    return this.has(item, thread);
  }

  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (reversed || !(other instanceof StarSet)) return undefined;
    return OPERATIONS.get(op)?.(thread, this, other);
  }

  override inPlace(thread: Thread, op: ArithmeticOperator, other: Value): Value | undefined {
    const operation = OPERATIONS.get(op);
    if (operation === undefined || !(other instanceof StarSet)) return undefined;
    const verb = `apply ${op}= to`;
    this.mutable(verb);
    this.replaceWith(verb, operation(thread, this, other));
    return this;
  }
}

const OPERATIONS: ReadonlyMap<string, (thread: Thread, a: StarSet, b: StarSet) => StarSet> = new Map([
  ['|', (thread, a, b) => a.union(thread, b.items())],
  ['&', (thread, a, b) => a.intersection(thread, b)],
  ['-', (thread, a, b) => a.difference(thread, b)],
  ['^', (thread, a, b) => a.symmetricDifference(thread, b)],
]);

class SetCursor implements Cursor {
  private at = 0;
  private open = true;
  private readonly set: StarSet;
  private readonly items: readonly Value[];
  constructor(set: StarSet) {
    this.set = set;
    this.items = set.items();
    set.locks++;
  }
  next(): Value | undefined {
    return this.at < this.items.length ? this.items[this.at++] : undefined;
  }
  close(): void {
    if (this.open) this.set.locks--;
    this.open = false;
  }
}
