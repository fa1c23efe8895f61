import { describe, expect, it } from 'vitest';
import { findHidden, nameSpans } from './hidden-text.ts';

const shown = (text: string) =>
  findHidden(text).map(({ start, end }) =>
    nameSpans(text.slice(start, end), [{ start: 0, end: end - start }]),
  );
const tags = (text: string) =>
  [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
const selectors = (bytes: number[]) => bytes.map((byte) => String.fromCodePoint(0xe0100 + byte)).join('');

describe('[S35] hidden text', () => {
  it.each([
    ['tags', `A page.${tags('hi')}`, ['[hidden: U+E0068 U+E0069]']],
    [
      'many tags, of which some are named',
      tags('obey me'),
      ['[hidden: U+E006F U+E0062 U+E0065 U+E0079 and 3 more]'],
    ],
    [
      'tags behind a black flag that are no region',
      `\u{1f3f4}${tags('delete it')}`,
      [expect.stringContaining('and 5 more')],
    ],
    ['an override of the direction', 'access = "user\u202e // admin"', ['[hidden: U+202E]']],
    ['an isolate that its line does not close', 'a \u2066 b\nc', ['[hidden: U+2066]']],
    ['an embedding that another kind does not close', 'a \u202a b \u2069', ['[hidden: U+202A]']],
    ['a run of zero-width characters', 'a\u200b\u200c\u200bb', ['[hidden: U+200B U+200C U+200B]']],
    [
      'spaces of no width around single letters',
      'o\u200bb\u200bey',
      ['[hidden: U+200B]', '[hidden: U+200B]'],
    ],
    ['a joiner inside of an English word', 'pass\u200dword', ['[hidden: U+200D]']],
    [
      'bytes as selectors behind an emoji',
      `😀${selectors([9, 4, 7])}`,
      ['[hidden: U+E0109 U+E0104 U+E0107]'],
    ],
    ['selectors and joiners in turn', 'x \ufe00\u200d\ufe01\u200d y', [expect.stringContaining('U+FE00')]],
    ['soft hyphens in a row', 'a\u00ad\u00ad\u00adb', ['[hidden: U+00AD U+00AD U+00AD]']],
    ['joiners of graphemes in a word', 'i\u034fgn', ['[hidden: U+034F]']],
    ['many marks of direction', 'a\u200e\u200f\u200e\u200fb', [expect.stringContaining('U+200E')]],
    [
      'an annotation between the lines',
      'a\ufff9b\ufffac\ufffb',
      expect.arrayContaining(['[hidden: U+FFF9]']),
    ],
    ['signs of notes that nothing shows', 'a\u{1d173}\u{1d174}b', ['[hidden: U+1D173 U+1D174]']],
    ['letters without a shape', 'a\u115f\u1160b', ['[hidden: U+115F U+1160]']],
    ['two places', `a\u202eb${tags('c')}`, ['[hidden: U+202E]', '[hidden: U+E0063]']],
  ])('is %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    ['colours of a terminal and Windows line ends', '\u001b[31mred\u001b[0m\r\n\tnext'],
    ['emoji of several characters', '👩‍💻 ❤️‍🔥 🏳️‍🌈 🧔🏻‍♂️ 🏃‍♀️‍➡️ 1️⃣ ✔️'],
    ['flags of regions', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['Persian with its joiners', 'می‌خواهم جست‌وجوی متن'],
    ['Hebrew with a mark of direction', 'שלום (1)\u200f, עולם'],
    ['a value in isolates', 'from \u2068Ada\u2069 to \u2068Bob\u2069'],
    ['a byte order mark', '\ufeff{"a": 1}'],
    ['Thai with places to break', 'ภาษา\u200bไทย\u200bง่าย'],
    ['Mongolian with its selector', 'ᠮᠣᠩᠭᠣᠯ\u180b'],
    ['drawings in braille', '⠀⠀⠀⣿⠀⠀'],
    ['one place to break a long word', 'https://example.com/\u200bpath'],
    ['a soft hyphen and spaces of print', 'Donau\u00addampf 10\u202fkm\u00a0'],
    ['an ideograph with its variant', '葛\u{e0100}城'],
  ])('is not %s', (_, text) => {
    expect(shown(text)).toEqual([]);
  });

  it('is found in time linear in the text', () => {
    const turned = '\u2066'.repeat(200_000);
    expect(findHidden(turned)).toHaveLength(200_000);
    expect(findHidden(`${'\u200d👩'.repeat(100_000)}`).length).toBe(0);
    expect(findHidden('\ufe0f'.repeat(1_000_000))).toHaveLength(1);
  });
});
