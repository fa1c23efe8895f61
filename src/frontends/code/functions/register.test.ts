import { afterEach, describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now } from '../../../../test/support/plain-hook.ts';
import type { Json } from '../../../base/json.ts';
import { Registry } from '../../../engine/registry.ts';
import { RunState } from '../../../engine/run-state.ts';
import * as surface from './default-hooks.ts';
import { createHooks, type HarnHooks } from './register.ts';

const call = { id: 'c1', name: 'exec_root', args: { path: '/etc/passwd' } };
const names = ({ registry }: HarnHooks) => registry.list().map(({ name }) => name);
const decide = (hooks: HarnHooks, event: string, payload: Json) =>
  now(engineOf(hooks.registry.list()).decide(event, payload));

/** What a handler was shown. */
function seenBy(
  bind: (hooks: HarnHooks, handler: (event: unknown) => null) => void,
  event: string,
  payload: Json,
) {
  const hooks = createHooks();
  let seen: unknown;
  bind(hooks, (given) => {
    seen = given;
    return null;
  });
  const run = new RunState(undefined, { id: 's1', transcriptPath: null, cwd: null });
  now(engineOf(hooks.registry.list(), { run }).decide(event, payload));
  return seen;
}

describe('registerToolHook', () => {
  it('[C040] refuses tools by glob with deny', () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'exec_*', deny: 'exec is gated' });
    expect(decide(hooks, 'tool.pre', call)).toMatchObject({ action: 'block', reason: 'exec is gated' });
    expect(decide(hooks, 'tool.pre', { ...call, name: 'read' }).action).toBe('allow');
  });

  it('makes up to four hooks, and one call takes them all back', () => {
    const hooks = createHooks();
    const dispose = hooks.registerToolHook({
      pattern: 'x',
      post: () => null,
      pre: () => null,
      max_output: 4000,
      deny: 'no',
    });
    expect(names(hooks).sort()).toEqual([
      'tool_hook::x::deny',
      'tool_hook::x::max_output',
      'tool_hook::x::post',
      'tool_hook::x::pre',
    ]);
    expect(hooks.registry.list('tool.pre').map(({ name }) => name)).toEqual([
      'tool_hook::x::deny',
      'tool_hook::x::pre',
    ]);
    dispose();
    dispose();
    expect(hooks.registry.size).toBe(0);
  });

  it('[C041] takes an expression over the event as pattern, for every part of it', () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'tool.args.path =~ "^/etc/"', deny: 'not there' });
    expect(decide(hooks, 'tool.pre', call).action).toBe('block');
    expect(decide(hooks, 'tool.pre', { ...call, args: { path: '/tmp' } }).action).toBe('allow');
  });

  it('judges the pattern on the call as earlier hooks left it', () => {
    const registry = new Registry([
      hook({ priority: -1, body: () => decisions.modify({ args: { path: '/etc/shadow' } }) }),
    ]);
    const hooks = createHooks(registry);
    hooks.registerToolHook({ pattern: 'tool.args.path =~ "shadow"', deny: 'no' });
    expect(decide(hooks, 'tool.pre', { ...call, args: {} }).action).toBe('block');
  });

  it('[C098] [C099] shortens long results, and counts what all hooks dropped', () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: '*', max_output: 4000 });
    hooks.registerToolHook({ pattern: '*', max_output: 400 });
    const content = Array.from({ length: 1000 }, (_, n) => `row ${n}`).join('\n');
    const outcome = decide(hooks, 'tool.post', { name: 'x', content });
    const payload = outcome.payload as { content: string; truncated: boolean; dropped_bytes: number };
    expect(outcome.action).toBe('modify');
    expect(Buffer.byteLength(payload.content)).toBeLessThanOrEqual(400);
    expect(payload.truncated).toBe(true);
    expect(payload.dropped_bytes).toBeGreaterThan(content.length - 4000 + 3000);
    expect(decide(hooks, 'tool.post', { name: 'x', content: 'short' }).action).toBe('allow');
  });

  it('a handler sees the tool and its current arguments, and the result after it', () => {
    const tool = { name: 'exec_root', args: { path: '/etc/passwd' }, tool_call_id: 'c1' };
    expect(seenBy((hooks, pre) => hooks.registerToolHook({ pre }), 'tool.pre', call)).toEqual({
      event: 'PreToolUse',
      tool,
      tool_call_id: 'c1',
    });
    const result = { call_id: 'c1', name: 'exec_root', args: call.args, result: { rows: 1 } };
    expect(seenBy((hooks, post) => hooks.registerToolHook({ post }), 'tool.post', result)).toEqual({
      event: 'PostToolUse',
      tool,
      tool_call_id: 'c1',
      result: { text: '{"rows":1}', dropped_bytes: 0 },
    });
  });

  it('a handler cannot change the call but by its answer', () => {
    const hooks = createHooks();
    hooks.registerToolHook({
      pre: ({ tool }) => {
        (tool.args as Record<string, unknown>).path = '/tmp';
        return null;
      },
    });
    const args = { path: '/etc/passwd' };
    expect(decide(hooks, 'tool.pre', { ...call, args })).toMatchObject({
      action: 'block',
      failure: { kind: 'error' },
    });
    expect(args.path).toBe('/etc/passwd');
  });

  it.each([
    [{ patern: 'x', deny: 'no' }, 'did you mean pattern?'],
    [{ pattern: 'x' }, 'at least one of'],
    [{ deny: '' }, 'deny wants a text'],
    [{ max_output: -1 }, 'max_output wants'],
    [{ max_output: '4000' }, 'max_output wants'],
    [{ pre: 'x' }, 'pre wants a function'],
    [{ pattern: 7, deny: 'no' }, 'pattern wants a text'],
    [null, 'wants an object'],
  ])('refuses %j', (config, message) => {
    const hooks = createHooks();
    expect(() => hooks.registerToolHook(config as never)).toThrow(message);
    expect(hooks.registry.size).toBe(0);
  });
});

describe('registerPersonaHook and registerStepHook', () => {
  const step = { persona: 'merge_bot', step: 'audit', function: 'run_audit', args: [1] };

  it('[C042] match personas by glob, and steps by name', () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('merge_*', 'PreStep', () => ({ args: ['persona'] }));
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', () => ({ deny: 'not now' }));
    expect(decide(hooks, 'step.pre', step)).toMatchObject({
      action: 'block',
      payload: { args: ['persona'] },
    });
    expect(decide(hooks, 'step.pre', { ...step, step: 'build' })).toMatchObject({ action: 'modify' });
    expect(decide(hooks, 'step.pre', { ...step, persona: 'deploy_bot' }).action).toBe('allow');
    expect(decide(hooks, 'step.pre', { step: 'audit', args: [] }).action).toBe('allow');
  });

  it('[C042] match a persona by its exact name, whatever its steps', () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('merge_bot', 'PreStep', () => ({ deny: 'no' }));
    expect(decide(hooks, 'step.pre', step).action).toBe('block');
  });

  it('a handler sees persona, step and output', () => {
    const seen = seenBy((hooks, fn) => hooks.registerPersonaHook('*', 'PostStep', fn), 'step.post', {
      ...step,
      output: { ok: true },
    });
    expect(seen).toEqual({
      event: 'PostStep',
      target: 'merge_bot.audit',
      persona: 'merge_bot',
      step: { name: 'audit', function: 'run_audit', args: [1] },
      output: { ok: true },
    });
  });

  it('[C094] hear of every event in the life of a persona', () => {
    const hooks = createHooks();
    const heard: string[] = [];
    const events = [
      ['approval.requested', 'OnApprovalRequested'],
      ['handoff.emitted', 'OnHandoffEmitted'],
      ['persona.paused', 'OnPersonaPaused'],
      ['persona.resumed', 'OnPersonaResumed'],
      ['budget.threshold', 'OnBudgetThreshold'],
    ] as const;
    for (const [canonical, name] of events) {
      hooks.registerPersonaHook('merge_*', name, ({ event, persona }) => {
        heard.push(`${event} of ${persona}`);
        return null;
      });
      decide(hooks, canonical, { persona: 'merge_bot', percentage: 1 });
      decide(hooks, canonical, { persona: 'other', percentage: 1 });
    }
    expect(heard).toEqual(events.map(([, name]) => `${name} of merge_bot`));
  });

  it('OnBudgetThreshold(80) runs once 80 % are reached', () => {
    const hooks = createHooks();
    const crossed: number[] = [];
    hooks.registerPersonaHook('*', 'OnBudgetThreshold(80)', ({ percentage }) => {
      crossed.push(percentage);
      return null;
    });
    for (const percentage of [50, 80, 95]) decide(hooks, 'budget.threshold', { percentage });
    expect(crossed).toEqual([80, 95]);
    expect(() => hooks.registerPersonaHook('*', 'OnBudgetThreshold(lots)' as never, () => null)).toThrow(
      'has no event',
    );
  });
});

describe('registerSessionHook', () => {
  it.each(['user_prompt_submit', 'UserPromptSubmit', 'turn.start'])(
    '[C005] knows the event as %s',
    (event) => {
      const hooks = createHooks();
      hooks.registerSessionHook(event as 'UserPromptSubmit', ({ prompt }) => ({
        block: true,
        reason: prompt,
      }));
      expect(decide(hooks, 'turn.start', 'hello')).toMatchObject({ action: 'block', reason: 'hello' });
      expect(names(hooks)).toEqual(['session_hook::UserPromptSubmit']);
    },
  );

  it('[C005] knows session_error also as error', () => {
    const hooks = createHooks();
    hooks.registerSessionHook('error', () => null);
    hooks.registerSessionHook('session_error', () => null);
    expect(hooks.registry.list('error')).toHaveLength(2);
  });

  it.each([
    ['PreToolUse', 'does not take PreToolUse: use registerToolHook'],
    ['tool.post', 'does not take PostToolUse: use registerToolHook'],
    ['PreStep', 'use registerPersonaHook or registerStepHook'],
    ['sesion_start', 'did you mean session_start?'],
    ['user_promt_submit', 'did you mean user_prompt_submit?'],
  ])('[C006] refuses %s', (event, message) => {
    const hooks = createHooks();
    expect(() => hooks.registerSessionHook(event as 'session_start', () => null)).toThrow(message);
  });

  it('[C006] is refused by the other surfaces in turn', () => {
    const hooks = createHooks();
    expect(() => hooks.registerPersonaHook('*', 'session_start' as never, () => null)).toThrow(
      'use registerSessionHook',
    );
    expect(() => hooks.registerStepHook('*', 's', 'PreToolUse' as never, () => null)).toThrow(
      'use registerToolHook',
    );
  });

  it('[C041] takes a pattern between event and handler', () => {
    const hooks = createHooks();
    hooks.registerSessionHook('permission_asked', 'exec_*', () => ({ decision: 'deny', reason: 'never' }));
    expect(decide(hooks, 'permission.asked', call)).toMatchObject({ action: 'block', reason: 'never' });
    expect(decide(hooks, 'permission.asked', { name: 'read' }).action).toBe('allow');
  });

  it.each<[unknown[]]>([[[]], [['*', () => null, () => null]], [['*']], [[7, () => null]]])(
    'refuses other arguments',
    (rest) => {
      const register = createHooks().registerSessionHook as (...args: unknown[]) => unknown;
      expect(() => register.call(createHooks(), 'session_start', ...rest)).toThrow('registerSessionHook');
    },
  );

  it.each<[string, string, Json, unknown]>([
    [
      'user_prompt_submit',
      'turn.start',
      'hi',
      { event: 'UserPromptSubmit', session: { id: 's1' }, prompt: 'hi' },
    ],
    [
      'permission_asked',
      'permission.asked',
      { id: 'c', name: 'x', args: { a: 1 }, reason: 'r', session_id: 's2' },
      {
        event: 'PermissionAsked',
        session: { id: 's2' },
        tool: { name: 'x', args: { a: 1 }, tool_call_id: 'c' },
        reason: 'r',
      },
    ],
    [
      'file_edited',
      'file.edited',
      { path: 'a.rs', metadata: { lines: 2 } },
      { event: 'FileEdited', session: { id: 's1' }, path: 'a.rs', metadata: { lines: 2 } },
    ],
    ['session_end', 'session.end', null, { event: 'SessionEnd', session: { id: 's1' } }],
  ])('a %s handler sees the event in its own terms', (name, event, payload, expected) => {
    const bind = (hooks: HarnHooks, fn: (event: unknown) => null) =>
      hooks.registerSessionHook(name as 'session_end', fn);
    expect(seenBy(bind, event, payload)).toEqual(expected);
  });
});

describe('handlers of the Harn surface', () => {
  it('[C032] that throw fail the operation', () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => {
      throw new Error('boom');
    });
    expect(decide(hooks, 'session.start', {})).toMatchObject({
      action: 'allow',
      failure: { kind: 'error', message: 'boom', hook: 'session_hook::SessionStart' },
    });
  });

  it('[C035] may be asynchronous, within their limit', async () => {
    const hooks = createHooks(undefined, { timeoutMs: 20 });
    hooks.registerToolHook({ pattern: 'slow', pre: async () => ({ deny: 'later' }) });
    hooks.registerToolHook({ pattern: 'never', pre: () => new Promise<never>(() => {}) });
    const engine = engineOf(hooks.registry.list());
    expect(await engine.decide('tool.pre', { name: 'slow' })).toMatchObject({
      action: 'block',
      reason: 'later',
    });
    expect((await engine.decide('tool.pre', { name: 'never' })).failure).toMatchObject({ kind: 'timeout' });
  });

  it('[C008] run in the order of registration, on every surface alike', () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pre: ({ tool }) => ({ args: { ...tool.args, a: 1 } }) });
    hooks.registerToolHook({ pre: ({ tool }) => ({ args: { ...tool.args, b: tool.args.a! } }) });
    expect(decide(hooks, 'tool.pre', { name: 'x', args: {} }).payload).toMatchObject({
      args: { a: 1, b: 1 },
    });
  });

  it('[C044] with a broken pattern never run; it is reported at once and in every trace', () => {
    const told: string[] = [];
    const hooks = createHooks(undefined, { onWarning: (message) => told.push(message) });
    hooks.registerToolHook({ pattern: 'tool.name =~ "("', deny: 'no' });
    expect(hooks.warnings).toEqual([
      expect.stringContaining('never matches: the regular expression "(" is broken'),
    ]);
    expect(told).toEqual(hooks.warnings);
    expect(decide(hooks, 'tool.pre', call)).toMatchObject({
      action: 'allow',
      trace: [{ state: 'condition_failed' }],
    });
  });

  it('with a plain name are found through the index of the chain', () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'read', deny: 'no' });
    hooks.registerStepHook('*', 'audit', 'PreStep', () => null);
    const indexable = hooks.registry.list().map((each) => each.condition?.indexable);
    expect(indexable).toEqual([
      { key: 'step', values: ['audit'] },
      { key: 'name', values: ['read', 'read_file'] },
    ]);
  });

  it('[C012] are cleared surface by surface, without those of others', () => {
    const registry = new Registry([hook({ name: 'other' })]);
    const hooks = createHooks(registry);
    hooks.registerToolHook({ deny: 'no' });
    hooks.registerStepHook('*', 's', 'PreStep', () => null);
    hooks.registerSessionHook('session_start', () => null);
    hooks.clearToolHooks();
    expect(registry.size).toBe(3);
    hooks.clearPersonaHooks();
    hooks.clearSessionHooks();
    expect(registry.list().map(({ name }) => name)).toEqual(['other']);
  });
});

describe('reminder providers', () => {
  it('[C110] leave reminders on the events they subscribe to, and decide nothing', () => {
    const hooks = createHooks();
    hooks.registerReminderProvider({
      id: 'pressure',
      subscribes_to: ['post_turn', 'PostToolUse'],
      evaluate: (event) => [{ body: `after ${event.event}` }, { body: 'again' }],
    });
    hooks.registerReminderProvider({ id: 'quiet', subscribes_to: ['post_turn'], evaluate: () => null });
    expect(decide(hooks, 'turn.step', { text: 'done' }).effects).toEqual([
      { kind: 'reminder', hook: 'reminder_provider::pressure', reminder: { body: 'after PostTurn' } },
      { kind: 'reminder', hook: 'reminder_provider::pressure', reminder: { body: 'again' } },
    ]);
  });

  it.each([
    () => ({ deny: 'x' }),
    () => false,
    () => 'text',
    () => {
      throw new Error('boom');
    },
  ])('[C110] [C136] that answer something else, or throw, stop nothing and are in the trace', (evaluate) => {
    const hooks = createHooks();
    hooks.registerReminderProvider({ id: 'p', subscribes_to: ['PreToolUse'], evaluate: evaluate as never });
    const outcome = decide(hooks, 'tool.pre', call);
    expect([outcome.action, outcome.failure]).toEqual(['allow', undefined]);
    expect(outcome.trace[0]!.failure).not.toBeNull();
  });

  it('[C110] are eight at most, each with its own id', () => {
    const hooks = createHooks();
    const provider = (id: string) => ({ id, subscribes_to: ['post_turn'], evaluate: () => null });
    const first = hooks.registerReminderProvider(provider('0'));
    expect(() => hooks.registerReminderProvider(provider('0'))).toThrow('is there already');
    for (let n = 1; n < 8; n++) hooks.registerReminderProvider(provider(`${n}`));
    expect(() => hooks.registerReminderProvider(provider('9'))).toThrow('there are 8');
    first();
    hooks.registerReminderProvider(provider('9'));
    hooks.clearReminderProviders();
    expect(hooks.registry.size).toBe(0);
    expect(() => hooks.registerReminderProvider({ ...provider('x'), subscribes_to: ['nope'] })).toThrow(
      'has no event',
    );
  });
});

describe('the functions of the module', () => {
  afterEach(() => {
    surface.clearToolHooks();
    surface.clearPersonaHooks();
    surface.clearSessionHooks();
    surface.clearReminderProviders();
  });

  it('[C012] [C013] are one surface for the whole program', () => {
    surface.registerToolHook({ deny: 'no' });
    surface.registerPersonaHook('*', 'PreStep', () => null);
    surface.registerStepHook('*', 's', 'PostStep', () => null);
    surface.registerSessionHook('session_start', '*', () => null);
    surface.registerReminderProvider({ id: 'p', subscribes_to: ['post_turn'], evaluate: () => null });
    expect(surface.defaultHooks.registry.events()).toEqual([
      'session.start',
      'step.post',
      'step.pre',
      'tool.pre',
      'turn.step',
    ]);
    surface.clearToolHooks();
    expect(surface.defaultHooks.registry.has('tool.pre')).toBe(false);
  });
});
