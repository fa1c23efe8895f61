/** Tables from elsewhere that were fetched for one call of a hook, for `data` to find them. */
import type { Json } from '../base/json.ts';

const fetched = new WeakMap<object, ReadonlyMap<string, Json>>();
const NONE: ReadonlyMap<string, Json> = new Map();

export function giveTables(call: object, tables: ReadonlyMap<string, Json>): void {
  fetched.set(call, tables);
}

export function fetchedFor(call: object): ReadonlyMap<string, Json> {
  return fetched.get(call) ?? NONE;
}
