import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toArray } from '../run/iterate.ts';
import { equal, index, isIn, slice, truth } from '../run/operators.ts';
import { Thread } from '../run/thread.ts';
import { Range } from './range.ts';
import { repr } from './repr.ts';
import { Float } from './value.ts';

const thread = new Thread();
const small = fc.integer({ min: -8, max: 8 });
const step = small.filter((n) => n !== 0);

function naive(start: number, stop: number, by: number): number[] {
  const out: number[] = [];
  for (let i = start; by > 0 ? i < stop : i > stop; i += by) out.push(i);
  return out;
}

describe('range', () => {
  it('is the sequence it stands for', () => {
    fc.assert(
      fc.property(small, small, step, small, (start, stop, by, item) => {
        const range = Range.of(start, stop, by);
        const items = naive(start, stop, by);
        expect(toArray(thread, range)).toEqual(items);
        expect(range.length).toBe(items.length);
        expect(truth(range)).toBe(items.length > 0);
        expect(isIn(thread, item, range)).toBe(items.includes(item));
        expect(isIn(thread, new Float(item), range)).toBe(items.includes(item));
        items.forEach((each, i) => {
          expect(index(thread, range, i)).toBe(each);
        });
      }),
    );
  });

  it('equals another range when their elements are the same', () => {
    fc.assert(
      fc.property(small, small, step, small, small, step, (a, b, c, d, e, f) => {
        const same = JSON.stringify(naive(a, b, c)) === JSON.stringify(naive(d, e, f));
        expect(equal(thread, Range.of(a, b, c), Range.of(d, e, f))).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });

  it('costs nothing however long it is', () => {
    const huge = Range.of(0, 2 ** 53 - 1, 1);
    expect(huge.length).toBe(2 ** 53 - 1);
    expect(index(thread, huge, -1)).toBe(2 ** 53 - 2);
    expect(isIn(thread, 2 ** 52 + 1, huge)).toBe(true);
    expect(isIn(thread, 2n ** 60n, huge)).toBe(false);
    expect(repr(slice(thread, huge, 10, null, -3))).toBe('range(10, -2, -3)');
    expect(() => toArray(new Thread({ limits: { steps: 1000 } }), huge)).toThrow('step limit');
    expect(() => toArray(new Thread({ limits: { memory: 1000 } }), huge)).toThrow('memory limit');
  });

  it('prints as it would be written', () => {
    expect(repr(Range.of(0, 10, 1))).toBe('range(10)');
    expect(repr(Range.of(1, 10, 1))).toBe('range(1, 10)');
    expect(repr(Range.of(0, 10, -1))).toBe('range(0, 10, -1)');
  });

  it('explains what it cannot be', () => {
    expect(() => Range.of(0, 1n << 64n, 1)).toThrow(
      '18446744073709551616 out of range (want value in signed 54-bit',
    );
    expect(() => Range.of(0, 1, 0)).toThrow('step argument must not be zero');
    expect(() => Range.of(-(2 ** 53 - 1), 2 ** 53 - 1, 1)).toThrow('too many elements');
    expect(() => isIn(thread, true, Range.of(0, 1, 1))).toThrow('requires integer as left operand, not bool');
    expect(() => index(thread, Range.of(0, 0, 1), 0)).toThrow('index 0 out of range: empty range');
  });
});
