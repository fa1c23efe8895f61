/**
 * `==`. Exact between ints and floats, deep for containers, bounded in depth, and charged as it walks. Unlike IEEE, NaN
 * equals itself, so that equality is an equivalence and agrees with the order and with dictionary keys.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { orderNumbers } from './number-order.ts';
import { Float, isObject, type StarObject, type Value } from './value.ts';

/** Comparing strings this long or longer is work worth charging. */
export const LONG_TEXT = 256;

export function equal(thread: Thread, a: Value, b: Value): boolean {
  if (isObject(a)) {
    if (isObject(b)) return equalObjects(thread, a, b, 0);
    return a instanceof Float && isInt(b) && orderNumbers(a, b) === 0;
  }
  if (b instanceof Float) return isInt(a) && orderNumbers(a, b) === 0;
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length && a.length >= LONG_TEXT) {
    thread.spend(a.length >> 4);
  }
  return a === b;
}

function equalObjects(thread: Thread, a: StarObject, b: StarObject, depth: number): boolean {
  if (a instanceof Float) return b instanceof Float && orderNumbers(a, b) === 0;
  if (a.type !== b.type) return false;
  if (depth >= MAX_NESTING) tooDeep();
  const nested = (x: Value, y: Value): boolean => {
    thread.spend(1);
    return isObject(x) && isObject(y) ? equalObjects(thread, x, y, depth + 1) : equal(thread, x, y);
  };
  return a.equals(b, nested, thread);
}

export function tooDeep(): never {
  throw new StarlarkError('depth', 'comparison exceeded maximum recursion depth');
}

function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
