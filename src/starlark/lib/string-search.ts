/**
 * Where a string occurs in another, what it begins and ends with, and what remains when its ends are cut off.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { indexOfText, lastIndexOfText } from '../values/find-text.ts';
import { Tuple } from '../values/list.ts';
import { indices } from '../values/sequence.ts';
import { ENTRY, textBytes } from '../values/size.ts';
import { typeName, type Value } from '../values/value.ts';
import { countOccurrences } from './string-split.ts';
import { countCodePoints, isSpace } from './unicode.ts';

/** The span that optional `start` and `end` arguments choose, `name` being the method that has them. */
function span(
  name: string,
  start: Value | undefined,
  end: Value | undefined,
  length: number,
): [number, number] {
  for (const [what, value] of [
    ['start', start],
    ['end', end],
  ] as const) {
    const isIndex =
      value === undefined || value === null || typeof value === 'number' || typeof value === 'bigint';
    if (!isIndex) fail(`${name}: invalid ${what} index: got ${typeName(value)}, want int`);
  }
  return indices(start ?? null, end ?? null, length);
}

/** The offset of the first (or `last`) occurrence of `part` inside the span, or -1. */
export function findPart(
  thread: Thread,
  name: string,
  text: string,
  part: string,
  start: Value | undefined,
  end: Value | undefined,
  last: boolean,
): number {
  const search = last ? lastIndexOfText : indexOfText;
  if (start === undefined && end === undefined) return search(thread, text, part);
  const [low, high] = span(name, start, end, text.length);
  if (high - low < part.length) return -1;
  // Cutting the span out first keeps a search from running past its end.
  const at = search(thread, text.slice(low, high), part);
  return at === -1 ? -1 : at + low;
}

/** Occurrences without overlap; an empty string occurs around every code point. */
export function countParts(
  thread: Thread,
  text: string,
  part: string,
  start: Value | undefined,
  end: Value | undefined,
): number {
  thread.spend(text.length >> 4);
  const [low, high] = span('count', start, end, text.length);
  if (low > high) return 0;
  const inside = low === 0 && high === text.length ? text : text.slice(low, high);
  return part === '' ? countCodePoints(inside) + 1 : countOccurrences(thread, inside, part);
}

export type Side = 'startswith' | 'endswith';

function hasAffixAt(side: Side, text: string, affix: string): boolean {
  return side === 'startswith' ? text.startsWith(affix) : text.endsWith(affix);
}

/** Whether the span begins, or ends, with the given string or with any of a tuple of strings. */
export function hasAffix(
  thread: Thread,
  side: Side,
  text: string,
  affix: Value,
  start: Value | undefined,
  end: Value | undefined,
): boolean {
  let inside = text;
  if (start !== undefined || end !== undefined) {
    const [low, high] = span(side, start, end, text.length);
    if (low > high) return false;
    inside = text.slice(low, high);
  }
  if (typeof affix === 'string') {
    thread.spend(affix.length >> 4);
    return hasAffixAt(side, inside, affix);
  }
  if (!(affix instanceof Tuple)) fail(`${side}: got ${typeName(affix)}, want string or tuple of string`);
  let found = false;
  affix.items.forEach((item, i) => {
    if (typeof item !== 'string') fail(`${side}: want string, got ${typeName(item)}, for element ${i}`);
    thread.spend(1 + (item.length >> 4));
    found ||= hasAffixAt(side, inside, item);
  });
  return found;
}

/** A cutset up to this length is looked through for each character; a set of a longer one is worth making. */
const FEW = 16;

/** What is left of a text when white space, or the code points of `cutset`, are cut from the given ends. */
export function strip(
  thread: Thread,
  text: string,
  cutset: string | null,
  left: boolean,
  right: boolean,
): string {
  let low = 0;
  let high = text.length;
  if (cutset === null) {
    while (left && low < high && isSpace(text.charCodeAt(low))) low++;
    while (right && low < high && isSpace(text.charCodeAt(high - 1))) high--;
  } else {
    thread.spend(cutset.length);
    if (cutset.length > FEW) thread.charge(ENTRY * cutset.length);
    const marks = marksOf(cutset);
    if (marks !== null) {
      while (left && low < high && marks[text.charCodeAt(low)] === 1) low++;
      while (right && low < high && marks[text.charCodeAt(high - 1)] === 1) high--;
    } else {
      const cut = new Cutset(cutset);
      for (let size = 1; left && low < high && size > 0; low += size) size = cut.sizeAt(text, low);
      for (let size = 1; right && low < high && size > 0; high -= size)
        size = cut.sizeBefore(text, low, high);
    }
  }
  thread.spend((text.length - (high - low)) >> 4);
  return part(thread, text, low, high);
}

/** The units of the last few cutsets of ASCII: scripts cut the same again and again. */
const MARKED = Array.from({ length: 8 }, () => ({ cutset: '', marks: new Uint8Array(0x80) }));

/** 1 at each unit of a short cutset; null where one is beyond ASCII. */
function marksOf(cutset: string): Uint8Array | null {
  const kept = MARKED[(cutset.charCodeAt(0) + cutset.length) & (MARKED.length - 1)]!;
  if (kept.cutset === cutset) return kept.marks;
  if (cutset.length > FEW) return null;
  for (let i = 0; i < cutset.length; i++) if (cutset.charCodeAt(i) >= 0x80) return null;
  kept.marks.fill(0);
  for (let i = 0; i < cutset.length; i++) kept.marks[cutset.charCodeAt(i)] = 1;
  kept.cutset = cutset;
  return kept.marks;
}

/** The code points to cut. */
class Cutset {
  private readonly text: string;
  private set: ReadonlySet<string> | null;

  constructor(text: string) {
    this.text = text;
    this.set = text.length > FEW ? new Set(text) : null;
  }

  /** The length of the code point that starts at `at`, if it is one to cut, else 0. */
  sizeAt(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (this.set === null && !isSurrogate(unit)) {
      for (let i = 0; i < this.text.length; i++) if (this.text.charCodeAt(i) === unit) return 1;
      return 0;
    }
    const char = String.fromCodePoint(text.codePointAt(at)!);
    return (this.set ??= new Set(this.text)).has(char) ? char.length : 0;
  }

  /** The same of the one that ends at `end`. */
  sizeBefore(text: string, low: number, end: number): number {
    const isPair =
      end - low >= 2 && isSurrogate(text.charCodeAt(end - 1)) && text.codePointAt(end - 2)! > 0xffff;
    return this.sizeAt(text, isPair ? end - 2 : end - 1);
  }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The text between two offsets, charged where it is not all of it. */
export function part(thread: Thread, text: string, low: number, high: number): string {
  if (low === 0 && high === text.length) return text;
  thread.charge(textBytes(high - low));
  return text.slice(low, high);
}
