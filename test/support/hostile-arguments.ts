/**
 * Arguments made to hurt, every function a script can reach, and two sweeps that call the one with the other: each call has
 * to end soon, with a value or an error of the script.
 */
import { expect } from 'vitest';
import { attrNames, getAttr } from '../../src/starlark/lib/attributes.ts';
import { standardModules } from '../../src/starlark/lib/standard.ts';
import { UNIVERSE } from '../../src/starlark/lib/universe.ts';
import { attempt, invokeCallable } from '../../src/starlark/run/call.ts';
import { Thread } from '../../src/starlark/run/thread.ts';
import { Dict } from '../../src/starlark/values/dict.ts';
import { wrapJson } from '../../src/starlark/values/json-view.ts';
import { List } from '../../src/starlark/values/list.ts';
import { Module } from '../../src/starlark/values/struct.ts';
import { Callable, typeName, type Value } from '../../src/starlark/values/value.ts';
import { evaluate } from './evaluate.ts';

export const LIMITS = { steps: 300_000, memory: 30_000_000 };

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

export const makeArguments = (): Value[] => [
  ...HUGE.map((text) => evaluate(text, {}, new Thread())),
  ...shapes(),
  wrapJson({ a: [1, 2, { b: null }], __proto__: 1 }),
  wrapJson(Array.from({ length: 1000 }, (_, i) => `${i}`)),
];

/** Every function that can be reached: the universe, the modules, and the methods of a value of each type. */
export function* functions(thread: Thread, receivers: readonly Value[]): Generator<[string, Value]> {
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

/** Calls and says how it ended: the type of the value or the kind of the error. Host errors are thrown. */
export function outcome(fn: Value, args: Value[], names: readonly string[] | null): string {
  const thread = new Thread({ limits: LIMITS });
  const result = attempt(thread, () => invokeCallable(thread, fn, args, names) as Value);
  // One step beyond the limit is seen before it is taken, so the account never runs far ahead of the work.
  return result.ok ? typeName(result.value) : result.error.kind;
}

/** Every function with each of the arguments. */
export function sweepSingle(given: readonly Value[]): void {
  const seen = new Map<string, number>();
  for (const [name, fn] of functions(new Thread(), makeArguments())) {
    for (const argument of given) {
      const before = process.cpuUsage().user;
      const kind = outcome(fn, [argument], null);
      const spent = process.cpuUsage().user - before;
      if (spent >= (seen.get(name) ?? 0)) seen.set(name, spent);
      if (kind === 'time' || kind === 'cancelled') throw new Error(`${name} ended by ${kind}`);
    }
  }
  expect([...seen].filter(([, spent]) => spent > 1_500_000)).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
}

/** Every function with two and three of them. */
export function sweepSeveral(given: readonly Value[]): void {
  const slow: string[] = [];
  for (const [name, fn] of functions(new Thread(), given)) {
    const before = process.cpuUsage().user;
    for (const first of given) {
      outcome(fn, [first, given[5]!], null);
      outcome(fn, [first, first, first], null);
    }
    if (process.cpuUsage().user - before > 6_000_000) slow.push(name);
  }
  expect(slow).toEqual([]);
}
