import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { hiddenIn, visible } from './visible.ts';

describe('visible', () => {
  it.each([
    [
      'what a terminal obeys',
      'a\u001b[2Jb\u0007\r\u009b31m\u007f',
      'a\\u001b[2Jb\\u0007\\u000d\\u009b31m\\u007f',
    ],
    ['what changes direction', 'a\u202eb\u2066c\u061cd\u200fe', 'a\\u202eb\\u2066c\\u061cd\\u200fe'],
    ['what has no width', 'a\u200bb\u2060c\ufeffd\u00ade\u3164', 'a\\u200bb\\u2060c\\ufeffd\\u00ade\\u3164'],
    ['tags', `a${String.fromCodePoint(0xe0041)}b`, 'a\\udb40\\udc41b'],
    ['variation selectors on letters', 'a\ufe01b\ufe0f', 'a\\ufe01b\\ufe0f'],
    ['half characters', 'a\ud83db', 'a\\ud83db'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ])('escapes %s', (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(hiddenIn(text)).not.toEqual([]);
  });

  it.each(['plain\n\ttext', 'Grüße, 日本語, עברית, العربية', '👩‍👩‍👧 ❤️ 🏳️‍🌈', 'é (e\u0301)'])(
    'leaves %j as it is',
    (text) => {
      expect(visible(text)).toBe(text);
      expect(hiddenIn(text)).toEqual([]);
    },
  );

  it('escapes a joiner that joins no pictures', () => {
    expect(visible('a\u200db 👩\u200d')).toBe('a\\u200db 👩\\u200d');
  });

  it('leaves JSON the same data', () => {
    const data = { 'k\u202e': ['\u001b[31m', '\u009b\u200b\u{e0041}', '"\\ \n \t', '\ud800', '👩‍👩‍👧'] };
    const shown = visible(JSON.stringify(data));
    expect(JSON.parse(shown)).toEqual(data);
    expect(visible(shown)).toBe(shown);
  });

  it('names each hidden character once', () => {
    expect(hiddenIn('a\u202eb\u202ec\u200b')).toEqual(['U+202E', 'U+200B']);
  });

  it('is quick on long text', () => {
    const text = `${'é'.repeat(1_000_000)}\u202e`;
    const began = cpuTime();
    expect(visible(text).endsWith('\\u202e')).toBe(true);
    expect(cpuTime() - began).toBeLessThan(2000);
  });
});
