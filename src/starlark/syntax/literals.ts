/**
 * The values that literals denote. Both functions are total: a mistake goes to `report` with the offset where it
 * is, and a value still comes back, so that the parser can go on.
 */
import { MAX_INT_DIGITS } from './limits.ts';

export type Report = (offset: number, message: string) => void;

export interface StringForm {
  readonly raw: boolean;
  readonly bytes: boolean;
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);

/** Digits that follow `\x`, `\u` and `\U`. */
const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** The value of the text between the quotes, which is `text` from `start` to `end`. */
export function decodeString(
  text: string,
  start: number,
  end: number,
  form: StringForm,
  report: Report,
): string | Uint8Array {
  const out = form.bytes ? new ByteParts() : new TextParts();
  let from = start;
  let at = start;
  while (at < end) {
    const unit = text.charCodeAt(at);
    if (unit === CARRIAGE_RETURN) {
      // A line end is a line feed, whatever the file writes.
      out.text(`${text.slice(from, at)}\n`);
      at += text.charCodeAt(at + 1) === LINE_FEED ? 2 : 1;
      from = at;
    } else if (unit === BACKSLASH && !form.raw) {
      out.text(text.slice(from, at));
      at = decodeEscape(text, at, end, out, report);
      from = at;
    } else {
      at++;
    }
  }
  out.text(text.slice(from, end));
  return out.value();
}

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const BACKSLASH = 92;

/** Where the decoded parts go. A number is one element: a code unit below 128, or any byte in a bytes literal. */
interface Parts {
  /** The largest value an octal or hexadecimal escape may have. */
  readonly maxElement: number;
  text(part: string): void;
  element(value: number): void;
  value(): string | Uint8Array;
}

class TextParts implements Parts {
  readonly maxElement = 127;
  private joined = '';
  text(part: string): void {
    this.joined += part;
  }
  element(value: number): void {
    this.joined += String.fromCharCode(value);
  }
  value(): string {
    return this.joined;
  }
}

class ByteParts implements Parts {
  readonly maxElement = 255;
  private readonly bytes: number[] = [];
  text(part: string): void {
    for (const byte of new TextEncoder().encode(part)) this.bytes.push(byte);
  }
  element(value: number): void {
    this.bytes.push(value);
  }
  value(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** Decodes the escape whose backslash is at `at` and returns the offset after it. */
function decodeEscape(text: string, at: number, end: number, out: Parts, report: Report): number {
  const letter = at + 1 < end ? String.fromCodePoint(text.codePointAt(at + 1)!) : '';
  const simple = SIMPLE_ESCAPES.get(letter);
  if (simple !== undefined) {
    out.text(simple);
    return at + 2;
  }
  if (letter === '\n') return at + 2;
  if (letter === '\r') return at + (text.charCodeAt(at + 2) === LINE_FEED ? 3 : 2);
  if (letter >= '0' && letter <= '7') return decodeOctal(text, at, end, out, report);
  const digits = HEX_ESCAPES.get(letter);
  if (digits !== undefined) return decodeHex(text, at, end, digits, out, report);
  report(at, `invalid escape sequence \\${letter} (write \\\\ for a backslash, or use a raw string r"…")`);
  return at + 1 + letter.length;
}

function decodeOctal(text: string, at: number, end: number, out: Parts, report: Report): number {
  let value = 0;
  let next = at + 1;
  while (next < end && next < at + 4 && isOctalDigit(text.charCodeAt(next))) {
    value = value * 8 + text.charCodeAt(next++) - 48;
  }
  if (value <= out.maxElement) out.element(value);
  else if (out.maxElement === 127) report(at, tooLarge('octal', `\\${value.toString(8)}`, value));
  else report(at, `invalid escape sequence \\${value.toString(8)}`);
  return next;
}

function decodeHex(
  text: string,
  at: number,
  end: number,
  digits: number,
  out: Parts,
  report: Report,
): number {
  const next = Math.min(at + 2 + digits, end);
  const written = text.slice(at, next);
  const value = hexValue(text, at + 2, next);
  if (value < 0) report(at, `invalid escape sequence ${written}`);
  else if (written.length < digits + 2) report(at, `truncated escape sequence ${written}`);
  else if (digits === 2) {
    if (value <= out.maxElement) out.element(value);
    else report(at, tooLarge('hex', written, value));
  } else if (value > 0x10ffff) report(at, `code point out of range: ${written} (max \\U0010ffff)`);
  else if (value >= 0xd800 && value <= 0xdfff) {
    report(at, `invalid Unicode code point U+${hex4(value)} (half of a surrogate pair)`);
  } else out.text(String.fromCodePoint(value));
  return next;
}

function hexValue(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (!isHexDigit(unit)) return -1;
    value = value * 16 + (unit <= 57 ? unit - 48 : (unit | 32) - 87);
  }
  return value;
}

function tooLarge(base: string, written: string, value: number): string {
  return `non-ASCII ${base} escape ${written} (use \\u${hex4(value)} for the character U+${hex4(value)})`;
}

function hex4(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, '0');
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isOctalDigit(unit: number): boolean {
  return unit >= 48 && unit <= 55;
}

export function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}

/** The int that `digits`, with a prefix `0x`, `0o` or `0b` where it has one, denotes: a safe number or else a bigint. */
export function decodeInt(digits: string, offset: number, report: Report): number | bigint {
  // Fifteen characters are always a safe integer, in any base.
  if (digits.length <= 15) return Number(digits);
  if (digits.length > MAX_INT_DIGITS) {
    report(offset, `int literal of ${digits.length} characters, limit is ${MAX_INT_DIGITS}`);
    return 0;
  }
  const value = BigInt(digits);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

export function decodeFloat(digits: string, offset: number, report: Report): number {
  const value = Number(digits);
  if (Number.isNaN(value)) report(offset, `invalid float literal ${digits}`);
  else if (value === Infinity) report(offset, `invalid float literal: ${digits} is too large`);
  return value;
}
