/**
 * What translated programs call: the operators, and everything else that is too long to be written in line.
 * Both back ends use these same functions, so they cannot differ in results, errors, steps or charges.
 */
import { didYouMean, isPromise } from '../../base/index.ts';
import { getAttr, lookupMethod, setAttr } from '../lib/attributes.ts';
import { enumerated, UNIVERSE, zipColumns } from '../lib/universe.ts';
import { asStarlarkError, invokeCallable } from '../run/call.ts';
import { fail, StarlarkError } from '../run/errors.ts';
import { cursorOf, drain, iterate, unpack } from '../run/iterate.ts';
import * as operators from '../run/operators.ts';
import type { Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { StarFunction } from '../values/function.ts';
import { EMPTY_TUPLE, List, Tuple } from '../values/list.ts';
import { StarSet } from '../values/set.ts';
import { DICT, ENTRY, LIST, listBytes, SLOT, tupleBytes } from '../values/size.ts';
import type { Module } from '../values/struct.ts';
import {
  Callable,
  type Cursor,
  Float,
  type OrderOperator,
  type PositionalFn,
  typeName,
  type Value,
} from '../values/value.ts';
import type { Code } from './code.ts';

/** Modules a run has loaded, by the name its `load` statements give them. */
export type Loaded = ReadonlyMap<string, Module>;

export type Result = Value | Promise<Value>;

/** An error of one part of an operation that has a place of its own. It never gets past `unwind`. */
class Located {
  readonly error: unknown;
  readonly offset: number;
  constructor(error: unknown, offset: number) {
    this.error = error;
    this.offset = offset;
  }
}

/**
 * Adds the frame an error passes through. Limits of the host engine become errors of the script here. The
 * complement of an offset stands for the inside of the built-in called there.
 */
function unwind(error: unknown, code: Code, place: number): unknown {
  const located = error instanceof Located;
  const known = asStarlarkError(located ? error.error : error);
  if (!(known instanceof StarlarkError)) return known;
  const offset = located ? error.offset : place < 0 ? ~place : place;
  if (place < 0) insideBuiltin(known, code.builtins.get(offset)!);
  known.frames.unshift({ function: code.name, position: code.source.position(offset) });
  return known;
}

/** The error with the frame of the built-in that raised it, or that called what raised it. */
function insideBuiltin(error: unknown, name: string): unknown {
  const known = asStarlarkError(error);
  if (known instanceof StarlarkError) known.frames.unshift({ function: name, position: null });
  return known;
}

function refuseRecursion(thread: Thread, code: Code): void {
  const { stack } = thread;
  for (let i = thread.depth - 1; i > 0; i--) {
    if (stack[i] === code) fail(`function ${code.name} called recursively`);
  }
}

function unboundLocal(name: string): never {
  return fail(`local variable ${name} referenced before assignment`);
}

function unboundGlobal(name: string): never {
  return fail(`global variable ${name} referenced before assignment`);
}

// --- making values ---

function list(thread: Thread, items: Value[]): List {
  thread.charge(listBytes(items.length));
  return new List(items);
}

function tuple(thread: Thread, items: Value[]): Tuple {
  thread.charge(tupleBytes(items.length));
  return new Tuple(items);
}

/** What `*args` of a function collect. */
function rest(thread: Thread, items: Value[]): Tuple {
  return items.length === 0 ? EMPTY_TUPLE : tuple(thread, items);
}

/** What its `**kwargs` collect. */
function keywords(thread: Thread, names: readonly string[], values: readonly Value[]): Dict {
  const made = emptyDict(thread);
  for (let i = 0; i < names.length; i++) made.set(thread, names[i]!, values[i]!);
  return made;
}

/** The same of names that are plain keys. */
function plainKeywords(thread: Thread, names: readonly string[], values: Value[]): Dict {
  thread.charge(DICT);
  for (let i = 0; i < names.length; i++) thread.charge(ENTRY);
  return Dict.withKeys(names, values);
}

/** From key, value, key, value…; `offsets` are the places of the entries. */
function dict(thread: Thread, parts: readonly Value[], offsets: readonly number[]): Dict {
  thread.charge(DICT);
  const made = new Dict();
  let i = 0;
  try {
    for (; i < parts.length; i += 2) made.insertNew(thread, parts[i]!, parts[i + 1]!);
  } catch (error) {
    throw new Located(error, offsets[i >> 1]!);
  }
  return made;
}

/** The same of keys that are known to be plain and different. */
function record(thread: Thread, keys: readonly string[], values: Value[], offsets: readonly number[]): Dict {
  const bytes = DICT + ENTRY * keys.length;
  if (thread.memory + bytes <= thread.maxMemory) {
    thread.memory += bytes;
    return Dict.withKeys(keys, values);
  }
  // One entry after another, to find out which one is too many.
  const parts = keys.flatMap((key, i) => [key, values[i]!]);
  return dict(thread, parts, offsets);
}

function emptyDict(thread: Thread): Dict {
  thread.charge(DICT);
  return new Dict();
}

/** The elements of a list comprehension to be. */
function emptyItems(thread: Thread): Value[] {
  thread.charge(LIST);
  return [];
}

function push(thread: Thread, items: Value[], item: Value): void {
  thread.charge(SLOT);
  items.push(item);
}

function listOf(items: Value[]): List {
  return new List(items);
}

const nothing = (): readonly Value[] => [];

function makeFunction(
  thread: Thread,
  code: Code,
  direct: PositionalFn,
  freeVariables: (() => readonly (Value | undefined)[]) | null,
): StarFunction {
  thread.charge(code.bytes);
  return new StarFunction({
    name: code.name,
    params: code.params,
    direct,
    freeVariables: freeVariables ?? nothing,
    module: code,
  });
}

/** Undefined: there is no such key. */
function lookUp(thread: Thread, dict: Dict, key: Value): Value | undefined {
  return dict.get(key, thread);
}

// --- loops ---

/** The elements of a list, which is locked, or of a tuple; null for everything else. */
function lockItems(thread: Thread, value: Value): readonly Value[] | null {
  if (value instanceof List) {
    const items = value.elements(thread);
    value.locks++;
    return items;
  }
  return value instanceof Tuple ? value.items : null;
}

/** Ends what `lockItems` or a cursor began. */
function close(open: Value | Cursor): void {
  if (open instanceof List) open.locks--;
  else if (!(open instanceof Tuple)) (open as Cursor).close();
}

/** `range` with arguments that are not small ints: the built-in reports what is wrong with them. */
function badRange(thread: Thread, args: Value[]): never {
  invokeCallable(thread, UNIVERSE.get('range')!, args, null);
  return fail('range: arguments out of range');
}

// --- attributes and methods ---

/** Fails, as reading the attribute would, where it does not exist. */
function needAttr(thread: Thread, object: Value, name: string): void {
  if (lookupMethod(object, name) === undefined) getAttr(thread, object, name);
}

/** The binding of `load(module, name)`. */
function loaded(modules: Loaded, module: string, name: string): Value {
  const { globals } = modules.get(module)!;
  const value = globals.get(name);
  if (value !== undefined) return value;
  const exported = [...globals.keys()].filter((each) => !each.startsWith('_'));
  return fail(`load: name ${name} not found in module ${module}${didYouMean(name, exported)}`);
}

const order =
  (op: OrderOperator) =>
  (thread: Thread, a: Value, b: Value): boolean =>
    operators.compare(thread, op, a, b);

// --- calls ---

/** In a synchronous program: what a host function returned, provided that it is a value. */
function settled(result: Result): Value {
  if (isPromise(result)) {
    // Nobody will look at the promise, so its failure must not end the process.
    result.catch(nothing);
    fail('a host function that is not declared async returned a promise');
  }
  return result;
}

/** What a built-in returned; where that fails later, it fails inside the built-in. */
function framed(result: Result, builtin: string): Result {
  if (!isPromise(result)) return result;
  return result.catch((error) => {
    throw insideBuiltin(error, builtin);
  });
}

/** The calls, for programs that await and for those that do not. */
function makeCalls(resultOf: (value: Result, builtin: string) => Result) {
  /** The fast entrance of a Starlark function that takes so many plain arguments, or null. */
  const directFor = (fn: Value, count: number): PositionalFn | null =>
    fn instanceof StarFunction && count >= fn.minArgs && count <= fn.maxArgs ? fn.direct : null;
  /** Any call, at an offset. An error from inside a built-in gets a frame that says so. */
  const invoke = (
    thread: Thread,
    at: number,
    fn: Value,
    args: Value[],
    names: readonly string[] | null,
  ): Result => {
    if (!(fn instanceof Callable) || fn instanceof StarFunction)
      return invokeCallable(thread, fn, args, names);
    thread.at = at;
    try {
      return resultOf(invokeCallable(thread, fn, args, names), fn.name);
    } catch (error) {
      throw insideBuiltin(error, fn.name);
    }
  };
  const invokeMethod = (
    thread: Thread,
    at: number,
    object: Value,
    name: string,
    args: Value[],
    names: readonly string[] | null,
  ): Result => {
    const method = lookupMethod(object, name);
    if (method === undefined) return invoke(thread, at, getAttr(thread, object, name), args, names);
    try {
      const fits = names === null && args.length >= method.minArgs && args.length <= method.maxArgs;
      return fits ? method.direct(thread, object, ...args) : method.invoke(thread, object, args, names);
    } catch (error) {
      throw insideBuiltin(error, name);
    }
  };
  return {
    call0(thread: Thread, at: number, fn: Value): Result {
      const direct = directFor(fn, 0);
      return direct === null ? invoke(thread, at, fn, [], null) : direct(thread);
    },
    call1(thread: Thread, at: number, fn: Value, a: Value): Result {
      const direct = directFor(fn, 1);
      return direct === null ? invoke(thread, at, fn, [a], null) : direct(thread, a);
    },
    call2(thread: Thread, at: number, fn: Value, a: Value, b: Value): Result {
      const direct = directFor(fn, 2);
      return direct === null ? invoke(thread, at, fn, [a, b], null) : direct(thread, a, b);
    },
    call3(thread: Thread, at: number, fn: Value, a: Value, b: Value, c: Value): Result {
      const direct = directFor(fn, 3);
      return direct === null ? invoke(thread, at, fn, [a, b, c], null) : direct(thread, a, b, c);
    },
    call: invoke,
    callSpread(
      thread: Thread,
      at: number,
      fn: Value,
      args: Value[],
      star: Value | undefined,
      starStar: Value | undefined,
      names: readonly string[] | null,
    ): Result {
      const [all, allNames] = spread(thread, args, star, starStar, names);
      return invoke(thread, at, fn, all, allNames);
    },
    callMethod: invokeMethod,
  };
}

/** `f(a, *star, n=b, **starStar)` as arguments and names. */
function spread(
  thread: Thread,
  args: Value[],
  star: Value | undefined,
  starStar: Value | undefined,
  names: readonly string[] | null,
): [Value[], readonly string[] | null] {
  const plain = args.length - (names?.length ?? 0);
  const all = args.slice(0, plain);
  if (star !== undefined) {
    // One at a time: a spread would put every element on the host's stack.
    for (const item of starItems(thread, star)) all.push(item);
  }
  for (let i = plain; i < args.length; i++) all.push(args[i]!);
  if (starStar === undefined) return [all, names];
  if (!(starStar instanceof Dict)) fail(`argument after ** must be a mapping, not ${typeName(starStar)}`);
  const allNames = names === null ? [] : names.slice();
  thread.spend(starStar.len(thread));
  thread.charge(2 * listBytes(starStar.size));
  starStar.forEach((key, value) => {
    if (typeof key !== 'string') fail(`keywords must be strings, not ${typeName(key)}`);
    allNames.push(key);
    all.push(value);
  }, thread);
  return [all, allNames];
}

/** Charged as the array of arguments that they become. */
function starItems(thread: Thread, star: Value): readonly Value[] {
  if (star instanceof List || star instanceof Tuple) {
    thread.charge(listBytes(star.length));
    thread.spend(star.length);
    return star.elements(thread);
  }
  const cursor = cursorOf(thread, star);
  if (cursor === undefined) fail(`argument after * must be iterable, not ${typeName(star)}`);
  return drain(thread, cursor, star);
}

const shared = {
  ...operators,
  lt: order('<'),
  le: order('<='),
  gt: order('>'),
  ge: order('>='),
  Dict,
  Float,
  List,
  StarSet,
  badRange,
  close,
  dict,
  emptyDict,
  emptyItems,
  enumerated,
  getAttr,
  isPromise,
  iterate,
  keywords,
  list,
  listOf,
  loaded,
  lockItems,
  lookUp,
  makeFunction,
  needAttr,
  plainKeywords,
  push,
  record,
  refuseRecursion,
  rest,
  setAttr,
  settled,
  tuple,
  unboundGlobal,
  unboundLocal,
  unpack,
  unwind,
  zipColumns,
};

/** For programs that never await: a promise is an error. */
export const SYNC_RUNTIME = { ...shared, ...makeCalls(settled) };
/** For programs that look at every result themselves. */
export const ASYNC_RUNTIME: Runtime = { ...shared, ...makeCalls(framed) };

export type Runtime = typeof SYNC_RUNTIME;
