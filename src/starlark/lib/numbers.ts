/**
 * `int(x, base)` and `float(x)`: numbers out of text and out of one another.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { wantInt } from '../run/want.ts';
import { makeFloat, toDouble, truncate } from '../values/float.ts';
import { type Int, negateInt, parseDigits } from '../values/int.ts';
import { isNumeric } from '../values/number-order.ts';
import { Float, typeName, type Value } from '../values/value.ts';

const PREFIXES: ReadonlyMap<string, number> = new Map([
  ['0b', 2],
  ['0o', 8],
  ['0x', 16],
]);

export function toInt(thread: Thread, x: Value, base: Value | undefined): Int {
  if (typeof x === 'string') return parseInteger(thread, x, base === undefined ? 10 : wantBase(base));
  if (base !== undefined) fail("int: can't convert non-string with explicit base");
  if (typeof x === 'boolean') return x ? 1 : 0;
  if (typeof x === 'number' || typeof x === 'bigint') return x;
  if (x instanceof Float) return truncate(thread, x.value);
  fail(`int: cannot convert ${typeName(x)} to int`);
}

function wantBase(base: Value): number {
  const given = wantInt('int', 'base', base);
  if (given !== 0 && (given < 2 || given > 36)) fail('int: base must be an integer >= 2 && <= 36');
  return Number(given);
}

/** So many digits are a safe integer. */
const SHORT = 15;

/** `[+-] [prefix] digits`. Base 0 takes the base from the prefix, and without one allows no leading zero. */
function parseInteger(thread: Thread, text: string, base: number): Int {
  thread.spend(text.length >> 4);
  if (base === 10 && text.length <= SHORT && isDigits(text, 10)) return Number.parseInt(text, 10);
  const signed = text.startsWith('-') || text.startsWith('+');
  let digits = signed ? text.slice(1) : text;
  const prefixed = PREFIXES.get(digits.slice(0, 2).toLowerCase());
  let radix = base;
  // In base 16, `0b1` is not a prefix and a one but three digits.
  if (prefixed !== undefined && (base === 0 || base === prefixed)) {
    radix = prefixed;
    digits = digits.slice(2);
  } else if (base === 0) {
    radix = /^0+[0-9]*[1-9]/.test(digits) ? -1 : 10;
  }
  if (radix < 0 || !isDigits(digits, radix)) {
    fail(`int: invalid literal with base ${base}: ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`);
  }
  // Zeros in front weigh nothing, however many there are.
  const value = parseDigits(digits.replace(/^0+(?=.)/, ''), radix, thread);
  return text.startsWith('-') ? negateInt(thread, value) : value;
}

function isDigits(text: string, radix: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const small = unit | 0x20;
    const digit =
      unit >= 0x30 && unit <= 0x39 ? unit - 0x30 : small >= 0x61 && small <= 0x7a ? small - 0x57 : 99;
    if (digit >= radix) return false;
  }
  return text.length > 0;
}

const DECIMAL = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/i;
const NOT_FINITE = /^([-+]?)(?:(inf|infinity)|nan)$/i;

export function toFloat(thread: Thread, x: Value | undefined): Float {
  if (x === undefined) return makeFloat(thread, 0);
  if (x instanceof Float) return x;
  if (isNumeric(x)) return makeFloat(thread, toDouble(x));
  if (typeof x === 'boolean') return makeFloat(thread, x ? 1 : 0);
  if (typeof x === 'string') return makeFloat(thread, parseFloatText(thread, x));
  fail(`float: got ${typeName(x)}, want number or string`);
}

function parseFloatText(thread: Thread, text: string): number {
  thread.spend(text.length >> 4);
  if (text === '') fail('float: empty string');
  const special = NOT_FINITE.exec(text);
  if (special !== null) {
    if (special[2] === undefined) return Number.NaN;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  if (!DECIMAL.test(text))
    fail(`float: invalid float literal: ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`);
  const value = Number(text);
  if (!Number.isFinite(value)) fail('float: floating-point number too large');
  return value;
}
