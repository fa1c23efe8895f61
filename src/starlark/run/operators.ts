/**
 * The operators. Ints and strings are tried first because scripts use them most; every other value answers for itself
 * through the methods of StarObject, so that a host's type takes part on equal terms.
 */
import { compare } from '../values/compare.ts';
import { Dict } from '../values/dict.ts';
import { equal } from '../values/equal.ts';
import { indexOfText } from '../values/find-text.ts';
import {
  addFloats,
  divFloats,
  floorDivFloats,
  makeFloat,
  modFloats,
  mulFloats,
  subFloats,
} from '../values/float.ts';
import {
  addInts,
  andInts,
  floorDivInts,
  type Int,
  invertInt,
  modInts,
  mulInts,
  negateInt,
  orInts,
  shiftLeftInts,
  shiftRightInts,
  subInts,
  xorInts,
} from '../values/int.ts';
import { List } from '../values/list.ts';
import { isNumeric } from '../values/number-order.ts';
import { checkedIndex, repeatCount, sliceRange, textOf } from '../values/sequence.ts';
import { TEXT, textBytes } from '../values/size.ts';
import { type ArithmeticOperator, Float, isObject, typeName, type Value } from '../values/value.ts';
import { fail, StarlarkError } from './errors.ts';
import { cursorOf, drain } from './iterate.ts';
import type { Thread } from './thread.ts';

export { compare, equal };

/** V8 makes no longer strings than this. */
export const MAX_STRING = 2 ** 29 - 24;

export function truth(value: Value): boolean {
  if (isObject(value)) return value.truth();
  // null, false, 0, 0n and '' are what Starlark calls false, too.
  return Boolean(value);
}

function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The operands' own answer, left one first; the error where neither has one. */
function byObject(thread: Thread, op: ArithmeticOperator, a: Value, b: Value): Value {
  if (isObject(a)) {
    const result = a.binary(thread, op, b, false);
    if (result !== undefined) return result;
  }
  if (isObject(b)) {
    const result = b.binary(thread, op, a, true);
    if (result !== undefined) return result;
  }
  return fail(`unknown binary op: ${typeName(a)} ${op} ${typeName(b)}`);
}

export function add(thread: Thread, a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') return concatStrings(thread, a, b);
  if (isInt(a) && isInt(b)) return addInts(thread, a, b);
  return isNumeric(a) && isNumeric(b) ? addFloats(thread, a, b) : byObject(thread, '+', a, b);
}

function concatStrings(thread: Thread, a: string, b: string): string {
  const length = a.length + b.length;
  thread.charge(textBytes(length));
  if (length > MAX_STRING) throw new StarlarkError('memory', `string of length ${length} is too long`);
  return a + b;
}

export function sub(thread: Thread, a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) return subInts(thread, a, b);
  return isNumeric(a) && isNumeric(b) ? subFloats(thread, a, b) : byObject(thread, '-', a, b);
}

export function mul(thread: Thread, a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) return mulInts(thread, a, b);
  if (isNumeric(a) && isNumeric(b)) return mulFloats(thread, a, b);
  if (typeof a === 'string' && isInt(b)) return repeatString(thread, a, b);
  if (typeof b === 'string' && isInt(a)) return repeatString(thread, b, a);
  return byObject(thread, '*', a, b);
}

function repeatString(thread: Thread, text: string, count: Int): string {
  const times = repeatCount(count, text.length)!;
  const length = times * text.length;
  thread.charge(textBytes(length));
  thread.spend(length >> 4);
  return text.repeat(times);
}

export function div(thread: Thread, a: Value, b: Value): Value {
  return isNumeric(a) && isNumeric(b) ? divFloats(thread, a, b) : byObject(thread, '/', a, b);
}

export function floorDiv(thread: Thread, a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) return floorDivInts(thread, a, b);
  return isNumeric(a) && isNumeric(b) ? floorDivFloats(thread, a, b) : byObject(thread, '//', a, b);
}

type PercentFormat = (thread: Thread, format: string, args: Value) => string;
let percentFormat: PercentFormat | null = null;

/** The library supplies `string % args`; the operators are built before it. */
export function installPercentFormat(format: PercentFormat): void {
  percentFormat = format;
}

export function mod(thread: Thread, a: Value, b: Value): Value {
  if (typeof a === 'string' && percentFormat !== null) return percentFormat(thread, a, b);
  if (isInt(a) && isInt(b)) return modInts(thread, a, b);
  return isNumeric(a) && isNumeric(b) ? modFloats(thread, a, b) : byObject(thread, '%', a, b);
}

export function bitAnd(thread: Thread, a: Value, b: Value): Value {
  return isInt(a) && isInt(b) ? andInts(thread, a, b) : byObject(thread, '&', a, b);
}

export function bitOr(thread: Thread, a: Value, b: Value): Value {
  return isInt(a) && isInt(b) ? orInts(thread, a, b) : byObject(thread, '|', a, b);
}

export function bitXor(thread: Thread, a: Value, b: Value): Value {
  return isInt(a) && isInt(b) ? xorInts(thread, a, b) : byObject(thread, '^', a, b);
}

export function shiftLeft(thread: Thread, a: Value, b: Value): Value {
  return isInt(a) && isInt(b) ? shiftLeftInts(thread, a, b) : byObject(thread, '<<', a, b);
}

export function shiftRight(thread: Thread, a: Value, b: Value): Value {
  return isInt(a) && isInt(b) ? shiftRightInts(thread, a, b) : byObject(thread, '>>', a, b);
}

export function negate(thread: Thread, value: Value): Value {
  if (isInt(value)) return negateInt(thread, value);
  if (value instanceof Float) return makeFloat(thread, -value.value);
  return unknownUnary('-', value);
}

export function plus(_thread: Thread, value: Value): Value {
  return isNumeric(value) ? value : unknownUnary('+', value);
}

export function invert(thread: Thread, value: Value): Value {
  return isInt(value) ? invertInt(thread, value) : unknownUnary('~', value);
}

function unknownUnary(op: string, value: Value): never {
  return fail(`unknown unary op: ${op}${typeName(value)}`);
}

/** `a += b`: a list grows in place by any iterable. */
export function addInPlace(thread: Thread, a: Value, b: Value): Value {
  if (!(a instanceof List)) return addOrChange(thread, a, b);
  const items = b instanceof List ? b.elements(thread) : itemsOf(thread, b);
  if (items === undefined) return add(thread, a, b);
  a.extend(thread, 'apply += to', items);
  return a;
}

function itemsOf(thread: Thread, value: Value): Value[] | undefined {
  const cursor = cursorOf(thread, value);
  return cursor === undefined ? undefined : drain(thread, cursor);
}

/** `a op= b`: the object changes itself where it knows how, else a new value is made. */
function inPlace(op: ArithmeticOperator, otherwise: (thread: Thread, a: Value, b: Value) => Value) {
  return (thread: Thread, a: Value, b: Value): Value => {
    const result = isObject(a) ? a.inPlace(thread, op, b) : undefined;
    return result === undefined ? otherwise(thread, a, b) : result;
  };
}

const addOrChange = inPlace('+', add);
export const orInPlace = inPlace('|', bitOr);
export const andInPlace = inPlace('&', bitAnd);
export const xorInPlace = inPlace('^', bitXor);
export const subInPlace = inPlace('-', sub);

export function isIn(thread: Thread, item: Value, container: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string') {
      fail(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    return indexOfText(thread, container, item, 0) !== -1;
  }
  const result = isObject(container) ? container.contains(thread, item) : undefined;
  return result === undefined
    ? fail(`unknown binary op: ${typeName(item)} in ${typeName(container)}`)
    : result;
}

export function index(thread: Thread, object: Value, key: Value): Value {
  if (typeof key === 'number' && object instanceof List) return object.getItem(thread, key);
  if (object instanceof Dict) return object.getItem(thread, key);
  if (typeof object === 'string')
    return character(thread, object, checkedIndex('string', key, object.length));
  const value = isObject(object) ? object.getItem(thread, key) : undefined;
  return value === undefined
    ? fail(`unhandled index operation ${typeName(object)}[${typeName(key)}]`)
    : value;
}

export function setIndex(thread: Thread, object: Value, key: Value, value: Value): void {
  if (isObject(object) && object.setItem(thread, key, value)) return;
  fail(`${typeName(object)} value does not support item assignment`);
}

/** `object[low:high:step]`; null stands for a part left out. */
export function slice(thread: Thread, object: Value, low: Value, high: Value, step: Value): Value {
  if (typeof object === 'string') return sliceString(thread, object, low, high, step);
  const length = isObject(object) ? object.len(thread) : -1;
  if (isObject(object) && length >= 0) {
    const range = sliceRange(low, high, step, length);
    const result = object.sliceItems(thread, range.start, range.step, range.count);
    if (result !== undefined) return result;
  }
  return fail(`invalid slice operand ${typeName(object)}`);
}

function sliceString(thread: Thread, text: string, low: Value, high: Value, step: Value): string {
  const { start, step: by, count } = sliceRange(low, high, step, text.length);
  thread.charge(textBytes(count));
  if (by === 1) return text.substring(start, start + count);
  thread.spend(count);
  return textOf(count, (i) => text.charCodeAt(start + i * by));
}

/** The engine keeps one string for each of the units below; any other is made anew. */
const SHARED_UNITS = 0x100;

/** The string of one unit. */
function character(thread: Thread, text: string, at: number): string {
  if (text.charCodeAt(at) >= SHARED_UNITS) thread.charge(TEXT);
  return text[at]!;
}
