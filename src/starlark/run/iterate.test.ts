import { describe, expect, it } from 'vitest';
import { Dict } from '../values/dict.ts';
import { List, Tuple } from '../values/list.ts';
import { Range } from '../values/range.ts';
import { StarSet } from '../values/set.ts';
import { type Cursor, StarObject, type Value } from '../values/value.ts';
import { iterate, some, toArray, unpack } from './iterate.ts';
import { Thread } from './thread.ts';

const thread = new Thread();

/** 0, 1, 2, … without end. */
class Naturals extends StarObject {
  readonly type = 'naturals';
  closed = 0;
  override writeRepr(): void {}
  override cursor(): Cursor {
    let n = 0;
    return { next: () => n++, close: () => void this.closed++ };
  }
}

describe('iteration', () => {
  it('yields the elements of every iterable, dicts their keys', () => {
    expect(toArray(thread, new List([1, null]))).toEqual([1, null]);
    expect(toArray(thread, new Tuple([1]))).toEqual([1]);
    expect(toArray(thread, new Range(3, 0, -1))).toEqual([3, 2, 1]);
    expect(toArray(thread, Dict.of(thread, [['k', 1]]))).toEqual(['k']);
    expect(toArray(thread, StarSet.of(thread, ['a', 'b']))).toEqual(['a', 'b']);
  });

  it('refuses what is not iterable, strings included', () => {
    expect(() => iterate(thread, 'abc')).toThrow('string value is not iterable');
    expect(() => iterate(thread, null)).toThrow('NoneType value is not iterable');
  });

  it('locks a container until it is closed', () => {
    for (const value of [new List([1]), Dict.of(thread, [[1, 1]]), StarSet.of(thread, [1])]) {
      const first = iterate(thread, value);
      const second = iterate(thread, value);
      expect(value.locks).toBe(2);
      first.close();
      first.close();
      expect(value.locks).toBe(1);
      second.close();
      expect(value.locks).toBe(0);
    }
  });

  it('unlocks when the limit stops it', () => {
    const dict = Dict.of(
      thread,
      Array.from({ length: 100 }, (_, i) => [i, i] as [Value, Value]),
    );
    expect(() => toArray(new Thread({ limits: { steps: 10 } }), dict)).toThrow('step limit');
    expect(dict.locks).toBe(0);
    expect(() =>
      some(thread, dict, () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(dict.locks).toBe(0);
  });

  it('of something endless is stopped by its limits', () => {
    const naturals = new Naturals();
    expect(() => toArray(new Thread({ limits: { memory: 10_000 } }), naturals)).toThrow('memory limit');
    expect(naturals.closed).toBe(1);
    expect(some(thread, naturals, (n) => n === 10)).toBe(true);
    expect(naturals.closed).toBe(2);
  });
});

describe('unpacking', () => {
  it('wants exactly as many elements as there are targets', () => {
    expect(unpack(thread, new Tuple([1, 2]), 2)).toEqual([1, 2]);
    expect(unpack(thread, new Range(0, 2, 1), 2)).toEqual([0, 1]);
    expect(() => unpack(thread, new List([1, 2, 3]), 2)).toThrow('too many values to unpack (got 3, want 2)');
    expect(() => unpack(thread, new List([1]), 2)).toThrow('too few values to unpack (got 1, want 2)');
    expect(() => unpack(thread, new Naturals(), 2)).toThrow('too many values to unpack');
    expect(() => unpack(thread, 1, 2)).toThrow('got int in sequence assignment');
    expect(() => unpack(thread, 'ab', 2)).toThrow('got string in sequence assignment');
  });
});
