/**
 * set: unique values in the order they were first added.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { encodeParts, hashKey } from './hash.ts';
import { Tuple } from './list.ts';
import { ENTRY, LIST, SET, TEXT, TUPLE_KEY } from './size.ts';
import { NO_TUPLES, TupleTable } from './tuple-table.ts';
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
  /**
   * The elements in order, and what finds them: at least one of the two is there, and the other is made when it is wanted. Many a
   * set that others were combined to is only counted or gone through.
   */
  private list: Value[] | null;
  private index: Map<Key, Value> | null = null;
  /** Instead of an index, while all elements are small ints that stand close: 1 at each of them. The list is there then. */
  private marks: Uint8Array | null = null;
  private tuples: TupleTable | null = null;
  /** Stands after the elements popped so far: to look from the start again would be to pass every one of them again. */
  private oldest: Iterator<Key> | null = null;

  /** `items` are different, and the set's own from now on. */
  constructor(items: Value[] = []) {
    super();
    this.list = items;
  }

  /** A set of these elements; of equal ones the first stays. */
  static of(thread: Thread, items: Iterable<Value>): StarSet {
    thread.charge(SET);
    const set = new StarSet();
    for (const item of items) set.insert(thread, item);
    return set;
  }

  get size(): number {
    return this.list !== null ? this.list.length : this.index!.size;
  }

  has(item: Value, thread?: Thread): boolean {
    if (this.marks !== null && typeof item === 'number') return this.marks[item] === 1;
    return this.index === null ? this.sought(item, thread) : this.found(this.index, item, thread);
  }

  private found(index: Map<Key, Value>, item: Value, thread?: Thread): boolean {
    // Told that it is a small int, the engine looks in line.
    if (typeof item === 'number') return (item | 0) === item ? index.has(item | 0) : index.has(item);
    if (item instanceof Tuple) return (this.tuples ?? NO_TUPLES).find(item, thread) !== undefined;
    return index.has(hashKey(item, thread));
  }

  /** The same where there is no index; it is made if nothing else will do. */
  private sought(item: Value, thread?: Thread): boolean {
    if (typeof item === 'number') {
      const marks = this.marked();
      const seen = marks === null ? this.seek(item) : marks[item] === 1;
      if (seen !== null) return seen;
    }
    return this.found(this.indexed(), item, thread);
  }

  private indexed(): Map<Key, Value> {
    if (this.index !== null) return this.index;
    const index = new Map<Key, Value>();
    for (const item of this.list!) index.set(this.keyFor(item), item);
    this.marks = null;
    return (this.index = index);
  }

  /** Whether a number is in the list; null where there are too many to look at, or others than numbers. */
  private seek(item: number): boolean | null {
    const list = this.list!;
    if (list.length > FEW) return null;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === item) return true;
      if (typeof list[i] !== 'number') return null;
    }
    return false;
  }

  /** Marks the elements of the list, if they are many and of the kind; else null. */
  private marked(): Uint8Array | null {
    const list = this.list!;
    let most = 0;
    if (list.length <= FEW) return null;
    for (let i = 0; i < list.length; i++) {
      const item = list[i]!;
      if (typeof item !== 'number' || item < 0 || item >= roomFor(list.length)) return null;
      if (item > most) most = item;
    }
    const marks = new Uint8Array(most + 1);
    for (let i = 0; i < list.length; i++) marks[list[i] as number] = 1;
    return (this.marks = marks);
  }

  /** Adds a number where marks will do, or the list alone; whether they did. */
  private mark(thread: Thread, item: number): boolean {
    const list = this.list!;
    const marks = this.marks ?? this.marked();
    const found = marks === null ? this.seek(item) : marks[item] === 1;
    if (found === null || (marks !== null && (item < 0 || item >= roomFor(list.length)))) return false;
    if (found) return true;
    thread.charge(ENTRY);
    if (marks !== null) {
      const enough = item < marks.length ? marks : new Uint8Array(roomFor(2 * list.length));
      if (enough !== marks) enough.set(marks);
      enough[item] = 1;
      this.marks = enough;
    }
    // The first element appended to nothing makes room for many.
    if (list.length === 0) this.list = [item];
    else list.push(item);
    return true;
  }

  /** The key of an element that is here, or is about to be. */
  private keyFor(item: Value, thread?: Thread): Key {
    return item instanceof Tuple
      ? (this.tuples ??= new TupleTable()).claim(item, thread).tuple
      : hashKey(item, thread);
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen hash table". */
  mutable(verb: string): void {
    if (this.frozen) fail(`cannot ${verb} frozen hash table`);
    if (this.locks > 0) fail(`cannot ${verb} hash table during iteration`);
  }

  add(thread: Thread, item: Value): void {
    if (this.frozen || this.locks > 0) this.mutable('insert into');
    this.insert(thread, item);
  }

  /** Removes an element; whether it was there. */
  delete(thread: Thread, item: Value): boolean {
    this.mutable('delete from');
    const index = this.indexed();
    const key =
      item instanceof Tuple ? (this.tuples ?? NO_TUPLES).find(item, thread)?.tuple : hashKey(item, thread);
    if (!index.has(key!)) return false;
    this.remove(index, key!);
    return true;
  }

  private remove(index: Map<Key, Value>, key: Key): void {
    index.delete(key);
    if (key instanceof Tuple) this.tuples!.delete(this.tuples!.find(key)!);
    this.list = null;
  }

  /** Clearing an empty set changes nothing and so is always allowed. */
  clear(): void {
    if (this.size === 0) return;
    this.mutable('clear');
    this.become([]);
  }

  /** Removes and returns the oldest element; undefined where there is none. */
  pop(): Value | undefined {
    this.mutable('delete from');
    if (this.size === 0) return undefined;
    const index = this.indexed();
    let next = (this.oldest ??= index.keys()).next();
    if (next.done === true) next = (this.oldest = index.keys()).next();
    const item = index.get(next.value!)!;
    this.remove(index, next.value!);
    return item;
  }

  /** In order; to be read only, and only until the set changes. */
  items(): readonly Value[] {
    return (this.list ??= Array.from(this.index!.values()));
  }

  copy(thread: Thread): StarSet {
    thread.charge(SET + ENTRY * this.size);
    thread.spend(this.size);
    return new StarSet(this.items().slice());
  }

  union(thread: Thread, other: StarSet): StarSet {
    const result = this.copy(thread);
    thread.spend(other.size);
    const own = result.list!;
    const items = other.items();
    for (let i = 0; i < items.length; i++) if (!this.has(items[i]!, thread)) own.push(items[i]!);
    thread.charge(ENTRY * (own.length - this.size));
    return result;
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
    return new StarSet(result.list!.concat(other.difference(thread, this).list!));
  }

  /** Whether every element is in `other` too. */
  isSubset(thread: Thread, other: StarSet): boolean {
    thread.spend(this.size);
    return this.size <= other.size && this.items().every((item) => other.has(item, thread));
  }

  /** Becomes what `other` is: how the in-place operators end. `other` must not be used any more. */
  replaceWith(verb: string, other: StarSet): void {
    this.mutable(verb);
    this.become(other.items() as Value[]);
  }

  private become(items: Value[]): void {
    this.list = items;
    this.index = null;
    this.marks = null;
    this.tuples = null;
    this.oldest = null;
  }

  private insert(thread: Thread, item: Value): void {
    if (this.index === null && typeof item === 'number' && this.mark(thread, item)) return;
    const index = this.indexed();
    const key = this.keyFor(item, thread);
    const before = index.size;
    if (key === item) index.set(key, item);
    else if (!index.has(key)) index.set(key, item);
    if (index.size === before) return;
    thread.charge(entryBytes(item, key));
    this.list?.push(item);
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

  override truth(): boolean {
    return this.size > 0;
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    for (const item of this.items()) if (item instanceof StarObject) queue.push(item);
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
  ['|', (thread, a, b) => a.union(thread, b)],
  ['&', (thread, a, b) => a.intersection(thread, b)],
  ['-', (thread, a, b) => a.difference(thread, b)],
  ['^', (thread, a, b) => a.symmetricDifference(thread, b)],
]);

/** So many are gone through. */
const FEW = 8;

/** Below what ints a set of this many has marks for them: a mark is a byte, and an entry is paid for with many. */
function roomFor(size: number): number {
  return 8 * size;
}

function entryBytes(item: Value, key: Key): number {
  if (item instanceof Tuple) return ENTRY + TUPLE_KEY;
  return typeof key === 'string' && key !== item ? ENTRY + TEXT + key.length : ENTRY;
}

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
