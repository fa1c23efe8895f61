/**
 * set: unique values in the order they were first added.
 */
import type { Thread } from '../run/thread.ts';
import { encodeParts } from './hash.ts';
import { HashTable, KeyCursor, needNoIndex } from './hash-table.ts';
import { ENTRY, LIST, SET } from './size.ts';
import type { ArithmeticOperator, Cursor, Key, ReprWriter, StarObject, Value } from './value.ts';

const NO_CELLS: Value[] = [];

export class StarSet extends HashTable {
  get type(): 'set' {
    return 'set';
  }
  protected get copyHint(): string {
    return '';
  }

  /** `items` are different, and the set's own from now on. */
  constructor(items: Value[] = []) {
    super(items, NO_CELLS, false, needNoIndex(items));
  }

  /** A set of these elements; of equal ones the first stays. */
  static of(thread: Thread, items: Iterable<Value>): StarSet {
    thread.charge(SET);
    const set = new StarSet();
    for (const item of items) set.claim(thread, item);
    return set;
  }

  has(item: Value, thread?: Thread): boolean {
    return this.find(item, thread) !== -1;
  }

  add(thread: Thread, item: Value): void {
    if (this.frozen || this.locks > 0) this.mutable('insert into');
    this.claim(thread, item);
  }

  /** Removes an element; whether it was there. */
  delete(thread: Thread, item: Value): boolean {
    this.mutable('delete from');
    const at = this.find(item, thread);
    if (at !== -1) this.removeAt(at);
    return at !== -1;
  }

  /** Clearing an empty set changes nothing and so is always allowed. */
  clear(): void {
    if (this.size === 0) return;
    this.mutable('clear');
    this.become([], NO_CELLS);
  }

  /** Removes and returns the oldest element; undefined where there is none. */
  pop(): Value | undefined {
    this.mutable('delete from');
    if (this.size === 0) return undefined;
    const at = this.oldest();
    const item = this.slots[at];
    this.removeAt(at);
    return item;
  }

  /** In order; to be read only, and only until the set changes. */
  items(): readonly Value[] {
    return this.inOrder();
  }

  copy(thread: Thread): StarSet {
    thread.charge(SET + ENTRY * this.size);
    thread.spend(this.size);
    return new StarSet(this.items().slice());
  }

  union(thread: Thread, other: StarSet): StarSet {
    thread.charge(SET + ENTRY * this.size);
    thread.spend(this.size + other.size);
    const own = this.items().slice();
    const items = other.items();
    for (let i = 0; i < items.length; i++) if (!this.has(items[i]!, thread)) own.push(items[i]!);
    thread.charge(ENTRY * (own.length - this.size));
    return new StarSet(own);
  }

  /** In the order of this set. */
  intersection(thread: Thread, other: StarSet): StarSet {
    return this.filtered(thread, other, true);
  }

  difference(thread: Thread, other: StarSet): StarSet {
    return this.filtered(thread, other, false);
  }

  symmetricDifference(thread: Thread, other: StarSet): StarSet {
    const result = this.difference(thread, other);
    const more = other.difference(thread, this);
    return new StarSet(result.slots.concat(more.slots) as Value[]);
  }

  /** Whether every element is in `other` too. */
  isSubset(thread: Thread, other: StarSet): boolean {
    thread.spend(this.size);
    return this.size <= other.size && this.items().every((item) => other.has(item, thread));
  }

  /** Becomes what `other` is: how the in-place operators end. `other` must not be used any more. */
  replaceWith(verb: string, other: StarSet): void {
    this.mutable(verb);
    this.become(other.items() as Value[], NO_CELLS);
  }

  private filtered(thread: Thread, other: StarSet, wanted: boolean): StarSet {
    thread.spend(this.size);
    const items = this.items();
    const result: Value[] = [];
    for (let i = 0; i < items.length; i++)
      if (other.has(items[i]!, thread) === wanted) result.push(items[i]!);
    thread.charge(SET + ENTRY * result.length);
    return new StarSet(result);
  }

  override writeRepr(out: ReprWriter): void {
    out.nest(this, 'set([', '])', () => {
      let first = true;
      for (const item of this.items()) {
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
    return this.isSubset(thread, other);
  }

  override len(): number {
    return this.size;
  }

  override cursor(thread: Thread): Cursor {
    thread.spend(this.size >> 4);
    thread.charge(LIST + 8 * this.size);
    return new KeyCursor(this, this.items());
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
  ['|', (thread, a, b) => a.union(thread, b)],
  ['&', (thread, a, b) => a.intersection(thread, b)],
  ['-', (thread, a, b) => a.difference(thread, b)],
  ['^', (thread, a, b) => a.symmetricDifference(thread, b)],
]);
