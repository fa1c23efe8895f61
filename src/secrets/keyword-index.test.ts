import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexKeywords } from './keyword-index.ts';

function hits(keywords: readonly string[], text: string): [string, number][] {
  const found: [string, number][] = [];
  indexKeywords(keywords).scan(text, (keyword, at) => found.push([keywords[keyword]!, at]));
  return found.sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0]));
}

describe('the index of keywords', () => {
  it('finds each wherever it stands, whatever its case, also one inside another', () => {
    expect(hits(['token', 'key', 'oken'], 'TOKENkey my Key')).toEqual([
      ['token', 0],
      ['oken', 1],
      ['key', 5],
      ['key', 12],
    ]);
  });

  it('finds what a plain search finds', () => {
    const char = fc.constantFrom('a', 'B', 'b', 'c', '1', '2', '_', '-', '.', ' ', 'é', '/');
    const keyword = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '1', '_', '-', '.'),
      minLength: 3,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(keyword, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: char, maxLength: 60 }),
        (keywords, text) => {
          const lower = text.toLowerCase();
          const wanted = keywords.flatMap((one) =>
            Array.from(text, (_, at) => at)
              .filter((at) => lower.startsWith(one, at))
              .map((at): [string, number] => [one, at]),
          );
          expect(hits(keywords, text)).toEqual(
            wanted.sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0])),
          );
        },
      ),
    );
  });

  it.each(['ab', '', 'éèê'])('refuses a keyword it could not find: %j', (keyword) => {
    expect(() => indexKeywords([keyword])).toThrow(/no three characters/);
  });
});
