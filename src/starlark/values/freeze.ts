/**
 * Freezing: after it, a value and everything it reaches can be shared between runs, for nothing can change it.
 */
import type { Thread } from '../run/thread.ts';
import { isObject, type StarObject, type Value } from './value.ts';

/** Iterative, and each object once, so that depth, cycles and sharing cost nothing extra. */
export function freeze(value: Value): void {
  freezeAll([value]);
}

/**
 * Freezes what the module whose top level is running on this thread has bound so far. For a built-in that hands a
 * script's function on before the script has ended: the function sees those globals.
 */
export function freezeModule(thread: Thread): void {
  const globals = (thread.globals?.() ?? []) as readonly (Value | undefined)[];
  freezeAll(globals.filter((value) => value !== undefined));
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
