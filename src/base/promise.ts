/**
 * Whether something is a promise, asked where it hardly ever is one. `instanceof` follows the whole chain of prototypes to say no;
 * whether an object has a `then` is known by its shape.
 */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as { readonly then?: unknown }).then !== undefined &&
    value instanceof Promise
  );
}
