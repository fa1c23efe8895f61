/**
 * The entries of a dict by key, in order: what a dict has once it is more than a few texts. The Map is keyed by what `hashKey`
 * makes of a key, by the tuple that stands for all its equals, and keys that differ from that are remembered beside it.
 */
import type { Thread } from '../run/thread.ts';
import { hashKey, stringKey } from './hash.ts';
import { Tuple } from './list.ts';
import { ENTRY, TEXT, TUPLE_KEY } from './size.ts';
import { NO_TUPLES, TupleCell, TupleTable } from './tuple-table.ts';
import { type Key, StarObject, type Value } from './value.ts';

export class DictTable {
  /** Of a tuple, the cell that holds its value. */
  private readonly map = new Map<Key, Value | TupleCell>();
  /** The keys whose canonical form is not themselves: floats, bytes… */
  private originals: Map<Key, Value> | null = null;
  private tuples: TupleTable | null = null;
  /** Stands after the entries popped so far: to look from the start again would be to pass every one of them again. */
  private oldest: Iterator<Key> | null = null;

  get size(): number {
    return this.map.size;
  }

  /** What all its entries are charged for. */
  get bytes(): number {
    return ENTRY * (this.map.size + (this.originals?.size ?? 0));
  }

  get(key: Value, thread?: Thread): Value | undefined {
    if (typeof key === 'string') return this.map.get(stringKey(key, thread)) as Value | undefined;
    if (key instanceof Tuple) return (this.tuples ?? NO_TUPLES).find(key, thread)?.value;
    // Told that it is a small int, the engine looks in line.
    if (typeof key === 'number' && (key | 0) === key) return this.map.get(key | 0) as Value | undefined;
    return this.map.get(hashKey(key, thread)) as Value | undefined;
  }

  has(key: Value, thread?: Thread): boolean {
    return key instanceof Tuple
      ? (this.tuples ?? NO_TUPLES).find(key, thread) !== undefined
      : this.map.has(hashKey(key, thread));
  }

  /** The value of a key that a map goes by already, or of a tuple. */
  byKey(key: Key, thread?: Thread): Value | undefined {
    if (key instanceof Tuple) return (this.tuples ?? NO_TUPLES).find(key, thread)?.value;
    return this.map.get(key) as Value | undefined;
  }

  set(thread: Thread, key: Value, value: Value): void {
    const { map } = this;
    if (key instanceof Tuple) {
      const cell = (this.tuples ??= new TupleTable()).claim(key, thread);
      const isNew = cell.value === undefined;
      cell.value = value;
      if (!isNew) return;
      map.set(key, cell);
      thread.charge(ENTRY + TUPLE_KEY);
      return;
    }
    const hashed = hashKey(key, thread);
    const before = map.size;
    map.set(hashed, value);
    if (map.size !== before) this.added(thread, key, hashed);
  }

  private added(thread: Thread, key: Value, hashed: Key): void {
    if (hashed === key) {
      thread.charge(ENTRY);
      return;
    }
    // Two entries: one under the canonical key, one that remembers the key as it was given.
    thread.charge(typeof hashed === 'string' ? 2 * ENTRY + TEXT + hashed.length : 2 * ENTRY);
    this.originals ??= new Map();
    this.originals.set(hashed, key);
  }

  /** Sets a text that is not here yet, and that is paid for. */
  adopt(key: string, value: Value): void {
    const canonical = stringKey(key);
    if (canonical !== key) (this.originals ??= new Map()).set(canonical, key);
    this.map.set(canonical, value);
  }

  /** Removes a key; the value it had, or undefined. */
  delete(thread: Thread, key: Value): Value | undefined {
    const cell = key instanceof Tuple ? (this.tuples ?? NO_TUPLES).find(key, thread) : undefined;
    const hashed = key instanceof Tuple ? cell?.tuple : hashKey(key, thread);
    return hashed === undefined ? undefined : this.remove(hashed);
  }

  private remove(hashed: Key): Value | undefined {
    const held = this.map.get(hashed);
    this.map.delete(hashed);
    this.originals?.delete(hashed);
    if (!(held instanceof TupleCell)) return held;
    this.tuples!.delete(held);
    return held.value;
  }

  /** Removes and returns the oldest entry; undefined where there is none. */
  popFirst(): [Value, Value] | undefined {
    const { map } = this;
    if (map.size === 0) return undefined;
    let next = (this.oldest ??= map.keys()).next();
    if (next.done === true) next = (this.oldest = map.keys()).next();
    const hashed = next.value!;
    const key = this.original(hashed);
    return [key, this.remove(hashed)!];
  }

  private original(key: Key): Value {
    // Without an entry aside, the canonical key is the key itself.
    return this.originals?.get(key) ?? (this.originals?.has(key) === true ? null : (key as Value));
  }

  keys(): Value[] {
    const keys = Array.from(this.map.keys()) as Value[];
    return this.originals === null ? keys : keys.map((key) => this.original(key));
  }

  values(): Value[] {
    const values = Array.from(this.map.values());
    return this.tuples === null ? (values as Value[]) : values.map(heldValue);
  }

  forEach(visit: (key: Value, value: Value) => void): void {
    this.map.forEach((value, key) => {
      visit(this.originals === null ? (key as Value) : this.original(key), heldValue(value));
    });
  }

  /** Whether every entry, by the key the map goes by, passes. */
  every(test: (key: Key, value: Value) => boolean): boolean {
    for (const [key, value] of this.map) if (!test(key, heldValue(value))) return false;
    return true;
  }

  copy(): DictTable {
    const copy = new DictTable();
    // Quicker than the constructor, which asks the map for an iterator over pairs.
    this.map.forEach((value, key) => {
      copy.map.set(key, value instanceof TupleCell ? copy.copied(value) : value);
    });
    copy.originals = this.originals === null ? null : new Map(this.originals);
    return copy;
  }

  private copied({ tuple, value }: TupleCell): TupleCell {
    const cell = (this.tuples ??= new TupleTable()).claim(tuple);
    cell.value = value;
    return cell;
  }

  freeze(queue: StarObject[]): void {
    this.map.forEach((held, key) => {
      const value = heldValue(held);
      if (value instanceof StarObject) queue.push(value);
      if (key instanceof Tuple) queue.push(key);
    });
    if (this.originals === null) return;
    for (const key of this.originals.values()) if (key instanceof StarObject) queue.push(key);
  }
}

function heldValue(held: Value | TupleCell): Value {
  return held instanceof TupleCell ? held.value! : held;
}
