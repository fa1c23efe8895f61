/**
 * What the string methods mean by space, letter, digit and case. Definitions of our own where JavaScript's differ
 * (`trim` and `\s` also take U+FEFF and miss U+0085), the engine's Unicode data where they agree.
 */
import { TextBuilder } from '../values/text-builder.ts';

/** The code units that are white space; none of them lies outside the basic plane. */
const SPACES = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005,
  0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return SPACES.has(unit);
}

/** The digraphs whose title case is a letter of its own: upper, title, lower. */
const DIGRAPHS: readonly (readonly [string, string, string])[] = [
  ['\u01c4', '\u01c5', '\u01c6'],
  ['\u01c7', '\u01c8', '\u01c9'],
  ['\u01ca', '\u01cb', '\u01cc'],
  ['\u01f1', '\u01f2', '\u01f3'],
];
const TITLE = new Map(
  DIGRAPHS.flatMap(([upper, title, lower]) => [upper, title, lower].map((c) => [c, title])),
);

/** Title case of one code point. Georgian letters have capitals but no title case. */
export function titleCase(char: string): string {
  const special = TITLE.get(char);
  if (special !== undefined) return special;
  if (char >= '\u10d0' && char <= '\u10ff') return char;
  const upper = char.toUpperCase();
  // A letter that becomes several (ß, ﬁ) keeps only the first of them large.
  const first = String.fromCodePoint(upper.codePointAt(0)!);
  return first.length === upper.length ? upper : first + upper.slice(first.length).toLowerCase();
}

/** Whether a code point has more than one case. */
export function isCased(char: string): boolean {
  return char.toLowerCase() !== char.toUpperCase();
}

const CASED_ASCII = /[A-Za-z]/;
const NOT_ASCII = /[^\0-\x7f]/;

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** Whether any letter of the text has more than one case. */
export function hasCased(text: string): boolean {
  if (CASED_ASCII.test(text)) return true;
  return !isAscii(text) && isCased(text);
}

const UPPER = 1;
const LOWER = 2;
const LETTER = UPPER | LOWER;
const DIGIT = 4;
const ASCII_KINDS = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (char >= '0' && char <= '9') return DIGIT;
  return !CASED_ASCII.test(char) ? 0 : char < 'a' ? UPPER : LOWER;
});
/** Between a letter of ASCII and the same in the other case. */
const CASE_BIT = 0x20;

/** Whether there are characters and all are of these kinds; the pattern, which says the same, is for text beyond ASCII. */
function allOf(kinds: number, pattern: RegExp): (text: string) => boolean {
  return (text) => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return pattern.test(text);
      if ((ASCII_KINDS[unit]! & kinds) === 0) return false;
    }
    return text.length > 0;
  };
}

export const isAllLetters = allOf(LETTER, /^\p{L}+$/u);
export const isAllDigits = allOf(DIGIT, /^\p{Nd}+$/u);
export const isAllAlnum = allOf(LETTER | DIGIT, /^[\p{L}\p{Nd}]+$/u);

/** Whether there are letters with a case, and all of them are of this kind, which is as `convert` leaves them. */
function inCase(kind: number, convert: (text: string) => string): (text: string) => boolean {
  return (text) => {
    let found = false;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return hasCased(text) && text === convert(text);
      const letter = ASCII_KINDS[unit]! & LETTER;
      if (letter !== 0 && letter !== kind) return false;
      found ||= letter !== 0;
    }
    return found;
  };
}

export const isAllUpper = inCase(UPPER, (text) => text.toUpperCase());
export const isAllLower = inCase(LOWER, (text) => text.toLowerCase());

export function isAllSpace(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return text.length > 0;
}

/** Each word large at its start and small after it; a word is a run of letters. */
export function toTitle(text: string): string {
  return isAscii(text) ? asciiTitle(text.toLowerCase()) : anyTitle(text);
}

function asciiTitle(lower: string): string {
  const out = new TextBuilder();
  let start = 0;
  let before = 0;
  for (let i = 0; i < lower.length; i++) {
    const unit = lower.charCodeAt(i);
    const letter = ASCII_KINDS[unit]! & LETTER;
    if (letter !== 0 && before === 0) {
      out.add(lower.slice(start, i));
      out.add(String.fromCharCode(unit ^ CASE_BIT));
      start = i + 1;
    }
    before = letter;
  }
  out.add(lower.slice(start));
  return out.finish();
}

function anyTitle(text: string): string {
  const out = new TextBuilder();
  let inWord = false;
  for (const char of text) {
    const letter = isAllLetters(char);
    out.add(!letter ? char : inWord ? char.toLowerCase() : titleCase(char));
    inWord = letter;
  }
  return out.finish();
}

/** Whether there is a cased letter, and each one is in title case where it starts a run of them and small elsewhere. */
export function isTitle(text: string): boolean {
  let found = false;
  let inWord = false;
  for (const char of text) {
    const cased = isCased(char);
    if (cased && char !== (inWord ? char.toLowerCase() : titleCase(char))) return false;
    found ||= cased;
    inWord = cased;
  }
  return found;
}

/** The first code point in title case, the others small. */
export function capitalize(text: string): string {
  if (text === '') return text;
  const first = String.fromCodePoint(text.codePointAt(0)!);
  return titleCase(first) + text.slice(first.length).toLowerCase();
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** How many code points a string encodes; a surrogate without its partner counts as one. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}

/** The code point at an offset, U+FFFD for half a pair. */
export function codePointAt(text: string, offset: number): number {
  const point = text.codePointAt(offset)!;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

/** The string of a code point already known to be in range; a surrogate is not text and becomes U+FFFD. */
export function fromCodePoint(point: number): string {
  return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : String.fromCodePoint(point);
}
