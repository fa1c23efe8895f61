/**
 * list and tuple. A list may be a lazy, frozen view over a parsed JSON array: nothing is converted until it is read.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { equal, LONG_TEXT } from './equal.ts';
import { encodeParts } from './hash.ts';
import { wrapJson } from './json-view.ts';
import { checkedIndex, repeatCount } from './sequence.ts';
import { listBytes, SLOT, tupleBytes } from './size.ts';
import {
  type ArithmeticOperator,
  type Cursor,
  type Key,
  type ReprWriter,
  StarObject,
  type Value,
} from './value.ts';

export class List extends StarObject {
  get type(): 'list' {
    return 'list';
  }
  frozen: boolean;
  /** Iterations under way; while positive, mutation is an error. */
  locks = 0;
  /** Null while the list is still a view. */
  private values: Value[] | null;
  private readonly view: readonly unknown[] | null;

  constructor(items: Value[], view: readonly unknown[] | null = null) {
    super();
    this.values = view === null ? items : null;
    this.view = view;
    this.frozen = view !== null;
  }

  /** A frozen view; the host must not change `source` while scripts can see it. */
  static view(source: readonly unknown[]): List {
    return new List(NONE, source);
  }

  get length(): number {
    return this.values !== null ? this.values.length : this.view!.length;
  }

  /** The JSON array behind a view, else null. */
  get source(): readonly unknown[] | null {
    return this.view;
  }

  /** The element at an index already checked to be in range. */
  at(index: number, thread: Thread | null = null): Value {
    return this.values !== null ? this.values[index]! : wrapJson(this.view![index], thread);
  }

  /** The elements, for a host to read. */
  get items(): Value[] {
    return this.elements(null);
  }

  /** The elements, for reading. A view is converted, one level deep, at the cost of the script that asks. */
  elements(thread: Thread | null): Value[] {
    return this.values ?? this.force(thread);
  }

  private force(thread: Thread | null): Value[] {
    thread?.charge(SLOT * this.view!.length);
    return (this.values = Array.from(this.view!, (each) => wrapJson(each, thread)));
  }

  /** Call before every mutation: `verb` completes "cannot VERB frozen list". */
  mutable(verb: string): Value[] {
    if (this.frozen) fail(`cannot ${verb} frozen list (copy it first: list(x))`);
    if (this.locks > 0) fail(`cannot ${verb} list during iteration`);
    return this.values!;
  }

  override truth(): boolean {
    return this.length > 0;
  }

  override freeze(queue: StarObject[]): void {
    if (this.frozen) return;
    this.frozen = true;
    for (const item of this.values!) if (item instanceof StarObject) queue.push(item);
  }

  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    out.nest(this, '[', ']', () => writeItems(out, this.elements(thread)));
  }

  /** Only a frozen list can be a key: nothing can change it, or what it holds, any more. */
  override hashKey(nested: (part: Value) => Key, thread: Thread | null): Key | undefined {
    return this.frozen ? encodeParts('l', this.elements(thread).map(nested)) : undefined;
  }

  override equals(other: StarObject, nested: (a: Value, b: Value) => boolean, thread: Thread): boolean {
    // Lists of different lengths are not worth converting.
    if (!(other instanceof List) || this.length !== other.length) return false;
    return sameItems(this.elements(thread), other.elements(thread), nested);
  }

  override order(
    other: StarObject,
    nested: (a: Value, b: Value) => number,
    thread: Thread,
  ): number | undefined {
    if (!(other instanceof List)) return undefined;
    return orderItems(this.elements(thread), other.elements(thread), nested);
  }

  override len(): number {
    return this.length;
  }

  override cursor(thread: Thread): Cursor {
    return new ListCursor(this, thread);
  }

  override getItem(thread: Thread, key: Value): Value {
    return this.at(checkedIndex('list', key, this.length), thread);
  }

  override setItem(_thread: Thread, key: Value, value: Value): boolean {
    const index = checkedIndex('list', key, this.length);
    this.mutable('assign to element of')[index] = value;
    return true;
  }

  override sliceItems(thread: Thread, start: number, step: number, count: number): List {
    thread.charge(listBytes(count));
    return new List(pick(thread, this.elements(thread), start, step, count));
  }

  override contains(thread: Thread, item: Value): boolean {
    return includes(thread, this.elements(thread), item);
  }

  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (op === '+' && !reversed && other instanceof List) {
      thread.charge(listBytes(this.length + other.length));
      return new List(concat(thread, this.elements(thread), other.elements(thread)));
    }
    if (op === '*') {
      const count = repeatCount(other, this.length);
      if (count === undefined) return undefined;
      thread.charge(listBytes(this.length * count));
      return new List(repeat(thread, this.elements(thread), count));
    }
    return undefined;
  }

  /** Appends all of `items`, which may be the list's own. */
  extend(thread: Thread, verb: string, items: readonly Value[]): void {
    const own = this.mutable(verb);
    thread.charge(SLOT * items.length);
    thread.spend(items.length);
    const count = items.length;
    for (let i = 0; i < count; i++) own.push(items[i]!);
  }
}

export class Tuple extends StarObject {
  get type(): 'tuple' {
    return 'tuple';
  }
  readonly items: readonly Value[];
  /** Among the keys of a dict or set, once it was wanted; see `TupleTable`. */
  hash = 0;

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get length(): number {
    return this.items.length;
  }

  /** The same as of a list. */
  elements(_thread: Thread | null): readonly Value[] {
    return this.items;
  }

  override truth(): boolean {
    return this.items.length > 0;
  }

  override freeze(queue: StarObject[]): void {
    for (const item of this.items) if (item instanceof StarObject) queue.push(item);
  }

  override writeRepr(out: ReprWriter): void {
    out.nest(this, '(', this.items.length === 1 ? ',)' : ')', () => writeItems(out, this.items));
  }

  override hashKey(nested: (part: Value) => Key): Key {
    return encodeParts('t', this.items.map(nested));
  }

  override equals(other: StarObject, nested: (a: Value, b: Value) => boolean): boolean {
    return this === other || (other instanceof Tuple && sameItems(this.items, other.items, nested));
  }

  override len(): number {
    return this.items.length;
  }

  override cursor(): Cursor {
    return new ItemsCursor(this.items);
  }

  override getItem(_thread: Thread, key: Value): Value {
    return this.items[checkedIndex('tuple', key, this.items.length)]!;
  }

  override sliceItems(thread: Thread, start: number, step: number, count: number): Tuple {
    thread.charge(tupleBytes(count));
    return new Tuple(pick(thread, this.items, start, step, count));
  }

  override contains(thread: Thread, item: Value): boolean {
    return includes(thread, this.items, item);
  }

  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (op === '+' && !reversed && other instanceof Tuple) {
      thread.charge(tupleBytes(this.length + other.length));
      return new Tuple(concat(thread, this.items, other.items));
    }
    if (op === '*') {
      const count = repeatCount(other, this.length);
      if (count === undefined) return undefined;
      thread.charge(tupleBytes(this.length * count));
      return new Tuple(repeat(thread, this.items, count));
    }
    return undefined;
  }
}

export const EMPTY_TUPLE = new Tuple([]);

const NONE: Value[] = [];

/** Walks an array that nothing can change meanwhile. */
export class ItemsCursor implements Cursor {
  private at = 0;
  private readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
  next(): Value | undefined {
    return this.at < this.items.length ? this.items[this.at++] : undefined;
  }
  close(): void {}
}

class ListCursor implements Cursor {
  private at = 0;
  private open = true;
  private readonly list: List;
  private readonly thread: Thread;
  constructor(list: List, thread: Thread) {
    this.list = list;
    this.thread = thread;
    list.locks++;
  }
  next(): Value | undefined {
    return this.at < this.list.length ? this.list.at(this.at++, this.thread) : undefined;
  }
  close(): void {
    if (this.open) this.list.locks--;
    this.open = false;
  }
}

function writeItems(out: ReprWriter, items: readonly Value[]): void {
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out.text(', ');
    out.value(items[i]!);
  }
}

function sameItems(
  a: readonly Value[],
  b: readonly Value[],
  nested: (a: Value, b: Value) => boolean,
): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!nested(a[i]!, b[i]!)) return false;
  return true;
}

function orderItems(
  a: readonly Value[],
  b: readonly Value[],
  nested: (a: Value, b: Value) => number,
): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const order = nested(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function includes(thread: Thread, items: readonly Value[], item: Value): boolean {
  // The engine compares strings of one length to their end; what is long is compared by the account.
  const quick = typeof item === 'string' && item.length < LONG_TEXT;
  const at = quick ? items.indexOf(item) : items.findIndex((each) => equal(thread, each, item));
  thread.spend(at === -1 ? items.length : at);
  return at !== -1;
}

function pick(thread: Thread, items: readonly Value[], start: number, step: number, count: number): Value[] {
  thread.spend(count);
  if (step === 1) return items.slice(start, start + count);
  const out: Value[] = [];
  for (let i = start; out.length < count; i += step) out.push(items[i]!);
  return out;
}

function concat(thread: Thread, a: readonly Value[], b: readonly Value[]): Value[] {
  thread.spend(a.length + b.length);
  return a.concat(b);
}

function repeat(thread: Thread, items: readonly Value[], count: number): Value[] {
  const length = items.length * count;
  thread.spend(length);
  if (length > MAX_ITEMS) throw new StarlarkError('memory', `list of ${length} elements is too long`);
  if (items.length === 1) return new Array<Value>(length).fill(items[0]!);
  const out: Value[] = [];
  for (let i = 0; i < count; i++) for (const item of items) out.push(item);
  return out;
}

/** Far below where V8 gives up on one array. */
const MAX_ITEMS = 1 << 27;
