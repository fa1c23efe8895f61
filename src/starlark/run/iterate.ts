/**
 * Iteration: over anything iterable, one element at a time, with the container locked until the cursor is closed.
 */
import { List, Tuple } from '../values/list.ts';
import { listBytes, SLOT } from '../values/size.ts';
import { type Cursor, isObject, typeName, type Value } from '../values/value.ts';
import { fail } from './errors.ts';
import type { Thread } from './thread.ts';

/** Opens an iteration. The caller closes it, in a `finally`. */
export function iterate(thread: Thread, value: Value): Cursor {
  const cursor = cursorOf(thread, value);
  return cursor ?? fail(`${typeName(value)} value is not iterable`);
}

/** Like `iterate`, but undefined where the value is not iterable, for callers with an error of their own. */
export function cursorOf(thread: Thread, value: Value): Cursor | undefined {
  return isObject(value) ? value.cursor(thread) : undefined;
}

/** All elements in a fresh, charged array. */
export function toArray(thread: Thread, value: Value): Value[] {
  if (value instanceof List || value instanceof Tuple) {
    thread.charge(listBytes(value.length));
    thread.spend(value.length);
    return value.elements(thread).slice();
  }
  return drain(thread, iterate(thread, value), value);
}

/**
 * The rest of an iteration, which is closed afterwards. Where it is all of an `owner` that knows its length, it is paid
 * for at once: what is too much is refused before the first element.
 */
export function drain(thread: Thread, cursor: Cursor, owner: Value = null): Value[] {
  try {
    return readAll(thread, cursor, owner);
  } finally {
    cursor.close();
  }
}

/** The same, with the cursor left open: what it goes over stays locked. */
export function readAll(thread: Thread, cursor: Cursor, owner: Value): Value[] {
  const items: Value[] = [];
  const length = isObject(owner) ? owner.len(thread) : -1;
  thread.charge(listBytes(Math.max(0, length)));
  thread.spend(Math.max(0, length));
  if (length >= 0) {
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) items.push(item);
    return items;
  }
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
    thread.charge(SLOT);
    thread.spend(1);
    items.push(item);
  }
  return items;
}

/** What `use` returns, at once or later; the cursor is closed when it is there, or when it failed. */
export function whileOpen(
  cursor: Cursor,
  use: (cursor: Cursor) => Value | Promise<Value>,
): Value | Promise<Value> {
  let isLater = false;
  try {
    const result = use(cursor);
    if (!(result instanceof Promise)) return result;
    isLater = true;
    return result.finally(() => cursor.close());
  } finally {
    if (!isLater) cursor.close();
  }
}

/** Calls back for each element until it returns true, which is then the result. */
export function some(thread: Thread, value: Value, test: (item: Value) => boolean): boolean {
  const cursor = iterate(thread, value);
  try {
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      thread.spend(1);
      if (test(item)) return true;
    }
    return false;
  } finally {
    cursor.close();
  }
}

/** The `count` elements of `a, b = value`. */
export function unpack(thread: Thread, value: Value, count: number): readonly Value[] {
  if (value instanceof Tuple || value instanceof List) {
    if (value.length !== count) wrongCount(value.length, count);
    return value.elements(thread);
  }
  const cursor = cursorOf(thread, value);
  if (cursor === undefined) fail(`got ${typeName(value)} in sequence assignment`);
  const items: Value[] = [];
  try {
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      // An endless iterable must not be read to its end to find out that it is too long.
      if (items.length === count) fail(`too many values to unpack (want ${count})`);
      items.push(item);
    }
  } finally {
    cursor.close();
  }
  if (items.length < count) wrongCount(items.length, count);
  return items;
}

function wrongCount(got: number, want: number): never {
  fail(`too ${got > want ? 'many' : 'few'} values to unpack (got ${got}, want ${want})`);
}
