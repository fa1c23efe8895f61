/**
 * `sorted`, `min` and `max`: ordering by the values themselves or by what a key function makes of them. The key function
 * is called once for each element, in order; where it awaits, so does the result.
 */
import { invokeCallable } from '../run/call.ts';
import type { Thread } from '../run/thread.ts';
import { wantCallable } from '../run/want.ts';
import { orderValues } from '../values/compare.ts';
import type { Value } from '../values/value.ts';

/** Calls `use` with the keys of the items: themselves without a key function, else what it returns for each. */
export function withKeys(
  thread: Thread,
  name: string,
  items: readonly Value[],
  key: Value,
  use: (keys: readonly Value[]) => Value,
): Value | Promise<Value> {
  if (key === null) return use(items);
  const fn = wantCallable(name, 'key', key);
  thread.charge(16 + 8 * items.length);
  const keys: Value[] = [];
  const from = (start: number): Value | Promise<Value> => {
    for (let i = start; i < items.length; i++) {
      const result = invokeCallable(thread, fn, [items[i]!], null);
      if (result instanceof Promise) {
        return result.then((value) => {
          keys.push(value);
          return from(i + 1);
        });
      }
      keys.push(result);
    }
    return use(keys);
  };
  return from(0);
}

/** The items in stable order of their keys. */
export function sortByKeys(
  thread: Thread,
  items: readonly Value[],
  keys: readonly Value[],
  descending: boolean,
): Value[] {
  const length = items.length;
  thread.spend(length * Math.ceil(Math.log2(length + 1)));
  thread.charge(16 + 8 * length);
  const compare = comparator(thread, keys);
  if (isSorted(keys, compare, descending)) return items.slice();
  if (items === keys) return items.toSorted(descending ? (a, b) => compare(b, a) : compare);
  thread.charge(8 * length);
  const order = Array.from(items.keys());
  const byKey = (a: number, b: number): number => compare(keys[a]!, keys[b]!);
  order.sort(descending ? (a, b) => byKey(b, a) : byKey);
  return order.map((i) => items[i]!);
}

type Compare = (a: Value, b: Value) => number;

/** The cheapest comparison that is right for all of the keys. */
function comparator(thread: Thread, keys: readonly Value[]): Compare {
  if (keys.every((key) => typeof key === 'number')) return (a, b) => (a as number) - (b as number);
  if (keys.every(isPlainText)) return (a, b) => (a === b ? 0 : (a as string) < (b as string) ? -1 : 1);
  return (a, b) => orderValues(thread, a, b);
}

const BEYOND_SURROGATES = /[\ud800-\uffff]/;

/** Short text whose order by UTF-16 units is its order by code point. Long text is compared with its length charged. */
function isPlainText(value: Value): boolean {
  return typeof value === 'string' && value.length < 64 && !BEYOND_SURROGATES.test(value);
}

function isSorted(keys: readonly Value[], compare: Compare, descending: boolean): boolean {
  for (let i = keys.length - 1; i > 0; i--) {
    const order = compare(keys[i]!, keys[i - 1]!);
    if (descending ? order > 0 : order < 0) return false;
  }
  return true;
}

/** The position of the first of the least (or greatest) keys; there is at least one. */
export function extreme(thread: Thread, keys: readonly Value[], greatest: boolean): number {
  thread.spend(keys.length);
  let best = 0;
  for (let i = 1; i < keys.length; i++) {
    const order = orderValues(thread, keys[i]!, keys[best]!);
    if (greatest ? order > 0 : order < 0) best = i;
  }
  return best;
}
