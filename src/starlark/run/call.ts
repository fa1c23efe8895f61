/**
 * Calls. `invokeCallable` is how running code calls any value; `call` and `attempt` are the doors for hosts, where the
 * limits of the JavaScript engine become errors of the script and a failed run leaves its thread usable.
 */
import { bindArguments } from '../values/function.ts';
import { Callable, typeName, type Value } from '../values/value.ts';
import { type ErrorKind, fail, StarlarkError } from './errors.ts';
import type { Thread } from './thread.ts';

export { bindArguments };

/** Calls any value; the last `names.length` arguments are keyword arguments. */
export function invokeCallable(
  thread: Thread,
  fn: Value,
  args: Value[],
  names: readonly string[] | null,
): Value | Promise<Value> {
  if (!(fn instanceof Callable)) fail(`invalid call of non-function (${typeName(fn)})`);
  if (names === null || names.length === 0) {
    if (args.length <= fn.maxArgs && args.length >= fn.minArgs) return fn.direct(thread, ...args);
    return fn.invoke(thread, args, null);
  }
  return fn.invoke(thread, args, names);
}

/** Calls a Starlark function from a host. Throws StarlarkError; the result is a promise only where the function awaits. */
export function call(
  thread: Thread,
  fn: Value,
  args: readonly Value[],
  kwargs?: ReadonlyMap<string, Value>,
): Value | Promise<Value> {
  const { depth, at } = thread;
  try {
    const result =
      kwargs === undefined || kwargs.size === 0
        ? invokeCallable(thread, fn, args.slice(), null)
        : invokeCallable(thread, fn, [...args, ...kwargs.values()], [...kwargs.keys()]);
    // A built-in that called back is again where it was called.
    thread.at = at;
    return result instanceof Promise ? result.catch((error) => boundary(thread, depth, error)) : result;
  } catch (error) {
    thread.at = at;
    return boundary(thread, depth, error);
  }
}

/** Where an error leaves the script for its host: the thread is as it was before, the error is of the script. */
export function boundary(thread: Thread, depth: number, error: unknown): never {
  thread.depth = depth;
  throw asStarlarkError(error);
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: StarlarkError };

/** Runs something that may fail and gives the failure as a value. What is no failure of the script still throws. */
export function attempt<T>(thread: Thread, run: () => Promise<T>): Promise<Attempt<T>>;
export function attempt<T>(thread: Thread, run: () => T): Attempt<T>;
export function attempt<T>(thread: Thread, run: () => T | Promise<T>): Attempt<T> | Promise<Attempt<T>> {
  const restore = snapshot(thread);
  const succeeded = (value: T): Attempt<T> => ({ ok: true, value });
  const failed = (error: unknown): Attempt<T> => {
    restore();
    const failure = asStarlarkError(error);
    if (failure instanceof StarlarkError) return { ok: false, error: failure };
    throw failure;
  };
  try {
    const result = run();
    return result instanceof Promise ? result.then(succeeded).catch(failed) : succeeded(result);
  } catch (error) {
    return failed(error);
  }
}

/** What unwinding may have left behind on the thread is put back as it was. */
function snapshot(thread: Thread): () => void {
  const { depth } = thread;
  return () => {
    thread.depth = depth;
  };
}

/** The engine's own limits, by what its errors say. */
const HOST_LIMITS: readonly (readonly [words: string, ErrorKind, message: string])[] = [
  ['call stack', 'depth', 'Starlark stack overflow'],
  ['string length', 'memory', 'string too long'],
  ['BigInt', 'intsize', 'integer too large'],
  ['Map maximum size', 'memory', 'collection too large'],
  ['Set maximum size', 'memory', 'collection too large'],
  ['array length', 'memory', 'collection too large'],
  ['rray buffer', 'memory', 'collection too large'],
  ['typed array', 'memory', 'collection too large'],
];

/** A RangeError of the engine as the limit it stands for; every other error as it is. */
export function asStarlarkError(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  // No regular expressions: compiling one may itself want more stack than is left.
  for (const [words, kind, message] of HOST_LIMITS) {
    if (error.message.includes(words)) return new StarlarkError(kind, message);
  }
  return error;
}
