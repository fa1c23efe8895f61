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
import { PIECE, textBytes } from '../values/size.ts';
import { Float, typeName, type Value } from '../values/value.ts';
import { fromCodePoint } from './unicode.ts';

type Conversion = (thread: Thread, value: Value, letter: string) => string;

/** One `%…` of a format, with the text before it. */
interface Directive {
  readonly before: string;
  /** The name in `%(name)s`; null if the next operand is meant. */
  readonly key: string | null;
  /** Empty where the format ends too early, `(` where a key does. */
  readonly letter: string;
  /** Undefined where there is no such conversion, which is an error only once it is reached. */
  readonly convert: Conversion | undefined;
}

interface Template {
  readonly directives: readonly Directive[];
  readonly rest: string;
  /** Characters of the result that the format itself provides. */
  readonly length: number;
}

export function percentFormat(thread: Thread, format: string, args: Value): string {
  thread.spend(1 + (format.length >> 4));
  const { directives, rest, length } = templateOf(thread, format);
  const operands = args instanceof Tuple ? args.items : null;
  const available = operands === null ? 1 : operands.length;
  thread.charge(textBytes(length));
  let out = '';
  for (let i = 0; i < directives.length; i++) {
    const { before, key, letter, convert } = directives[i]!;
    let operand = args;
    if (letter === '(' && key === null) fail('incomplete format key');
    if (key !== null) operand = mappingGet(thread, args, key);
    else if (i >= available) fail('not enough arguments for format string');
    else if (operands !== null) operand = operands[i]!;
    if (convert === undefined) fail(letter === '' ? 'incomplete format' : `unknown conversion %${letter}`);
    const text = typeof operand === 'string' && letter === 's' ? operand : convert(thread, operand, letter);
    thread.spend(1);
    thread.charge(2 * PIECE + text.length);
    out += before;
    out += text;
  }
  if (directives.length < available && !(args instanceof Dict)) {
    fail('too many arguments for format string');
  }
  return out + rest;
}

/** Formats are mostly literals, met again and again; those of ordinary length are read once. */
const TEMPLATES = new Map<string, Template>();
const MAX_TEMPLATES = 256;
const MAX_TEMPLATE_LENGTH = 256;
const DIRECTIVE_SIZE = 64;

function templateOf(thread: Thread, format: string): Template {
  if (format.length > MAX_TEMPLATE_LENGTH) return readFormat(format, () => thread.charge(DIRECTIVE_SIZE));
  let template = TEMPLATES.get(format);
  if (template === undefined) {
    if (TEMPLATES.size >= MAX_TEMPLATES) TEMPLATES.clear();
    TEMPLATES.set(format, (template = readFormat(format, free)));
  }
  return template;
}

/** What is kept is not charged: the first to meet a format would pay for the others. */
function free(): void {}

function readFormat(format: string, charge: () => void): Template {
  const directives: Directive[] = [];
  let before = '';
  let length = 0;
  let at = 0;
  for (;;) {
    const percent = format.indexOf('%', at);
    const text = format.slice(at, percent === -1 ? format.length : percent);
    before += text;
    length += text.length;
    if (percent === -1) return { directives, rest: before, length };
    at = percent + 1;
    if (format[at] === '%') {
      before += '%';
      length++;
      at++;
      continue;
    }
    let key: string | null = null;
    const close = format[at] === '(' ? format.indexOf(')', at) : -1;
    if (close !== -1) {
      key = format.slice(at + 1, close);
      at = close + 1;
    }
    const letter = at < format.length ? String.fromCodePoint(format.codePointAt(at)!) : '';
    charge();
    directives.push({ before, key, letter, convert: CONVERSIONS.get(letter) });
    before = '';
    at += letter.length;
  }
}

function mappingGet(thread: Thread, args: Value, key: string): Value {
  if (!(args instanceof Dict)) fail('format requires a mapping');
  const value = args.get(key, thread);
  return value === undefined ? fail(`key not found: ${key}`) : value;
}

/** `%d` and its kin take any number; a float loses its fraction. */
function integer(radix: number, upper: boolean): Conversion {
  return (thread, value, letter) => {
    const text = intText(wantInteger(thread, value, letter), radix, thread);
    return upper ? text.toUpperCase() : text;
  };
}

function wantInteger(thread: Thread, value: Value, letter: string): Int {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Float) {
    if (Number.isFinite(value.value)) return truncate(thread, value.value);
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
