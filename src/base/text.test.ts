import { describe, expect, it } from 'vitest';
import { clip, describeValue, head, kindOf, quote } from './text.ts';

describe('values in messages', () => {
  it('a text that is too long is cut, and says so', () => {
    expect(clip('abcdef', 3)).toBe('abc…');
    expect(clip('abc', 3)).toBe('abc');
    expect(quote('a"b', 2)).toBe('"a\\"…"');
  });

  it('a character of two units is never cut in half', () => {
    expect(head('ab😀cd', 3)).toBe('ab');
    expect(head('ab😀cd', 4)).toBe('ab😀');
    expect(clip('😀😀', 3)).toBe('😀…');
  });

  it.each([
    [undefined, 'nothing', 'nothing'],
    [null, 'null', 'null'],
    [[], 'a list', 'a list'],
    [{}, 'an object', 'an object'],
    ['x', 'a string', 'the text "x"'],
    [4, 'a number', 'the number 4'],
    [false, 'a boolean', 'the boolean false'],
    [() => 1, 'a function', 'a function'],
  ])('%j is %s, shown as %s', (value, kind, text) => {
    expect(kindOf(value)).toBe(kind);
    expect(describeValue(value)).toBe(text);
  });

  it('nothing is shown in full that nobody would read', () => {
    expect(describeValue('x'.repeat(1000)).length).toBeLessThan(80);
  });
});
