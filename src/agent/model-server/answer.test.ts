import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from './answer.ts';

describe('the pieces of a text', () => {
  it('make up the text, are few, and part no character', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ maxLength: 5000 }));
    fc.assert(
      fc.property(text, (whole) => {
        const pieces = piecesOf(whole);
        expect(pieces.join('')).toBe(whole);
        expect(pieces.length).toBeLessThanOrEqual(33);
        for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
      }),
    );
  });

  it.each(['', 'a'])('part no character that is two units long, after %j', (before) => {
    const text = before + '🙂'.repeat(200);
    for (const piece of piecesOf(text)) expect(Buffer.from(piece).toString()).toBe(piece);
    expect(piecesOf(text).join('')).toBe(text);
  });

  it('are several for a sentence, one for a word and none for nothing', () => {
    expect(piecesOf('a sentence that is longer than one piece').length).toBe(2);
    expect(piecesOf('word')).toEqual(['word']);
    expect(piecesOf('')).toEqual([]);
  });
});
