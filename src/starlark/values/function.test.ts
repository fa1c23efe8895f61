import { describe, expect, it } from 'vitest';
import { invokeCallable } from '../run/call.ts';
import { Thread } from '../run/thread.ts';
import { freeze } from './freeze.ts';
import { type ParameterList, StarFunction } from './function.ts';
import { List, Tuple } from './list.ts';
import { repr } from './repr.ts';
import type { Value } from './value.ts';

const thread = new Thread();

/** A function that returns what arrived in each slot, None where a default would be taken. */
function echo(params: Partial<ParameterList> & { names: string[] }): StarFunction {
  return new StarFunction({
    name: 'f',
    params: {
      positional: params.names.length,
      required: params.names.map(() => true),
      variadic: false,
      keywords: false,
      ...params,
    },
    direct: (_thread, ...slots) => new Tuple(slots.map((slot: Value | undefined) => slot ?? null)),
    freeVariables: () => [],
    module: {},
  });
}

function call(fn: StarFunction, args: Value[], kwargs: Record<string, Value> = {}): string {
  const names = Object.keys(kwargs);
  const result = fn.invoke(thread, [...args, ...Object.values(kwargs)], names.length > 0 ? names : null);
  return repr(result as Value);
}

// def f(a, b=…, *args, c, d=…, **kwargs)
const full = echo({
  names: ['a', 'b', 'c', 'd'],
  positional: 2,
  required: [true, false, true, false],
  variadic: true,
  keywords: true,
});

describe('binding arguments to parameters', () => {
  it('fills positional, keyword-only, *args and **kwargs', () => {
    expect(call(full, [1], { c: 3 })).toBe('(1, None, 3, None, (), {})');
    expect(call(full, [1, 2, 3, 4], { c: 5, z: 6, d: 7 })).toBe('(1, 2, 5, 7, (3, 4), {"z": 6})');
    expect(call(full, [], { c: 1, a: 2 })).toBe('(2, None, 1, None, (), {})');
  });

  it('lets a plain call skip binding only where nothing is left to bind', () => {
    expect([full.minArgs, full.maxArgs]).toEqual([1, -1]);
    const plain = echo({ names: ['a', 'b'], required: [true, false] });
    expect([plain.minArgs, plain.maxArgs]).toEqual([1, 2]);
    expect(repr(invokeCallable(thread, plain, [1], null) as Value)).toBe('(1,)');
    const keywordOnly = echo({ names: ['a', 'k'], positional: 1, required: [true, false] });
    expect([keywordOnly.minArgs, keywordOnly.maxArgs]).toEqual([1, 1]);
    const mustName = echo({ names: ['a', 'k'], positional: 1 });
    expect(mustName.maxArgs).toBe(-1);
  });

  const two = echo({ names: ['x', 'y'] });
  const optional = echo({ names: ['x', 'y'], required: [true, false] });
  it.each([
    [two, [], {}, 'function f missing 2 arguments (x, y)'],
    [two, [1], {}, 'function f missing 1 argument (y)'],
    [two, [1, 2, 3], {}, 'function f accepts 2 positional arguments (3 given)'],
    [optional, [1, 2, 3], {}, 'function f accepts at most 2 positional arguments (3 given)'],
    [two, [1], { x: 2 }, 'function f got multiple values for parameter "x"'],
    [two, [1], { xy: 2 }, 'function f got an unexpected keyword argument "xy" (did you mean x?)'],
    [two, [1], { __proto__x: 2 }, 'function f got an unexpected keyword argument "__proto__x"'],
    [echo({ names: [] }), [1], {}, 'function f accepts no arguments (1 given)'],
    [echo({ names: [] }), [], { a: 1 }, 'function f accepts no arguments (1 given)'],
    [full, [1], {}, 'function f missing 1 argument (c)'],
  ] as [StarFunction, Value[], Record<string, Value>, string][])(
    'reports case %#',
    (fn, args, kwargs, message) => {
      expect(() => call(fn, args, kwargs)).toThrow(message);
    },
  );

  it('reports a keyword given twice, to a parameter or to **kwargs', () => {
    const twice = (name: string) => () => full.invoke(thread, [1, 2, 3, 4], ['c', name, name]);
    expect(twice('b')).toThrow('multiple values for parameter "b"');
    expect(twice('z')).toThrow('multiple values for parameter "z"');
  });
});

describe('a function', () => {
  it('freezes what it captured', () => {
    const captured = new List([]);
    const fn = new StarFunction({
      name: 'g',
      params: { names: [], positional: 0, required: [], variadic: false, keywords: false },
      direct: () => null,
      freeVariables: () => [captured, undefined],
      module: {},
    });
    freeze(fn);
    expect(captured.frozen).toBe(true);
    expect(repr(fn)).toBe('<function g>');
  });
});
