/**
 * How many columns of a terminal a text takes: wide letters and pictures take two, marks that sit on another letter none. What is
 * one picture or one letter for its reader is never taken apart.
 */

export interface Glyph {
  readonly text: string;
  readonly width: number;
}

const PLAIN = /^[\u0020-\u007e]*$/;

/** East Asian Wide and Fullwidth, as the Unicode standard lists them, and what is a coloured picture by itself. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
const NO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}]+$/u;

let segmenter: Intl.Segmenter | undefined;

export function glyphs(text: string): Glyph[] {
  if (PLAIN.test(text)) return Array.from(text, (char) => ({ text: char, width: 1 }));
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => ({
    text: segment,
    width: glyphWidth(segment),
  }));
}

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return glyphs(text).reduce((sum, { width }) => sum + width, 0);
}

/** The beginning of a text that fits; with a sign where that is not all. */
export function fitInto(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let left = width - 1;
  let shown = '';
  for (const glyph of glyphs(text)) {
    left -= glyph.width;
    if (left < 0) break;
    shown += glyph.text;
  }
  return width < 1 ? '' : `${shown}…`;
}

function glyphWidth(glyph: string): number {
  if (WIDE.test(glyph)) return 2;
  return NO_WIDTH.test(glyph) ? 0 : 1;
}
