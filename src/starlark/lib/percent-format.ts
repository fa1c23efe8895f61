/**
 * `"…%s…" % args`: string interpolation. One conversion letter after each `%`, no flags, width or precision.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { formatExponent, formatFixed, formatFloat, toDouble, truncate } from '../values/float.ts';
import { type Int, intText } from '../values/int.ts';
import { Tuple } from '../values/list.ts';
import { isNumeric } from '../values/number-order.ts';
import { repr, str } from '../values/repr.ts';
import { Float, typeName, type Value } from '../values/value.ts';
import { fromCodePoint } from './unicode.ts';

type Conversion = (thread: Thread, value: Value, letter: string) => string;

export function percentFormat(thread: Thread, format: string, args: Value): string {
  thread.spend(1 + (format.length >> 4));
  const operands = args instanceof Tuple ? args.items : null;
  const available = operands === null ? 1 : operands.length;
  let used = 0;
  let out = '';
  let at = 0;
  for (;;) {
    const percent = format.indexOf('%', at);
    const end = percent === -1 ? format.length : percent;
    thread.charge(end - at);
    out += format.slice(at, end);
    if (percent === -1) break;
    at = percent + 1;
    if (format[at] === '%') {
      thread.charge(1);
      out += '%';
      at++;
      continue;
    }
    let operand: Value;
    if (format[at] === '(') {
      const close = format.indexOf(')', at);
      if (close === -1) fail('incomplete format key');
      operand = lookUp(args, format.slice(at + 1, close));
      at = close + 1;
    } else {
      if (used >= available) fail('not enough arguments for format string');
      operand = operands === null ? args : operands[used]!;
    }
    if (at >= format.length) fail('incomplete format');
    const letter = format[at]!;
    const convert = CONVERSIONS.get(letter);
    if (convert === undefined) fail(`unknown conversion %${String.fromCodePoint(format.codePointAt(at)!)}`);
    const text = convert(thread, operand, letter);
    thread.spend(1);
    thread.charge(text.length);
    out += text;
    used++;
    at++;
  }
  if (used < available && !(args instanceof Dict)) fail('too many arguments for format string');
  return out;
}

function lookUp(args: Value, key: string): Value {
  if (!(args instanceof Dict)) fail('format requires a mapping');
  const value = args.get(key);
  return value === undefined ? fail(`key not found: ${key}`) : value;
}

/** `%d` and its kin take any number; a float loses its fraction. */
function integer(radix: number, upper: boolean): Conversion {
  return (thread, value, letter) => {
    const text = intText(wantInteger(value, letter), radix, thread);
    return upper ? text.toUpperCase() : text;
  };
}

function wantInteger(value: Value, letter: string): Int {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Float) {
    if (Number.isFinite(value.value)) return truncate(value.value);
    const what = Number.isNaN(value.value) ? 'NaN' : 'infinity';
    fail(`%${letter} format requires integer: cannot convert float ${what} to integer`);
  }
  fail(`%${letter} format requires integer: cannot convert ${typeName(value)} to int`);
}

/** The float conversions differ only in how a finite value is written. */
function floating(write: (value: number) => string): Conversion {
  return (_thread, value, letter) => {
    if (!isNumeric(value)) fail(`%${letter} format requires float, not ${typeName(value)}`);
    return write(toDouble(value));
  };
}

function character(_thread: Thread, value: Value): string {
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (value < 0 || value > 0x10ffff) fail(`%c format requires a valid Unicode code point, got ${value}`);
    return fromCodePoint(Number(value));
  }
  if (typeof value === 'string') {
    const isOne = value.length === 1 || (value.length === 2 && value.codePointAt(0)! > 0xffff);
    return isOne ? value : fail('%c format requires a single-character string');
  }
  fail(`%c format requires int or single-character string, not ${typeName(value)}`);
}

/** Only the exponent is enlarged: `nan` and `+inf` stay as they are. */
const upperCase = (write: (value: number) => string) => (value: number) => write(value).replace('e', 'E');

const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ['s', (thread, value) => str(value, thread)],
  ['r', (thread, value) => repr(value, thread)],
  ['d', integer(10, false)],
  ['i', integer(10, false)],
  ['o', integer(8, false)],
  ['x', integer(16, false)],
  ['X', integer(16, true)],
  ['e', floating(formatExponent)],
  ['E', floating(upperCase(formatExponent))],
  ['f', floating(formatFixed)],
  ['F', floating(formatFixed)],
  ['g', floating(formatFloat)],
  ['G', floating(upperCase(formatFloat))],
  ['c', character],
]);
