/**
 * Payloads for functions of the embedding program: copies that cannot be changed, so that no hook rewrites a call behind
 * the pipeline's back. Made when first read, since most hooks look at little of a large payload.
 */
import { LazyText } from '../base/lazy-json.ts';

/** A frozen copy of JSON data. Anything that is no plain data is passed on as it is. */
export function frozenCopy<T>(value: T): T {
  const held: unknown = value;
  if (held instanceof LazyText) return held.text as T;
  if (Array.isArray(held)) return Object.freeze(held.map(frozenCopy)) as T;
  if (typeof held !== 'object' || held === null || !isPlain(held)) return value;
  // Entry by entry: a key like `__proto__` must stay an ordinary key.
  return Object.freeze(
    Object.fromEntries(Object.entries(held).map(([key, inner]) => [key, frozenCopy(inner)])),
  ) as T;
}

/** A frozen object whose fields are computed when first read and then stay. Undefined ones are left out. */
export function lazyObject<T extends object>(
  fields: { readonly [K in keyof T]: T[K] | Later<T[K]> | undefined },
): T {
  const target = {};
  for (const [key, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    if (!(field instanceof Later)) {
      Object.defineProperty(target, key, { value: field, enumerable: true });
      continue;
    }
    Object.defineProperty(target, key, { get: () => field.value, enumerable: true });
  }
  return Object.freeze(target) as T;
}

/** A value that waits to be asked for. */
export class Later<T> {
  private compute: (() => T) | null;
  private known: T | undefined;

  constructor(compute: () => T) {
    this.compute = compute;
  }

  get value(): T {
    if (this.compute !== null) {
      this.known = this.compute();
      this.compute = null;
    }
    return this.known as T;
  }
}

/** A frozen copy, made when first read. */
export function laterCopy<T>(value: T): T | Later<T> {
  return typeof value === 'object' && value !== null ? new Later(() => frozenCopy(value)) : value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
