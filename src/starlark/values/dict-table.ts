/**
 * The entries of a dict by key, in order: what a dict has once it is more than a few texts. The Map is keyed by what `hashKey`
 * makes of a key, by the tuple that stands for all its equals, and keys that differ from that are remembered beside it.
 */
import type { Thread } from '../run/thread.ts';
import { hashKey, stringKey } from './hash.ts';
import { Tuple } from './list.ts';
import { ENTRY, TEXT, TUPLE_KEY } from './size.ts';
import { NO_TUPLES, TupleTable } from './tuple-table.ts';
import { type Key, StarObject, type Value } from './value.ts';

export class DictTable {
  private readonly map = new Map<Key, Value>();
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
    if (typeof key === 'string') return this.map.get(stringKey(key, thread));
    // Told that it is a small int, the engine looks in line.
    if (typeof key === 'number' && (key | 0) === key) return this.map.get(key | 0);
    return this.map.get(this.keyOf(key, thread)!);
  }

  has(key: Value, thread?: Thread): boolean {
    return this.map.has(this.keyOf(key, thread)!);
  }

  /** What the map goes by for a key; undefined, which it has nothing for, where that is seen before. */
  private keyOf(key: Value, thread?: Thread): Key | undefined {
    return key instanceof Tuple ? (this.tuples ?? NO_TUPLES).find(key, thread) : hashKey(key, thread);
  }

  /** The value of a key that a map goes by already. */
  byKey(key: Key, thread: Thread): Value | undefined {
    return this.map.get(key instanceof Tuple ? this.keyOf(key, thread)! : key);
  }

  set(thread: Thread, key: Value, value: Value): void {
    const { map } = this;
    const hashed =
      key instanceof Tuple ? (this.tuples ??= new TupleTable()).claim(key, thread) : hashKey(key, thread);
    const before = map.size;
    map.set(hashed, value);
    if (map.size !== before) this.added(thread, key, hashed);
  }

  private added(thread: Thread, key: Value, hashed: Key): void {
    if (hashed === key) {
      thread.charge(key instanceof Tuple ? ENTRY + TUPLE_KEY : ENTRY);
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
    const hashed = this.keyOf(key, thread)!;
    const value = this.map.get(hashed);
    if (value !== undefined) this.remove(hashed);
    return value;
  }

  private remove(hashed: Key): void {
    this.map.delete(hashed);
    this.originals?.delete(hashed);
    if (hashed instanceof Tuple) this.tuples!.delete(hashed);
  }

  /** Removes and returns the oldest entry; undefined where there is none. */
  popFirst(): [Value, Value] | undefined {
    const { map } = this;
    if (map.size === 0) return undefined;
    let next = (this.oldest ??= map.keys()).next();
    if (next.done === true) next = (this.oldest = map.keys()).next();
    const hashed = next.value!;
    const entry: [Value, Value] = [this.original(hashed), map.get(hashed)!];
    this.remove(hashed);
    return entry;
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
    return Array.from(this.map.values());
  }

  forEach(visit: (key: Value, value: Value) => void): void {
    this.map.forEach((value, key) => {
      visit(this.originals === null ? (key as Value) : this.original(key), value);
    });
  }

  /** Whether every entry, by the key the map goes by, passes. */
  every(test: (key: Key, value: Value) => boolean): boolean {
    for (const [key, value] of this.map) if (!test(key, value)) return false;
    return true;
  }

  copy(): DictTable {
    const copy = new DictTable();
    // Quicker than the constructor, which asks the map for an iterator over pairs.
    this.map.forEach((value, key) => {
      copy.map.set(key, value);
    });
    copy.originals = this.originals === null ? null : new Map(this.originals);
    copy.tuples = this.tuples?.copy() ?? null;
    return copy;
  }

  freeze(queue: StarObject[]): void {
    this.map.forEach((value, key) => {
      if (value instanceof StarObject) queue.push(value);
      if (key instanceof Tuple) queue.push(key);
    });
    if (this.originals === null) return;
    for (const key of this.originals.values()) if (key instanceof StarObject) queue.push(key);
  }
}
