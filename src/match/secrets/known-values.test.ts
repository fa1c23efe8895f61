import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexValues } from './known-values.ts';
import { createRedactor } from './redactor.ts';

const VALUE = 'c0rp-S3ssion/Key+with=24.chars';
const redactor = createRedactor({ values: [{ name: 'env:CORP', value: VALUE }], usual: false });
const shown = (text: string) => redactor.redact(text, { mark: (rule) => `[${rule}]` }).text;

const base64 = (text: string) => Buffer.from(text).toString('base64');

const inHex = (mark: string, digits: number) =>
  Array.from(Buffer.from(VALUE), (code) => mark + code.toString(16).padStart(digits, '0')).join('');

describe('a known value', () => {
  it.each([
    ['as it is', VALUE],
    ['in JSON text', JSON.stringify(`"${VALUE}"`)],
    ['in hexadecimal', Buffer.from(VALUE).toString('hex')],
    ['in upper hexadecimal', Buffer.from(VALUE).toString('hex').toUpperCase()],
    ['in an address', encodeURIComponent(VALUE)],
    [
      'in an address, in small letters',
      encodeURIComponent(VALUE).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['in an address, every character', inHex('%', 2)],
    ['in JSON, with slashes that need no escape', VALUE.replaceAll('/', '\\/')],
    ['in JSON, every character', inHex('\\u', 4)],
    ['in code, every character', inHex('\\x', 2).toUpperCase().replaceAll('\\X', '\\x')],
    ['in base64', base64(VALUE)],
    ['in base64 behind one character', base64(`:${VALUE}`)],
    ['in base64 behind a user', base64(`ab:${VALUE}`)],
    ['in base64 between others', base64(`{"key":"${VALUE}","a":1}`)],
    ['in base64 for addresses', Buffer.from(`ab:${VALUE}`).toString('base64url')],
    ['reversed', [...VALUE].reverse().join('')],
    ['cut off after twenty characters', VALUE.slice(0, 20)],
    ['cut off later', VALUE.slice(0, 26)],
  ])('is taken out %s', (_, form) => {
    const text = shown(`before ${form} after`);
    expect(text).toMatch(/^before .*\[env:CORP\].* after$/);
    for (let at = 0; at + 12 <= VALUE.length; at++) expect(text).not.toContain(VALUE.slice(at, at + 12));
    expect(text.length).toBeLessThan(form.length + 14);
  });

  it('leaves no bits of it at the ends of base64', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const text = shown(base64(`${before}${VALUE}tail`));
      const kept = Buffer.from(text.replace('[env:CORP]', ''), 'base64').toString();
      expect(kept).not.toMatch(/c0|rs/);
    }
  });

  it('shorter than four characters is no secret, and shorter than eight has no other forms', () => {
    expect(indexValues([{ name: 'x', value: 'abc' }])).toBeNull();
    const short = createRedactor({ values: [{ name: 'x', value: 'abcd' }], usual: false });
    expect(short.redact('abcd dcba').text).toBe('[redacted] dcba');
  });

  it('that is part of another does not give the longer one away', () => {
    const both = createRedactor({
      values: [
        { name: 'a', value: 'token' },
        { name: 'b', value: 'token-abcdef' },
      ],
      usual: false,
    });
    expect(both.redact('x token-abcdef y token z').text).toBe('x [redacted] y [redacted] z');
  });

  it('keeps the beginning of an address, which says nothing', () => {
    const url = createRedactor({
      values: [{ name: 'a', value: 'https://hooks.acme.io/in/1234567890' }],
      usual: false,
    });
    expect(url.redact('https://hooks.acme.io/').text).toBe('https://hooks.acme.io/');
  });

  it('is gone from every text that holds it, and nothing else is', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 4, maxLength: 30, unit: 'binary' }),
        fc.string(),
        fc.string(),
        (value, before, after) => {
          const one = createRedactor({ values: [{ name: 'v', value }], usual: false });
          const { text, found } = one.redact(before + value + after, { mark: () => '' });
          expect(found.length).toBeGreaterThan(0);
          expect(found.every(({ start, end }) => start < end)).toBe(true);
          if (!(before + after).includes(value))
            expect(text.length).toBeLessThan((before + value + after).length);
        },
      ),
    );
  });
});
