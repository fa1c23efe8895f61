import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashable } from '../../../test/support/arbitrary-values.ts';
import { Thread } from '../run/thread.ts';
import { Dict } from './dict.ts';
import { List, Tuple } from './list.ts';
import { StarSet } from './set.ts';
import { Float, type Value } from './value.ts';

const thread = new Thread();

describe('tuples as keys', () => {
  it('are one key where their parts are one key', () => {
    const dict = new Dict();
    dict.set(thread, new Tuple([1, 'a', new Tuple([null])]), 'first');
    expect(dict.get(new Tuple([new Float(1), 'a', new Tuple([null])]))).toBe('first');
    expect(dict.get(new Tuple([true, 'a', new Tuple([null])]))).toBeUndefined();
    dict.set(thread, new Tuple([new Float(Number.NaN)]), 'nan');
    expect(dict.get(new Tuple([new Float(Number.NaN)]))).toBe('nan');
    expect(() => dict.get(new Tuple([new List([])]))).toThrow('unhashable type: list');
  });

  it('come, go and come again as every other key does', () => {
    const part = fc.oneof(fc.integer({ min: 0, max: 5 }), hashable);
    const keys = fc.array(fc.tuple(fc.array(part, { maxLength: 2 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(keys, (steps) => {
        const [dict, set] = [new Dict(), new StarSet()];
        // The same keys as frozen lists, which are told apart by an encoding of all that is in them.
        const wanted = new Dict();
        for (const [parts, adds] of steps) {
          const [key, plain] = [new Tuple(parts as Value[]), new List(parts as Value[])];
          plain.frozen = true;
          if (adds) {
            dict.set(thread, key, parts.length);
            set.add(thread, key);
            wanted.set(thread, plain, parts.length);
          } else {
            expect(dict.delete(thread, key)).toBe(wanted.delete(thread, plain));
            set.delete(thread, key);
          }
          expect([dict.size, set.size, dict.copy(thread).size]).toEqual(Array(3).fill(wanted.size));
          expect([dict.has(key), set.has(key), dict.copy(thread).has(key)]).toEqual(Array(3).fill(adds));
        }
        const items = dict.keys().map((key) => (key as Tuple).items);
        expect(items).toEqual(wanted.keys().map((key) => (key as List).items));
        expect(set.items().map((key) => (key as Tuple).items)).toEqual(items);
      }),
      { numRuns: 60 },
    );
  });

  it('that were made to collide cost steps for each look at another', () => {
    const account = new Thread();
    const dict = new Dict();
    const key = (i: number) => new Tuple([`${'a'.repeat(64)}${i}`.padEnd(4096, 'a')]);
    for (let i = 100; i < 400; i++) dict.set(account, key(i), i);
    expect(dict.size).toBe(300);
    expect(account.steps).toBeGreaterThan((300 * 299) / 2);
  });

  it('share their parts for nothing', () => {
    let value: Value = 1;
    for (let i = 0; i < 60; i++) value = new Tuple([value, value]);
    const account = new Thread({ limits: { steps: 1000 } });
    const dict = new Dict();
    dict.set(account, value, 'there');
    expect(dict.get(value, account)).toBe('there');
    let other: Value = 1;
    for (let i = 0; i < 60; i++) other = new Tuple([other, other]);
    expect(() => dict.get(other, account)).toThrow('step limit');
  });
});
