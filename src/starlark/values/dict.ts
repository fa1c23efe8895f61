/**
 * dict: insertion-ordered, keyed by value. It may be a lazy, frozen view over a parsed JSON object: reading a key touches
 * that key alone, and nothing is copied until somebody wants all entries.
 */
import type { ExtendedObject } from '../../base/lazy-json.ts';
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { encodeParts, hashKey, LONG_KEY, stringKey } from './hash.ts';
import { wrapJson } from './json-view.ts';
import { Tuple } from './list.ts';
import { repr } from './repr.ts';
import { DICT, ENTRY, LIST, TEXT, TUPLE_KEY } from './size.ts';
import { NO_TUPLES, TupleTable } from './tuple-table.ts';
import {
  type ArithmeticOperator,
  type Cursor,
  type Key,
  type ReprWriter,
  StarObject,
  type Value,
} from './value.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** What a dict of a script's own is a view of. */
const NOTHING: JsonObject = Object.freeze(Object.create(null));

export class Dict extends StarObject {
  get type(): 'dict' {
    return 'dict';
  }
  frozen: boolean;
  /** Iterations under way; while positive, mutation is an error. */
  locks = 0;
  /** Null while the dict is still a view, and while it has never had an entry: `{}` is often only a default. */
  private map: Map<Key, Value> | null;
  /** The keys whose canonical form is not themselves: floats, bytes… */
  private originals: Map<Key, Value> | null = null;
  private tuples: TupleTable | null = null;
  private view: JsonObject;
  /** What the view is only the base of, until a key beyond it is wanted. */
  private extension: ExtendedObject | null = null;
  /** The keys of a view, once they were wanted. */
  private names: readonly string[] | null = null;
  /** Stands after the entries popped so far: to look from the start again would be to pass every one of them again. */
  private oldest: Iterator<Key> | null = null;
  /** The last container read from a view, so that reading it again does not convert it again. */
  private lastKey: string | null = null;
  private lastValue: Value = null;

  constructor(view: JsonObject = NOTHING) {
    super();
    this.map = null;
    this.view = view;
    this.frozen = view !== NOTHING;
  }

  /** A frozen view; the host must not change `source` while scripts can see it. Only own properties are seen. */
  static view(source: JsonObject): Dict {
    return new Dict(source);
  }

  /** A frozen view of an object that is put together only if its base does not answer. */
  static extended(source: ExtendedObject): Dict {
    const dict = new Dict(source.base);
    dict.extension = source;
    return dict;
  }

  /** A dict of these entries; of equal keys the last one counts. */
  static of(thread: Thread, entries: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.set(thread, key, value);
    return dict;
  }

  get size(): number {
    return this.len();
  }

  /** The JSON object behind a view, else null. */
  get source(): JsonObject | null {
    return this.view === NOTHING ? null : this.whole();
  }

  get(key: Value, thread?: Thread): Value | undefined {
    if (typeof key === 'string') {
      if (this.map !== null) return this.map.get(stringKey(key, thread));
      if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
      return this.viewed(key, thread ?? null);
    }
    // Told that it is a small int, the engine looks in line.
    if (typeof key === 'number' && this.map !== null && (key | 0) === key) return this.map.get(key | 0);
    const hashed = this.keyOf(key, thread);
    return this.map === null ? undefined : this.map.get(hashed!);
  }

  /** What the map goes by for a key; undefined, which it has nothing for, where that is seen before. */
  private keyOf(key: Value, thread?: Thread): Key | undefined {
    return key instanceof Tuple ? (this.tuples ?? NO_TUPLES).find(key, thread) : hashKey(key, thread);
  }

  has(key: Value, thread?: Thread): boolean {
    if (typeof key === 'string' && this.map === null) {
      if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
      return Object.hasOwn(this.view, key) || (this.extension !== null && Object.hasOwn(this.whole(), key));
    }
    const hashed = this.keyOf(key, thread);
    // The keys of a view are strings, which the lines above have dealt with.
    return this.map?.has(hashed!) ?? false;
  }

  private viewed(key: string, thread: Thread | null): Value | undefined {
    const source = this.view;
    if (!Object.hasOwn(source, key)) {
      if (this.extension === null) return undefined;
      this.whole();
      return this.viewed(key, thread);
    }
    const json = source[key];
    if (typeof json === 'string') return json;
    if (key === this.lastKey) return this.lastValue;
    const value = wrapJson(json, thread);
    if (value instanceof StarObject) {
      this.lastKey = key;
      this.lastValue = value;
    }
    return value;
  }

  /** All of the view. */
  private whole(): JsonObject {
    if (this.extension !== null) {
      this.view = this.extension.whole;
      this.extension = null;
    }
    return this.view;
  }

  private viewKeys(thread: Thread | null): readonly string[] {
    if (this.names !== null) return this.names;
    const names = Object.keys(this.whole());
    thread?.spend(names.length >> 4);
    thread?.charge(8 * names.length);
    return (this.names = names);
  }

  private entriesMap(thread: Thread | null): Map<Key, Value> {
    if (this.map !== null) return this.map;
    const map = new Map<Key, Value>();
    const source = this.whole();
    const names = this.viewKeys(thread);
    thread?.charge(ENTRY * names.length);
    for (const key of names) {
      const canonical = stringKey(key);
      if (canonical !== key) (this.originals ??= new Map()).set(canonical, key);
      map.set(canonical, key === this.lastKey ? this.lastValue : wrapJson(source[key], thread));
    }
    return (this.map = map);
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen hash table". */
  mutable(verb: string): Map<Key, Value> {
    if (this.frozen) fail(`cannot ${verb} frozen hash table (copy it first: dict(x))`);
    if (this.locks > 0) fail(`cannot ${verb} hash table during iteration`);
    return (this.map ??= new Map());
  }

  set(thread: Thread, key: Value, value: Value): void {
    const map = this.frozen || this.locks > 0 ? this.mutable('insert into') : (this.map ??= new Map());
    const hashed =
      key instanceof Tuple ? (this.tuples ??= new TupleTable()).claim(key, thread) : hashKey(key, thread);
    const before = map.size;
    map.set(hashed, value);
    if (map.size !== before) this.added(thread, key, hashed);
  }

  /** For dict displays, where writing a key twice is a mistake. */
  insertNew(thread: Thread, key: Value, value: Value): void {
    const before = this.size;
    this.set(thread, key, value);
    if (this.size === before) fail(`duplicate key: ${repr(key, thread)}`);
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

  /** Removes a key; the value it had, or undefined. */
  delete(thread: Thread, key: Value): Value | undefined {
    const map = this.mutable('delete from');
    const hashed = this.keyOf(key, thread)!;
    const value = map.get(hashed);
    if (value !== undefined) this.remove(map, hashed);
    return value;
  }

  private remove(map: Map<Key, Value>, hashed: Key): void {
    map.delete(hashed);
    this.originals?.delete(hashed);
    if (hashed instanceof Tuple) this.tuples!.delete(hashed);
  }

  clear(): void {
    this.mutable('clear').clear();
    this.originals = null;
    this.tuples = null;
  }

  /** Removes and returns the oldest entry; undefined where there is none. */
  popFirst(): [Value, Value] | undefined {
    const map = this.mutable('delete from');
    if (map.size === 0) return undefined;
    let next = (this.oldest ??= map.keys()).next();
    if (next.done === true) next = (this.oldest = map.keys()).next();
    const hashed = next.value!;
    const entry: [Value, Value] = [this.original(hashed), map.get(hashed)!];
    this.remove(map, hashed);
    return entry;
  }

  private original(key: Key): Value {
    // Without an entry aside, the canonical key is the key itself.
    return this.originals?.get(key) ?? (this.originals?.has(key) === true ? null : (key as Value));
  }

  keys(thread: Thread | null = null): Value[] {
    if (this.map === null) return this.viewKeys(thread).slice();
    const keys = Array.from(this.map.keys()) as Value[];
    return this.originals === null ? keys : keys.map((key) => this.original(key));
  }

  values(thread: Thread | null = null): Value[] {
    return Array.from(this.entriesMap(thread).values());
  }

  /** Calls back for every entry, in order. The callback must not change the dict. */
  forEach(visit: (key: Value, value: Value) => void, thread: Thread | null = null): void {
    if (this.map === null && this.view === NOTHING) return;
    this.entriesMap(thread).forEach((value, key) => {
      visit(this.originals === null ? (key as Value) : this.original(key), value);
    });
  }

  entries(thread: Thread | null = null): [Value, Value][] {
    const entries: [Value, Value][] = [];
    this.forEach((key, value) => {
      entries.push([key, value]);
    }, thread);
    return entries;
  }

  /** Sets every entry of another dict, which may be this one. */
  update(thread: Thread, verb: string, other: Dict): void {
    this.mutable(verb);
    if (other === this) return;
    thread.spend(other.len(thread));
    other.forEach((key, value) => {
      this.set(thread, key, value);
    }, thread);
  }

  /** A mutable copy, one level deep. */
  copy(thread: Thread): Dict {
    const map = this.entriesMap(thread);
    thread.charge(DICT + ENTRY * (map.size + (this.originals?.size ?? 0)));
    thread.spend(map.size);
    const copy = new Dict();
    // Quicker than the constructor, which asks the map for an iterator over pairs.
    const entries = new Map<Key, Value>();
    map.forEach((value, key) => {
      entries.set(key, value);
    });
    copy.map = entries;
    copy.originals = this.originals === null ? null : new Map(this.originals);
    copy.tuples = this.tuples?.copy() ?? null;
    return copy;
  }

  override truth(): boolean {
    return this.map !== null ? this.map.size > 0 : hasKeys(this.whole());
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    this.map?.forEach((value, key) => {
      if (value instanceof StarObject) queue.push(value);
      if (key instanceof Tuple) queue.push(key);
    });
    if (this.originals === null) return;
    for (const key of this.originals.values()) if (key instanceof StarObject) queue.push(key);
  }

  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    out.nest(this, '{', '}', () => {
      let first = true;
      this.forEach((key, value) => {
        if (!first) out.text(', ');
        first = false;
        out.value(key);
        out.text(': ');
        out.value(value);
      }, thread);
    });
  }

  /** Only a frozen dict can be a key. Order does not count, so its entries are sorted. */
  override hashKey(nested: (part: Value) => Key, thread: Thread | null): Key | undefined {
    if (!this.frozen) return undefined;
    const entries = this.entries(thread).map(([key, value]) => encodeParts('', [nested(key), nested(value)]));
    return encodeParts('d', entries.sort());
  }

  override equals(other: StarObject, nested: (a: Value, b: Value) => boolean, thread: Thread): boolean {
    if (!(other instanceof Dict) || this.len(thread) !== other.len(thread)) return false;
    const theirs = other.entriesMap(thread);
    for (const [key, value] of this.entriesMap(thread)) {
      const their = theirs.get(key instanceof Tuple ? other.keyOf(key, thread)! : key);
      if (their === undefined || !nested(value, their)) return false;
    }
    return true;
  }

  override len(thread: Thread | null = null): number {
    if (this.map !== null) return this.map.size;
    return this.view === NOTHING ? 0 : this.viewKeys(thread).length;
  }

  override cursor(thread: Thread): Cursor {
    const size = this.len(thread);
    thread.spend(size >> 4);
    thread.charge(LIST + 8 * size);
    return new DictCursor(this, this.keys(thread));
  }

  override getItem(thread: Thread, key: Value): Value {
    const value = this.get(key, thread);
    return value === undefined ? fail(`key ${repr(key, thread)} not in dict`) : value;
  }

  override setItem(thread: Thread, key: Value, value: Value): boolean {
    this.set(thread, key, value);
    return true;
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
    if (op !== '|' || reversed || !(other instanceof Dict)) return undefined;
    const union = this.copy(thread);
    union.update(thread, 'insert into', other);
    return union;
  }

  override inPlace(thread: Thread, op: ArithmeticOperator, other: Value): Value | undefined {
    if (op !== '|' || !(other instanceof Dict)) return undefined;
    this.update(thread, 'apply |= to', other);
    return this;
  }
}

function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

/** Keys are taken at the start: the lock guarantees that they stay the keys. */
class DictCursor implements Cursor {
  private at = 0;
  private open = true;
  private readonly dict: Dict;
  private readonly keys: readonly Value[];
  constructor(dict: Dict, keys: readonly Value[]) {
    this.dict = dict;
    this.keys = keys;
    dict.locks++;
  }
  next(): Value | undefined {
    return this.at < this.keys.length ? this.keys[this.at++] : undefined;
  }
  close(): void {
    if (this.open) this.dict.locks--;
    this.open = false;
  }
}
