/**
 * Payloads for functions of the embedding program: copies that cannot be changed, so that no hook rewrites a call behind
 * the pipeline's back.
 */

/** A frozen copy of JSON data. Anything that is no plain data is passed on as it is. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  // Entry by entry: a key like `__proto__` must stay an ordinary key.
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner)])),
  ) as T;
}

/** A frozen object of the fields that are not undefined. */
export function frozenFields<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.freeze(
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  ) as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
