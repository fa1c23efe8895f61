import { describe, expect, it } from 'vitest';
import { breakExactly, callText, cut, Flow, harmless, thousands, wrap } from './fit.ts';
import { fitInto, widthOf } from './width.ts';

describe('text for a terminal', () => {
  it('holds no control character that could move the cursor or hide something', () => {
    expect(harmless('a\u001b[2Jb\u0007\r\nc\td\u202ee')).toBe('a\\u001b[2Jb\\u0007\nc  d\\u202ee');
  });

  it('is cut to lines and characters, with a count of what there was', () => {
    expect(cut('short\n', { lines: 2, characters: 10 })).toBe('short');
    expect(cut('0123456789abc', { lines: 2, characters: 10 })).toBe('0123456789… (13 characters in all)');
    expect(cut('a\nb\nc\nd', { lines: 2, characters: 10 })).toBe('a\nb… (7 characters, 4 lines in all)');
    expect(cut('x'.repeat(4310), { lines: 1, characters: 2 })).toBe('xx… (4,310 characters in all)');
  });

  it('is not cut inside a character', () => {
    expect(cut('😀😀😀', { lines: 1, characters: 2 })).toBe('😀😀… (3 characters in all)');
  });

  it('is broken at words, and inside words that are too long', () => {
    expect(wrap('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
    expect(wrap('x'.repeat(45), 20)).toEqual(['x'.repeat(20), 'x'.repeat(20), 'xxxxx']);
    expect(wrap('a\n\nb', 20)).toEqual(['a', '', 'b']);
  });

  it.each([
    ['one two three four fi', ['one two three four'], 'fi'],
    ['end of a word ', [], 'end of a word '],
    ['line\nnext', ['line'], 'next'],
  ])('that arrives in pieces, as %j, keeps what does not fill a line', (piece, full, rest) => {
    const flow = new Flow(() => 20);
    expect([flow.take(piece), flow.rest]).toEqual([full, rest]);
  });

  it('is measured in columns: wide letters and pictures take two, marks on letters none', () => {
    expect(['abc', '漢字', 'e\u0301', '👩‍🚀', '🇫🇷', 'ｶﾅ', '한', '✓', '❤️'].map(widthOf)).toEqual([
      3, 4, 1, 2, 2, 2, 2, 1, 2,
    ]);
    expect(wrap('漢字仮名交じり文章', 12)).toEqual(['漢字仮名交じ', 'り文章']);
    expect(fitInto('漢字仮名', 5)).toBe('漢字…');
  });

  it('of a list goes on below its first word', () => {
    expect(wrap('- one two three four five', 16)).toEqual(['- one two three', '  four five']);
  });

  it('inside a fence keeps every character, and says where a line goes on', () => {
    const code = '```\n    if a:  return [1, 2, 3]\n```\nand so on it goes';
    expect(wrap(code, 16)).toEqual([
      '```',
      '    if a:  retur',
      '↪ n [1, 2, 3]',
      '```',
      'and so on it',
      'goes',
    ]);
  });

  it('of a call is broken without losing a blank', () => {
    const line = `  command: rm${' '.repeat(20)}-rf /`;
    expect(breakExactly(line, 16, '  ↪ ').join('').replaceAll('  ↪ ', '')).toBe(line);
  });

  it('numbers are grouped by thousands', () => {
    expect([7, 1000, 48363, 1234567].map(thousands)).toEqual(['7', '1,000', '48,363', '1,234,567']);
  });
});

describe('a call', () => {
  it('is written with its arguments, long ones cut outside their quotes', () => {
    expect(callText('write', { path: 'a.md', content: 'x\n'.repeat(200), deep: { a: [1] } })).toBe(
      'write(path="a.md", content="x"… (399 characters, 200 lines in all), deep={"a":[1]})',
    );
  });

  it('without arguments is a name', () => {
    expect(callText('now', {})).toBe('now()');
  });
});
