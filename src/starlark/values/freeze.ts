/**
 * Freezing: after it, a value and everything it reaches can be shared between runs, for nothing can change it.
 */
import { isObject, type StarObject, type Value } from './value.ts';

/** Iterative, and each object once, so that depth, cycles and sharing cost nothing extra. */
export function freeze(value: Value): void {
  if (!isObject(value)) return;
  const seen = new Set<StarObject>();
  const queue: StarObject[] = [value];
  for (let object = queue.pop(); object !== undefined; object = queue.pop()) {
    if (seen.has(object)) continue;
    seen.add(object);
    object.freeze(queue);
  }
}

/** Freezes many values with one account of what has been visited. */
export function freezeAll(values: Iterable<Value>): void {
  const seen = new Set<StarObject>();
  const queue: StarObject[] = [];
  for (const value of values) if (isObject(value)) queue.push(value);
  for (let object = queue.pop(); object !== undefined; object = queue.pop()) {
    if (seen.has(object)) continue;
    seen.add(object);
    object.freeze(queue);
  }
}
