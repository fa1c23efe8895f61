/**
 * What holds for every chain, whatever its hooks do. The chains here are made at random from hooks that decide, rewrite,
 * throw, return nonsense, answer later or never.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineOf, type HookSketch, hook, now, type Seen } from '../../test/support/plain-hook.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Outcome } from './decision.ts';
import { Engine } from './engine.ts';
import type { Hook } from './hook.ts';
import { sort } from './pipeline.ts';
import { Registry } from './registry.ts';

const EVENTS = [
  'tool.pre',
  'tool.post',
  'turn.end',
  'session.end',
  'agent.stop',
  'permission.asked',
  'finish.pre',
];
const NAMES = ['rm', 'ls', 'cat'] as const;

const name = fc.constantFrom(...NAMES);

const rewriting = fc.oneof(
  fc.record({ name }),
  fc.record({ args: fc.dictionary(fc.string(), fc.integer()) }),
  fc.record({ arguments: fc.constantFrom('{}', '{"a":1}', 'nonsense', '[]') }),
  fc.record({ name: fc.constantFrom<Json>(null, 7, 'rm') }),
  fc.record({ id: fc.string(), note: fc.string() }),
  fc.constantFrom<Json>('text', null, []),
);

/** What a hook returns, or throws. */
const answer = fc.oneof(
  { weight: 4, arbitrary: fc.constant<unknown>(undefined) },
  { weight: 3, arbitrary: rewriting.map((payload) => ({ action: 'modify', payload })) },
  fc.record({ action: fc.constantFrom('block', 'ask', 'permit'), reason: fc.string() }),
  fc.record({ action: fc.constant('delegate'), request: fc.string() }),
  fc.anything(),
);

const behaviour = fc.oneof(
  { weight: 5, arbitrary: answer.map((value) => () => value) },
  fc.anything().map((value) => () => {
    throw value;
  }),
);

const laterBehaviour = fc.oneof(
  { weight: 3, arbitrary: behaviour },
  answer.map((value) => async () => value),
  fc.anything().map((value) => () => Promise.reject(value)),
  fc.constant(() => new Promise(() => {})),
  fc.constant(() =>
    Object.defineProperty({}, 'then', { value: (done: (value: unknown) => void) => done(undefined) }),
  ),
);

const selecting = fc.subarray([...NAMES], { minLength: 1 }).map(
  (values): HookSketch => ({
    indexable: { key: 'name', values },
    when: (seen: Seen) => {
      if (typeof seen.name !== 'string') throw new Error('no name');
      return values.includes(seen.name as never);
    },
  }),
);

const edging = fc
  .record({
    values: fc.subarray([...NAMES]),
    prefixes: fc.array(fc.constantFrom(...NAMES.map((name) => name.slice(0, 1)), '', 'zz'), { maxLength: 2 }),
    suffixes: fc.array(fc.constantFrom(...NAMES.map((name) => name.slice(-2)), 'zz'), { maxLength: 2 }),
  })
  .map(
    ({ values, prefixes, suffixes }): HookSketch => ({
      indexable: { key: 'name', values, prefixes, suffixes },
      when: (seen: Seen) => {
        const name: unknown = seen.name;
        if (typeof name !== 'string') throw new Error('no name');
        const edge =
          prefixes.some((text) => name.startsWith(text)) || suffixes.some((text) => name.endsWith(text));
        return edge || values.includes(name as never);
      },
    }),
  );

const condition = fc.oneof(
  { weight: 2, arbitrary: edging },
  { weight: 2, arbitrary: fc.constant<HookSketch>({}) },
  { weight: 3, arbitrary: selecting },
  fc.constant<HookSketch>({
    when: () => {
      throw new Error('broken condition');
    },
  }),
);

const policy = fc.record({
  priority: fc.integer({ min: 0, max: 5 }),
  mode: fc.constantFrom('enforce', 'enforce', 'warn', 'shadow'),
  onError: fc.constantFrom('block', 'allow', 'throw'),
  onWhenError: fc.constantFrom('skip', 'skip', 'block'),
});

const chainOf = (
  bodies: fc.Arbitrary<() => unknown>,
  event: fc.Arbitrary<string> = fc.constant('tool.pre'),
) =>
  event.chain((chosen) =>
    fc.array(fc.tuple(bodies, condition, policy), { maxLength: 12 }).map((parts) =>
      parts.map(([body, when, rest], at) =>
        hook({
          ...when,
          ...(rest as HookSketch),
          event: chosen,
          body,
          name: `h${at}`,
          position: at,
          timeoutMs: 2,
        }),
      ),
    ),
  );

const call = name.map((chosen): JsonObject => ({ id: '1', name: chosen, args: { n: 1 } }));

const namesOf = (hooks: readonly Hook[]) => hooks.map((each) => each.name);

function expectFullTrace(outcome: Outcome, hooks: readonly Hook[]): void {
  expect(outcome.trace.map((entry) => entry.hook)).toEqual(namesOf(sort(hooks)));
  for (const entry of outcome.trace) {
    expect(entry.matched).toBe(entry.state === 'ran');
    if (entry.state !== 'ran') expect(entry.decision).toBeNull();
    expect(entry.onFailure !== undefined).toBe(entry.failure !== null);
  }
  const firstUnreached = outcome.trace.findIndex((entry) => entry.state === 'unreached');
  if (firstUnreached !== -1) {
    for (const entry of outcome.trace.slice(firstUnreached)) expect(entry.state).toBe('unreached');
  }
}

describe('every chain', () => {
  it('[C020] never throws whatever its hooks do, and its trace has every hook once, in order', async () => {
    const chains = fc.constantFrom(...EVENTS).chain((event) => chainOf(laterBehaviour, fc.constant(event)));
    await fc.assert(
      fc.asyncProperty(chains, call, fc.boolean(), async (hooks, payload, canAsk) => {
        const event = hooks[0]?.event ?? 'tool.pre';
        const outcome = await engineOf(hooks, { canAsk, canDelegate: canAsk }).decide(event, payload);
        expectFullTrace(outcome, hooks);
        expect(() => JSON.stringify(outcome.payload)).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });

  it('is synchronous as long as its hooks are', () => {
    fc.assert(
      fc.property(chainOf(behaviour), call, (hooks, payload) => {
        expectFullTrace(now(engineOf(hooks).decide('tool.pre' as string, payload)), hooks);
      }),
    );
  });

  it('[C020] [C024] is decided by its first block: nothing after it runs, nothing before it blocked', () => {
    fc.assert(
      fc.property(chainOf(behaviour), call, (hooks, payload) => {
        const {
          action,
          hook: decider,
          trace,
        } = now(engineOf(hooks, { canAsk: true }).decide('tool.pre' as string, payload));
        const blocks = trace.map(
          (entry) =>
            entry.vetoIgnored === undefined &&
            (entry.onFailure === 'blocked' ||
              entry.onFailure === 'threw' ||
              ((entry.decision === 'block' || entry.decision === 'delegate') && entry.failure === null)),
        );
        const first = blocks.indexOf(true);
        expect(action === 'block').toBe(first !== -1);
        if (first === -1) return;
        expect(decider).toBe(trace[first]!.hook);
        for (const entry of trace.slice(first + 1)) expect(entry.state).toBe('unreached');
      }),
    );
  });

  it('says the same with and without the index', () => {
    fc.assert(
      fc.property(chainOf(behaviour), call, (hooks, payload) => {
        const unindexed = hooks.map((each): Hook => {
          if (each.condition === null) return each;
          const { text, test } = each.condition;
          return { ...each, condition: { text, test } };
        });
        const plain = JSON.stringify(now(engineOf(unindexed).decide('tool.pre' as string, payload)));
        expect(JSON.stringify(now(engineOf(hooks).decide('tool.pre' as string, payload)))).toBe(plain);
      }),
      { numRuns: 300 },
    );
  });

  it('[C021] never hides a call from a later guard by a rewrite', () => {
    const bodies = rewriting.map((payload) => () => ({ action: 'modify', payload }));
    fc.assert(
      fc.property(chainOf(bodies), call, fc.boolean(), (hooks, payload, indexed) => {
        const judged: unknown[] = [];
        const guard = hook({
          name: 'guard',
          priority: 100,
          when: (seen) => seen.name === 'rm',
          ...(indexed && { indexable: { key: 'name', values: ['rm'] } }),
          body: (seen) => void judged.push([seen.name, seen.args]),
        });
        const lenient = hooks.map((each): Hook => ({ ...each, onError: 'allow', onWhenError: 'skip' }));
        const outcome = now(engineOf([guard, ...lenient]).decide('tool.pre' as string, payload));
        const final = outcome.payload as JsonObject;
        expect(judged).toEqual(final.name === 'rm' ? [['rm', final.args]] : []);
        expect(final.id).toBe('1');
        expect(JSON.parse(final.arguments as string)).toEqual(final.args);
      }),
    );
  });

  it('[C014] is the one that stood when the dispatch began', () => {
    const change = fc.record({ at: fc.nat(5), remove: fc.nat(5), priority: fc.integer({ min: 0, max: 5 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), call, (changes, payload) => {
        const registry = new Registry();
        const removers: (() => void)[] = [];
        for (const [at, { remove, priority }] of changes.entries()) {
          const body = () => {
            removers[remove]?.();
            registry.add(hook({ name: 'intruder', priority }));
          };
          removers.push(registry.add(hook({ name: `h${at}`, priority, position: at, body })));
        }
        const before = namesOf(registry.list('tool.pre'));
        const { host, run } = engineOf([]);
        const outcome = now(new Engine({ registry, host, run }).decide('tool.pre' as string, payload));
        expect(outcome.trace.map((entry) => [entry.hook, entry.state])).toEqual(
          before.map((each) => [each, 'ran']),
        );
        expect(namesOf(registry.list('tool.pre'))).toContain('intruder');
      }),
    );
  });
});
