/**
 * dict: insertion-ordered, keyed by value. Or a lazy, frozen view over a parsed JSON object: reading a key touches that key
 * alone, and nothing is copied until somebody wants all entries.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { encodeParts, hashKey, LONG_KEY } from './hash.ts';
import { HashTable, KeyCursor, needNoIndex } from './hash-table.ts';
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
  type StarObject,
  type Value,
} from './value.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** Of an empty dict; shared, so never changed. */
const NO_KEYS: Value[] = [];
const NO_VALUES: Value[] = [];

/** Keys that a view shows beside those of its object; they win over keys of the same name. A function: made when a key is first missing. */
export type MoreKeys = JsonObject | (() => JsonObject);

/** A JSON object that is read key by key. */
class View {
  private readonly object: JsonObject;
  private more: JsonObject | null;
  private lateMore: (() => JsonObject) | null;
  /** The last container that was read, so that reading it again does not convert it again. */
  private lastKey: string | null = null;
  private lastValue: Value = null;

  constructor(object: JsonObject, more: MoreKeys | null) {
    this.object = object;
    const isLate = typeof more === 'function';
    this.more = isLate ? null : more;
    this.lateMore = isLate ? more : null;
  }

  /** All keys in one object. A key that is a getter stays one. */
  source(): JsonObject {
    const more = this.allMore();
    if (more === null) return this.object;
    const { getOwnPropertyDescriptors: parts } = Object;
    return Object.defineProperties({}, { ...parts(this.object), ...parts(more) });
  }

  keys(): string[] {
    const more = this.allMore();
    const keys = Object.keys(this.object);
    return more === null ? keys : [...new Set([...keys, ...Object.keys(more)])];
  }

  isEmpty(): boolean {
    return !hasKeys(this.object) && !hasKeys(this.allMore() ?? {});
  }

  has(key: string): boolean {
    return this.holder(key) !== null;
  }

  get(key: string, thread: Thread | null): Value | undefined {
    const holder = this.holder(key);
    if (holder === null) return undefined;
    const json = holder[key];
    if (typeof json === 'string') return json;
    if (key === this.lastKey) return this.lastValue;
    const value = wrapJson(json, thread);
    if (isObject(value)) {
      this.lastKey = key;
      this.lastValue = value;
    }
    return value;
  }

  private holder(key: string): JsonObject | null {
    if (this.more !== null && Object.hasOwn(this.more, key)) return this.more;
    if (Object.hasOwn(this.object, key)) return this.object;
    if (this.lateMore === null) return null;
    return Object.hasOwn(this.allMore()!, key) ? this.more : null;
  }

  private allMore(): JsonObject | null {
    if (this.lateMore !== null) {
      this.more = this.lateMore();
      this.lateMore = null;
    }
    return this.more;
  }
}

export class Dict extends HashTable {
  get type(): 'dict' {
    return 'dict';
  }
  protected get copyHint(): string {
    return ' (copy it first: dict(x))';
  }
  /** What the dict is, or was, a view of. */
  private readonly view: View | null;
  /** Nothing but a view: neither its keys nor its values were copied. */
  private isView: boolean;

  constructor(keys = NO_KEYS, values = NO_VALUES, isPlain = true, view: View | null = null) {
    super(keys, values, true, isPlain);
    this.view = view;
    this.isView = view !== null;
    if (view !== null) this.frozen = true;
  }

  /** A frozen view; the host must not change `source` while scripts can see it. Only own properties are seen. */
  static view(source: JsonObject, more: MoreKeys | null = null): Dict {
    return new Dict(NO_KEYS, NO_VALUES, true, new View(source, more));
  }

  /** A dict of plain keys, all different. The array of keys may belong to many dicts; that of values is the dict's own from now on. */
  static withKeys(keys: readonly string[], values: Value[]): Dict {
    return new Dict(keys as string[], values);
  }

  /** A dict of these entries; of equal keys the last one counts. */
  static of(thread: Thread, entries: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.set(thread, key, value);
    return dict;
  }

  override get size(): number {
    return this.len();
  }

  /** The JSON object behind a view, else null. */
  get source(): JsonObject | null {
    return this.view === null ? null : this.view.source();
  }

  get(key: Value, thread?: Thread): Value | undefined {
    if (this.isView) return this.viewed(key, thread);
    const at = this.find(key, thread);
    return at === -1 ? undefined : this.cells[at];
  }

  has(key: Value, thread?: Thread): boolean {
    if (!this.isView) return this.find(key, thread) !== -1;
    return isText(key, thread) && this.view!.has(key);
  }

  private viewed(key: Value, thread: Thread | undefined): Value | undefined {
    return isText(key, thread) ? this.view!.get(key, thread ?? null) : undefined;
  }

  /** The keys of a view, charged once. */
  private viewKeys(thread: Thread | null): readonly Value[] {
    if (this.slots === NO_KEYS) {
      const keys = this.view!.keys();
      thread?.spend(keys.length >> 4);
      thread?.charge(8 * keys.length);
      this.slots = keys;
    }
    return this.slots as Value[];
  }

  /** Copies the entries of what is still a view. */
  private convert(thread: Thread | null): void {
    if (!this.isView) return;
    const view = this.view!;
    const keys = this.viewKeys(thread) as string[];
    thread?.charge(ENTRY * keys.length);
    const values = keys.map((key) => view.get(key, thread)!);
    this.become(keys, values);
    this.isView = false;
  }

  set(thread: Thread, key: Value, value: Value): void {
    if (this.frozen || this.locks > 0) this.mutable('insert into');
    const at = this.claim(thread, key);
    if (at >= 0) this.cells[at] = value;
    else this.appendCell(~at, value);
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
    const at = this.find(key, thread);
    return at === -1 ? undefined : this.takeAt(at);
  }

  private takeAt(at: number): Value {
    const value = this.cells[at]!;
    this.cells[at] = null;
    this.removeAt(at);
    return value;
  }

  clear(): void {
    this.mutable('clear');
    this.become(NO_KEYS, NO_VALUES);
  }

  /** Removes and returns the oldest entry; undefined where there is none. */
  popFirst(): [Value, Value] | undefined {
    this.mutable('delete from');
    if (this.size === 0) return undefined;
    const at = this.oldest();
    return [this.slots[at]!, this.takeAt(at)];
  }

  /** The keys in order; to be read only, and only until the dict changes. */
  private keysInOrder(thread: Thread | null): readonly Value[] {
    return this.isView ? this.viewKeys(thread) : this.inOrder();
  }

  keys(thread: Thread | null = null): Value[] {
    return this.keysInOrder(thread).slice();
  }

  values(thread: Thread | null = null): Value[] {
    this.convert(thread);
    this.compact();
    return this.cells.slice(0, this.count);
  }

  /** Calls back for every entry, in order. The callback must not change the dict. */
  forEach(visit: (key: Value, value: Value) => void, thread: Thread | null = null): void {
    this.convert(thread);
    const { slots, cells, count } = this;
    for (let i = 0; i < count; i++) {
      const key = slots[i];
      if (key !== undefined) visit(key, cells[i]!);
    }
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
    thread.charge(DICT + ENTRY * this.size);
    thread.spend(this.size);
    const keys = this.inOrder() as Value[];
    this.isShared = true;
    return new Dict(keys, this.values(), needNoIndex(keys));
  }

  override truth(): boolean {
    return this.isView && this.slots === NO_KEYS ? !this.view!.isEmpty() : this.size > 0;
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
    return this.slots.every((key, i) => {
      if (key === undefined) return true;
      const their = other.get(key, thread);
      return their !== undefined && nested(this.cells[i]!, their);
    });
  }

  override len(thread: Thread | null = null): number {
    return this.isView ? this.viewKeys(thread).length : super.size;
  }

  override cursor(thread: Thread): Cursor {
    const size = this.len(thread);
    thread.spend(size >> 4);
    thread.charge(LIST + 8 * size);
    return new KeyCursor(this, this.keysInOrder(thread));
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

/** A view has nothing but texts for keys; what could never be a key is an error all the same. */
function isText(key: Value, thread: Thread | undefined): key is string {
  if (typeof key === 'string') {
    if (key.length >= LONG_KEY) thread?.spend(key.length >> 4);
    return true;
  }
  if (key instanceof Tuple) NO_TUPLES.find(key, thread);
  else hashKey(key, thread);
  return false;
}

function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}
