import { describe, expect, it } from 'vitest';
import { decisions, hook } from '../../../../test/support/plain-hook.ts';
import { Registry } from '../../../engine/registry.ts';
import { RunState } from '../../../engine/run-state.ts';
import type { HookContext, HookEvent } from './context.ts';
import { ReminderInjector } from './injector.ts';
import { type HookFn, HookRegistry, type HookSpec } from './registry.ts';
import { createDefaultRegistry } from './reminder-templates.ts';
import { HookRuntime } from './runtime.ts';

const call: HookContext = { event: 'tool.pre', turnIndex: 2, toolName: 'run', toolInput: { command: 'ls' } };
const CONTEXTS: { readonly [E in HookEvent]: Extract<HookContext, { event: E }> } = {
  'session.start': { event: 'session.start', turnIndex: 0, sessionId: 's1', model: 'm' },
  'user.prompt.submit': { event: 'user.prompt.submit', turnIndex: 3, prompt: 'hello' },
  'tool.pre': {
    event: 'tool.pre',
    turnIndex: 1,
    toolName: 'read',
    toolInput: { path: 'a', deep: { list: [1] } },
  },
  'tool.post': {
    event: 'tool.post',
    turnIndex: 1,
    toolName: 'read',
    toolInput: { path: 'a' },
    result: '{"not":"decoded"}',
    isError: true,
  },
  'model.pre': { event: 'model.pre', turnIndex: 1, model: 'm', messageCount: 7 },
  'model.post': {
    event: 'model.post',
    turnIndex: 1,
    model: 'm',
    stopReason: 'tool_use',
    inputTokens: 10,
    outputTokens: 3,
    costUsd: 0.01,
    toolCallCount: 2,
  },
  'session.end': { event: 'session.end', turnIndex: 4, sessionId: 's1', reason: 'aborted' },
  error: { event: 'error', turnIndex: 4, code: 'E1', message: 'broke' },
};
const EVENTS = Object.keys(CONTEXTS) as HookEvent[];

const fn = (
  body: (context: HookContext) => unknown,
  more: { name?: string; timeoutMs?: number } = {},
): HookSpec => ({
  type: 'fn',
  name: 'sample',
  fn: body as HookFn,
  ...more,
});

function setUp(event: HookEvent, ...specs: HookSpec[]) {
  const registry = new HookRegistry();
  for (const spec of specs) registry.register(event, spec);
  const reminders = new ReminderInjector(createDefaultRegistry());
  return { registry, reminders, runtime: new HookRuntime({ registry, reminders }) };
}

describe('running hooks', () => {
  it.each(EVENTS)('[C121] a hook on %s is told exactly what the loop told', async (event) => {
    let seen: unknown;
    const { runtime } = setUp(
      event,
      fn((context) => ({ continue: true, output: JSON.stringify((seen = context)) })),
    );
    expect(await runtime.run(CONTEXTS[event])).toEqual({ continue: true });
    expect(seen).toEqual(CONTEXTS[event]);
  });

  it('[C008] [C024] runs in order of registration; the first that says no ends it and is named', async () => {
    const ran: string[] = [];
    const noted = (name: string, result: object) => {
      ran.push(name);
      return result;
    };
    const { runtime } = setUp(
      'tool.pre',
      fn(async () => noted('one', {}), { name: 'one' }),
      fn(() => noted('two', { continue: false, reason: 'not that' }), { name: 'two' }),
      fn(() => noted('three', {}), { name: 'three' }),
    );
    expect(await runtime.run(call)).toEqual({
      continue: false,
      blockedHook: 'two',
      blockedReason: 'not that',
    });
    expect(ran).toEqual(['one', 'two']);
  });

  it('[C025] a block without a reason has a default one', async () => {
    const { runtime } = setUp(
      'tool.pre',
      fn(() => ({ continue: false })),
    );
    expect((await runtime.run(call)).blockedReason).toMatch(/continue: false/);
  });

  it.each<[string, (context: HookContext) => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    [
      'throws no error',
      () => {
        throw undefined;
      },
      'undefined',
    ],
    [
      'throws what cannot be shown',
      () => {
        throw { toString: null };
      },
      'cannot be shown',
    ],
    ['rejects', () => Promise.reject(new Error('late boom')), 'late boom'],
    ['returns nothing', () => undefined, 'got nothing'],
    ['returns null', () => null, 'got null'],
    ['returns a text', () => 'ok', 'got a string'],
    ['returns true', () => true, 'got a boolean'],
    ['returns a list', () => [], 'got a list'],
    ['returns a misspelt veto', () => ({ contniue: false }), 'did you mean continue?'],
    ['returns the veto of another protocol', () => ({ decision: 'block', reason: 'x' }), 'want continue'],
    ['returns another type of continue', () => ({ continue: 'no' }), 'continue wants a boolean'],
    [
      'returns a getter that throws',
      () => ({
        get continue() {
          throw new Error('got me');
        },
      }),
      'got me',
    ],
    ['returns a promise of junk', async () => 7, 'got a number'],
    [
      'has a then that throws',
      () =>
        Object.defineProperty({}, 'then', {
          value: () => {
            throw new Error('then');
          },
        }),
      'then',
    ],
    [
      'has a then that cannot be read',
      () =>
        Object.defineProperty({}, 'then', {
          get: () => {
            throw new Error('then');
          },
        }),
      'then',
    ],
    [
      'writes into the call',
      (context) => {
        (context as { toolInput: Record<string, unknown> }).toolInput.command = 'rm';
        return {};
      },
      'read only',
    ],
  ])('[C029] [C031] never throws: a hook that %s is a block', async (_, body, reason) => {
    const { runtime, reminders } = setUp('tool.pre', fn(body, { name: 'broken' }));
    const input = { command: 'ls' };
    expect(await runtime.run({ ...call, toolInput: input } as HookContext)).toEqual({
      continue: false,
      blockedHook: 'broken',
      blockedReason: expect.stringContaining(reason),
    });
    expect(input).toEqual({ command: 'ls' });
    expect(reminders.drain({ turnIndex: 2 })[0]).toContain('Hook "broken" blocked the action');
  });

  it('[C033] [C035] a hook that never answers is a block when its time is up', async () => {
    const { runtime } = setUp(
      'tool.pre',
      fn(() => new Promise(() => {}), { timeoutMs: 30 }),
    );
    expect(await runtime.run(call)).toMatchObject({
      continue: false,
      blockedReason: 'timed out after 30 ms',
    });
  });

  it('[C036] an abort before or during a hook is a block', async () => {
    const { runtime } = setUp(
      'tool.pre',
      fn(() => new Promise(() => {})),
    );
    const gone = AbortSignal.abort();
    expect(await runtime.run(call, gone)).toMatchObject({
      continue: false,
      blockedReason: expect.stringMatching(/abort/),
    });
    const controller = new AbortController();
    const running = runtime.run(call, controller.signal);
    controller.abort();
    expect(await running).toMatchObject({ continue: false, blockedReason: expect.stringMatching(/abort/) });
  });

  it.each(['session.end', 'error'] as const)(
    '[C036] %s runs also where the session was aborted',
    async (event) => {
      const { runtime } = setUp(
        event,
        fn(async () => ({ output: 'archived' })),
      );
      expect(await runtime.run(CONTEXTS[event], AbortSignal.abort())).toEqual({ continue: true });
    },
  );

  it('[C138] without a hook nothing happens at all', async () => {
    const touched: string[] = [];
    const context = new Proxy(call, {
      get: (target, key) => touched.push(String(key)) && Reflect.get(target, key),
    });
    const { runtime, reminders } = setUp(
      'session.end',
      fn(() => ({})),
    );
    expect(runtime.has('tool.pre')).toBe(false);
    expect(await runtime.run(context)).toEqual({ continue: true });
    expect(touched).toEqual(['event']);
    expect(reminders.size + reminders.store.size).toBe(0);
    expect(runtime.has('session.end')).toBe(true);
    expect(runtime.has('nonsense' as HookEvent)).toBe(false);
  });
});

describe('what the model is told', () => {
  it('[C113] of a block, of output and of context, in the order it happened', async () => {
    const { runtime, reminders } = setUp(
      'tool.pre',
      fn(() => ({ output: 'checked', additionalContext: 'the branch is main' }), { name: 'a' }),
      fn(() => ({ additionalContext: '  ' }), { name: 'blank' }),
      fn(() => ({ continue: false, reason: 'no' }), { name: 'b' }),
    );
    await runtime.run(call);
    expect(reminders.pending()).toEqual([
      { type: 'hook.success', hookName: 'a', output: 'checked' },
      { type: 'hook.context', hookName: 'a', context: 'the branch is main' },
      { type: 'hook.blocked', hookName: 'b', reason: 'no' },
    ]);
  });

  it('[C113] nothing of a hook that said nothing', async () => {
    const { runtime, reminders } = setUp(
      'tool.pre',
      fn(() => ({})),
    );
    await runtime.run(call);
    expect(reminders.drain({ turnIndex: 0 })).toEqual([]);
  });

  it.each(['session.start', 'tool.post', 'model.pre', 'model.post', 'session.end', 'error'] as const)(
    '[C136] of a veto on %s, which stops nothing: the trace says that it was ignored',
    async (event) => {
      const { runtime, reminders, registry } = setUp(
        event,
        fn(() => ({ continue: false, reason: 'no' }), { name: 'first' }),
        fn(() => ({ output: 'ran' }), { name: 'audit' }),
      );
      expect(await runtime.run(CONTEXTS[event])).toEqual({
        continue: false,
        blockedHook: 'first',
        blockedReason: 'no',
      });
      const told = reminders.drain({ turnIndex: 0 }).join();
      const informs = event === 'session.start' || event === 'tool.post';
      if (!informs) expect(told).not.toContain('blocked');
      else expect(told).toMatch(/"audit" says[\s\S]*"first" blocked/);
      const outcome = await runtime.engine.decide(
        registry.chain.events()[0]!,
        event === 'tool.post' ? { name: 'x' } : {},
      );
      expect(outcome.action).toBe('allow');
      expect(outcome.trace[0]).toMatchObject({
        decision: 'block',
        vetoIgnored: expect.stringContaining('block'),
      });
    },
  );

  it('[C136] a hook that fails on tool.post does not hide the result', async () => {
    const { runtime } = setUp(
      'tool.post',
      fn(() => {
        throw new Error('boom');
      }),
    );
    expect(await runtime.run(CONTEXTS['tool.post'])).toMatchObject({
      continue: false,
      blockedReason: 'boom',
    });
    expect(await runtime.engine.decide('tool.post', { name: 'x', content: 'text' })).toMatchObject({
      action: 'allow',
    });
  });
});

describe('one chain with other front ends', () => {
  it('hands on what another hook rewrote, and shows it to the hooks after', async () => {
    const into = new Registry();
    into.add(
      hook({ name: 'shaper', priority: -1, body: () => decisions.modify({ args: { command: 'ls -l' } }) }),
    );
    const registry = new HookRegistry({ into });
    let seen: unknown;
    registry.register('tool.pre', {
      type: 'fn',
      name: 'look',
      fn: ({ toolInput }) => ({ output: JSON.stringify((seen = toolInput)) }),
    });
    const runtime = new HookRuntime({ registry });
    expect(await runtime.run(call)).toEqual({ continue: true, modifiedInput: { command: 'ls -l' } });
    expect(seen).toEqual({ command: 'ls -l' });
  });

  it('a registry hook cannot rewrite, whatever it returns', async () => {
    const { runtime } = setUp(
      'tool.pre',
      fn(() => ({ args: { command: 'x' } })),
    );
    expect(await runtime.run(call)).toMatchObject({
      continue: false,
      blockedReason: expect.stringContaining('"args"'),
    });
  });

  it('leaves reminders of other hooks in the one store', async () => {
    const reminding = hook({
      body: (_, open) => open.effect({ kind: 'reminder', hook: 'x', reminder: { body: 'note' } }),
    });
    const reminders = new ReminderInjector(createDefaultRegistry());
    const registry = new HookRegistry({ into: new Registry([reminding]) });
    await new HookRuntime({ registry, reminders, run: new RunState() }).run(call);
    expect(reminders.drain({ turnIndex: 0 })).toEqual(['<system-reminder>\nnote\n</system-reminder>']);
  });
});
