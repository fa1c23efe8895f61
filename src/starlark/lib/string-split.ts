/**
 * The ways to cut a string: at a separator, at white space, at line ends, from either side. Every function charges for
 * the pieces before it makes them.
 */
import type { Thread } from '../run/thread.ts';
import { PartFinder, SHORT_PART } from '../values/find-text.ts';
import { LIST, SLOT, TEXT } from '../values/size.ts';
import { isSpace } from './unicode.ts';

/** A text up to this length cannot fall into many pieces: they are made first and charged after. */
const SHORT = 4096;

function chargePieces(thread: Thread, text: string, count: number): void {
  thread.spend(count);
  thread.charge(LIST + (SLOT + TEXT) * count + text.length);
}

/** How often `part`, which is not empty, occurs without overlap; counting stops at `most`. */
export function countOccurrences(thread: Thread, text: string, part: string, most = Infinity): number {
  let count = 0;
  if (part.length <= SHORT_PART) {
    thread.spend((text.length + part.length) >> 4);
    for (let at = text.indexOf(part); at !== -1 && count < most; at = text.indexOf(part, at + part.length))
      count++;
    return count;
  }
  const finder = new PartFinder(thread, text, part);
  for (let at = finder.after(0); at !== -1 && count < most; at = finder.after(at + part.length)) count++;
  return count;
}

/**
 * For short text; the host's `split` has to look into a cache first, which costs more than the cutting. A few pieces
 * are put down together, because an array that grows from nothing makes room for many.
 */
function cut(text: string, separator: string): string[] {
  const size = separator.length;
  const first = text.indexOf(separator);
  if (first === -1) return [text];
  const a = text.slice(0, first);
  const second = text.indexOf(separator, first + size);
  if (second === -1) return [a, text.slice(first + size)];
  const b = text.slice(first + size, second);
  const third = text.indexOf(separator, second + size);
  if (third === -1) return [a, b, text.slice(second + size)];
  const c = text.slice(second + size, third);
  const fourth = text.indexOf(separator, third + size);
  if (fourth === -1) return [a, b, c, text.slice(third + size)];
  const pieces = [a, b, c, text.slice(third + size, fourth)];
  let start = fourth + size;
  for (let at = text.indexOf(separator, start); at !== -1; at = text.indexOf(separator, start)) {
    pieces.push(text.slice(start, at));
    start = at + size;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** At every occurrence of `separator`, which is not empty, from the left; `most` is Infinity or a number of cuts. */
export function splitAt(thread: Thread, text: string, separator: string, most: number): string[] {
  if (text.length <= SHORT && most === Infinity) {
    thread.spend(1 + (text.length >> 4));
    const pieces = cut(text, separator);
    chargePieces(thread, text, pieces.length);
    return pieces;
  }
  if (text.length <= SHORT && most === 1 && separator.length <= SHORT_PART) {
    // Counted as below, where the text is gone through twice.
    thread.spend(2 * ((text.length + separator.length) >> 4));
    const at = text.indexOf(separator);
    chargePieces(thread, text, at === -1 ? 1 : 2);
    return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
  }
  const cuts = countOccurrences(thread, text, separator, most);
  chargePieces(thread, text, cuts + 1);
  if (most === Infinity && separator.length <= SHORT_PART) return cut(text, separator);
  const finder = new PartFinder(thread, text, separator);
  const pieces: string[] = [];
  let start = 0;
  while (pieces.length < cuts) {
    const at = finder.after(start);
    pieces.push(text.slice(start, at));
    start = at + separator.length;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** The same from the right. */
export function splitAtFromRight(thread: Thread, text: string, separator: string, most: number): string[] {
  if (most === Infinity) return splitAt(thread, text, separator, most);
  chargePieces(thread, text, 1 + countOccurrences(thread, text, separator, most));
  const finder = new PartFinder(thread, text, separator, 'backward');
  const pieces: string[] = [];
  let end = text.length;
  while (pieces.length < most) {
    const at = finder.before(end);
    if (at === -1) break;
    pieces.push(text.slice(at + separator.length, end));
    end = at;
  }
  pieces.push(text.slice(0, end));
  return pieces.reverse();
}

/** At runs of white space from the left. What follows the last permitted cut keeps its own spaces. */
export function splitAtSpace(thread: Thread, text: string, most: number): string[] {
  const { length } = text;
  thread.spend(1 + (length >> 4));
  thread.charge(LIST);
  const pieces: string[] = [];
  for (let at = 0; ; ) {
    while (at < length && isSpace(text.charCodeAt(at))) at++;
    if (at === length) return pieces;
    const start = at;
    if (pieces.length < most) while (at < length && !isSpace(text.charCodeAt(at))) at++;
    else at = length;
    addPiece(thread, pieces, text.slice(start, at));
  }
}

/** The same from the right: what precedes the last permitted cut keeps its own spaces. */
export function splitAtSpaceFromRight(thread: Thread, text: string, most: number): string[] {
  thread.spend(1 + (text.length >> 4));
  thread.charge(LIST);
  const pieces: string[] = [];
  for (let at = text.length; ; ) {
    while (at > 0 && isSpace(text.charCodeAt(at - 1))) at--;
    if (at === 0) return pieces.reverse();
    const end = at;
    if (pieces.length < most) while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--;
    else at = 0;
    addPiece(thread, pieces, text.slice(at, end));
  }
}

function addPiece(thread: Thread, pieces: string[], piece: string): void {
  thread.spend(1);
  thread.charge(SLOT + TEXT + piece.length);
  pieces.push(piece);
}

/** At `\n`, `\r` and `\r\n`; a line end at the end of the text does not begin another line. */
export function splitLines(thread: Thread, text: string, keepEnds: boolean): string[] {
  const { length } = text;
  thread.spend(1 + (length >> 4));
  thread.charge(LIST);
  const pieces: string[] = [];
  let start = 0;
  const hasReturns = text.includes('\r');
  for (let at = 0; at < length; ) {
    if (!hasReturns) {
      // The engine finds them many units at a time.
      at = text.indexOf('\n', at);
      if (at === -1) break;
    }
    const unit = text.charCodeAt(at++);
    if (unit !== LF && unit !== CR) continue;
    const end = at - 1;
    if (unit === CR && text.charCodeAt(at) === LF) at++;
    addPiece(thread, pieces, text.slice(start, keepEnds ? at : end));
    start = at;
  }
  if (start < length) addPiece(thread, pieces, text.slice(start));
  return pieces;
}

const LF = 10;
const CR = 13;
