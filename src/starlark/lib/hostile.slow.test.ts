import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../test/support/evaluate.ts';
import { attempt, invokeCallable } from '../run/call.ts';
import { builtin } from '../run/signature.ts';
import { Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { wrapJson } from '../values/json-view.ts';
import { List } from '../values/list.ts';
import { Module } from '../values/struct.ts';
import { Callable, StarObject, typeName, type Value } from '../values/value.ts';
import { attrNames, getAttr } from './attributes.ts';
import { standardModules } from './standard.ts';
import { UNIVERSE } from './universe.ts';

const LIMITS = { steps: 300_000, memory: 30_000_000 };

/** A list that contains itself, a tuple that doubles forty times, a list nested ten thousand deep. */
function shapes(): Value[] {
  const cyclic = new List([]);
  cyclic.items.push(cyclic);
  let deep: Value = new List([]);
  for (let i = 0; i < 10_000; i++) deep = new List([deep]);
  let bomb = evaluate('(1,)');
  for (let i = 0; i < 40; i++) bomb = evaluate('(x, x)', { x: bomb });
  const dict = new Dict();
  dict.set(new Thread(), 'self', dict);
  return [cyclic, deep, bomb, dict];
}

const HUGE = [
  'None',
  'True',
  '-1',
  '0',
  '(1 << 500)',
  '-(1 << 500)',
  '9007199254740991',
  'float("nan")',
  'float("-inf")',
  '1e308',
  '""',
  '"a" * 1000000',
  '"%s" * 100000',
  '"{}" * 100000',
  '"%(a)s{a}" * 10000',
  '"\\n" * 100000',
  '"9" * 100000',
  '"😀" * 10000',
  '"😀"[1:] * 1000',
  '"(" * 9000',
  '"[" * 100000',
  '"{" * 1000',
  'b"\\xff" * 100000',
  '(1, 2)',
  '()',
  '["a" * 1000] * 10000',
  '[1.5, 1 << 70] * 1000',
  '{"a": 1, "__proto__": 2}',
  '{i: i for i in range(20000)}',
  'set(range(1000))',
  'range(9007199254740991)',
  'range(-9007199254740991, 0, 3)',
  '("a" * 100000).elems()',
  '("a" * 100000).codepoints()',
  'len',
  'lambda *args, **kwargs: "a"',
  'struct(a=1)',
  'time.hour',
  'time.now()',
  'json',
];

const makeArguments = (): Value[] => [
  ...HUGE.map((text) => evaluate(text, {}, new Thread())),
  ...shapes(),
  wrapJson({ a: [1, 2, { b: null }], __proto__: 1 }),
  wrapJson(Array.from({ length: 1000 }, (_, i) => `${i}`)),
];

/** Every function that can be reached: the universe, the modules, and the methods of a value of each type. */
function* functions(thread: Thread, receivers: readonly Value[]): Generator<[string, Value]> {
  for (const [name, value] of UNIVERSE) if (value instanceof Callable) yield [name, value];
  for (const [name, value] of standardModules({ now: () => 0 })) {
    if (value instanceof Callable) yield [name, value];
    if (value instanceof Module) {
      for (const [member, fn] of value.globals) if (fn instanceof Callable) yield [`${name}.${member}`, fn];
    }
  }
  const perType = new Map<string, number>();
  for (const receiver of receivers) {
    const count = (perType.get(typeName(receiver)) ?? 0) + 1;
    perType.set(typeName(receiver), count);
    // A few of each type will do: they differ in size, not in kind.
    if (count > 3) continue;
    for (const name of attrNames(receiver)) {
      const fn = getAttr(thread, receiver, name);
      if (fn instanceof Callable && !(receiver instanceof Module))
        yield [`${typeName(receiver)}.${name}`, fn];
    }
  }
}

/** Calls and says what came of it: the type of the value or the kind of the error. Host errors are thrown. */
function outcome(fn: Value, args: Value[], names: readonly string[] | null): string {
  const thread = new Thread({ limits: LIMITS });
  const result = attempt(thread, () => invokeCallable(thread, fn, args, names) as Value);
  // One step beyond the limit is seen before it is taken, so the account never runs far ahead of the work.
  return result.ok ? typeName(result.value) : result.error.kind;
}

describe('a name that is not there', () => {
  it('costs no more than a look, however long it is and whatever it is near to', () => {
    const text = 'getattr(struct(**{"a" * 30000: 1}), "a" * 29999 + "b")';
    const before = process.cpuUsage().user;
    for (let i = 0; i < 3; i++) {
      const thread = new Thread({ limits: LIMITS });
      const result = attempt(thread, () => evaluate(text, {}, thread));
      expect(result).toMatchObject({ ok: false, error: { kind: 'eval' } });
    }
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  });

  it('is charged for each name it might have been', () => {
    const thread = new Thread();
    const x = evaluate('struct(**{"field%d" % i: i for i in range(5000)})');
    const result = attempt(thread, () => evaluate('x.feild1', { x }, thread));
    expect(result).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/did you mean .field1\?/) },
    });
    expect(thread.steps).toBeGreaterThan(5000);
  });
});

describe('every built-in and method', () => {
  it('ends with a value or a Starlark error for every single argument, soon', () => {
    const receivers = makeArguments();
    const given = makeArguments();
    const seen = new Map<string, number>();
    for (const [name, fn] of functions(new Thread(), receivers)) {
      for (const argument of given) {
        const before = process.cpuUsage().user;
        const kind = outcome(fn, [argument], null);
        const spent = process.cpuUsage().user - before;
        if (spent > (seen.get(name) ?? 0)) seen.set(name, spent);
        if (kind === 'time' || kind === 'cancelled') throw new Error(`${name} ended by ${kind}`);
      }
    }
    expect([...seen].filter(([, spent]) => spent > 1_500_000)).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  }, 120_000);

  it('ends for two and three arguments as well', () => {
    const some = makeArguments().filter((_, i) => i % 3 === 0);
    const slow: string[] = [];
    for (const [name, fn] of functions(new Thread(), some)) {
      const before = process.cpuUsage().user;
      for (const first of some) {
        outcome(fn, [first, some[5]!], null);
        outcome(fn, [first, first, first], null);
      }
      if (process.cpuUsage().user - before > 6_000_000) slow.push(name);
    }
    expect(slow).toEqual([]);
  }, 120_000);

  it('takes hostile keyword names as nothing but names', () => {
    const hostile = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'arguments',
      'this',
      'hasOwnProperty',
    ];
    for (const [name, fn] of functions(new Thread(), makeArguments().slice(0, 30))) {
      for (const keyword of hostile) {
        const takesAny = ['dict', 'struct', 'dict.update', 'string.format'].includes(name);
        expect([name, keyword, outcome(fn, [1], [keyword]) === 'eval']).toEqual([name, keyword, !takesAny]);
      }
    }
    expect(Object.hasOwn(Object.prototype, '1')).toBe(false);
  }, 60_000);
});

describe('amplification is refused before it happens', () => {
  it.each([
    ['("a" * 10000).replace("a", "b" * 10000)', 'memory'],
    ['("a" * 100000).replace("", "b" * 100000)', 'memory'],
    ['("x" * 10000).join(["y"] * 10000)', 'memory'],
    ['"%s" * 10000 % (("x" * 10000,) * 10000)', 'memory'],
    ['("{0}" * 10000).format("x" * 10000)', 'memory'],
    ['("%(a)s" * 10000) % {"a": "x" * 10000}', 'memory'],
    ['", ".join([x] * 30) and str([["a" * 100000] * 1000])', 'memory'],
    ['list(range(1 << 40))', 'memory'],
    ['sorted(range(1 << 40))', 'memory'],
    ['zip(range(1 << 40), range(1 << 40))', 'memory'],
    ['enumerate(range(1 << 40))', 'memory'],
    ['all(range(1, 1 << 40))', 'steps'],
    ['max(range(1 << 40))', 'memory'],
    ['tuple(range(1 << 40))', 'memory'],
    ['set(range(1 << 40))', 'memory'],
    ['bytes(range(1 << 40))', 'memory'],
    ['reversed(range(1 << 40))', 'memory'],
    ['[].extend(range(1 << 40))', 'memory'],
    ['{}.update(zip(range(1 << 40), range(1 << 40)))', 'memory'],
    ['int("9" * 1000000)', 'intsize'],
    ['int("z" * 1000000, 36)', 'intsize'],
    ['json.decode("9" * 1000000)', 'intsize'],
    ['json.decode("[" * 1000000)', 'depth'],
    ['json.encode([["a" * 10000] * 100] * 100)', 'memory'],
    ['re.replace("a", "b" * 10000, "a" * 10000)', 'memory'],
    ['re.findall("", "a" * 100000)', 'steps'],
    ['print(*(["a" * 100000] * 1000))', 'memory'],
    ['fail(*(["a" * 100000] * 1000))', 'memory'],
    ['("a" * 3000000).split("a")', 'memory'],
    ['[("a" * 3000000).find("a" * 100000 + "b" + "a" * 100000) for _ in range(1000)]', 'steps'],
    ['[d.popitem() for d in [dict(zip(range(1 << 40), []))]]', 'eval'],
  ])('%s ends by %s', (text, kind) => {
    // Only the limit that is to be reached, so that it cannot be another one that saves the day.
    const limits = { memory: { memory: 20_000_000 }, steps: { steps: 2_000_000 } }[kind] ?? {};
    const thread = new Thread({ limits });
    const before = process.cpuUsage().user;
    const result = attempt(thread, () => evaluate(text, { x: 'y' }, thread));
    expect(result.ok ? 'no error' : result.error.kind).toBe(kind);
    expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
  });

  it('nothing a host function is given is ever a JavaScript function or a plain object', () => {
    const seen: Value[] = [];
    const spy = builtin('spy', '*args, **kwargs', (_thread, args, kwargs) => {
      seen.push(...args, ...kwargs.values());
      return null;
    });
    const text =
      '[f(x, y=x) for x in ["a", 1, None, [1], {"a": 1}, len, "".find, struct(a=1), json, re.search("a", "a")]]';
    evaluate(text, { f: spy });
    expect(seen).toHaveLength(20);
    for (const value of seen) {
      expect(value === null || typeof value !== 'object' || value instanceof StarObject).toBe(true);
      expect(typeof value).not.toBe('function');
    }
  });
});
