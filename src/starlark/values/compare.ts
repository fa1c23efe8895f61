/**
 * `<`, `<=`, `>`, `>=`. Values of one type, or an int and a float; lists and tuples go by their first difference. Strings
 * go by code point, so that the order is that of their UTF-8 bytes.
 */
import { fail } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { equal, tooDeep } from './equal.ts';
import { Tuple } from './list.ts';
import { isNumeric, orderNumbers } from './number-order.ts';
import { isObject, type OrderOperator, typeName, type Value } from './value.ts';

export function compare(thread: Thread, op: OrderOperator, a: Value, b: Value): boolean {
  const order = orderOf(thread, op, a, b, 0);
  switch (op) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Negative, zero or positive; fails as `<` does where the values have no order. What `sorted` uses. */
export function orderValues(thread: Thread, a: Value, b: Value): number {
  return orderOf(thread, '<', a, b, 0);
}

function orderOf(thread: Thread, op: OrderOperator, a: Value, b: Value, depth: number): number {
  if (typeof a === 'string' && typeof b === 'string') return orderStrings(thread, a, b);
  if (isNumeric(a) && isNumeric(b)) return orderNumbers(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (isObject(a) && isObject(b) && a.type === b.type) {
    if (depth >= MAX_NESTING) tooDeep();
    if (a instanceof Tuple && b instanceof Tuple) return orderTuples(thread, op, a.items, b.items, depth);
    const order = a.order(b, (x, y) => orderParts(thread, op, x, y, depth), thread);
    if (order !== undefined) return order;
  }
  return fail(`${typeName(a)} ${op} ${typeName(b)} not implemented`);
}

/** By their first difference. Not by `order`, for which a function would have to be made: keys to sort by are often tuples. */
function orderTuples(
  thread: Thread,
  op: OrderOperator,
  a: readonly Value[],
  b: readonly Value[],
  depth: number,
): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const order = orderParts(thread, op, a[i]!, b[i]!, depth);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function orderParts(thread: Thread, op: OrderOperator, x: Value, y: Value, depth: number): number {
  thread.spend(1);
  // Parts that are equal need no order: (None, 1) < (None, 2).
  const same = !(isOrderedAlone(x) && isOrderedAlone(y)) && equalAt(thread, x, y, depth + 1);
  return same ? 0 : orderOf(thread, op, x, y, depth + 1);
}

/** For these equality and order are one walk; asking for both would only do the work twice. */
function isOrderedAlone(value: Value): boolean {
  return typeof value === 'string' || isNumeric(value);
}

function equalAt(thread: Thread, a: Value, b: Value, depth: number): boolean {
  if (depth >= MAX_NESTING) tooDeep();
  return equal(thread, a, b);
}

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** By code point. UTF-16 differs from that only where a surrogate meets a unit above the surrogates. */
export function orderStrings(thread: Thread, a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at >= 64) thread.spend(at >> 4);
  if (at === shared) return a.length - b.length;
  return codePointRank(a.charCodeAt(at)) - codePointRank(b.charCodeAt(at));
}

/** Moves the surrogates above all other units. */
function codePointRank(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}
