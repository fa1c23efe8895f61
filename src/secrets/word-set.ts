/**
 * A set of words, written as one text and made when it is first asked: there are many, and most runs ask none.
 */

export interface WordSet {
  readonly has: (word: string) => boolean;
}

export function wordSet(text: string): WordSet {
  let words: ReadonlySet<string> | null = null;
  return { has: (word) => (words ??= new Set(text.split(/\s+/))).has(word) };
}
