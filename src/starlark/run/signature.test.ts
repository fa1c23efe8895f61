import { describe, expect, it } from 'vitest';
import { Dict } from '../values/dict.ts';
import { List } from '../values/list.ts';
import { repr } from '../values/repr.ts';
import type { Value } from '../values/value.ts';
import { invokeCallable } from './call.ts';
import {
  type Builtin,
  builtin,
  method,
  wantBool,
  wantCallable,
  wantDict,
  wantInt,
  wantItems,
  wantIterable,
  wantList,
  wantNumber,
  wantSmallInt,
  wantString,
} from './signature.ts';
import { Thread } from './thread.ts';

const thread = new Thread();

function call(fn: Builtin, args: Value[], kwargs: [string, Value][] = []): unknown {
  const names = kwargs.map(([name]) => name);
  return invokeCallable(
    thread,
    fn,
    [...args, ...kwargs.map(([, value]) => value)],
    names.length > 0 ? names : null,
  );
}

const seen: unknown[] = [];
const record = (...slots: unknown[]): null => {
  seen.splice(0, seen.length, ...slots);
  return null;
};

const sorted = builtin('sorted', 'iterable, /, *, key?, reverse=False', (_thread, iterable, key, reverse) =>
  record(iterable, key, reverse),
);
const replace = builtin('replace', 'old, new="x", /, count=-1, last=None', (_thread, a, b, c, d) =>
  record(a, b, c, d),
);
const spread = builtin('spread', 'first, *rest, key=None, **others', (_thread, first, rest, key, others) =>
  record(first, rest, key, others),
);
const variadic = builtin('zip', '*iterables', (_thread, iterables) => record(iterables));

describe('a built-in', () => {
  it('gets its arguments by position and by name, its defaults, and undefined for what is optional', () => {
    call(sorted, [1]);
    expect(seen).toEqual([1, undefined, false]);
    call(sorted, [1], [['reverse', true]]);
    expect(seen).toEqual([1, undefined, true]);
    call(replace, ['a']);
    expect(seen).toEqual(['a', 'x', -1, null]);
    call(replace, ['a', null, 3]);
    expect(seen).toEqual(['a', null, 3, null]);
    call(replace, ['a'], [['last', 7]]);
    expect(seen).toEqual(['a', 'x', -1, 7]);
  });

  it('gets the rest of its arguments', () => {
    call(spread, [1, 2, 3], [['z', 4]]);
    expect(seen).toEqual([1, [2, 3], null, new Map([['z', 4]])]);
    call(spread, [], [['first', 1]]);
    expect(seen).toEqual([1, [], null, new Map()]);
    call(variadic, []);
    expect(seen).toEqual([[]]);
  });

  it('tells call sites when a plain call needs no binding', () => {
    expect([sorted.minArgs, sorted.maxArgs]).toEqual([1, 1]);
    expect([replace.minArgs, replace.maxArgs]).toEqual([1, 4]);
    expect([spread.minArgs, spread.maxArgs]).toEqual([1, -1]);
    sorted.direct(thread, 5);
    expect(seen).toEqual([5, undefined, false]);
  });

  it.each([
    [sorted, [], [], 'sorted: missing argument for iterable'],
    [sorted, [1, 2], [], 'sorted: got 2 arguments, want 1'],
    [sorted, [1], [['kye', 1]], 'sorted: unexpected keyword argument "kye" (did you mean key?)'],
    [sorted, [1], [['iterable', 1]], 'sorted: unexpected keyword argument "iterable"'],
    [replace, ['a', 'b', 1], [['count', 2]], 'replace: got multiple values for keyword argument "count"'],
    [
      spread,
      [1],
      [
        ['z', 1],
        ['z', 2],
      ],
      'spread: duplicate keyword arg: "z"',
    ],
    [variadic, [], [['a', 1]], 'zip: does not accept keyword arguments'],
    [builtin('len', 'x, /', () => null), [], [['x', 1]], 'len: unexpected keyword arguments'],
    [builtin('len', 'x, /', () => null), [1, 2], [], 'len: got 2 arguments, want 1'],
    [builtin('now', '', () => null), [1], [], 'now: got 1 argument, want 0'],
  ] as [Builtin, Value[], [string, Value][], string][])('reports case %#', (fn, args, kwargs, message) => {
    expect(() => call(fn, args, kwargs)).toThrow(message);
  });

  it('prints as a built-in and counts impure calls', () => {
    expect(repr(sorted)).toBe('<built-in function sorted>');
    expect(sorted.pure).toBe(true);
    const now = builtin('now', '', () => 1, { pure: false });
    const other = new Thread();
    now.direct(other);
    now.invoke(other, [], null);
    expect(other.impureCalls).toBe(2);
  });
});

describe('a method', () => {
  const append = method('append', 'x, /, twice=False', (_thread, self: List, x, twice) => {
    self.items.push(x);
    if (twice === true) self.items.push(x);
    return null;
  });

  it('gets its receiver first', () => {
    const list = new List([]);
    append.direct(thread, list, 1);
    append.invoke(thread, list, [2, true], ['twice']);
    expect(list.items).toEqual([1, 2, 2]);
    expect([append.minArgs, append.maxArgs]).toEqual([1, 2]);
  });

  it('is a value once bound', () => {
    const list = new List([]);
    const bound = append.bind(list);
    invokeCallable(thread, bound, [1], null);
    invokeCallable(thread, bound, [2, true], ['twice']);
    expect(list.items).toEqual([1, 2, 2]);
    expect(repr(bound)).toBe('<built-in method append of list value>');
    expect(() => invokeCallable(thread, bound, [], null)).toThrow('append: missing argument for x');
  });
});

describe('what a parameter wants', () => {
  it.each([
    [() => wantInt('f', 'x', 'a'), 'f: for parameter x: got string, want int'],
    [() => wantSmallInt('f', 'x', 2n ** 70n), 'f: for parameter x: 1180591620717411303424 out of range'],
    [() => wantNumber('f', 'x', true), 'f: for parameter x: got bool, want int or float'],
    [() => wantString('f', 'x', null), 'f: for parameter x: got NoneType, want string'],
    [() => wantBool('f', 'x', 1), 'f: for parameter x: got int, want bool'],
    [() => wantList('f', 'x', new Dict()), 'f: for parameter x: got dict, want list'],
    [() => wantDict('f', 'x', new List([])), 'f: for parameter x: got list, want dict'],
    [() => wantCallable('f', 'x', null), 'f: for parameter x: got NoneType, want callable'],
    [() => wantIterable(thread, 'f', 'x', 'abc'), 'f: for parameter x: got string, want iterable'],
    [() => wantItems(thread, 'f', 'x', 5), 'f: for parameter x: got int, want iterable'],
  ])('is named in the error: case %#', (want, message) => {
    expect(want).toThrow(message);
  });

  it('comes back with its type known', () => {
    expect(wantInt('f', 'x', 2n ** 70n)).toBe(2n ** 70n);
    expect(wantItems(thread, 'f', 'x', new List([1]))).toEqual([1]);
    expect(wantCallable('f', 'x', sorted)).toBe(sorted);
  });
});
