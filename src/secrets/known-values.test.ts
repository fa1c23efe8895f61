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

const hex = Buffer.from(VALUE).toString('hex');
const pairs = (separator: string) => hex.match(/../g)!.join(separator);
/** As `xxd` shows it, from the middle of a line on. */
const dump = () => {
  const bytes = Buffer.from(`some text ${VALUE} and more`);
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, line) => {
    const part = bytes.subarray(line * 16, line * 16 + 16);
    const shown = part
      .toString('hex')
      .replace(/(.{4})(?=.)/g, '$1 ')
      .padEnd(39);
    return `${(line * 16).toString(16).padStart(8, '0')}: ${shown}  ${part.toString('latin1')}`;
  }).join('\n');
};
const wrapped = (text: string, columns: number, end = '\n') =>
  text.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), `$&${end}`);

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
    ['in hexadecimal, byte by byte', pairs(' ')],
    ['in hexadecimal, with colons', pairs(':').toUpperCase()],
    ['in hexadecimal, as numbers of code', `0x${pairs(', 0x')}`],
    ['in hexadecimal, with line breaks', wrapped(hex, 20)],
    ['in base64 with line breaks', wrapped(base64(VALUE), 8)],
    ['in base64 with a line break at once', wrapped(`text ${base64(VALUE)}`, 7)],
    ['in base64 with line breaks, in JSON', wrapped(base64(`"key":"${VALUE}"`), 12, '\\n')],
    ['in base64 of base64', base64(base64(VALUE))],
    ['in base64 of base64 between others', base64(`x ${base64(`ab:${VALUE}`)} y`)],
    ['in base64 of base64 with line breaks', wrapped(base64(base64(VALUE)), 16)],
    ['in base64 of hexadecimal', base64(hex)],
    ['in hexadecimal of base64', Buffer.from(base64(VALUE)).toString('hex')],
    [
      'in base64, in an address',
      encodeURIComponent(Buffer.from(`\u00ff\u00fe?>${VALUE}??>>`).toString('base64')),
    ],
    ['in base64 of what is escaped for an address', base64(encodeURIComponent(VALUE))],
    ['reversed', [...VALUE].reverse().join('')],
    ['cut off after twenty characters', VALUE.slice(0, 20)],
    ['cut off later', VALUE.slice(0, 26)],
  ])('is taken out %s', (_, form) => {
    const text = shown(`before ${form} after`);
    expect(text).toMatch(/^before .*\[env:CORP\].* after$/);
    for (let at = 0; at + 12 <= VALUE.length; at++) expect(text).not.toContain(VALUE.slice(at, at + 12));
    expect(text.length).toBeLessThan(form.length + 14);
  });

  it('is taken out of a dump with the letters beside it', () => {
    const text = shown(dump());
    expect(text).toContain('[env:CORP]');
    const left = text.replaceAll('[env:CORP]', '').replace(/\s/g, '');
    for (let at = 0; at + 6 <= VALUE.length; at++) expect(left).not.toContain(VALUE.slice(at, at + 6));
    for (let at = 0; at + 12 <= hex.length; at += 2) expect(left).not.toContain(hex.slice(at, at + 12));
  });

  it.each([
    ['half of it in hexadecimal', pairs(' ').slice(0, 40)],
    ['in hexadecimal with words between', pairs(' and ')],
    ['other bytes', pairs(' ').replace('63 30', '63 31')],
  ])('is not seen in what is not one: %s', (_, text) => {
    expect(shown(text)).toBe(text);
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
