import { describe, expect, it } from 'vitest';
import { shippedText } from '../../packs/shipped-text.ts';
import { compileRegex } from './regex.ts';
import { mayMatch, requiredText } from './required-text.ts';

describe('what every match of a pattern holds', () => {
  it.each([
    ['harness', ['harness']],
    ['(?:rm|mv|chmod)\\b.*(?:command\\s+-v|which)\\s+harness', ['harness']],
    ['alias\\.\\S+\\s', ['alias.']],
    ['abc|de|fgh', ['abc', 'de', 'fgh']],
    ['ab(?:cde|fgh)?', ['ab']],
    ['ab(?:cde|fghi)+', ['cde', 'fghi']],
    ['abc+d', ['abc']],
    ['abc{2}de', ['abc']],
    ['x[a|b]yz', ['yz']],
    ['a\\|bc', ['a|bc']],
  ])('%s', (pattern, anyOf) => {
    expect(requiredText(pattern)).toEqual({ anyOf, folded: false });
  });

  it.each([
    'a',
    'abc|',
    'abc|d*',
    '(?:abc)?',
    '(?i:abc)',
    '(?P<n>abc)',
    '\\Qab\\E',
    'abc\\x41',
    '(abc',
    'abc**',
    '\\pLabc',
    'ab(?i)c',
  ])('nothing is said of %s', (pattern) => {
    expect(requiredText(pattern)).toBeNull();
  });

  it('in small letters where case does not count, and nothing is said of letters beyond ASCII', () => {
    const known = requiredText('(?i)Task');
    expect(known).toEqual({ anyOf: ['task'], folded: true });
    expect(mayMatch(known!, 'my TASK')).toBe(true);
    expect(mayMatch(known!, 'my tasc')).toBe(false);
    // RE2 folds the Kelvin sign and the long s.
    expect(mayMatch(known!, 'ta\u017f\u212a')).toBe(compileRegex('(?i)Task').ok);
  });

  it('RE2 never finds what was said to be absent, whatever the pattern and the text', () => {
    const parts = [
      'ab',
      'c',
      '(?:ab|c)',
      '(b|ca)',
      '[ab]',
      '[^]c]',
      '\\.',
      '\\w',
      '.',
      'c?',
      'b*',
      'a+',
      '(?:ca)*',
      'b{2}',
      'a{0,2}',
      '|',
      '^',
      '$',
      '\\b',
    ];
    const letters = ['a', 'b', 'c', '.', 'A', 'B', ']', ' '];
    let seed = 7;
    const pick = <T>(from: readonly T[]): T => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return from[(seed >> 8) % from.length]!;
    };
    let absent = 0;
    for (let round = 0; round < 3000; round++) {
      const body = Array.from({ length: 1 + (round % 6) }, () => pick(parts)).join('');
      const pattern = pick(['', '', '(?i)', '(?s)']) + body;
      const known = requiredText(pattern);
      const regex = compileRegex(pattern);
      if (known === null || !regex.ok) continue;
      for (let i = 0; i < 12; i++) {
        const text = Array.from({ length: i }, () => pick(letters)).join('');
        if (mayMatch(known, text)) continue;
        absent++;
        expect(regex.test(text), `${pattern} on ${JSON.stringify(text)}`).toBe(false);
      }
    }
    expect(absent).toBeGreaterThan(1000);
  });

  it('most patterns of the packs have such a text', () => {
    const data: unknown = shippedText()
      .split('\n')
      .map((line) => JSON.parse(line));
    const found: string[] = [];
    const walk = (value: unknown, key: string): void => {
      if (typeof value === 'string' && ['line', 'text', 'whole', 'code', 'input'].includes(key))
        found.push(value);
      else if (Array.isArray(value)) for (const each of value) walk(each, key);
      else if (typeof value === 'object' && value !== null)
        for (const [name, held] of Object.entries(value)) walk(held, name);
    };
    walk(data, '');
    const known = found.filter((pattern) => requiredText(pattern) !== null);
    expect(known.length).toBeGreaterThan(found.length * 0.6);
  });
});
