/**
 * Which pairs of letters stand next to each other in some texts: a text that is in them has all its pairs there. Small and large
 * letters are one. It may say yes for a text that is not there, and never no for one that is. Without it a command that is known costs twice as much to judge.
 */
import type { Texts } from './needs.ts';

const SIZE = 2048;
/** Bits of one number: small numbers in a plain array are what a machine makes and forgets fastest. */
const WIDTH = 16;
/** Of longer texts nearly every pair is there. */
const MOST_TEXT = 4000;

export class LetterPairs {
  private readonly seen: number[] = new Array<number>(SIZE / WIDTH).fill(0);
  private all = false;

  add(text: string): void {
    if (text.length > MOST_TEXT) this.all = true;
    if (this.all) return;
    let before = -1;
    for (let at = 0; at < text.length; at++) {
      const letter = folded(text.charCodeAt(at));
      // Some letters beyond ASCII are small or large forms of ASCII ones.
      if (letter > 127) {
        this.all = true;
        return;
      }
      if (before !== -1) this.mark(pair(before, letter));
      before = letter;
    }
  }

  /** Of `-rf`, also `-f`. */
  addOptions(word: string): void {
    for (let at = 2; at < word.length && at < MOST_TEXT; at++) {
      this.mark(pair(DASH, folded(word.charCodeAt(at)) & 127));
    }
  }

  /** One text of each list may be there. */
  may(wanted: PairLists): boolean {
    if (this.all) return true;
    for (const texts of wanted) if (!this.hasOne(texts)) return false;
    return true;
  }

  private hasOne(texts: PairLists[number]): boolean {
    for (const pairs of texts) if (this.hasAll(pairs)) return true;
    return false;
  }

  private mark(found: number): void {
    this.seen[found >> 4]! |= 1 << (found & 15);
  }

  private hasAll(pairs: readonly number[]): boolean {
    for (const each of pairs) if ((this.seen[each >> 4]! & (1 << (each & 15))) === 0) return false;
    return true;
  }
}

const DASH = 45;

function folded(letter: number): number {
  return letter >= 65 && letter <= 90 ? letter + 32 : letter;
}

function pair(first: number, second: number): number {
  return (first * 37 + second) % SIZE;
}

export type PairLists = readonly (readonly (readonly number[])[])[];

export function pairsOf(texts: Texts): PairLists {
  return texts.map((list) =>
    list.map((text) =>
      Array.from({ length: text.length - 1 }, (_, at) => pair(text.charCodeAt(at), text.charCodeAt(at + 1))),
    ),
  );
}
