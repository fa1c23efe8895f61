/**
 * What analysis may promise: checks that can be left out are left out, and no other.
 */
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import { UNIVERSE } from '../lib/universe.ts';
import type { Dialect } from '../resolve/binding.ts';
import { resolve } from '../resolve/resolve.ts';
import { parse } from '../syntax/parse.ts';
import { analyze } from './analyze.ts';

const ALL: Dialect = { while: true, topLevelControl: true, globalReassign: true };

function analysisOf(text: string, dialect: Dialect = ALL) {
  const source = new SourceFile('t.star', text);
  const { file } = parse(source);
  const { errors } = resolve(file, { source, predeclared: new Map(), universal: UNIVERSE, dialect });
  expect(errors).toEqual([]);
  return analyze(file, (name) => UNIVERSE.get(name), dialect, false);
}

/** The names read where they may be unbound. */
function unsafe(text: string): string[] {
  return [...analysisOf(text).unsafeReads].map((ident) => ident.name);
}

describe('definite assignment', () => {
  it.each([
    ['parameters and what was assigned before', 'def f(a, *b, **c):\n  d = a\n  return [a, b, c, d]'],
    [
      'what both branches assign',
      'def f(a):\n  if a: x = 1\n  elif a == 2: x = 2\n  else: x = 3\n  return x',
    ],
    ['what the only branch that goes on assigns', 'def f(a):\n  if a: x = 1\n  else: return 0\n  return x'],
    ['loop variables inside the loop', 'def f(a):\n  for x, y in a:\n    z = x\n    print(x, y, z)'],
    ['comprehension variables', 'x = [(a, b) for a in [1] for b in [a] if b]'],
    ['captured variables assigned before the function is made', 'def f(a):\n  b = a\n  return lambda: a + b'],
    ['globals assigned before the first call', 'X = 1\ndef f(): return g() + X\ndef g(): return 1\nf()'],
    ['names of load, in functions', 'load("m", "x")\ndef f(): return x'],
    ['a nested function that names itself', 'def f():\n  def g(n): return g\n  return g'],
  ])('needs no check for %s', (_what, text) => {
    expect(unsafe(text)).toEqual([]);
  });

  it.each([
    ['one branch', 'def f(a):\n  if a: x = 1\n  return x', ['x']],
    ['a loop that may not run', 'def f(a):\n  for x in a: y = x\n  return x, y', ['x', 'y']],
    ['a while that may not run', 'def f(a):\n  while a: x = 1\n  return x', ['x']],
    ['later assignment', 'def f():\n  x += 1', ['x']],
    ['capture before assignment', 'def f():\n  g = lambda: x\n  x = 1\n  return g', ['x']],
    ['a global assigned after the first call', 'def f(): return X\nprint(1)\nX = 1', ['X']],
    ['a call inside a default', 'def f(): return h\ndef g(x = f()): pass\ndef h(): pass', ['h']],
  ])('asks for one after %s', (_what, text, names) => {
    expect(unsafe(text)).toEqual(names);
  });
});

describe('the recursion check', () => {
  const flags = (text: string, dialect: Dialect = {}) =>
    Object.fromEntries(
      [...analysisOf(text, dialect).functions].map(([fn, { tracked, checksEntry }]) => [
        fn.name,
        checksEntry ? 'checks' : tracked ? 'tracked' : 'free',
      ]),
    );

  it('is left out of functions that call only what is known and returns', () => {
    expect(flags('def f(x): return g(len(x))\ndef g(x): return x + 1')).toEqual({ f: 'free', g: 'free' });
  });

  it('is in functions that reach themselves, and those on the way are on the stack it looks at', () => {
    expect(flags('def f(): return f()\ndef g(): return f()')).toEqual({ f: 'checks', g: 'tracked' });
  });

  it('is in functions that call what they do not know', () => {
    expect(
      flags('def f(g): return g()\ndef h(x): return sorted(x, key = len)\ndef i(x): return x.y()'),
    ).toEqual({
      f: 'checks',
      h: 'checks',
      i: 'checks',
    });
  });

  it('is in no function where recursion is allowed', () => {
    expect(flags('def f(): return f()\ndef g(h): return h()', { recursion: true })).toEqual({
      f: 'free',
      g: 'tracked',
    });
  });
});
