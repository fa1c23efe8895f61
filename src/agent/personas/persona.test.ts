import { describe, expect, it } from 'vitest';
import { decisions, hook } from '../../../test/support/plain-hook.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { ReminderStore } from '../../engine/reminders/store.ts';
import { createHooks, type HarnHooks } from '../../exports/hooks.ts';
import type { SessionEvent } from '../session-event.ts';
import { type CreatePersonaOptions, createPersona, StepDenied, step } from './index.ts';

function persona(
  hooks: HarnHooks = createHooks(),
  options: CreatePersonaOptions = {},
  name = 'merge_captain',
) {
  const events: Extract<SessionEvent, { type: 'hook' }>[] = [];
  const made = createPersona(name, {
    hooks: hooks.registry,
    onEvent: (event) => event.type === 'hook' && events.push(event),
    ...options,
  });
  return { made, events, fired: () => events.map(({ event }) => event) };
}

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (thrown) => thrown,
  );

describe('a step', () => {
  it('[C094] fires step.pre and step.post around its function, with what they carry', async () => {
    const { made, events } = persona();
    const audit = made.step('audit', async function check(branch: string, depth: number) {
      return { branch, depth };
    });
    expect(await audit('main', 2)).toEqual({ branch: 'main', depth: 2 });
    const about = {
      target: 'merge_captain.audit',
      persona: 'merge_captain',
      step: 'audit',
      function: 'check',
    };
    expect(events.map(({ event, payload }) => [event, payload])).toEqual([
      ['step.pre', { ...about, args: ['main', 2] }],
      ['step.post', { ...about, args: ['main', 2], output: { branch: 'main', depth: 2 } }],
    ]);
  });

  it('denied by a hook never runs, and rejects with a typed error', async () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('merge_*', 'PreStep', () => ({ deny: 'freeze' }));
    const { made, fired } = persona(hooks);
    let ran = 0;
    const denied = await caught(made.step('push', () => ++ran)());
    expect(denied).toBeInstanceOf(StepDenied);
    expect(denied).toMatchObject({
      code: 'STEP_DENIED',
      category: 'hook_denied',
      event: 'PreStep',
      reason: 'freeze',
      step: 'push',
      hook: 'persona_hook::PreStep::merge_*',
    });
    expect(ran).toBe(0);
    expect(fired()).toEqual(['step.pre']);
  });

  it('[C095] has its arguments and its output rewritten, each hook seeing what the one before left', async () => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    hooks.registerStepHook('merge_*', 'add', 'PreStep', ({ step: { args } }) => ({ args: [args[0]!, 10] }));
    hooks.registerStepHook('merge_*', 'add', 'PreStep', ({ step: { args } }) => void seen.push(args));
    hooks.registerStepHook('merge_*', 'add', 'PostStep', ({ output }) => ({ output: Number(output) * 2 }));
    const { made } = persona(hooks);
    expect(await made.step('add', (a: number, b: number) => a + b)(1, 2)).toBe(22);
    expect(seen).toEqual([[1, 10]]);
  });

  it('[C042] is matched by (persona pattern, step name)', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', ({ target }) => void seen.push(target));
    for (const name of ['merge_captain', 'release_captain']) {
      const { made } = persona(hooks, {}, name);
      for (const each of ['audit', 'push']) await made.step(each, () => null)();
    }
    expect(seen).toEqual(['merge_captain.audit']);
  });

  it('the documented example: a reminder, and then the arguments as they were', async () => {
    const hooks = createHooks();
    const THEN = 'then';
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', (context) => ({
      reminder: { body: 'Audit step is running', tags: ['audit'] },
      [THEN]: { args: context.step.args },
    }));
    const reminders = new ReminderStore();
    const { made } = persona(hooks, { reminders });
    expect(await made.step('audit', (branch: string) => branch)('main')).toBe('main');
    expect(reminders.drain(0).join()).toContain('Audit step is running');
  });

  it('a veto of step.post holds back what came of the step', async () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('*', 'PostStep', () => ({ deny: 'holds a secret' }));
    let ran = 0;
    const denied = await caught(persona(hooks).made.step('a', () => ++ran)());
    expect(denied).toMatchObject({ code: 'STEP_DENIED', event: 'PostStep', reason: 'holds a secret' });
    expect(ran).toBe(1);
  });

  it('a hook that fails fails the step, before it runs or after', async () => {
    for (const [event, runs] of [
      ['PreStep', 0],
      ['PostStep', 1],
    ] as const) {
      const hooks = createHooks();
      hooks.registerPersonaHook('*', event, () => {
        throw new Error('boom');
      });
      let ran = 0;
      const failed = await caught(persona(hooks).made.step('a', () => ++ran)());
      expect(failed).toMatchObject({ code: 'STEP_FAILED', message: expect.stringContaining('boom') });
      expect(ran).toBe(runs);
    }
  });

  it('what its function throws is what its caller gets; step.post does not fire', async () => {
    const { made, fired } = persona();
    const broken = new Error('disk full');
    const work = made.step('a', () => {
      throw broken;
    });
    expect(await caught(work())).toBe(broken);
    expect(fired()).toEqual(['step.pre']);
  });

  it('that returns what is no JSON fails', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(await caught(persona().made.step('a', () => cycle as Json)())).toMatchObject({
      code: 'STEP_FAILED',
    });
  });

  it('called by a hook does not set the hooks off again; inside another step it does', async () => {
    const hooks = createHooks();
    const { made, fired } = persona(hooks);
    const inner = made.step('inner', async () => 'inner');
    let calls = 0;
    hooks.registerPersonaHook('*', 'PreStep', async () => {
      calls++;
      await new Promise((resolve) => setTimeout(resolve, 1));
      await inner();
      await made.handoff({ to: 'nobody' });
      return null;
    });
    const outer = made.step('outer', () => inner());
    expect(await outer()).toBe('inner');
    expect(calls).toBe(2);
    expect(fired()).toEqual(['step.pre', 'step.pre', 'step.post', 'step.post']);
  });

  it('that a hook wants asked about goes to the channel, and is denied without one', async () => {
    const hooks = createHooks();
    hooks.registry.add(hook({ event: 'step.pre', name: 'asks', body: () => decisions.ask('sure?') }));
    const alone = await caught(persona(hooks).made.step('ship', (what: string) => what)('v1'));
    expect(alone).toBeInstanceOf(StepDenied);
    const questions: JsonObject[] = [];
    const { made, fired } = persona(hooks, {
      approvals: {
        request: async ({ toolName, toolInput }) => {
          questions.push({ toolName, toolInput });
          return { approved: questions.length === 1 };
        },
      },
    });
    const ship = made.step('ship', (what: string) => what);
    expect(await ship('v1')).toBe('v1');
    expect(await caught(ship('v2'))).toBeInstanceOf(StepDenied);
    expect(questions).toEqual(
      ['v1', 'v2'].map((what) => ({ toolName: 'ship', toolInput: { args: [what] } })),
    );
    expect(fired().filter((event) => event === 'approval.requested')).toHaveLength(2);
  });

  it('can belong to no persona', async () => {
    const hooks = createHooks();
    hooks.registerStepHook('*', 'alone', 'PreStep', ({ persona: whose, target }) => ({
      args: [`${String(whose)} ${target}`],
    }));
    expect(await step('alone', (text: string) => text, { hooks: hooks.registry })('')).toBe('null alone');
  });
});

describe('a pause', () => {
  it('[C094] holds steps back until it is over, and both ends are events', async () => {
    const { made, events, fired } = persona();
    const work = made.step('work', () => 'done');
    await made.pause('lunch');
    await made.pause('again');
    expect(made.paused).toBe(true);
    let finished = false;
    const waiting = work().then((said) => {
      finished = true;
      return said;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(finished).toBe(false);
    await made.resume();
    expect(await waiting).toBe('done');
    await made.resume();
    expect(fired()).toEqual(['persona.paused', 'persona.resumed', 'step.pre', 'step.post']);
    expect(events[0]?.payload).toEqual({ persona: 'merge_captain', reason: 'lunch' });
  });

  it('for ever ends in a typed error, for steps that wait and for those that come later', async () => {
    const { made } = persona(createHooks(), { maxPauseMs: 20 });
    const work = made.step('work', () => 'done');
    await made.pause();
    expect(await caught(work())).toMatchObject({ code: 'PERSONA_PAUSED' });
    expect(await caught(work())).toMatchObject({ code: 'PERSONA_PAUSED' });
    await made.resume();
    expect(await work()).toBe('done');
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    const { made } = persona(createHooks(), { signal: controller.signal });
    await made.pause();
    const waiting = caught(made.step('work', () => 'done')());
    controller.abort();
    expect(await waiting).toMatchObject({
      code: 'PERSONA_PAUSED',
      message: expect.stringContaining('aborted'),
    });
  });
});

describe('what else happens to a persona', () => {
  it('[C094] handoff.emitted says to whom and what; a veto is ignored', async () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('merge_*', 'OnHandoffEmitted', () => ({ deny: 'no' }));
    const { made, events } = persona(hooks);
    await made.handoff({ to: 'reviewer', artifact: { pr: 7 }, reason: 'ready' });
    expect(events[0]?.payload).toEqual({
      persona: 'merge_captain',
      to: 'reviewer',
      artifact: { pr: 7 },
      reason: 'ready',
    });
    expect(events[0]?.outcome).toMatchObject({ action: 'allow' });
    expect(events[0]?.outcome.trace[0]).toMatchObject({
      vetoIgnored: expect.stringContaining('nothing can block'),
    });
  });

  it('[C096] budget.threshold fires once for each share, and calls a hook that names a share once', async () => {
    const hooks = createHooks();
    const heard: [string, number][] = [];
    hooks.registerPersonaHook(
      '*',
      'OnBudgetThreshold(80)',
      ({ percentage }) => void heard.push(['80', percentage]),
    );
    hooks.registerPersonaHook(
      '*',
      'OnBudgetThreshold',
      ({ percentage }) => void heard.push(['any', percentage]),
    );
    const { made, events } = persona(hooks, { budget: { limit: 10, thresholds: [100, 50, 80] } });
    await made.spend(4);
    await made.spend(4.5);
    await made.spend(0.5);
    await made.spend(5);
    await made.spend(5);
    expect(events.map(({ payload }) => payload)).toEqual([
      { persona: 'merge_captain', percentage: 50, previous: 0, spent: 8.5, limit: 10 },
      { persona: 'merge_captain', percentage: 80, previous: 50, spent: 8.5, limit: 10 },
      { persona: 'merge_captain', percentage: 100, previous: 80, spent: 14, limit: 10 },
    ]);
    expect(heard).toEqual([
      ['any', 50],
      ['80', 80],
      ['any', 80],
      ['any', 100],
    ]);
    expect(made.spent).toBe(19);
  });

  it('a hook that fails on any of them fails it, and nobody waits for ever because of it', async () => {
    const hooks = createHooks();
    for (const event of ['OnPersonaPaused', 'OnPersonaResumed', 'OnHandoffEmitted'] as const) {
      hooks.registerPersonaHook('*', event, () => {
        throw new Error('boom');
      });
    }
    const { made } = persona(hooks);
    for (const work of [made.handoff({ to: 'x' }), made.pause(), made.resume()]) {
      expect(await caught(work)).toMatchObject({
        code: 'STEP_FAILED',
        message: expect.stringContaining('boom'),
      });
    }
    expect(await made.step('work', () => 'done')()).toBe('done');
  });

  it('approve asks a person under the same rules as a tool call', async () => {
    const { made, events } = persona(createHooks(), {
      approvals: { request: async ({ toolName }) => ({ approved: toolName === 'release' }) },
    });
    expect(await made.approve({ what: 'release', details: { version: '2.0' } })).toEqual({ approved: true });
    expect(await made.approve({ what: 'rollback' })).toMatchObject({ approved: false });
    expect(events[0]?.payload).toMatchObject({
      persona: 'merge_captain',
      name: 'release',
      args: { version: '2.0' },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await persona().made.approve({ what: 'release' })).toMatchObject({ approved: false });
  });
});

describe('misuse', () => {
  it('throws at once', () => {
    const wrong: (() => unknown)[] = [
      () => createPersona(' '),
      () => createPersona('a', { maxPauseMs: 0 }),
      () => createPersona('a', { budget: { limit: 0 } }),
      () => createPersona('a', { budget: { limit: 1, thresholds: [Number.NaN] } }),
      () => createPersona('a').step('', () => null),
      () => createPersona('a').step('b', null as never),
    ];
    for (const each of wrong) expect(each).toThrow(expect.objectContaining({ code: 'PERSONA_CONFIG' }));
    const twice = createPersona('a');
    twice.step('b', () => null);
    expect(() => twice.step('b', () => null)).toThrow('two steps named "b"');
  });

  it('spending without a budget, or less than nothing, rejects', async () => {
    expect(await caught(createPersona('a').spend(1))).toMatchObject({ code: 'PERSONA_CONFIG' });
    const { made } = persona(createHooks(), { budget: { limit: 1 } });
    expect(await caught(made.spend(-1))).toMatchObject({ code: 'PERSONA_CONFIG' });
  });
});
