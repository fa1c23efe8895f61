/**
 * `sorted`, `min` and `max`: ordering by the values themselves or by what a key function makes of them. The key function
 * is called once for each element, in order; where it awaits, so does the result.
 */
import type { Thread } from '../run/thread.ts';
import { wantCallable } from '../run/want.ts';
import { orderValues } from '../values/compare.ts';
import { listBytes, SLOT } from '../values/size.ts';
import type { Value } from '../values/value.ts';
import { rankOrder } from './rank-sort.ts';

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
  thread.charge(listBytes(items.length));
  const keys: Value[] = [];
  // Nearly every key function takes one plain argument, and no array has to be made to hand it over.
  const direct = fn.minArgs <= 1 && fn.maxArgs >= 1 ? fn.direct : null;
  const from = (start: number): Value | Promise<Value> => {
    for (let i = start; i < items.length; i++) {
      const item = items[i]!;
      const result = direct === null ? fn.invoke(thread, [item], null) : direct(thread, item);
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

/** Below this, setting up ranks takes longer than comparing. */
const FEW = 12;

/** The items in stable order of their keys. */
export function sortByKeys(
  thread: Thread,
  items: readonly Value[],
  keys: readonly Value[],
  descending: boolean,
): Value[] {
  const { length } = items;
  thread.spend(length * Math.ceil(Math.log2(length + 1)));
  // The result, and the ranks and positions it is found by.
  thread.charge(listBytes(length) + 2 * SLOT * length);
  if (isSorted(thread, keys, descending)) return items.slice();
  const ranked = length > FEW ? rankOrder(keys, descending) : null;
  if (ranked !== null) return pick(items, ranked);
  const order = Array.from(items.keys());
  order.sort((a, b) => {
    return descending ? orderValues(thread, keys[b]!, keys[a]!) : orderValues(thread, keys[a]!, keys[b]!);
  });
  return pick(items, order);
}

function pick(items: readonly Value[], order: ArrayLike<number>): Value[] {
  // A copy is written over: it has the room already.
  const picked = items.slice();
  for (let i = 0; i < order.length; i++) picked[i] = items[order[i]!]!;
  return picked;
}

function isSorted(thread: Thread, keys: readonly Value[], descending: boolean): boolean {
  for (let i = keys.length - 1; i > 0; i--) {
    const order = orderValues(thread, keys[i]!, keys[i - 1]!);
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
