import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, latin1Of, plainLatin1, toBase64 } from './bytes.ts';
import { plainSha256, sha256Hex } from './sha256.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

describe('bytes without Node', () => {
  it('are the same text as with it, however many', () => {
    const long = Uint8Array.from({ length: 20_001 }, (_, i) => i % 256);
    for (const given of [long, long.subarray(7, 9000), new Uint8Array()])
      expect(plainLatin1(given)).toBe(latin1Of(given));
    fc.assert(fc.property(bytes, (given) => plainLatin1(given) === latin1Of(given)));
  });

  it('are base64 as Node writes and reads it, padded or not, in both alphabets', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const text = Buffer.from(given).toString('base64');
        expect(toBase64(given)).toBe(text);
        for (const written of [text, text.replace(/=/g, ''), Buffer.from(given).toString('base64url')])
          expect([...fromBase64(written)]).toEqual([...given]);
      }),
    );
    for (const odd of ['A', 'QUJDR', 'QQ=', '='])
      expect([...fromBase64(odd)]).toEqual([...Buffer.from(odd, 'base64')]);
  });

  it('have the digest that Node gives, for every length around a block and beyond ASCII', () => {
    const wanted = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
    for (let length = 0; length < 200; length++) {
      const text = 'ä€x'.repeat(length).slice(0, length);
      expect(plainSha256(text)).toBe(wanted(text));
    }
    const odd = `lone \ud800 ${'y'.repeat(100_000)}`;
    expect([plainSha256(odd), sha256Hex(odd)]).toEqual([wanted(odd), wanted(odd)]);
  });
});
