import { describe, expect, it } from 'vitest';
import { Thread } from '../run/thread.ts';
import { orderValues } from '../values/compare.ts';
import { Tuple } from '../values/list.ts';
import { Float, type Value } from '../values/value.ts';
import { rankOrder } from './rank-sort.ts';

let seed = 11;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % below;
};
const text = (letters: string): string =>
  Array.from({ length: random(9) }, () => letters[random(letters.length)]).join('');

/** Kinds of keys that have ranks, each made at random with many ties. */
const KINDS: readonly (readonly [string, () => Value])[] = [
  ['ints', () => random(50) - 25],
  ['large ints', () => Number.MAX_SAFE_INTEGER - random(5)],
  ['ints of every size', () => (random(2) - 0.5) * 2 * Math.floor(2 ** random(52) * 1.7)],
  ['floats and ints', () => (random(2) === 0 ? random(5) : new Float(random(9) / 2 - 1))],
  ['infinities and zeros', () => new Float([0, -0, Infinity, -Infinity][random(4)]!)],
  ['texts', () => text('ab')],
  ['texts that begin alike', () => `/usr/share/${text('abc/')}`],
  ['texts beyond Latin-1', () => text('aЙ世\u0000')],
  ['texts longer than a rank', () => text('ab').padEnd(random(20), 'c') + text('xy')],
  ['tuples', () => new Tuple([random(3), text('xy'), random(3)])],
];

/** Few keys are merged, many are sorted digit by digit. */
const LENGTHS = [...Array.from({ length: 40 }, () => 1 + random(60)), 511, 512, 2000];

describe('sorting by rank', () => {
  it.each(KINDS)('orders %s as comparing them does, stably, both ways', (_name, make) => {
    for (const length of LENGTHS) {
      const keys = Array.from({ length }, make);
      const positions = Array.from(keys.keys());
      const thread = new Thread();
      const upward = positions.toSorted((a, b) => orderValues(thread, keys[a]!, keys[b]!));
      const downward = positions.toSorted((a, b) => orderValues(thread, keys[b]!, keys[a]!));
      expect([...rankOrder(keys, false)!]).toEqual(upward);
      expect([...rankOrder(keys, true)!]).toEqual(downward);
    }
  });

  it.each<[string, Value[]]>([
    ['keys of several types', [1, 'a']],
    ['NaN', [1, new Float(Number.NaN)]],
    ['big ints', [1, 1n << 70n]],
    ['surrogates', ['a', '😀']],
    ['long texts', ['a', 'b'.repeat(100)]],
    ['tuples of different length', [new Tuple([1]), new Tuple([1, 2])]],
    ['None', [null, null]],
    ['booleans', [true, false]],
  ])('leaves %s to the comparison', (_name, keys) => {
    expect(rankOrder(keys, false)).toBeNull();
  });
});
