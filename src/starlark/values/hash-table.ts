/**
 * What dicts and sets have in common: keys in the order they were added, and an index that finds them. The index is made when a key
 * is first looked for; a few plain keys need none.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { hashKey, LONG_KEY, stringKey } from './hash.ts';
import { Tuple } from './list.ts';
import { ENTRY, TEXT, TUPLE_KEY } from './size.ts';
import { NO_TUPLES, TupleTable } from './tuple-table.ts';
import { type Cursor, type Key, StarObject, type Value } from './value.ts';

/** Up to this many plain keys are scanned. */
const FEW = 8;

/** Undefined where a key was removed. */
type Slot = Value | undefined;

/** Short enough that comparing it costs nothing worth counting, and its own key. */
export function isPlainKey(key: Value): boolean {
  if (typeof key === 'string') return key.length < LONG_KEY && key.charCodeAt(0) !== 0;
  return typeof key === 'number';
}

/** What finds the keys of a table. */
interface Index {
  readonly places: Map<Key, number>;
  tuples: TupleTable;
}

/** Stands for an index that is made when a key is looked for. Without any index, a few plain keys are scanned. */
const NOT_YET: Index = { places: new Map(), tuples: NO_TUPLES };

/** Whether the keys are few and plain, so that they need no index. */
export function needNoIndex(keys: readonly Slot[]): boolean {
  if (keys.length > FEW) return false;
  for (let i = 0; i < keys.length; i++) if (!isPlainKey(keys[i]!)) return false;
  return true;
}

export abstract class HashTable extends StarObject {
  frozen = false;
  /** Iterations under way; while positive, mutation is an error. */
  locks = 0;
  /** The keys in order, each at its place, those of removed keys empty. The array may have room behind the last of them. */
  protected slots: Slot[];
  /** At the place of each key of a dict, its value. A set has none. */
  protected cells: Value[];
  /** Places that are or were taken. */
  protected count: number;
  private removed = 0;
  /** No key stands before this place. */
  private start = 0;
  /** Other tables have the same array of slots: it is copied before it changes. */
  protected isShared: boolean;
  private index: Index | null;

  /** `isPlain`: every key is plain. */
  constructor(slots: Slot[], cells: Value[], isShared: boolean, isPlain: boolean) {
    super();
    this.slots = slots;
    this.cells = cells;
    this.count = slots.length;
    this.isShared = isShared;
    this.index = isPlain && slots.length <= FEW ? null : NOT_YET;
  }

  /** How a script gets a table that it may change, for the error where it cannot change this one. */
  protected abstract readonly copyHint: string;

  get size(): number {
    return this.count - this.removed;
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen hash table". */
  mutable(verb: string): void {
    if (this.frozen) fail(`cannot ${verb} frozen hash table${this.copyHint}`);
    if (this.locks > 0) fail(`cannot ${verb} hash table during iteration`);
  }

  /** The place of a key, or -1; fails for values that cannot be keys. */
  protected find(key: Value, thread?: Thread): number {
    const { index } = this;
    if (typeof key === 'string') {
      if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
      if (index === null) return this.scan(key);
      return (index === NOT_YET ? this.makeIndex() : index).places.get(stringKey(key)) ?? -1;
    }
    // An int is its own key, and what is looked for most in sets.
    if (typeof key !== 'number' || index === null || index === NOT_YET) return this.findOther(key, thread);
    return index.places.get(key) ?? -1;
  }

  private findOther(key: Value, thread?: Thread): number {
    const index = this.index === NOT_YET ? this.makeIndex() : this.index;
    if (key instanceof Tuple) {
      const cell = (index === null ? NO_TUPLES : index.tuples).find(key, thread);
      return cell === undefined ? -1 : cell.place;
    }
    const hashed = hashKey(key, thread);
    if (index === null) return this.scan(hashed);
    return index.places.get(hashed) ?? -1;
  }

  private scan(key: Key): number {
    const { slots, count } = this;
    for (let i = 0; i < count; i++) if (slots[i] === key) return i;
    return -1;
  }

  private makeIndex(): Index {
    const index: Index = { places: new Map(), tuples: NO_TUPLES };
    for (let i = 0; i < this.count; i++) {
      const key = this.slots[i];
      if (key instanceof Tuple) ownTuples(index).claim(key).place = i;
      else if (key !== undefined) index.places.set(hashKey(key), i);
    }
    return (this.index = index);
  }

  /** The place of a key, or, where it had none, the complement of the place it has now. */
  protected claim(thread: Thread, key: Value): number {
    if (key instanceof Tuple) return this.claimTuple(thread, key);
    const hashed = typeof key === 'string' ? stringKey(key, thread) : hashKey(key, thread);
    if (this.index === null && this.count < FEW && isPlainKey(key)) {
      const at = this.scan(hashed);
      if (at !== -1) return at;
      thread.charge(ENTRY);
      return this.append(key);
    }
    const { places } = this.madeIndex();
    const at = places.get(hashed);
    if (at !== undefined) return at;
    thread.charge(hashed !== key && typeof hashed === 'string' ? ENTRY + TEXT + hashed.length : ENTRY);
    places.set(hashed, this.count);
    return this.append(key);
  }

  private madeIndex(): Index {
    return this.index === null || this.index === NOT_YET ? this.makeIndex() : this.index;
  }

  private claimTuple(thread: Thread, key: Tuple): number {
    const cell = ownTuples(this.madeIndex()).claim(key, thread);
    if (cell.place !== -1) return cell.place;
    thread.charge(ENTRY + TUPLE_KEY);
    cell.place = this.count;
    return this.append(key);
  }

  private append(key: Value): number {
    const at = this.count++;
    if (at < this.slots.length) this.slots[at] = key;
    else if (at < FEW) {
      this.slots = withRoom(this.slots, key, undefined);
      this.isShared = false;
    } else {
      this.unshare();
      this.slots.push(key);
    }
    return ~at;
  }

  /** The value of a key that was appended. */
  protected appendCell(at: number, value: Value): void {
    if (at < this.cells.length) this.cells[at] = value;
    else if (at < FEW) this.cells = withRoom(this.cells, value, null);
    else this.cells.push(value);
  }

  private unshare(): void {
    if (!this.isShared) return;
    this.slots = this.slots.slice();
    this.isShared = false;
  }

  /** Removes the key at a place. */
  protected removeAt(at: number): void {
    const key = this.slots[at]!;
    this.unshare();
    this.slots[at] = undefined;
    this.removed++;
    if (this.index !== null && this.index !== NOT_YET) {
      if (key instanceof Tuple) this.index.tuples.delete(key);
      else this.index.places.delete(hashKey(key));
    }
    if (this.removed > FEW + this.size) this.compact();
  }

  /** Closes the gaps. Removing does so only when it left more gaps than keys, so that its cost is a few steps for each. */
  protected compact(): void {
    if (this.removed === 0) return;
    const { slots } = this;
    const cells = this.cells.filter((_, i) => slots[i] !== undefined);
    this.become(
      slots.filter((key) => key !== undefined),
      cells,
    );
  }

  protected become(slots: Slot[], cells: Value[]): void {
    this.slots = slots;
    this.cells = cells;
    this.count = slots.length;
    this.isShared = false;
    this.removed = 0;
    this.start = 0;
    this.index = needNoIndex(slots) ? null : NOT_YET;
  }

  /** The place of the oldest key; there is one. */
  protected oldest(): number {
    while (this.slots[this.start] === undefined) this.start++;
    return this.start;
  }

  /** The keys in order; to be read only, and only until the table changes. */
  protected inOrder(): readonly Value[] {
    this.compact();
    const { slots, count } = this;
    return (slots.length === count ? slots : slots.slice(0, count)) as Value[];
  }

  override truth(): boolean {
    return this.size > 0;
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    for (const key of this.slots) if (key instanceof StarObject) queue.push(key);
    for (const value of this.cells) if (value instanceof StarObject) queue.push(value);
  }
}

/** Room for three more: the engine makes room for many when a short array is appended to, more than is charged for. */
function withRoom<T>(array: readonly T[], item: T, empty: T): T[] {
  return array.length === 0 ? [item, empty, empty, empty] : array.concat([item, empty, empty, empty]);
}

function ownTuples(index: Index): TupleTable {
  if (index.tuples === NO_TUPLES) index.tuples = new TupleTable();
  return index.tuples;
}

/** Walks the keys under the lock of their table, which guarantees that they stay the keys. */
export class KeyCursor implements Cursor {
  private at = 0;
  private open = true;
  private readonly table: HashTable;
  private readonly keys: readonly Value[];
  constructor(table: HashTable, keys: readonly Value[]) {
    this.table = table;
    this.keys = keys;
    table.locks++;
  }
  next(): Value | undefined {
    return this.at < this.keys.length ? this.keys[this.at++] : undefined;
  }
  close(): void {
    if (this.open) this.table.locks--;
    this.open = false;
  }
}
