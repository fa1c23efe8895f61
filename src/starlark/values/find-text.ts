/**
 * Substring search in linear time. The engine's own `indexOf` is fast on ordinary text but quadratic on text made for
 * it (seconds for a few hundred kilobytes), so a long part is tried with it only as long as near misses stay rare.
 */
import type { Thread } from '../run/thread.ts';

/** Up to this length the engine's worst case is a small constant for each character. */
export const SHORT_PART = 64;

export type Direction = 'forward' | 'backward';

/** Finds the occurrences of one part, which is not empty, in one text, one after another in one direction. */
export class PartFinder {
  private readonly thread: Thread;
  private readonly text: string;
  private readonly part: string;
  private readonly direction: Direction;
  private readonly anchor: string;
  /** Characters that may still be compared in vain before the search turns to the linear method. */
  private patience: number;
  private borders: Int32Array | null = null;

  constructor(thread: Thread, text: string, part: string, direction: Direction = 'forward') {
    this.thread = thread;
    this.text = text;
    this.part = part;
    this.direction = direction;
    this.anchor = direction === 'forward' ? part.slice(0, SHORT_PART) : part.slice(-SHORT_PART);
    this.patience = 4 * text.length;
    thread.spend((text.length + part.length) >> 4);
  }

  /** The first occurrence that starts at or after `from`, or -1. For a forward search. */
  after(from: number): number {
    const { text, part, anchor } = this;
    if (part.length <= SHORT_PART) return text.indexOf(part, from);
    let at = from;
    while (this.patience > 0) {
      at = text.indexOf(anchor, at);
      if (at === -1 || text.startsWith(part, at)) return at;
      this.patience -= part.length;
      at++;
    }
    const found = this.scan(at);
    return found === -1 ? -1 : found - part.length;
  }

  /** The last occurrence that ends at or before `end`, or -1. For a backward search. */
  before(end: number): number {
    const { text, part, anchor } = this;
    if (end < part.length) return -1;
    if (part.length <= SHORT_PART) return text.lastIndexOf(part, end - part.length);
    let stop = end;
    while (this.patience > 0) {
      const at = stop < anchor.length ? -1 : text.lastIndexOf(anchor, stop - anchor.length);
      if (at === -1) return -1;
      stop = at + anchor.length;
      if (stop < part.length) return -1;
      if (text.startsWith(part, stop - part.length)) return stop - part.length;
      this.patience -= part.length;
      stop--;
    }
    const found = this.scan(text.length - stop);
    return found === -1 ? -1 : text.length - found;
  }

  /**
   * Knuth, Morris and Pratt from `from` on, offsets counted in the direction of the search; the offset after the first
   * match, or -1.
   */
  private scan(from: number): number {
    const { text, part } = this;
    const backward = this.direction === 'backward';
    const borders = (this.borders ??= this.findBorders());
    const last = text.length - 1;
    const lastOfPart = part.length - 1;
    let matched = 0;
    for (let at = from; at <= last; at++) {
      const unit = text.charCodeAt(backward ? last - at : at);
      while (matched > 0 && part.charCodeAt(backward ? lastOfPart - matched : matched) !== unit) {
        matched = borders[matched - 1]!;
      }
      if (part.charCodeAt(backward ? lastOfPart - matched : matched) === unit) matched++;
      if (matched === part.length) return at + 1;
    }
    return -1;
  }

  /** For each beginning of the part (in the direction of the search), how much of it is also its end. */
  private findBorders(): Int32Array {
    const { part } = this;
    const last = part.length - 1;
    this.thread.charge(4 * part.length);
    this.thread.spend(part.length >> 2);
    const borders = new Int32Array(part.length);
    const unitAt = (at: number): number => part.charCodeAt(this.direction === 'backward' ? last - at : at);
    let matched = 0;
    for (let at = 1; at <= last; at++) {
      while (matched > 0 && unitAt(matched) !== unitAt(at)) matched = borders[matched - 1]!;
      if (unitAt(matched) === unitAt(at)) matched++;
      borders[at] = matched;
    }
    return borders;
  }
}

/** The first occurrence of `part` in `text` at or after `from`, or -1. */
export function indexOfText(thread: Thread, text: string, part: string, from = 0): number {
  if (part.length <= SHORT_PART) {
    thread.spend((text.length + part.length) >> 4);
    return text.indexOf(part, from);
  }
  return new PartFinder(thread, text, part).after(from);
}

/** The last occurrence of `part` in `text`, or -1. */
export function lastIndexOfText(thread: Thread, text: string, part: string): number {
  if (part === '') return text.length;
  return new PartFinder(thread, text, part, 'backward').before(text.length);
}
