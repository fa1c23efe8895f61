/**
 * dict: insertion-ordered, keyed by value. A few texts with their values are a row: names, which dicts of one kind share, and cells.
 * More, or other keys, are a table. And it may be a lazy, frozen view over a parsed JSON object: reading a key touches
 * that key alone, and nothing is copied until somebody wants all entries.
 */
import type { ExtendedObject } from '../../base/lazy-json.ts';
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { DictTable } from './dict-table.ts';
import { encodeParts, hashKey, LONG_KEY } from './hash.ts';
import { wrapJson } from './json-view.ts';
import { Tuple } from './list.ts';
import { repr } from './repr.ts';
import { DICT, ENTRY, LIST } from './size.ts';
import { NO_TUPLES } from './tuple-table.ts';
import {
  type ArithmeticOperator,
  type Cursor,
  isObject,
  type Key,
  type ReprWriter,
  StarObject,
  type Value,
} from './value.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** What a dict of a script's own is a view of. */
const NOTHING: JsonObject = Object.freeze(Object.create(null));

/** More texts than this are found quicker by their hash. */
export const MOST_NAMES = 8;
const NO_NAMES: string[] = [];
/**
 * The values of a row, after its names: an array that holds an object is of one kind for the engine, whatever else it holds. Both
 * arrays may have room behind the last entry; names without room are never changed, so that many dicts can have them.
 */
export type Cells = (readonly string[] | Value)[];
const NO_CELLS: Cells = [NO_NAMES];

/** What may be a name: short enough that to compare it costs nothing worth counting, and its own key. */
export function isName(text: string): boolean {
  return text.length < LONG_KEY && text.charCodeAt(0) !== 0;
}

export class Dict extends StarObject {
  get type(): 'dict' {
    return 'dict';
  }
  frozen: boolean;
  /** Iterations under way; while positive, mutation is an error. */
  locks = 0;
  /** The keys of a row, or of a view once they were wanted, and how many; -1 until then. */
  private names: string[] = NO_NAMES;
  private count: number;
  /** Null in a table, and while the dict is only a view. */
  private cells: Cells | null;
  private table: DictTable | null = null;
  private view: JsonObject;
  /** What the view is only the base of, until a key beyond it is wanted. */
  private extension: ExtendedObject | null = null;
  /** The last container read from a view, so that reading it again does not convert it again. */
  private lastKey: string | null = null;
  private lastValue: Value = null;

  constructor(view: JsonObject = NOTHING) {
    super();
    const isOwn = view === NOTHING;
    this.count = isOwn ? 0 : -1;
    this.cells = isOwn ? NO_CELLS : null;
    this.view = view;
    this.frozen = !isOwn;
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

  /** A row. The names are different, no more than a row has, and stay as they are; the cells are its own from now on. */
  static row(names: readonly string[], cells: Cells): Dict {
    const dict = new Dict();
    dict.names = names as string[];
    dict.count = names.length;
    dict.cells = cells;
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

  /** The names of a row, for others like it; null where it is none. */
  get rowNames(): readonly string[] | null {
    if (this.cells === null) return null;
    return this.names.length === this.count ? this.names : this.names.slice(0, this.count);
  }

  get(key: Value, thread?: Thread): Value | undefined {
    const { cells } = this;
    if (cells === null) return this.table === null ? this.viewed(key, thread) : this.table.get(key, thread);
    const at = this.find(key, thread);
    return at === -1 ? undefined : (cells[at + 1] as Value);
  }

  /** Where a key stands in a row, or -1; fails for what can be no key. */
  private find(key: Value, thread?: Thread): number {
    if (typeof key !== 'string') return notFound(key, thread);
    if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
    const { names, count } = this;
    for (let i = 0; i < count; i++) if (names[i] === key) return i;
    return -1;
  }

  has(key: Value, thread?: Thread): boolean {
    if (this.cells !== null) return this.find(key, thread) !== -1;
    if (this.table !== null) return this.table.has(key, thread);
    if (typeof key !== 'string') return notFound(key, thread) !== -1;
    if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
    return Object.hasOwn(this.view, key) || (this.extension !== null && Object.hasOwn(this.whole(), key));
  }

  private viewed(key: Value, thread: Thread | undefined): Value | undefined {
    if (typeof key === 'string') {
      if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
      return this.property(key, thread ?? null);
    }
    notFound(key, thread);
    return undefined;
  }

  private property(key: string, thread: Thread | null): Value | undefined {
    const source = this.view;
    if (!Object.hasOwn(source, key)) {
      if (this.extension === null) return undefined;
      this.whole();
      return this.property(key, thread);
    }
    const json = source[key];
    if (typeof json === 'string') return json;
    if (key === this.lastKey) return this.lastValue;
    const value = wrapJson(json, thread);
    if (isObject(value)) {
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
    if (this.count === -1) {
      const names = Object.keys(this.whole());
      thread?.spend(names.length >> 4);
      thread?.charge(8 * names.length);
      this.names = names;
      this.count = names.length;
    }
    return this.names;
  }

  /** Makes a row or a table of what is still a view. */
  private convert(thread: Thread | null): void {
    if (this.cells !== null || this.table !== null) return;
    const source = this.whole();
    const names = this.viewKeys(thread);
    thread?.charge(ENTRY * names.length);
    const cells: Cells = [names];
    for (const key of names)
      cells.push(key === this.lastKey ? this.lastValue : wrapJson(source[key], thread));
    this.cells = cells;
    if (names.length > MOST_NAMES || !names.every(isName)) this.tabled();
  }

  /** A row as a table. */
  private tabled(): DictTable {
    const { names, cells, count } = this;
    const table = new DictTable();
    for (let i = 0; i < count; i++) table.adopt(names[i]!, cells![i + 1] as Value);
    this.names = NO_NAMES;
    this.cells = null;
    return (this.table = table);
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen hash table". */
  mutable(verb: string): void {
    if (this.frozen) fail(`cannot ${verb} frozen hash table (copy it first: dict(x))`);
    if (this.locks > 0) fail(`cannot ${verb} hash table during iteration`);
  }

  set(thread: Thread, key: Value, value: Value): void {
    if (this.frozen || this.locks > 0) this.mutable('insert into');
    if (this.table === null && typeof key === 'string' && isName(key)) {
      const at = this.find(key);
      if (at !== -1) {
        this.cells![at + 1] = value;
        return;
      }
      if (this.count < MOST_NAMES) {
        thread.charge(ENTRY);
        this.append(key, value);
        return;
      }
    }
    (this.table ?? this.tabled()).set(thread, key, value);
  }

  private append(key: string, value: Value): void {
    const { count } = this;
    if (this.names.length === count) this.makeRoom();
    this.names[count] = key;
    this.cells![count + 1] = value;
    this.count++;
  }

  /** For four more. */
  private makeRoom(): void {
    const [names, cells] = [this.names, this.cells!];
    const free = ['', '', '', ''];
    const room: Cells = [free, null, null, null, null];
    this.names = this.count === 0 ? free : names.concat(free);
    this.cells = this.count === 0 ? room : cells.slice(0, this.count + 1).concat(room.slice(1));
  }

  /** For dict displays, where writing a key twice is a mistake. */
  insertNew(thread: Thread, key: Value, value: Value): void {
    const before = this.size;
    this.set(thread, key, value);
    if (this.size === before) fail(`duplicate key: ${repr(key, thread)}`);
  }

  /** Removes a key; the value it had, or undefined. */
  delete(thread: Thread, key: Value): Value | undefined {
    this.mutable('delete from');
    if (this.table !== null) return this.table.delete(thread, key);
    const at = this.find(key, thread);
    return at === -1 ? undefined : this.take(at);
  }

  /** Removes an entry of a row. */
  private take(at: number): Value {
    const value = this.cells![at + 1] as Value;
    // Copies: dicts that have the same names keep them.
    this.names = this.names.filter((_, i) => i !== at);
    this.cells = this.cells!.filter((_, i) => i !== at + 1);
    this.count--;
    return value;
  }

  clear(): void {
    this.mutable('clear');
    this.names = NO_NAMES;
    this.count = 0;
    this.cells = NO_CELLS;
    this.table = null;
  }

  /** Removes and returns the oldest entry; undefined where there is none. */
  popFirst(): [Value, Value] | undefined {
    this.mutable('delete from');
    if (this.table !== null) return this.table.popFirst();
    return this.count === 0 ? undefined : [this.names[0]!, this.take(0)];
  }

  keys(thread: Thread | null = null): Value[] {
    return this.table !== null ? this.table.keys() : this.viewKeys(thread).slice(0, this.count);
  }

  values(thread: Thread | null = null): Value[] {
    this.convert(thread);
    return this.table !== null ? this.table.values() : (this.cells!.slice(1, this.count + 1) as Value[]);
  }

  /** Calls back for every entry, in order. The callback must not change the dict. */
  forEach(visit: (key: Value, value: Value) => void, thread: Thread | null = null): void {
    this.convert(thread);
    if (this.table !== null) {
      this.table.forEach(visit);
      return;
    }
    const { names, cells, count } = this;
    for (let i = 0; i < count; i++) visit(names[i]!, cells![i + 1] as Value);
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
    this.convert(thread);
    thread.charge(DICT + (this.table?.bytes ?? ENTRY * this.count));
    thread.spend(this.len());
    if (this.table === null) return Dict.row(this.rowNames!, this.cells!.slice(0, this.count + 1));
    const copy = new Dict();
    copy.cells = null;
    copy.table = this.table.copy();
    return copy;
  }

  override truth(): boolean {
    if (this.table !== null) return this.table.size > 0;
    return this.count === -1 ? hasKeys(this.whole()) : this.count > 0;
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    if (this.table !== null) this.table.freeze(queue);
    for (let i = 1; this.cells !== null && i <= this.count; i++) {
      const value = this.cells[i] as Value;
      if (value instanceof StarObject) queue.push(value);
    }
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
    other.convert(thread);
    this.convert(thread);
    const isSame = (key: Key, value: Value): boolean => {
      const their = other.table !== null ? other.table.byKey(key, thread) : other.named(key);
      return their !== undefined && nested(value, their);
    };
    if (this.table !== null) return this.table.every(isSame);
    for (let i = 0; i < this.count; i++)
      if (!isSame(this.names[i]!, this.cells![i + 1] as Value)) return false;
    return true;
  }

  /** The value of a key of another's, in a row. */
  private named(key: Key): Value | undefined {
    const at = typeof key === 'string' ? this.find(key) : -1;
    return at === -1 ? undefined : (this.cells![at + 1] as Value);
  }

  override len(thread: Thread | null = null): number {
    if (this.table !== null) return this.table.size;
    return this.count === -1 ? this.viewKeys(thread).length : this.count;
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

/** Neither a row nor a view has anything but texts for keys; what could never be one is an error all the same. */
function notFound(key: Value, thread: Thread | undefined): -1 {
  if (key instanceof Tuple) NO_TUPLES.find(key, thread);
  else hashKey(key, thread);
  return -1;
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
