/** A pattern is skipped only for texts that it cannot match: held against RE2 itself on every pattern that ships. */
import { describe, expect, it } from 'vitest';
import { compileRegex } from '../../match/regex.ts';
import { mayMatch, needlesOf } from './needles.ts';
import { shippedPacks } from './shipped.ts';

describe('what a text must hold for a pattern to match', () => {
  it.each([
    ['\\brm\\s+-rf', ['-rf']],
    ['(?:curl|wget)\\b', ['curl', 'wget']],
    ['bin/(?:ba)?sh', ['bin/']],
    ['ab+cd', ['ab', 'cd']],
    ['\\.ssh/|\\.aws', ['.ssh/', '.aws']],
  ])('%s needs one of %j', (pattern, pieces) => {
    expect(pieces).toEqual(expect.arrayContaining([...(needlesOf(pattern)?.pieces ?? [])]));
    expect(needlesOf(pattern)).not.toBeNull();
  });

  it.each(['a?b?', '[abc]+', '.*', '(?:x|)', 'curl|\\d', '\\pL+abc', '(?:abc)?', 'x{0,3}'])(
    '%s needs none, so it is always asked',
    (pattern) => {
      expect(needlesOf(pattern)).toBeNull();
    },
  );

  it('folds letters if the pattern does', () => {
    const needles = needlesOf('(?i)drop\\s+table')!;
    expect(mayMatch(needles, 'DROP TABLE x')).toBe(true);
    expect(mayMatch(needles, 'select 1')).toBe(false);
  });

  it('never keeps a pattern that ships from a text that it matches', () => {
    let matched = 0;
    for (const { written } of shippedPacks().flatMap(({ rules }) => rules)) {
      for (const pattern of patternsIn(written.match, '')) {
        const needles = needlesOf(pattern);
        const made = compileRegex(pattern);
        if (needles === null || !made.ok) continue;
        for (const text of written.examples.stops) {
          if (!made.test(text)) continue;
          expect(mayMatch(needles, text), `${pattern} on ${text}`).toBe(true);
          matched++;
        }
      }
    }
    expect(matched).toBeGreaterThan(50);
  });
});

const KEYS = new Set(['line', 'text', 'whole', 'code', 'input']);

function patternsIn(value: unknown, key: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => patternsIn(each, key));
  if (typeof value === 'string') return KEYS.has(key) && value[0] !== '$' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => patternsIn(held, name));
}
