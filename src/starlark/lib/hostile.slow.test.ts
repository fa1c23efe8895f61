import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../test/support/evaluate.ts';
import { functions, LIMITS, makeArguments, outcome } from '../../../test/support/hostile-arguments.ts';
import { attempt } from '../run/call.ts';
import { builtin } from '../run/signature.ts';
import { Thread } from '../run/thread.ts';
import { StarObject, type Value } from '../values/value.ts';

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
  });
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
