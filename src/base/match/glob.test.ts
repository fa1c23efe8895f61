import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { compileGlob, isLiteral } from './glob.ts';

describe('a glob', () => {
  it.each([
    ['*', 'anything', true],
    ['*', '', true],
    ['exec_*', 'exec_root', true],
    ['exec_*', 'exec_', true],
    ['exec_*', 'my_exec_root', false],
    ['*_file', 'read_file', true],
    ['*_file', 'read_file_now', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['r?ad', 'read', true],
    ['r?ad', 'rad', false],
    ['?', '😀', true],
    ['v[0-9]', 'v7', true],
    ['v[0-9]', 'vx', false],
    ['v[!0-9]', 'vx', true],
    ['v[^0-9]', 'v7', false],
    ['[]x]', ']', true],
    ['a[bc', 'a[bc', true],
    ['a[bc', 'ab', false],
    ['read_file', 'read_file', true],
    ['read_file', 'Read_File', false],
    ['a.b', 'axb', false],
    ['mcp/**/x', 'mcp/a/b/x', true],
  ])('[C040] %s against %s is %s', (pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it('knows a pattern that stands for one text only', () => {
    expect(['read_file', 'a.b', 'a[b', 'a*', 'a?', '[ab]'].map(isLiteral)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('agrees with a slow and obvious matcher', () => {
    const slow = (pattern: string, text: string): boolean => {
      if (pattern === '') return text === '';
      if (pattern[0] === '*')
        return slow(pattern.slice(1), text) || (text !== '' && slow(pattern, text.slice(1)));
      return (
        text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && slow(pattern.slice(1), text.slice(1))
      );
    };
    const letters = (units: string) => fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
    fc.assert(
      fc.property(letters('ab*?'), letters('ab'), (pattern, text) => {
        expect(compileGlob(pattern)(text)).toBe(slow(pattern, text));
      }),
    );
  });

  it('does not blow up on a pattern of many stars', () => {
    const started = cpuTime();
    expect(compileGlob(`${'a*'.repeat(200)}b`)('a'.repeat(5000))).toBe(false);
    expect(cpuTime() - started).toBeLessThan(2000);
  });
});
