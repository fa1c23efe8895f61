import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Thread } from '../run/thread.ts';
import { Bytes } from './bytes.ts';
import { Dict } from './dict.ts';
import { equal } from './equal.ts';
import { wrapJson } from './json-view.ts';
import { List, Tuple } from './list.ts';
import { repr } from './repr.ts';
import { Struct } from './struct.ts';
import { toJson } from './to-json.ts';
import { Float, type Value } from './value.ts';

const thread = new Thread();

/** The same data built up eagerly, to compare a view with. */
function eager(json: unknown): Value {
  if (Array.isArray(json)) return new List(json.map(eager));
  if (typeof json === 'object' && json !== null) {
    return Dict.of(
      thread,
      Object.keys(json).map((key) => [key, eager((json as Record<string, unknown>)[key])]),
    );
  }
  return wrapJson(json);
}

describe('a view over parsed JSON', () => {
  it('is equal to the same data built by hand, whichever was read first', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const parsed: unknown = JSON.parse(JSON.stringify(json));
        expect(equal(thread, wrapJson(parsed), eager(parsed))).toBe(true);
        expect(repr(wrapJson(parsed))).toBe(repr(eager(parsed)));
      }),
    );
  });

  it('turns numbers into ints where they are whole, however large', () => {
    expect(wrapJson(3)).toBe(3);
    expect(Object.is(wrapJson(-0), 0)).toBe(true);
    expect(wrapJson(2 ** 60)).toBe(2n ** 60n);
    expect(wrapJson(10n)).toBe(10);
    expect(wrapJson(1.5)).toEqual(new Float(1.5));
    expect(wrapJson(undefined)).toBe(null);
  });

  it('sees own properties only', () => {
    const dict = wrapJson(JSON.parse('{"__proto__": {"x": 1}, "a": 1}')) as Dict;
    expect(repr(dict.get('__proto__')!)).toBe('{"x": 1}');
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'x']) {
      expect(dict.get(name)).toBeUndefined();
      expect(dict.has(name)).toBe(false);
    }
    expect(dict.get(1)).toBeUndefined();
    expect(() => dict.get(new List([]))).toThrow('unhashable');
    expect(dict.size).toBe(2);
    expect(dict.keys()).toEqual(['__proto__', 'a']);
  });

  it('reads nothing but what is asked for', () => {
    const touched: string[] = [];
    const source = new Proxy(
      { a: { deep: 1 }, b: [1, 2], c: 3 },
      {
        get(target, key, receiver) {
          touched.push(String(key));
          return Reflect.get(target, key, receiver);
        },
      },
    );
    const dict = Dict.view(source);
    expect((dict.get('a') as Dict).get('deep')).toBe(1);
    expect(dict.size).toBe(3);
    expect(dict.keys()).toEqual(['a', 'b', 'c']);
    expect(touched).toEqual(['a']);
    expect(dict.get('a')).toBe(dict.get('a'));
  });

  it('is frozen', () => {
    const dict = wrapJson({ list: [1] }) as Dict;
    expect(() => dict.set(thread, 'x', 1)).toThrow('cannot insert into frozen hash table');
    const list = dict.get('list') as List;
    expect(() => list.mutable('append to')).toThrow('cannot append to frozen list');
    expect(list.items).toEqual([1]);
    expect(() => list.mutable('append to')).toThrow('cannot append to frozen list');
  });

  it('copies into a dict that can change', () => {
    const dict = wrapJson({ a: 1 }) as Dict;
    const copy = dict.copy(thread);
    copy.set(thread, 'b', 2);
    expect(repr(copy)).toBe('{"a": 1, "b": 2}');
    expect(repr(dict)).toBe('{"a": 1}');
  });

  it('reads a getter only when a script reads its key', () => {
    let reads = 0;
    const source = Object.defineProperty({ a: 1 }, 'text', {
      get: () => `read ${++reads}`,
      enumerable: true,
    });
    const dict = wrapJson(source) as Dict;
    expect(dict.get('a')).toBe(1);
    expect(dict.keys()).toEqual(['a', 'text']);
    expect(reads).toBe(0);
    expect(dict.get('text')).toBe('read 1');
  });

  it('lets no other object of the host through', () => {
    for (const leak of [() => 1, Symbol('x'), new Date(), new Map(), /x/, Promise.resolve()]) {
      expect(() => wrapJson(leak)).toThrow('cannot convert a host');
      expect(() => (wrapJson([leak]) as List).at(0)).toThrow('cannot convert a host');
    }
  });
});

describe('toJson', () => {
  it('is the inverse of wrapJson', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (json) => {
        const parsed: unknown = JSON.parse(JSON.stringify(json));
        expect(toJson(eager(parsed))).toEqual(parsed);
        expect(toJson(wrapJson(parsed))).toEqual(parsed);
      }),
    );
  });

  it('gives back the very object of a view, read or not', () => {
    const source = { a: [1, { b: 2 }] };
    const dict = wrapJson(source) as Dict;
    repr(dict);
    expect(toJson(dict)).toBe(source);
    expect((toJson(new List([dict.get('a')!])) as unknown[])[0]).toBe(source.a);
  });

  it('writes tuples as arrays and structs as objects', () => {
    const value = new Tuple([1, new Struct([['b', new Tuple([])]])]);
    expect(toJson(value)).toEqual([1, { b: [] }]);
  });

  it('keeps __proto__ as data', () => {
    const json = toJson(Dict.of(thread, [['__proto__', 1]])) as object;
    expect(Object.keys(json)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  });

  it('passes large ints only where a JSON number is exact', () => {
    expect(toJson(2n ** 60n)).toBe(2 ** 60);
    expect(() => toJson(2n ** 60n + 1n)).toThrow('int too large for an exact JSON number');
    expect(() => toJson(2n ** 5000n)).toThrow('int too large');
  });

  it.each([
    [Dict.of(thread, [['a', new List([1, Bytes.encode('x')])]]), 'bytes is not JSON (at $.a[1])'],
    [Dict.of(thread, [['a b', new Float(NaN)]]), 'float NaN is not JSON (at $["a b"])'],
    [Dict.of(thread, [[1, 2]]), 'dict key int is not a string (at $)'],
  ] as [Value, string][])('says where a value is that JSON does not have: case %#', (value, message) => {
    expect(() => toJson(value)).toThrow(`cannot convert to JSON: ${message}`);
  });

  it('survives cycles, depth and shared parts', () => {
    const cycle = new List([]);
    cycle.items.push(new Tuple([cycle]));
    expect(() => toJson(cycle)).toThrow('list contains itself (at $[0][0])');
    let deep: Value = new List([]);
    for (let i = 0; i < 100_000; i++) deep = new List([deep]);
    expect(() => toJson(deep)).toThrow(expect.objectContaining({ kind: 'depth' }));
    let bomb: Value = new List([]);
    for (let i = 0; i < 40; i++) bomb = new List([bomb, bomb]);
    expect(() => toJson(bomb, new Thread({ limits: { steps: 1000 } }))).toThrow('step limit');
    expect(() => toJson(bomb)).toThrow(expect.objectContaining({ kind: 'memory' }));
  });
});

describe('a view with more keys than its object', () => {
  const make = () => {
    let derived = 0;
    const more = () => ({ text: `${++derived}:more` });
    return { dict: Dict.view({ a: 1, b: { c: 2 } }, more), count: () => derived };
  };

  it('shows a further key in place of a key of the object', () => {
    const dict = Dict.view({ a: 1, b: 2 }, { a: 3 });
    expect(dict.get('a')).toBe(3);
    expect(toJson(dict)).toEqual({ a: 3, b: 2 });
    expect(dict.keys()).toEqual(['a', 'b']);
  });

  it('is not empty if only further keys are there', () => {
    expect(Dict.view({}, () => ({ a: 1 })).truth()).toBe(true);
    expect(Dict.view({}, () => ({})).truth()).toBe(false);
  });

  it('reads no getter of the object or of the further keys to show all of them', () => {
    const late = { enumerable: true, get: () => expect.unreachable() };
    const dict = Dict.view(Object.defineProperty({ a: 1 }, 'text', late), () =>
      Object.defineProperty({}, 'more', late),
    );
    expect(Object.keys(dict.source!)).toEqual(['a', 'text', 'more']);
    expect(dict.len()).toBe(3);
  });

  it('answers for the others without deriving it', () => {
    const { dict, count } = make();
    expect(dict.get('a')).toBe(1);
    expect(repr(dict.getItem(thread, 'b'))).toBe('{"c": 2}');
    expect(dict.has('b')).toBe(true);
    expect(count()).toBe(0);
  });

  it.each<[string, (dict: Dict) => unknown, unknown]>([
    ['get', (dict) => dict.get('text'), '1:more'],
    ['in', (dict) => dict.has('text'), true],
    ['a missing key', (dict) => dict.get('zzz'), undefined],
    ['len', (dict) => dict.len(), 3],
    ['keys', (dict) => dict.keys(), ['a', 'b', 'text']],
    ['repr', (dict) => repr(dict), '{"a": 1, "b": {"c": 2}, "text": "1:more"}'],
    ['toJson', (dict) => toJson(dict), { a: 1, b: { c: 2 }, text: '1:more' }],
  ])('has it for %s, derived once', (_, read, wanted) => {
    const { dict, count } = make();
    expect(read(dict)).toEqual(wanted);
    expect(dict.get('text')).toBe('1:more');
    expect(count()).toBe(1);
  });
});
