/**
 * What holds for every set of layered hooks: a lower layer adds and tightens, and never loosens, removes or rewrites behind
 * the back of a guard above it. The chains are made at random.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import type { FrontEnd, Hook } from '../../src/engine/hook.ts';
import { BUILT_IN, isBuiltIn, layerOf } from '../../src/engine/layer.ts';
import { LayeredRegistry } from '../../src/engine/layered-registry.ts';
import { Registry } from '../../src/engine/registry.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { engineOf, hook, now, plainFrontEnd } from '../support/plain-hook.ts';

/** A call, as far as these hooks tell one from another. */
interface Form {
  readonly name: string;
  readonly v: number;
}

const NAMES = ['read', 'write', 'send'] as const;
const form = fc.record({ name: fc.constantFrom<string>(...NAMES), v: fc.nat({ max: 2 }) });
const same = (a: Form, b: Form) => a.name === b.name && a.v === b.v;

/** What a hook does, as data, so that a test can say beforehand what it would answer. */
interface Plan {
  readonly name: string;
  readonly rank: number;
  readonly priority: number;
  readonly mode: Hook['mode'];
  /** Forms it looks at; by an index of names, or by a condition nobody can see into. */
  readonly names: readonly string[];
  readonly indexed: boolean;
  readonly does: 'allow' | 'block' | 'ask' | 'modify' | 'raise' | 'raise and allow';
  /** Values of `v` for which it does that; for others it allows. */
  readonly on: readonly number[];
  readonly to: Partial<Form>;
}

const RANKS = [1, 2, 3, 4, 900] as const;

const plan = (ranks: readonly number[], does: readonly Plan['does'][]): fc.Arbitrary<Plan> =>
  fc.record({
    name: fc.constantFrom('x', 'y'),
    rank: fc.constantFrom(...ranks),
    priority: fc.nat({ max: 3 }),
    mode: fc.oneof(
      { weight: 6, arbitrary: fc.constant('enforce' as const) },
      fc.constantFrom('warn' as const, 'shadow' as const),
    ),
    names: fc.subarray([...NAMES], { minLength: 1 }),
    indexed: fc.boolean(),
    does: fc.constantFrom(...does),
    on: fc.subarray([0, 1, 2], { minLength: 1 }),
    to: fc.oneof(
      fc.record({ name: fc.constantFrom<string>(...NAMES) }),
      fc.record({ v: fc.nat({ max: 2 }) }),
      form,
    ),
  });

const ALL = ['allow', 'block', 'ask', 'modify', 'modify', 'raise', 'raise and allow'] as const;
const chainOf = (ranks: readonly number[] = RANKS, does: readonly Plan['does'][] = ALL) =>
  fc.array(plan(ranks, does), { maxLength: 7 });

const wants = (one: Plan, seen: Form) => one.names.includes(seen.name);
const acts = (one: Plan, seen: Form) => wants(one, seen) && one.on.includes(seen.v);

function formOf(payload: unknown): Form {
  const { name, args } = payload as { name: string; args: { v: number } };
  return { name, v: args.v };
}

interface Judged {
  readonly outcome: Outcome;
  readonly final: Form;
  /** What the body of each hook saw, in order; by place in the list of plans. */
  readonly looks: readonly (readonly Form[])[];
  readonly run: RunState;
  readonly hooks: readonly Hook[];
}

function judge(plans: readonly Plan[], { name, v }: Form): Judged {
  const looks: Form[][] = plans.map(() => []);
  const hooks = plans.map((one, i) => hookOf(one, i, looks[i]!));
  const run = new RunState();
  const engine = engineOf(hooks, { canAsk: true, run });
  const outcome = now(engine.decide('tool.pre', { id: '1', name, args: { v } }));
  return { outcome, final: formOf(outcome.payload), looks, run, hooks: engine.registry.list('tool.pre') };
}

/** Every answer carries an effect. */
const counting: FrontEnd = {
  ...plainFrontEnd,
  interpret: (returned, of, event) => ({
    ...plainFrontEnd.interpret(returned, of, event),
    effects: [{ kind: 'metric', hook: of.name, name: 'answers', op: 'incr', value: 1 }],
  }),
};

function hookOf(one: Plan, i: number, looks: Form[]): Hook {
  const { name, rank, priority, mode, names, indexed, does, to } = one;
  return hook({
    name,
    priority,
    mode,
    position: i,
    source: sourceOf(i),
    frontEnd: counting,
    layer: rank === 0 ? BUILT_IN : { name: `layer ${rank}`, rank },
    onError: does === 'raise and allow' ? 'allow' : 'block',
    when: (seen) => names.includes(String(seen.name)),
    ...(indexed && { indexable: { key: 'name', values: names, whole: true } }),
    body: (payload, call) => {
      const seen = formOf(payload);
      looks.push(seen);
      call.run.metrics.set('looks', (call.run.metrics.get('looks') ?? 0) + 1);
      call.run.cache.set(`look ${i}`, seen as unknown as JsonObject);
      call.log('info', `look of ${i}`);
      if (!acts(one, seen)) return null;
      if (does.startsWith('raise')) throw new Error('raised');
      if (does === 'modify') return { action: does, payload: rewriteOf(to) };
      return { action: does, reason: `${name} of ${rank}` };
    },
  });
}

function rewriteOf({ name, v }: Partial<Form>): JsonObject {
  return { ...(name !== undefined && { name }), ...(v !== undefined && { args: { v } }) };
}

/** Unlike names, sources differ: an entry of the trace is found by it. */
const sourceOf = (i: number) => `hooks/${i}.md`;

/** Places of the chain, as the engine orders them, to the plans they come from. */
const planAt = (hooks: readonly Hook[], plans: readonly Plan[]) =>
  hooks.map(({ position }) => plans[position]!);

describe('layered hooks on one call', () => {
  it('a call passes only in a form that every guard above a rewrite has judged last', () => {
    fc.assert(
      fc.property(chainOf(), form, (plans, call) => {
        const { outcome, final, looks, hooks } = judge(plans, call);
        if (outcome.action === 'block') return;
        const order = planAt(hooks, plans);
        const rewrote = (at: number) =>
          outcome.trace[at]!.decision === 'modify' && order[at]!.mode === 'enforce';
        for (const [at, guard] of order.entries()) {
          if (guard.mode !== 'enforce' || !wants(guard, final)) continue;
          const behind = order.some((lower, i) => i > at && lower.rank > guard.rank && rewrote(i));
          if (!behind) continue;
          expect(looks[plans.indexOf(guard)]!.at(-1)).toEqual(final);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('whatever lower layers do, what guards above block in its final form does not pass, and what they ask about is asked', () => {
    const guards = chainOf([1, 2], ['allow', 'block', 'ask', 'raise']);
    fc.assert(
      fc.property(guards, chainOf([3, 4, 900]), form, (above, below, call) => {
        const { outcome, final } = judge([...above, ...below], call);
        if (outcome.action === 'block') return;
        const alone = judge(above, final).outcome.action;
        expect(alone).not.toBe('block');
        if (alone === 'ask') expect(outcome.action).toBe('ask');
      }),
      { numRuns: 600 },
    );
  });

  it('hooks of the built-in layer judge last, and what they refuse does not pass', () => {
    const builtIn = fc.array(plan([0], ['block', 'ask', 'allow']), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(builtIn, chainOf(), form, (floor, authored, call) => {
        const enforced = floor.map((one) => ({ ...one, mode: 'enforce' as const }));
        const { outcome, final, hooks } = judge([...authored, ...enforced], call);
        expect(hooks.slice(-floor.length).every(isBuiltIn)).toBe(true);
        if (outcome.action === 'block') return;
        expect(enforced.some((one) => one.does === 'block' && acts(one, final))).toBe(false);
        if (enforced.some((one) => one.does === 'ask' && acts(one, final)))
          expect(outcome.action).toBe('ask');
      }),
      { numRuns: 400 },
    );
  });

  it('a hook that would change the call again in its second look blocks it', () => {
    let second = 0;
    fc.assert(
      fc.property(chainOf(RANKS, ['modify', 'modify', 'allow']), form, (plans, call) => {
        const { outcome, final } = judge(plans, call);
        const again = outcome.trace.filter(({ recheck }) => recheck === true);
        for (const entry of again.filter(({ decision }) => decision === 'modify')) {
          const one = plans.find((_, i) => sourceOf(i) === entry.source)!;
          const blocked = outcome.action === 'block';
          // One that asks for what is there already changes nothing.
          if (!same({ ...final, ...one.to }, final)) {
            second++;
            expect(blocked).toBe(true);
          }
        }
      }),
      { numRuns: 600 },
    );
    expect(second).toBeGreaterThan(10);
  });

  it('a hook is called twice at most, and the second look leaves nothing behind but its trace entry', () => {
    let rechecked = 0;
    fc.assert(
      fc.property(chainOf(), form, (plans, call) => {
        const { outcome, looks, run } = judge(plans, call);
        for (const seen of looks) expect(seen.length).toBeLessThanOrEqual(2);
        const first = outcome.trace.filter(({ recheck }) => recheck !== true);
        const again = outcome.trace.length - first.length;
        rechecked += again;
        expect(again).toBeLessThanOrEqual(first.length);
        const ran = first.filter(({ state }) => state === 'ran').length;
        expect(run.metrics.get('looks') ?? 0).toBe(ran);
        expect(run.logs.length).toBe(ran);
        expect(outcome.effects.filter(({ kind }) => kind === 'log').length).toBe(ran);
        const answered = first.filter(({ decision }) => decision !== null).length;
        expect(outcome.effects.filter(({ kind }) => kind === 'metric').length).toBe(answered);
        const failed = first.filter(({ failure }) => failure !== null).length;
        expect(run.health.get('hook.failures') ?? 0).toBe(failed);
        expect(run.cache.size).toBe(ran);
      }),
      { numRuns: 600 },
    );
    expect(rechecked).toBeGreaterThan(20);
  });

  it('two layers with one hook name are two hooks, each with its own entry in the trace', () => {
    fc.assert(
      fc.property(chainOf(), form, (plans, call) => {
        const { outcome, hooks } = judge(plans, call);
        const first = outcome.trace.filter(({ recheck }) => recheck !== true);
        expect(hooks).toHaveLength(plans.length);
        expect(first.map(({ hook: name, layer }) => [name, layer])).toEqual(
          hooks.map((each) => [each.name, layerOf(each).name]),
        );
      }),
    );
  });
});

describe('delegation', () => {
  const delegating = (rank: number) =>
    hook({
      name: 'hands on',
      event: 'delegation.post',
      priority: 1,
      layer: { name: 'low', rank },
      body: () => ({ action: 'delegate', request: { agent: 'other' } }),
    });
  const guard = (body: () => unknown, more = {}) =>
    hook({
      name: 'guard',
      event: 'delegation.post',
      priority: 2,
      layer: { name: 'user', rank: 2 },
      body,
      ...more,
    });
  const payload = { id: '1', agent: 'a', task: 't', result: 'done' };

  it('of a lower layer does not keep a guard above it from saying no', () => {
    const chain = [delegating(3), guard(() => ({ action: 'block', reason: 'no' }))];
    expect(now(engineOf(chain, { canDelegate: true }).decide('delegation.post', payload))).toMatchObject({
      action: 'block',
      hook: 'guard',
    });
  });

  it('of a lower layer stands if the guards above it have nothing to say', () => {
    const chain = [delegating(3), guard(() => null)];
    expect(now(engineOf(chain, { canDelegate: true }).decide('delegation.post', payload))).toMatchObject({
      action: 'delegate',
      hook: 'hands on',
      request: { agent: 'other' },
    });
  });
});

describe('hooks of the built-in layer', () => {
  const floor = () => hook({ name: 'floor', layer: BUILT_IN, position: 7 });
  const builtIns = (registry: Registry) => registry.list('tool.pre').filter(isBuiltIn).length;

  type Step = (registry: Registry) => void;
  const step: fc.Arbitrary<Step> = fc.constantFrom<Step>(
    (registry) => registry.unregister('floor', 'tool.pre'),
    (registry) => registry.unregister('x', 'tool.pre'),
    (registry) => registry.clear(),
    (registry) => registry.clear('tool.pre'),
    (registry) => registry.replaceAll([]),
    (registry) => registry.replaceAll([hook({ name: 'floor' }), hook({ name: 'x' })]),
    (registry) => registry.add(hook({ name: 'floor', priority: 99 })),
    (registry) => registry.add(hook({ name: 'x' }))(),
  );

  it('stay, whatever is done to a registry that holds them or to one on top of it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 8 }), (steps) => {
        const below = new Registry([floor(), hook({ name: 'x' })]);
        const above = new LayeredRegistry(below, [floor(), hook({ name: 'x' })]);
        for (const [take, onTop] of steps) take(onTop ? above : below);
        expect(builtIns(below)).toBe(1);
        expect(builtIns(above)).toBe(2);
        expect(above.list('tool.pre').slice(-2).every(isBuiltIn)).toBe(true);
      }),
    );
  });

  it('are replaced only by a set that brings its own', () => {
    const registry = new Registry([floor(), hook({ name: 'x' })]);
    registry.replaceAll([{ ...floor(), name: 'new floor' }]);
    expect(registry.list('tool.pre').map(({ name }) => name)).toEqual(['new floor']);
  });

  it('do not keep a registry on top from removing its own hook of the same name as one below', () => {
    const above = new LayeredRegistry(new Registry([hook({ name: 'x' })]), [
      hook({ name: 'x', position: 1 }),
    ]);
    expect(above.unregister('x', 'tool.pre')).toBe(true);
    expect(above.unregister('x', 'tool.pre')).toBe(false);
    expect(above.list('tool.pre')).toHaveLength(1);
  });
});
