import { describe, expect, it } from 'vitest';
import { corpus, differing, generated, numbers } from './rule-index.ts';

describe('the index of rules leaves out only what could not have held', () => {
  it('on every case of the corpus', () => {
    const wrong = corpus.filter(({ command, shell }) => differing(command, shell).length > 0);
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('on commands made of its words', () => {
    const random = numbers(11);
    const texts = Array.from({ length: 20_000 }, () => generated(random));
    expect(texts.filter((text) => differing(text).length > 0)).toEqual([]);
  });
});
