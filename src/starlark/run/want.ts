/**
 * What a built-in wants of an argument. Each of these gives the argument back with its type known, or fails naming the
 * function, the parameter, what came and what was wanted.
 */
import { Dict } from '../values/dict.ts';
import type { Int } from '../values/int.ts';
import { List } from '../values/list.ts';
import { isNumeric, type Numeric } from '../values/number-order.ts';
import { Callable, type Cursor, typeName, type Value } from '../values/value.ts';
import { fail } from './errors.ts';
import { cursorOf, drain, toArray } from './iterate.ts';
import type { Thread } from './thread.ts';

function mismatch(fn: string, param: string, value: Value, want: string): never {
  return fail(`${fn}: for parameter ${param}: got ${typeName(value)}, want ${want}`);
}

export function wantInt(fn: string, param: string, value: Value): Int {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return mismatch(fn, param, value, 'int');
}

/** An int that is a safe number: a count, an index, a code point. */
export function wantSmallInt(fn: string, param: string, value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') fail(`${fn}: for parameter ${param}: ${value} out of range`);
  return mismatch(fn, param, value, 'int');
}

export function wantNumber(fn: string, param: string, value: Value): Numeric {
  return isNumeric(value) ? value : mismatch(fn, param, value, 'int or float');
}

export function wantString(fn: string, param: string, value: Value): string {
  return typeof value === 'string' ? value : mismatch(fn, param, value, 'string');
}

export function wantBool(fn: string, param: string, value: Value): boolean {
  return typeof value === 'boolean' ? value : mismatch(fn, param, value, 'bool');
}

export function wantList(fn: string, param: string, value: Value): List {
  return value instanceof List ? value : mismatch(fn, param, value, 'list');
}

export function wantDict(fn: string, param: string, value: Value): Dict {
  return value instanceof Dict ? value : mismatch(fn, param, value, 'dict');
}

export function wantCallable(fn: string, param: string, value: Value): Callable {
  return value instanceof Callable ? value : mismatch(fn, param, value, 'callable');
}

/** An open iteration over the argument; the caller closes it. */
export function wantIterable(thread: Thread, fn: string, param: string, value: Value): Cursor {
  return cursorOf(thread, value) ?? mismatch(fn, param, value, 'iterable');
}

/** The elements of an iterable argument, in a fresh array. */
export function wantItems(thread: Thread, fn: string, param: string, value: Value): Value[] {
  if (value instanceof List) return toArray(thread, value);
  return drain(thread, wantIterable(thread, fn, param, value), value);
}
