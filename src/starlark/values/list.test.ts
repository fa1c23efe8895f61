import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { index, isIn, setIndex, slice } from '../run/operators.ts';
import { Thread } from '../run/thread.ts';
import { freeze } from './freeze.ts';
import { List, Tuple } from './list.ts';
import { Range } from './range.ts';
import { repr } from './repr.ts';
import type { Value } from './value.ts';

const thread = new Thread();
const letters = (text: string): List => new List([...text]);

/** Slicing as the specification words it, one index at a time. */
function naiveSlice(items: readonly Value[], low: Value, high: Value, step: Value): Value[] {
  const n = items.length;
  const by = step === null ? 1 : Number(step);
  const clamp = (i: Value, absent: number, min: number, max: number): number => {
    if (i === null) return absent;
    const at = Number(i) < 0 ? Number(i) + n : Number(i);
    return Math.min(max, Math.max(min, at));
  };
  const out: Value[] = [];
  if (by > 0) {
    for (let i = clamp(low, 0, 0, n); i < clamp(high, n, 0, n); i += by) out.push(items[i]!);
  } else {
    for (let i = clamp(low, n - 1, -1, n - 1); i > clamp(high, -1, -1, n - 1); i += by) out.push(items[i]!);
  }
  return out;
}

describe('sequences', () => {
  const bound = fc.option(fc.integer({ min: -9, max: 9 }), { nil: null });
  const stride = fc.option(
    fc.integer({ min: -4, max: 4 }).filter((n) => n !== 0),
    { nil: null },
  );

  it('slice alike, whatever their type', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7 }), bound, bound, stride, (n, low, high, step) => {
        const text = 'abcdefg'.slice(0, n);
        const wanted = naiveSlice([...text], low, high, step);
        expect(slice(thread, text, low, high, step)).toBe(wanted.join(''));
        expect((slice(thread, letters(text), low, high, step) as List).items).toEqual(wanted);
        expect((slice(thread, new Tuple([...text]), low, high, step) as Tuple).items).toEqual(wanted);
        const range = slice(thread, new Range(0, n, 1), low, high, step) as Range;
        const numbers = Array.from({ length: range.length }, (_, i) => range.at(i));
        expect(numbers.map((i) => text[i])).toEqual(wanted);
      }),
      { numRuns: 1000 },
    );
  });

  it('clamp slice bounds of any size', () => {
    expect(slice(thread, 'abc', -(10n ** 30n), 10n ** 30n, null)).toBe('abc');
    expect(slice(thread, 'abc', null, null, 10n ** 30n)).toBe('a');
    expect(repr(slice(thread, new Range(0, 9, 2), null, null, 10n ** 30n))).toBe('range(1)');
  });

  it('explain a bad slice or index', () => {
    expect(() => slice(thread, 'abc', null, null, 0)).toThrow('zero is not a valid slice step');
    expect(() => slice(thread, 'abc', 'x', null, null)).toThrow('invalid start index: got string, want int');
    expect(() => slice(thread, 'abc', null, true, null)).toThrow('invalid end index: got bool, want int');
    expect(() => slice(thread, 5, null, null, null)).toThrow('invalid slice operand int');
    expect(() => index(thread, letters('abc'), 3)).toThrow('list index 3 out of range [-3:2]');
    expect(() => index(thread, letters('abc'), -4)).toThrow('list index -4 out of range [-3:2]');
    expect(() => index(thread, new Tuple([]), 0)).toThrow('index 0 out of range: empty tuple');
    expect(() => index(thread, 'abc', '0')).toThrow('string index: got string, want int');
    expect(() => index(thread, 'abc', 2n ** 70n)).toThrow('out of range');
    expect(() => index(thread, null, 0)).toThrow('unhandled index operation NoneType[int]');
  });

  it('index from either end', () => {
    expect(index(thread, letters('abc'), -1)).toBe('c');
    expect(index(thread, new Tuple([1, 2]), 0)).toBe(1);
    expect(index(thread, 'abc', -3)).toBe('a');
  });
});

describe('list', () => {
  it('assigns to elements, unless iterated or frozen', () => {
    const list = letters('abc');
    setIndex(thread, list, -1, 'z');
    expect(repr(list)).toBe('["a", "b", "z"]');
    const cursor = list.cursor(thread);
    expect(() => setIndex(thread, list, 0, 1)).toThrow('cannot assign to element of list during iteration');
    cursor.close();
    freeze(list);
    expect(() => setIndex(thread, list, 0, 1)).toThrow('cannot assign to element of frozen list');
    expect(() => setIndex(thread, new Tuple([1]), 0, 1)).toThrow(
      'tuple value does not support item assignment',
    );
    expect(() => setIndex(thread, 'abc', 0, 'x')).toThrow('string value does not support item assignment');
  });

  it('can be extended by itself', () => {
    const list = letters('ab');
    list.extend(thread, 'extend', list.items);
    expect(list.items).toEqual(['a', 'b', 'a', 'b']);
  });

  it('finds members by equality', () => {
    expect(isIn(thread, new Tuple([1]), new List([0, new Tuple([1])]))).toBe(true);
    expect(isIn(thread, 'b', letters('abc'))).toBe(true);
    expect(isIn(thread, 'ab', letters('abc'))).toBe(false);
    expect(isIn(thread, true, new List([1]))).toBe(false);
  });

  it('charges what it compares: long strings of one length by their length', () => {
    const stepsFor = (length: number): number => {
      const counting = new Thread();
      const items = Array.from({ length: 100 }, (_, i) => 'x'.repeat(length) + (i % 10));
      expect(isIn(counting, `${'x'.repeat(length)}!`, new List(items))).toBe(false);
      return counting.steps;
    };
    expect(stepsFor(16_000)).toBeGreaterThan(100_000);
    expect(stepsFor(10)).toBe(100);
    const limited = new Thread({ limits: { steps: 1000 } });
    const other = 'y'.repeat(100_000);
    expect(() => isIn(limited, `${other}a`, new List([`${other}b`]))).toThrow('step limit');
  });

  it('is charged before it is built', () => {
    const limited = new Thread({ limits: { memory: 10_000 } });
    expect(() => new List([1, 2]).binary(limited, '*', 1e6, false)).toThrow('memory limit');
    expect(() => new List([1]).binary(thread, '*', 10 ** 12, false)).toThrow(
      'repeat count 1000000000000 too large',
    );
    expect(() => letters('abc').binary(thread, '*', 2 ** 30, false)).toThrow(
      'excessive repeat (3 * 1073741824 elements)',
    );
  });
});
