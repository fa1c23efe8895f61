import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, sameJson } from './json.ts';
import { jsonDifferences } from './json-difference.ts';

describe('differences of JSON', () => {
  it('are named by their path, with what stands on each side', () => {
    const left = { a: { b: 1, c: 2 }, d: 3, e: 4 };
    const right = { a: { b: 1, c: 5 }, e: 4, f: 6 };
    expect(jsonDifferences(left, right)).toEqual([
      { path: 'a.c', left: 2, right: 5 },
      { path: 'd', left: 3 },
      { path: 'f', right: 6 },
    ]);
    expect(jsonDifferences(1, 'x')).toEqual([{ path: '', left: 1, right: 'x' }]);
  });

  it('take a list as a whole, or go into it item by item', () => {
    const [left, right] = [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }, 4] }];
    expect(jsonDifferences(left, right).map(({ path }) => path)).toEqual(['a']);
    expect(jsonDifferences(left, right, { lists: true })).toEqual([
      { path: 'a[1].b', left: 2, right: 3 },
      { path: 'a[2]', right: 4 },
    ]);
  });

  it('end at the limit', () => {
    expect(jsonDifferences({ a: 1, b: 2 }, {}, { limit: 1 })).toHaveLength(1);
  });

  it('leave out what fits everything', () => {
    expect(jsonDifferences({ a: null, b: 1 }, { a: 2, b: 2 }, { fitsAll: (left) => left === null })).toEqual([
      { path: 'b', left: 1, right: 2 },
    ]);
  });

  it('do not see keys of the prototype', () => {
    expect(jsonDifferences({}, { constructor: 1 })).toEqual([{ path: 'constructor', right: 1 }]);
  });

  it('are none exactly if both are the same', () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, json, fc.boolean(), (left, right, lists) => {
        expect(jsonDifferences(left, right, { lists }).length === 0).toBe(sameJson(left, right));
        expect(jsonDifferences(left, structuredClone(left), { lists })).toEqual([]);
      }),
    );
  });
});

describe('equality of JSON', () => {
  it('does not depend on the order of keys, and does on that of items', () => {
    expect(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
    expect(sameJson([1, 2], [2, 1])).toBe(false);
    expect(sameJson([], {})).toBe(false);
  });

  it('takes a key without a value for an absent one, as JSON does', () => {
    expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(sameJson({ a: undefined }, { b: 1 })).toBe(false);
  });

  it('takes no key of the prototype for one of the object', () => {
    expect(sameJson({ toString: 1 }, { a: 1 })).toBe(false);
    expect(sameJson({ a: 1 }, JSON.parse('{"__proto__":{"a":1}}'))).toBe(false);
  });

  it('takes what writes itself for equal to itself only', () => {
    const date = new Date(0);
    expect(sameJson({ date }, { date })).toBe(true);
    expect(sameJson({ date }, { date: new Date(0) })).toBe(false);
    expect(sameJson({ toJSON: 1 }, { toJSON: 1 })).toBe(true);
  });
});
