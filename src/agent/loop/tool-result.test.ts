import { describe, expect, it } from 'vitest';
import { answerOf, cut } from './tool-result.ts';

describe('what a tool returned', () => {
  it.each<[unknown, string, unknown]>([
    ['plain', 'plain', 'plain'],
    ['{"a":1}', '{"a":1}', '{"a":1}'],
    [{ a: [1, null] }, '{"a":[1,null]}', { a: [1, null] }],
    [undefined, 'null', null],
    [7, '7', 7],
  ])('%j reads %s', (returned, content, result) => {
    expect(answerOf(returned, 100)).toEqual({ content, result, isError: false });
  });

  it('what was cut has no decoded form any more', () => {
    const { content, result } = answerOf({ a: 'x'.repeat(50) }, 20);
    expect(content).toBe('{"a":"xxxxxxxxxxxxxx\n[cut: these are the first 20 of 58 characters]');
    expect(result).toBe(content);
  });

  it('is never cut through the middle of a character', () => {
    expect(cut('ab😀cd', 3)).toBe('ab\n[cut: these are the first 2 of 6 characters]');
    expect(cut('ab😀', 4)).toBe('ab😀');
  });
});
