import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyValue, hashable } from '../../../test/support/arbitrary-values.ts';
import { Thread } from '../run/thread.ts';
import { Bytes } from './bytes.ts';
import { compare, orderStrings, orderValues } from './compare.ts';
import { Dict } from './dict.ts';
import { equal } from './equal.ts';
import { freeze } from './freeze.ts';
import { hashBytes, hashKey, hashString } from './hash.ts';
import { List, Tuple } from './list.ts';
import { Range } from './range.ts';
import { StarSet } from './set.ts';
import { Float, StarObject, type Value } from './value.ts';

const thread = new Thread();

describe('equality', () => {
  it('is reflexive and symmetric, and survives a fresh copy', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(equal(thread, a, a)).toBe(true);
        expect(equal(thread, a, b)).toBe(equal(thread, b, a));
      }),
    );
  });

  it('agrees with keys: equal values are one key, unequal ones two', () => {
    fc.assert(
      fc.property(hashable, hashable, (a, b) => {
        expect(new Map([[hashKey(a), 0]]).has(hashKey(b))).toBe(equal(thread, a, b));
      }),
      { numRuns: 2000 },
    );
  });

  it('is exact between ints and floats', () => {
    expect(equal(thread, 1, new Float(1))).toBe(true);
    expect(equal(thread, 2n ** 53n + 1n, new Float(2 ** 53))).toBe(false);
    expect(equal(thread, new Float(2 ** 53), 2n ** 53n)).toBe(true);
    expect(equal(thread, new Float(Infinity), 2n ** 2000n)).toBe(false);
    expect(equal(thread, true, 1)).toBe(false);
    expect(equal(thread, new Float(NaN), new Float(NaN))).toBe(true);
  });

  it('of cyclic or very deep values ends in an error, not in a crash', () => {
    const cycle = new List([1]);
    cycle.items.push(cycle);
    expect(() => equal(thread, cycle, cycle)).toThrow('comparison exceeded maximum recursion depth');
    const nest = (depth: number): Value => (depth === 0 ? new List([]) : new List([nest(depth - 1)]));
    expect(equal(thread, nest(400), nest(400))).toBe(true);
    expect(() => equal(thread, nest(600), nest(600))).toThrow(expect.objectContaining({ kind: 'depth' }));
    expect(() => orderValues(thread, nest(600), nest(600))).toThrow(
      expect.objectContaining({ kind: 'depth' }),
    );
  });

  it('of values that share their parts is stopped by the step limit', () => {
    const bomb = (): Value => {
      let value: Value = new List([]);
      for (let i = 0; i < 40; i++) value = new List([value, value]);
      return value;
    };
    const limited = () => new Thread({ limits: { steps: 10_000 } });
    expect(() => equal(limited(), bomb(), bomb())).toThrow('step limit');
    expect(() => orderValues(limited(), bomb(), bomb())).toThrow('step limit');
  });

  it('charges the comparison of long strings, bytes and sets', () => {
    const long = (): string => 'a'.repeat(159_999).concat('a');
    const numbers = (): Value => StarSet.of(thread, Array.from({ length: 10_000 }).keys());
    for (const make of [long, () => Bytes.encode(long()), numbers]) {
      const account = new Thread();
      expect(equal(account, make(), make())).toBe(true);
      expect(account.steps).toBe(10_000);
    }
  });
});

describe('keys', () => {
  it('of lists, dicts and sets exist only once they are frozen', () => {
    const list = new List([1, 'a']);
    const dict = Dict.of(thread, [
      ['a', 1],
      ['b', 2],
    ]);
    const set = StarSet.of(thread, [1, 2]);
    expect(() => hashKey(list)).toThrow('unhashable type: list');
    expect(() => hashKey(dict)).toThrow('unhashable type: dict');
    expect(() => hashKey(set)).toThrow('unhashable type: set');
    expect(() => hashKey(new Tuple([list]))).toThrow('unhashable type: list');
    for (const value of [list, dict, set]) freeze(value);
    const reversed = Dict.of(thread, [
      ['b', 2],
      ['a', 1],
    ]);
    freeze(reversed);
    expect(hashKey(dict)).toBe(hashKey(reversed));
    expect(new Set([list, dict, set].map((value) => hashKey(value))).size).toBe(3);
  });

  it('of ranges do not exist', () => {
    expect(() => hashKey(new Range(0, 1, 1))).toThrow('unhashable: range');
  });

  it('of values that share their parts stay bounded, with or without limits', () => {
    let value: Value = new Tuple([]);
    for (let i = 0; i < 60; i++) value = new Tuple([value, value]);
    expect(() => hashKey(value)).toThrow(expect.objectContaining({ kind: 'memory' }));
    expect(() => hashKey(value, new Thread({ limits: { steps: 1000 } }))).toThrow('step limit');
  });

  it('of very deep tuples end in an error', () => {
    let value: Value = new Tuple([]);
    for (let i = 0; i < 10_000; i++) value = new Tuple([value]);
    expect(() => hashKey(value)).toThrow(expect.objectContaining({ kind: 'depth' }));
  });
});

describe('hash()', () => {
  it('of a string is the 32-bit polynomial over UTF-16', () => {
    expect(hashString('')).toBe(0);
    expect(hashString('hello')).toBe(99162322);
    expect(hashString('polygenelubricants')).toBe(-2147483648);
  });

  it('of bytes is FNV-1a', () => {
    expect(hashBytes(new Uint8Array())).toBe(0x811c9dc5);
    expect(hashBytes(new TextEncoder().encode('abc'))).toBe(0x1a47e90b);
  });
});

describe('order', () => {
  const sortable = fc.oneof(
    fc.oneof(
      fc.constantFrom<Value>(0, 1, -1, 2 ** 53 - 1, 2n ** 53n + 1n, -(2n ** 80n)),
      fc.constantFrom(0, 1.5, -Infinity, Infinity, NaN, 2 ** 53, 2 ** 80).map((x): Value => new Float(x)),
    ),
  );
  const tuples = fc.array(sortable, { maxLength: 3 }).map((items): Value => new Tuple(items));

  it.each([
    ['numbers', sortable],
    ['tuples', tuples],
    ['strings', fc.string({ unit: 'binary', maxLength: 3 }) as fc.Arbitrary<Value>],
  ])('of %s is total: antisymmetric, transitive, zero exactly where equal', (_what, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, arbitrary, arbitrary, (a, b, c) => {
        const sign = (x: Value, y: Value): number => Math.sign(orderValues(thread, x, y));
        expect(sign(a, b) + sign(b, a)).toBe(0);
        expect(sign(a, b) === 0).toBe(equal(thread, a, b));
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('of strings is that of their code points', () => {
    expect(orderStrings(thread, '\uffff', '\u{1f600}')).toBeLessThan(0);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(orderStrings(thread, a, b))).toBe(bytes);
      }),
    );
  });

  it('puts NaN above everything', () => {
    expect(compare(thread, '>', new Float(NaN), new Float(Infinity))).toBe(true);
    expect(compare(thread, '<', 2n ** 2000n, new Float(NaN))).toBe(true);
    expect(compare(thread, '>=', new Float(NaN), new Float(NaN))).toBe(true);
  });

  it('looks no further than the first difference, and equal parts need no order', () => {
    expect(compare(thread, '<', new Tuple([null, 1]), new Tuple([null, 2]))).toBe(true);
    expect(compare(thread, '<', new List([1, null]), new List([2, 'x']))).toBe(true);
    expect(compare(thread, '<', new List([1]), new List([1, 0]))).toBe(true);
  });

  it.each([
    [null, null, 'NoneType < NoneType not implemented'],
    [1, 'a', 'int < string not implemented'],
    [true, 1, 'bool < int not implemented'],
    [new Range(0, 1, 1), new Range(0, 1, 1), 'range < range not implemented'],
    [new StarSet(), new StarSet(), 'set < set not implemented'],
    [new Dict(), new Dict(), 'dict < dict not implemented'],
    [new List([]), new Tuple([]), 'list < tuple not implemented'],
    [new Tuple([null]), new Tuple([1]), 'NoneType < int not implemented'],
  ] as [Value, Value, string][])('of unlike values is an error: case %#', (a, b, message) => {
    expect(() => compare(thread, '<', a, b)).toThrow(message);
  });

  it('lets a host type take part', () => {
    class Version extends StarObject {
      readonly type = 'version';
      readonly n: number;
      constructor(n: number) {
        super();
        this.n = n;
      }
      override writeRepr(): void {}
      override order(other: StarObject): number | undefined {
        return other instanceof Version ? this.n - other.n : undefined;
      }
    }
    expect(compare(thread, '<', new Version(1), new Version(2))).toBe(true);
    expect(compare(thread, '>=', new Version(1), new Version(2))).toBe(false);
  });
});
