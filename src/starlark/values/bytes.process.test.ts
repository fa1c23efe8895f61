import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, compare, equal, index, isIn, mul, slice } from '../run/operators.ts';
import { Thread } from '../run/thread.ts';
import { Bytes } from './bytes.ts';
import { Dict } from './dict.ts';
import { repr, str } from './repr.ts';

const thread = new Thread();
const bytes = (...data: number[]): Bytes => new Bytes(Uint8Array.from(data));

describe('bytes', () => {
  it('decode what they encode, except lone surrogates', () => {
    expect(str(Bytes.encode('a\ud800b'))).toBe('a\ufffdb');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(str(Bytes.encode(text))).toBe(text);
      }),
    );
  });

  it('decode every byte that is no part of valid UTF-8 as one U+FFFD', () => {
    expect(str(bytes(0x61, 0xe7, 0x95))).toBe('a\ufffd\ufffd');
    expect(str(bytes(0xed, 0xb0, 0x80))).toBe('\ufffd\ufffd\ufffd');
    expect(str(bytes(0xf0, 0x9f, 0x98, 0x80, 0xff))).toBe('\u{1f600}\ufffd');
    expect(str(bytes(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  it('show valid text as text and the rest in hexadecimal', () => {
    expect(repr(Bytes.encode('hi "世"\t\x7f\u200d'))).toBe('b"hi \\"世\\"\\t\\x7f\\u200d"');
    expect(repr(bytes(0x41, 0xe7, 0x95, 0xff))).toBe('b"A\\xe7\\x95\\xff"');
  });

  it('are ordered, equal and hashed by their contents, and are no strings', () => {
    expect(compare(thread, '<', bytes(0x7f), bytes(0x80))).toBe(true);
    expect(compare(thread, '<', bytes(1), bytes(1, 0))).toBe(true);
    expect(equal(thread, bytes(1, 2), bytes(1, 2))).toBe(true);
    expect(equal(thread, Bytes.encode('a'), 'a')).toBe(false);
    const dict = Dict.of(thread, [[Bytes.encode('a'), 1]]);
    expect(dict.get(Bytes.encode('a'))).toBe(1);
    expect(dict.get('a')).toBeUndefined();
  });

  it('index to ints, slice to bytes, join and repeat', () => {
    const good = Bytes.encode('goodbye');
    expect(index(thread, good, 0)).toBe(103);
    expect(str(slice(thread, good, null, null, 2))).toBe('gobe');
    expect(str(slice(thread, good, 4, null, null))).toBe('bye');
    expect(str(add(thread, good, bytes(33)))).toBe('goodbye!');
    expect(str(mul(thread, 3, bytes(0x61, 0x62)))).toBe('ababab');
    expect(str(mul(thread, good, 0))).toBe('');
  });

  it('contain bytes and ints', () => {
    const good = Bytes.encode('goodbye');
    expect(isIn(thread, Bytes.encode('db'), good)).toBe(true);
    expect(isIn(thread, Bytes.encode('bd'), good)).toBe(false);
    expect(isIn(thread, 98, good)).toBe(true);
    expect(() => isIn(thread, 256, good)).toThrow('int in bytes: 256 out of range');
    expect(() => isIn(thread, 'g', good)).toThrow('requires bytes or int as left operand, not string');
  });

  it('are charged before they are made', () => {
    const limited = new Thread({ limits: { memory: 1000 } });
    expect(() => mul(limited, bytes(1), 10_000)).toThrow('memory limit');
  });
});
