import { describe, expect, it } from 'vitest';
import { corpus, differing, generated, numbers } from './rule-index.ts';

describe('the index of rules leaves out only what could not have held', () => {
  it('on some cases of the corpus', () => {
    const some = corpus.filter((_, at) => at % 60 === 0);
    const wrong = some.filter(({ command, shell }) => differing(command, shell).length > 0);
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('on commands made of its words', () => {
    const random = numbers(7);
    const texts = Array.from({ length: 100 }, () => generated(random));
    expect(texts.filter((text) => differing(text).length > 0)).toEqual([]);
  });
});
