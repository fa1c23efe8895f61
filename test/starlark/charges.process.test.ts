/**
 * What a script makes is charged to it, on both back ends alike: close to what it weighs, before it can take the process
 * down. The long list of all forms, measured against the heap, is in limits-hold.slow.test.ts.
 */
import { describe, expect, it } from 'vitest';
import {
  attempt,
  call,
  compile,
  type Limits,
  Module,
  SourceFile,
  Thread,
  typeName,
  UNIVERSE,
  type Value,
  wrapJson,
} from '../../src/exports/starlark.ts';
import { attrNames } from '../../src/starlark/lib/attributes.ts';
import { evaluate } from '../support/evaluate.ts';
import { KEPT } from './allocating-forms.ts';
import { modules } from './environment.ts';
import { BACKENDS, type Backend } from './script.ts';

/** The limits of a hook. */
const HOOK: Partial<Limits> = { steps: 10_000_000, memory: 256 * 1024 * 1024, depth: 200 };

function functionOf(text: string, backend: Backend): Value {
  const compiled = compile(new SourceFile('t.star', text), {
    backend,
    environment: new Map<string, Value>(modules()),
  });
  if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
  const module = compiled.program.run(new Thread()) as Module;
  return module.globals.get('f')!;
}

const ROUNDS = 1000;

/** Bytes charged for each of many values made by one expression over `i`; the same on both back ends. */
function chargeOf(form: string, payload: unknown = null): number {
  const charges = BACKENDS.map((backend) => {
    const f = functionOf(`def f(n, payload):\n    return [${form} for i in range(n)]\n`, backend);
    const thread = new Thread();
    call(thread, f, [ROUNDS, wrapJson(payload)]);
    return thread.memory;
  });
  expect(charges[1]).toBe(charges[0]);
  return charges[0]! / ROUNDS;
}

describe('what is made is charged', () => {
  // The least is three quarters of what one weighs in V8 on 64 bits, with its place in the list.
  it.each([
    ['a function', 'lambda: i', 160],
    ['a function with defaults', 'lambda a = i, b = i: a', 190],
    ['a float', 'i + 0.5', 42],
    ['a float out of a formula', '0.5 * 2.0 + i', 42],
    ['the negative of a float', '-(1.5 if i else 2.5)', 42],
    ['a float of a module', 'math.sqrt(i)', 42],
    ['a range', 'range(i)', 54],
    ['the elements of a string', '"abc".elems()', 42],
    ['the elements of bytes', 'b"abc".elems()', 42],
    ['a time', 'time.from_timestamp(i)', 90],
    ['a duration', 'time.hour * (i % 9)', 54],
    ['a method of a time', 'time.second.hours', 42],
    ['a list', '[i]', 90],
    ['a dict', '{i: i}', 150],
    ['an empty set', 'set()', 180],
    ['bytes', 'b"ab" * 2', 72],
    ['a method taken off its object', '"".upper', 140],
    ['a short string', 'str(i)', 24],
    ['a string that is stripped', '"  some words in a row".lstrip()', 30],
    ['an int too large for a double', 'int(1e300)', 90],
    ['a character beyond Latin', '"日本"[i % 2]', 24],
    ['empty keyword arguments', '(lambda **k: k)()', 100],
  ])('%s', (_name, form, least) => {
    expect(chargeOf(form)).toBeGreaterThan(least);
  });

  it('what is read from data of the host: views, their floats, and the elements a view is turned into', () => {
    const data = { a: { x: [0.5, 1.5] }, b: { x: [2.5] }, floats: [0.5, 1.5] };
    expect(chargeOf('payload["a" if i % 2 else "b"]', data)).toBeGreaterThan(100);
    expect(chargeOf('payload["floats"][i % 2]', data)).toBeGreaterThan(42);
    const read = chargeOf('[each for each in payload["a" if i % 2 else "b"]["x"]]', data);
    expect(read).toBeGreaterThan(chargeOf('[each for each in [1]]', data) + 100);
  });

  it('the variables a function goes on using after its call', () => {
    const text = (inner: string) =>
      `def make(x):\n    a, b, c, d, e, g, h, k = x, x, x, x, x, x, x, x\n    return ${inner}\ndef f(n, _):\n    return [make(i) for i in range(n)]\n`;
    for (const backend of BACKENDS) {
      const thread = new Thread();
      call(thread, functionOf(text('lambda: a'), backend), [ROUNDS, null]);
      expect(thread.memory / ROUNDS).toBeGreaterThan(300);
    }
  });

  it('a text by its pieces, which the engine keeps until it is read', () => {
    expect(chargeOf('repr([0, 0, 0, 0, 0, 0, 0, 0])')).toBeGreaterThan(400);
    expect(chargeOf('"{}{}{}{}".format("a", "b", "c", "d")')).toBeGreaterThan(100);
  });
});

describe('the list of allocating forms', () => {
  const forms = new Set(Object.keys(KEPT));
  /** Numbers of one kind, all made by one line of code: one of them stands for the others. */
  const ALIKE = /^math\./;
  const GIVES_NOTHING = new Set(['None', 'True', 'False', 'fail']);

  it('has every built-in of the language', () => {
    const missing = [...UNIVERSE.keys()].filter((name) => !GIVES_NOTHING.has(name) && !forms.has(name));
    expect(missing).toEqual([]);
  });

  it.each([
    ['string', '""'],
    ['list', '[]'],
    ['dict', '{}'],
    ['set', 'set()'],
    ['bytes', 'b""'],
  ])('has every method of a %s', (type, sample) => {
    const missing = attrNames(evaluate(sample)).filter((name) => !forms.has(`${type}.${name}`));
    expect(missing).toEqual([]);
  });

  it('has every function of the modules', () => {
    for (const [name, value] of modules()) {
      const members = value instanceof Module ? [...value.globals] : [];
      const functions = members.filter(([, member]) => typeName(member) === 'builtin_function_or_method');
      const full = functions.map(([member]) => `${name}.${member}`);
      expect(full.filter((each) => !ALIKE.test(each) && !forms.has(each))).toEqual([]);
    }
  });
});

describe('a script that makes more than it may', () => {
  it.each([
    ['functions', 'lambda: i'],
    ['floats', 'i + 0.5'],
    ['ranges', 'range(i)'],
    ['elements', '"abc".elems()'],
    ['times', 'time.from_timestamp(i)'],
  ])('of %s ends with an error at the limits of a hook, long before the heap does', (_name, form) => {
    for (const backend of BACKENDS) {
      const f = functionOf(`def f():\n    return [${form} for i in range(9900000)]\n`, backend);
      const thread = new Thread({ limits: { ...HOOK, memory: 16 * 1024 * 1024 } });
      const result = attempt(thread, () => call(thread, f, []));
      expect(result).toMatchObject({ ok: false, error: { kind: 'memory' } });
      expect(thread.steps).toBeLessThan(600_000);
    }
  });

  it('ends at the same place on both back ends, also in the middle of a formula', () => {
    const text =
      'def f(x):\n    y = x\n    for i in range(100):\n        y = y * 2.0 + x / 3.5 - 1.0 / x\n    return y\n';
    for (let memory = 400; memory < 700; memory += 10) {
      const [first, second] = BACKENDS.map((backend) => {
        const thread = new Thread({ limits: { memory } });
        const x = call(new Thread(), functionOf('def f():\n    return 1.5\n', backend), []) as Value;
        const result = attempt(thread, () => call(thread, functionOf(text, backend), [x]) as Value);
        return [result.ok ? '' : result.error.traceback, thread.memory, thread.steps];
      });
      expect(second).toEqual(first);
      expect(first![0]).toContain('memory limit');
    }
  });
});
