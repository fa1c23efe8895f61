import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  andInPlace,
  bitAnd,
  bitOr,
  bitXor,
  equal,
  orInPlace,
  sub,
  subInPlace,
  xorInPlace,
} from '../run/operators.ts';
import { Thread } from '../run/thread.ts';
import { freeze } from './freeze.ts';
import { List } from './list.ts';
import { repr } from './repr.ts';
import { StarSet } from './set.ts';
import { Float, type Value } from './value.ts';

const thread = new Thread();
const setOf = (...items: Value[]): StarSet => StarSet.of(thread, items);

describe('set', () => {
  it('keeps the first of equal elements, in order', () => {
    expect(repr(setOf(3, 1, new Float(3), true, 1))).toBe('set([3, 1, True])');
  });

  const OPERATORS = [
    ['|', bitOr, orInPlace, (a: number[], b: number[]) => [...a, ...b.filter((x) => !a.includes(x))]],
    ['&', bitAnd, andInPlace, (a: number[], b: number[]) => a.filter((x) => b.includes(x))],
    ['-', sub, subInPlace, (a: number[], b: number[]) => a.filter((x) => !b.includes(x))],
    [
      '^',
      bitXor,
      xorInPlace,
      (a: number[], b: number[]) => [...a.filter((x) => !b.includes(x)), ...b.filter((x) => !a.includes(x))],
    ],
  ] as const;

  it.each(OPERATORS)(
    '%s orders left elements first, and its in-place form changes the left set',
    (_op, ours, into, naive) => {
      const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 6 });
      fc.assert(
        fc.property(numbers, numbers, (a, b) => {
          const left = setOf(...a);
          expect((ours(thread, left, setOf(...b)) as StarSet).items()).toEqual(naive(a, b));
          expect(left.items()).toEqual(a);
          expect(into(thread, left, setOf(...b))).toBe(left);
          expect(left.items()).toEqual(naive(a, b));
          const own = setOf(...a);
          into(thread, own, own);
          expect(own.items()).toEqual(naive(a, a));
        }),
      );
    },
  );

  it('behaves as a list searched one by one, whatever numbers are in it', () => {
    const near = fc.integer({ min: -2, max: 90 });
    const item = fc.oneof({ weight: 9, arbitrary: near }, fc.integer(), fc.constant('3'), fc.constant(true));
    const value = fc.oneof(
      { weight: 9, arbitrary: item },
      near.map((number) => new Float(number)),
    );
    const step = fc.tuple(fc.constantFrom('add', 'add', 'add', 'has', 'delete'), value);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const set = new StarSet();
        const naive: Value[] = [];
        for (const [what, each] of steps) {
          const at = naive.findIndex((other) => equal(thread, other, each));
          if (what === 'has') expect(set.has(each, thread)).toBe(at !== -1);
          else if (what === 'add') {
            set.add(thread, each);
            if (at === -1) naive.push(each);
          } else {
            expect(set.delete(thread, each)).toBe(at !== -1);
            if (at !== -1) naive.splice(at, 1);
          }
        }
        expect(set.items()).toEqual(naive);
        expect(set.copy(thread).union(thread, StarSet.of(thread, [1])).size).toBe(
          naive.length + (naive.some((each) => equal(thread, each, 1)) ? 0 : 1),
        );
      }),
    );
  });

  it('has operators only with other sets', () => {
    expect(() => bitOr(thread, setOf(1), new List([2]))).toThrow('unknown binary op: set | list');
    expect(() => orInPlace(thread, setOf(1), new List([2]))).toThrow('unknown binary op: set | list');
  });

  it('is equal whatever the order', () => {
    expect(equal(thread, setOf(1, 2), setOf(2, 1))).toBe(true);
    expect(equal(thread, setOf(1, 2), setOf(1, 3))).toBe(false);
    expect(equal(thread, setOf(1), new List([1]))).toBe(false);
  });

  it('pops from the front, and tells when it is empty', () => {
    const set = setOf('a', 'b');
    expect(set.pop()).toBe('a');
    expect(set.pop()).toBe('b');
    expect(set.pop()).toBeUndefined();
    set.add(thread, 'c');
    expect(set.pop()).toBe('c');
    const changed = setOf(1, 2, 3);
    changed.pop();
    andInPlace(thread, changed, setOf(3));
    expect(changed.pop()).toBe(3);
  });

  it('refuses even idle changes while iterated or frozen, except clearing what is empty', () => {
    const set = setOf(1);
    const cursor = set.cursor(thread);
    expect(() => set.add(thread, 1)).toThrow('cannot insert into hash table during iteration');
    expect(() => andInPlace(thread, set, setOf())).toThrow('cannot apply &= to hash table during iteration');
    cursor.close();
    freeze(set);
    expect(() => set.add(thread, 1)).toThrow('cannot insert into frozen hash table');
    expect(() => set.delete(thread, 9)).toThrow('cannot delete from frozen hash table');
    expect(() => set.clear()).toThrow('cannot clear frozen hash table');
    const empty = setOf();
    freeze(empty);
    empty.clear();
  });

  it('takes no unhashable element', () => {
    expect(() => setOf(new List([]))).toThrow('unhashable type: list');
  });
});
