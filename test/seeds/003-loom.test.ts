/** The hooks page of Loom, claim by claim. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { scriptedProvider } from '../../src/exports/agent.ts';
import {
  createDefaultRegistry,
  type HookContext,
  HookRegistry,
  type HookResult,
  HookRuntime,
  ReminderInjector,
  Session,
  ToolHookRegistry,
} from '../../src/index.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { call, echo, names, type Play, play, tool, toolMessages } from '../support/agent.ts';
import { profileOf } from '../support/profile-project.ts';
import { tempProject } from '../support/temp-project.ts';

const STORY = [
  { tool_calls: [call('echo', { text: 'x' })], usage: { input_tokens: 7, output_tokens: 3 } },
  { text: 'Done.' },
];

type Event = Parameters<HookRegistry['register']>[0];

async function run(
  hooks: readonly (readonly [Event, (context: HookContext) => HookResult])[],
  more: Partial<Play> = {},
) {
  const registry = new HookRegistry();
  for (const [event, fn] of hooks)
    registry.register(event, { type: 'fn', name: `${event} hook`, fn: fn as never });
  const reminders = new ReminderInjector(createDefaultRegistry());
  const runtime = new HookRuntime({ registry, reminders });
  return play({ hooks: runtime, reminders, tools: [echo], completions: STORY, ...more });
}
const told = (one: { provider: { requests: readonly unknown[] } }, at: number) =>
  JSON.stringify(one.provider.requests[at] ?? '');

describe('The events', () => {
  it('"session.start, tool.pre, tool.post, model.pre, model.post, session.end, error" and what each is told', async () => {
    const seen: HookContext[] = [];
    const events = [
      'session.start',
      'tool.pre',
      'tool.post',
      'model.pre',
      'model.post',
      'session.end',
    ] as const;
    await run(
      events.map((event) => [event, (context: HookContext) => (seen.push(context) > 0 ? {} : {})] as const),
    );
    expect(seen.map(({ event }) => event)).toEqual([
      'session.start',
      'model.pre',
      'model.post',
      'tool.pre',
      'tool.post',
      'model.pre',
      'model.post',
      'session.end',
    ]);
    expect(seen[0]).toMatchObject({ sessionId: 's1', turnIndex: 0 });
    expect(seen[2]).toMatchObject({
      stopReason: 'tool_use',
      inputTokens: 7,
      outputTokens: 3,
      toolCallCount: 1,
      costUsd: 0,
    });
    expect(seen[3]).toMatchObject({ toolName: 'echo', toolInput: { text: 'x' } });
    expect(seen[4]).toMatchObject({ result: '{"said":"x"}', isError: false });
    expect(seen.at(-1)).toMatchObject({ reason: 'end_turn' });
  });

  it('"session.start … informational (recorded as a reminder; the run proceeds)"', async () => {
    const one = await run([['session.start', () => ({ continue: false, reason: 'stale data' })]]);
    expect(one.result.reason).toBe('end_turn');
    expect(told(one, 0)).toContain('stale data');
  });

  it('"tool.pre … the tool never runs — the model gets a denied result with your reason"', async () => {
    let runs = 0;
    const one = await run([['tool.pre', () => ({ continue: false, reason: 'off-limits' })]], {
      tools: [tool('echo', () => ++runs)],
    });
    expect(runs).toBe(0);
    expect(toolMessages(one)).toMatchObject([
      { is_error: true, content: expect.stringContaining('off-limits') },
    ]);
    expect(names(one)).not.toContain('tool.post');
  });

  it('"tool.post … informational — post-hooks can\'t roll back"', async () => {
    const one = await run([['tool.post', () => ({ continue: false, reason: 'too late' })]]);
    expect(toolMessages(one)).toMatchObject([{ is_error: false, content: '{"said":"x"}' }]);
    expect(told(one, 1)).toContain('too late');
  });

  it('"model.pre — before each provider call attempt (retries … fire it again)"; "additionalContext lands on THIS request"', async () => {
    let fired = 0;
    const one = await run([['model.pre', () => ({ additionalContext: `fresh ${++fired}` })]], {
      completions: [{ error: { status: 429, message: 'slow' } }, { text: 'Done.' }],
    });
    expect(fired).toBe(2);
    expect(told(one, 1)).toContain('fresh 2');
    const same = await run([['model.pre', () => ({ additionalContext: 'the time' })]], {
      completions: [{ error: { status: 429, message: 'slow' } }, { text: 'Done.' }],
    });
    expect(told(same, 1).match(/the time/g)).toHaveLength(1);
  });

  it('"model.pre … ignored — observe/inject only"; "model.post … ignored": nothing is said of a block', async () => {
    for (const event of ['model.pre', 'model.post'] as const) {
      const one = await run([
        [event, () => ({ continue: false, reason: 'nope', additionalContext: 'kept' })],
      ]);
      expect(one.result.reason).toBe('end_turn');
      expect(told(one, 1)).not.toContain('blocked');
      expect(told(one, 1)).toContain('kept');
    }
  });

  it('"session.end — on every loop exit — normal end, abort, max-turns, budget, error — with the terminal reason"', async () => {
    const ends: [string, Partial<Play>][] = [
      ['end_turn', {}],
      ['max_turns', { config: { limits: { maxTurns: 1 } } }],
      ['budget_exceeded', { config: { limits: { maxTokens: 5 } } }],
      ['error', { completions: [{ error: { status: 400, message: 'no' } }] }],
      ['aborted', { signal: AbortSignal.abort() }],
    ];
    for (const [reason, more] of ends) {
      const seen: string[] = [];
      await run(
        [
          [
            'session.end',
            (context) => ({ output: String(seen.push((context as { reason: string }).reason)) }),
          ],
        ],
        more,
      );
      expect(seen).toEqual([reason]);
    }
  });

  it('"error — on unrecoverable failure, just before session.end"', async () => {
    const one = await run([['error', () => ({})]], {
      completions: [{ error: { status: 400, message: 'no' } }],
    });
    expect(names(one).slice(-2)).toEqual(['error', 'session.end']);
  });
});

describe('Wiring one up', () => {
  it('config: the defaults of Loom, as they stand, run a session, and what it sets counts', async () => {
    const defaults = {
      model: 'm',
      maxTurns: 0,
      maxTokens: 16_384,
      maxBudgetUsd: 0,
      temperature: null,
      systemPrompt: [{ text: 'Careful.' }, { text: 'Brief.' }],
      compaction: {
        trigger: { type: 'fraction', threshold: 0.8 },
        retain: { type: 'messages', count: 6 },
        strategy: 'summarize',
        summaryModel: null,
      },
      retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 2, retryableStatusCodes: [429] },
      toolExecution: { defaultTimeoutMs: 1000, maxConcurrency: 10, maxResultSize: 5 },
      checkpointStore: null,
      fallbackModel: null,
      abortSignal: null,
      agentId: null,
      sessionId: 's1',
      workspacePath: null,
      thinking: null,
    };
    const asked = async (config: object) => {
      const provider = scriptedProvider({
        completions: [{ error: { status: 429, message: 'slow' } }, { text: 'ok' }],
      });
      const session = new Session({ config: { ...defaults, ...config } as never, provider });
      return { result: await session.run('go').result, provider, logs: session.runState.logs };
    };
    const { result, provider, logs } = await asked({});
    expect([result.reason, provider.requests.length, logs]).toEqual(['end_turn', 2, []]);
    expect(provider.requests[0]).toMatchObject({ system: 'Careful.\n\nBrief.' });
    expect((await asked({ retry: { maxRetries: 0 } })).result.reason).toBe('error');
    expect((await asked({ abortSignal: AbortSignal.abort() })).result.reason).toBe('aborted');
  });

  it('config: a misspelt key throws, one that is ours by another name counts, any other is ignored and logged', async () => {
    const provider = scriptedProvider({ completions: [{ text: 'ok' }] });
    expect(() => new Session({ provider, config: { maxTruns: 3 } as never })).toThrow(
      'did you mean maxTurns?',
    );
    const session = new Session({ provider, config: { providerOptions: {} } as never });
    expect(session.runState.logs.map(({ message }) => message)).toEqual([
      'config.providerOptions has no use here and was ignored',
    ]);
  });
});

const command = async (line: string, timeoutMs = 10_000) => {
  const registry = new HookRegistry().register('tool.pre', {
    type: 'command',
    name: 'policy-check',
    command: line,
    timeoutMs,
  });
  const reminders = new ReminderInjector(createDefaultRegistry());
  const result = await new HookRuntime({ registry, reminders }).run({
    event: 'tool.pre',
    turnIndex: 0,
    toolName: 'x',
    toolInput: { a: 1 },
  });
  return { ...result, told: reminders.drain({ turnIndex: 0 }).join('\n') };
};

describe('command specs — the standard shell-hook convention', () => {
  it('"the event context arrives as JSON on stdin"', async () => {
    expect(await command(`grep -q '"toolInput":{"a":1}'`)).toMatchObject({ continue: true });
  });

  it.each([
    ['exit 0', true, undefined],
    ['echo why >&2; exit 1', false, 'why'],
    ['echo why >&2; exit 7', false, 'why'],
    [`echo '{"continue": false, "reason": "structured"}'`, false, 'structured'],
  ])(
    '"exit 0 allows, non-zero blocks (stderr becomes the reason)"; "stdout that parses as JSON": %s',
    async (line, goesOn, reason) => {
      const result = await command(line);
      expect([result.continue, result.blockedReason]).toEqual([goesOn, reason]);
    },
  );

  it.each([
    [`echo '{"output": "looks fine"}'`, 'looks fine'],
    [`echo '{"additionalContext": "fresh data"}'`, 'fresh data'],
  ])('%s reaches the model', async (line, text) => {
    expect((await command(line)).told).toContain(text);
  });

  it('"A timeout always blocks (fail closed)"', async () => {
    expect(await command('sleep 20', 200)).toMatchObject({
      continue: false,
      blockedReason: expect.stringContaining('timed out'),
    });
  });
});

describe('Outcomes reach the model', () => {
  it('"as <system-reminder> fragments on the next turn"', async () => {
    const one = await run([['tool.pre', () => ({ continue: false, reason: 'because' })]]);
    expect(told(one, 1)).toContain('<system-reminder>');
    expect(told(one, 1)).toMatch(/blocked the action: because/);
  });
});

describe('Execution model', () => {
  it('"Hooks for an event run in registration order; the first continue: false stops the chain"', async () => {
    const order: string[] = [];
    await run([
      ['tool.pre', () => ({ output: String(order.push('a')) })],
      ['tool.pre', () => ({ continue: order.push('b') < 0 })],
      ['tool.pre', () => ({ output: String(order.push('c')) })],
    ]);
    expect(order).toEqual(['a', 'b']);
  });

  it('"The runtime never throws — executor errors, timeouts, and aborts all resolve to a block with a reason"', async () => {
    const one = await run([
      [
        'tool.pre',
        () => {
          throw new Error('boom');
        },
      ],
    ]);
    expect(toolMessages(one)).toMatchObject([{ is_error: true, content: expect.stringContaining('boom') }]);
  });

  it('"When no hook is bound for an event, the loop\'s no-hook path is byte-identical to having no runtime at all"', async () => {
    const strip = (one: { events: readonly unknown[] }) =>
      JSON.stringify(one.events).replace(/"ms":[\d.e-]+/g, '"ms":0');
    expect(strip(await run([]))).toBe(strip(await play({ tools: [echo], completions: STORY })));
  });
});

describe('Programmatic tool interceptors', () => {
  it('"a before-hook can inspect, rewrite the input, or veto; an after-hook can inspect or rewrite the result"', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('echo', (_name, input) => ({
      blocked: false,
      modifiedInput: { ...input, text: 'rewritten' },
    }));
    interceptors.registerAfter('echo', (_name, _input, result) => ({
      ...result,
      content: `${result.content}!`,
    }));
    const one = await run([], { interceptors });
    expect(toolMessages(one)[0]?.content).toBe('{"said":"rewritten"}!');
    const veto = new ToolHookRegistry();
    veto.registerBefore('*', () => ({ blocked: true, reason: 'tenant' }));
    expect(toolMessages(await run([], { interceptors: veto }))[0]?.content).toContain('tenant');
  });
});

describe('Sentences of the page that have no sample', () => {
  it('"user.prompt.submit, reserved — declared but not fired yet": it fires here and blocks, see docs/from.md', async () => {
    const one = await run([['user.prompt.submit', () => ({ continue: false, reason: 'not that' })]]);
    expect(one.result.message).toContain('not that');
    expect(one.provider.requests).toEqual([]);
  });

  it('"session.end/error are informational (nothing left to block)"', async () => {
    const no = () => ({ continue: false, reason: 'too late' });
    const one = await run(
      [
        ['error', no],
        ['session.end', no],
      ],
      { completions: [{ error: { status: 400, message: 'broken' } }] },
    );
    expect(one.result).toMatchObject({ reason: 'error', message: expect.stringContaining('broken') });
    expect(names(one).slice(-2)).toEqual(['error', 'session.end']);
  });

  it('"tool.pre — before each tool execution"; "tool.post — after each tool that actually ran"', async () => {
    const seen: string[] = [];
    await run(
      [
        [
          'tool.pre',
          (context) => {
            if (context.event !== 'tool.pre') return {};
            seen.push(`pre ${String(context.toolInput.text)}`);
            return context.toolInput.text === 'no' ? { continue: false, reason: 'no' } : {};
          },
        ],
        ['tool.post', () => (seen.push('post') > 0 ? {} : {})],
      ],
      {
        completions: [
          { tool_calls: [call('echo', { text: 'no' })] },
          { tool_calls: [call('echo', { text: 'yes' })] },
          { text: 'ok' },
        ],
      },
    );
    expect(seen).toEqual(['pre no', 'pre yes', 'post']);
  });

  it('"session.start — once, top of the loop"', async () => {
    const seen: string[] = [];
    const events = ['session.start', 'model.pre'] as const;
    await run(events.map((event) => [event, () => (seen.push(event) > 0 ? {} : {})] as const));
    expect(seen).toEqual(['session.start', 'model.pre', 'model.pre']);
  });

  it('"model.post … once the assistant message is recorded"', async () => {
    let recorded: unknown;
    let session: Session | undefined;
    const registry = new HookRegistry();
    registry.register('model.post', {
      type: 'fn',
      name: 'meter',
      fn: () => {
        recorded = session?.messages.at(-1);
        return {};
      },
    });
    session = new Session({
      provider: scriptedProvider({ completions: [{ text: 'said' }] }),
      hooks: new HookRuntime({ registry }),
    });
    await session.run('go').result;
    expect(recorded).toMatchObject({ role: 'assistant', content: 'said' });
  });

  it('"raise the window per spec with timeoutMs (default 5s)"', () => {
    const registry = new HookRegistry();
    registry.register('tool.pre', { type: 'command', name: 'a', command: 'true' });
    registry.register('tool.pre', { type: 'command', name: 'b', command: 'true', timeoutMs: 10_000 });
    expect(registry.chain.list('tool.pre').map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 10_000]);
  });

  it.each([
    [{ continue: false, reason: 'prod' }, 'blocked the action: prod'],
    [{ output: 'all fine' }, 'all fine'],
    [{ additionalContext: 'fresh' }, 'fresh'],
  ])('"Hook results route through the reminder injector": %j', async (result, text) => {
    const one = await run([['tool.pre', () => result]]);
    expect(told(one, 1)).toContain('<system-reminder>');
    expect(told(one, 1)).toContain(text);
  });

  it('"passing one without the other silently drops the feedback loop": a runtime has an injector of its own, nothing is dropped', async () => {
    const registry = new HookRegistry();
    registry.register('tool.pre', {
      type: 'fn',
      name: 'no',
      fn: () => ({ continue: false, reason: 'because' }),
    });
    const hooks = new HookRuntime({ registry });
    const one = await play({ hooks, tools: [echo], completions: STORY });
    expect(told(one, 1)).toContain('because');
  });

  it('"input mutation must never become profile-declarable": agent.json has no action that rewrites', async () => {
    for (const action of ['modify', 'rewrite', 'mutate', 'intercept']) {
      const { told: said, project } = await profileOf({ onToolCall: [{ action, input: { a: 1 } }] });
      expect(said.length, action).toBeGreaterThan(0);
      for (const { mayModify } of project.hooks as readonly { mayModify?: boolean }[])
        expect(mayModify ?? false).toBe(false);
    }
  });

  it.each([
    ['auto', 1],
    ['ask', 0],
    ['never', 0],
  ] as const)(
    '"Zones + permissions — Decide auto-run / ask / never — the security floor": %s, with no person there',
    async (decision, ran) => {
      let runs = 0;
      await run([['tool.pre', () => ({ continue: true })]], {
        tools: [tool('echo', () => ++runs)],
        permissions: { decide: () => ({ decision, reason: 'zone' }) },
      });
      expect(runs).toBe(ran);
    },
  );

  it('"before-hook … veto": the tool does not run; "consumed by the single-tool executor": other tools are untouched', async () => {
    let runs = 0;
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('other', () => ({ blocked: true, reason: 'no' }));
    await run([], { interceptors, tools: [tool('echo', () => ++runs)] });
    expect(runs).toBe(1);
  });
});

describe('Lifecycle hooks from agent.json', () => {
  const BUCKETS = [
    ['onStart', 'session.start'],
    ['onToolCall', 'tool.pre'],
    ['onToolEnd', 'tool.post'],
    ['onModelCall', 'completion.pre'],
    ['onModelEnd', 'completion.post'],
    ['onComplete', 'session.end'],
    ['onError', 'error'],
  ] as const;

  it.each(BUCKETS)(
    '"This is the system agent.json hooks compile into": %s is a hook of %s',
    async (bucket, event) => {
      const { project, told: said } = await profileOf({ [bucket]: [{ action: 'log' }] });
      expect(said).toEqual([]);
      expect(project.hooks.map((hook) => hook.event)).toEqual([event]);
    },
  );

  it.each([
    ['log', { action: 'log' }],
    ['webhook', { action: 'webhook', url: 'https://audit.example/x' }],
    ['save_json', { action: 'save_json', path: 'audit.jsonl' }],
    ['approve', { action: 'approve', tools: ['shell.*'] }],
    ['command', { action: 'command', command: 'true' }],
  ])('"the declarative surface: five actions incl. approve": %s', async (_name, action) => {
    const env = { HARNESS_ALLOW_COMMAND_HOOKS: '1' };
    expect((await profileOf({ onToolCall: [action] }, { env })).told).toEqual([]);
  });

  it('"approve (pause for a human decision …)": the tool runs once a person has said yes, and not otherwise', async () => {
    const { project } = await profileOf({ onToolCall: [{ action: 'approve', tools: ['echo'] }] });
    for (const approved of [true, false]) {
      let runs = 0;
      const asked: string[] = [];
      const one = await play({
        hooks: project.hooks,
        tools: [tool('echo', () => ++runs)],
        approvals: {
          request: async ({ toolName }) => {
            asked.push(toolName);
            return { approved, reason: 'the person said no' };
          },
        },
        completions: STORY,
      });
      expect([asked, runs]).toEqual([['echo'], approved ? 1 : 0]);
      if (!approved) expect(toolMessages(one)[0]?.content).toContain('the person said no');
    }
  });

  it('"operator env vars": hooks are switched off, and it is said', async () => {
    const off = await profileOf(
      { onToolCall: [{ action: 'approve' }] },
      { env: { HARNESS_DISABLE_HOOKS: '1' } },
    );
    expect(off.told.join('\n')).toContain('HARNESS_DISABLE_HOOKS');
    const command = { onToolCall: [{ action: 'command', command: 'true' }] };
    expect((await profileOf(command)).told.join('\n')).toContain('HARNESS_ALLOW_COMMAND_HOOKS');
  });

  it('"a portable profile may observe, guard, and ask — it may not silently rewrite": a command that answers with other input changes nothing', async () => {
    const env = { HARNESS_ALLOW_COMMAND_HOOKS: '1' };
    const command = `echo '{"modifiedInput": {"text": "other"}, "args": {"text": "other"}}'`;
    const { fire: decide } = await profileOf({ onToolCall: [{ action: 'command', command }] }, { env });
    const { outcome } = await decide('tool.pre', { id: '1', name: 'echo', args: { text: 'x' } });
    expect(outcome.payload).toMatchObject({ args: { text: 'x' } });
  });
});

describe('The runtime, the other readings', () => {
  const only = (fn: (context: HookContext) => unknown, timeoutMs = 5000) => {
    const registry = new HookRegistry().register('tool.pre', {
      type: 'fn',
      name: 'x',
      fn: fn as never,
      timeoutMs,
    });
    return new HookRuntime({ registry });
  };
  const CONTEXT = { event: 'tool.pre', turnIndex: 0, toolName: 'x', toolInput: {} } as const;

  it.each([
    ['executor errors', () => Promise.reject(new Error('boom')), 'boom'],
    ['timeouts', () => new Promise(() => {}), 'timed out'],
    ['no object', () => undefined, ''],
  ])('"The runtime never throws — executor errors, timeouts, and aborts": %s', async (_what, fn, why) => {
    const result = await only(fn, 100).run(CONTEXT);
    expect(result).toMatchObject({ continue: false, blockedHook: 'x' });
    expect(result.blockedReason).toContain(why);
  });

  it('"The runtime never throws": an abort before and during is a block with a reason', async () => {
    const before = await only(() => ({})).run(CONTEXT, AbortSignal.abort());
    const ending = new AbortController();
    const during = only(() => new Promise(() => {})).run(CONTEXT, ending.signal);
    ending.abort();
    for (const result of [before, await during]) {
      expect(result.continue).toBe(false);
      expect(result.blockedReason?.length).toBeGreaterThan(0);
    }
  });

  it('"ReminderInjector": "ONE injector, shared by the runtime and the session": what a hook says is drained once', async () => {
    const one = await run([['session.start', () => ({ additionalContext: 'fresh data' })]]);
    expect(told(one, 0)).toContain('fresh data');
    expect(told(one, 1)).not.toContain('fresh data');
  });

  it('"a session.start hook loading fresh data" and "output → surfaced as hook output": each is marked for what it is', async () => {
    const one = await run([
      ['session.start', () => ({ additionalContext: 'fresh data' })],
      ['session.start', () => ({ output: 'loaded' })],
    ]);
    expect(told(one, 0)).toMatch(/session\.start hook[^<]*loaded/);
  });

  it('"model.pre … Fired before the reminder drain": each request has the context of its own call', async () => {
    let calls = 0;
    const one = await run([['model.pre', () => ({ additionalContext: `call ${++calls}.` })]]);
    expect([told(one, 0), told(one, 1)].map((text) => text.match(/call \d\./g))).toEqual([
      ['call 1.'],
      ['call 2.'],
    ]);
  });

  it('"model.post — after each successful provider response": a failed attempt has none', async () => {
    let posts = 0;
    await run([['model.post', () => (++posts > 0 ? {} : {})]], {
      completions: [{ error: { status: 429, message: 'slow' } }, { text: 'Done.' }],
    });
    expect(posts).toBe(1);
  });

  it('"tool.pre … before each tool execution": calls of one answer are each asked about', async () => {
    const asked: unknown[] = [];
    await run(
      [
        [
          'tool.pre',
          (context) => (asked.push(context.event === 'tool.pre' && context.toolInput.text) > 0 ? {} : {}),
        ],
      ],
      {
        completions: [
          { tool_calls: [call('echo', { text: 'a' }), call('echo', { text: 'b' })] },
          { text: 'ok' },
        ],
      },
    );
    expect(asked).toEqual(['a', 'b']);
  });

  it('"session.end fires even on abort by design": in the middle of a tool', async () => {
    const stop = new AbortController();
    const ends: unknown[] = [];
    await run(
      [['session.end', (context) => (ends.push((context as { reason: string }).reason) > 0 ? {} : {})]],
      {
        tools: [
          tool('echo', () => {
            stop.abort();
            return new Promise(() => {});
          }),
        ],
        signal: stop.signal,
      },
    );
    expect(ends).toEqual(['aborted']);
  });
});

describe('Hooks vs guards vs zones', () => {
  const policyOf = (permissions: string) =>
    openPolicy(tempProject({ 'harness.md': `---\npermissions:\n${permissions}---\n` }));
  const called = async (permissions: string, args: Json) =>
    (await (await policyOf(permissions)).decide('tool.pre', { id: '1', name: 'shell', args } as never))
      .action;

  it('"Guards (policies) — Reject bad input by pattern before execution"', async () => {
    const guard = `  policies:\n    - tools: shell\n      deny_patterns: ['\\bcurl\\b']\n      allow_prefixes: [git]\n`;
    expect(await called(guard, { command: 'curl x' })).toBe('block');
    expect(await called(guard, { command: 'git status' })).toBe('allow');
    expect(await called(guard, { command: 'make' })).not.toBe('allow');
  });

  it('"The security floor the model can\'t talk past stays in zones and permissions": no hook lifts it', async () => {
    const dir = tempProject({
      'harness.md': '---\npermissions:\n  rules:\n    - {tools: shell, zone: never, reason: closed}\n---\n',
      '.harness/hooks/yes.md':
        '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
    });
    const outcome = await (await openPolicy(dir)).decide('tool.pre', { id: '1', name: 'shell', args: {} });
    expect([outcome.action, outcome.reason]).toEqual(['block', expect.stringContaining('closed')]);
  });

  it('"Observe … gate at loop moments" and "Rewrite one tool\'s input/output in-process": both at once, the gate first', async () => {
    const order: string[] = [];
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('echo', () => {
      order.push('interceptor');
      return { blocked: false };
    });
    await run([['tool.pre', () => (order.push('gate') > 0 ? {} : {})]], { interceptors });
    expect(order).toEqual(['gate', 'interceptor']);
    order.length = 0;
    await run([['tool.pre', () => ({ continue: order.push('gate') < 0, reason: 'no' })]], { interceptors });
    expect(order).toEqual(['gate']);
  });

  it('"inject a tenant id into every filesystem path, cache a tool\'s results, strip a field from outputs"', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', (_name, input) => ({
      blocked: false,
      modifiedInput: { ...input, text: `/tenant-7/${String(input.text)}` },
    }));
    interceptors.registerAfter('*', (_name, _input, result) => ({
      ...result,
      content: String(result.content).replace(/,?"secret":"[^"]*"/, ''),
    }));
    const one = await run([], {
      interceptors,
      tools: [tool('echo', ({ text }) => ({ said: text, secret: 's' }))],
    });
    expect(toolMessages(one)[0]?.content).toBe('{"said":"/tenant-7/x"}');
  });
});

describe('The page, word by word', () => {
  it('"retries after compaction … fire it again": a conversation that the model says is too long', async () => {
    const counts: unknown[] = [];
    const work = Array.from({ length: 6 }, () => ({ tool_calls: [call('echo', { text: 'x' })] }));
    const refused = { error: { status: 400, message: 'prompt is too long' } };
    const one = await run(
      [
        [
          'model.pre',
          (context) => (counts.push((context as { messageCount: number }).messageCount) > 0 ? {} : {}),
        ],
      ],
      { completions: [...work, refused, { text: 'Done.' }] },
    );
    expect(one.result.text).toBe('Done.');
    expect(counts).toHaveLength(8);
    expect(Number(counts[7])).toBeLessThan(Number(counts[6]));
  });

  it.each(['session.end', 'error'] as const)(
    '%s: "ignored": the next prompt is told what the hook has to say, and of no block',
    async (event) => {
      const registry = new HookRegistry();
      registry.register(event, {
        type: 'fn',
        name: 'late',
        fn: () => ({ continue: false, reason: 'over', additionalContext: 'kept' }),
      });
      const reminders = new ReminderInjector(createDefaultRegistry());
      const failed = { error: { status: 400, message: 'no' } };
      const provider = scriptedProvider({
        completions: [event === 'error' ? failed : { text: 'one' }, { text: 'two' }],
      });
      const session = new Session({
        config: {},
        provider,
        hooks: new HookRuntime({ registry, reminders }),
        reminders,
      });
      await session.run('first').result;
      await session.run('second').result;
      const last = JSON.stringify(provider.requests.at(-1));
      expect([last.includes('kept'), last.includes('blocked')]).toEqual([true, false]);
    },
  );

  it.each([
    [{ type: 'fn', name: 'x', fn: () => ({}) }, true],
    [{ type: 'command', name: 'x', command: 'true' }, true],
    [{ type: 'agent', name: 'x' }, false],
    [{ type: 'fn', name: 'x' }, false],
    [{ type: 'command', name: 'x' }, false],
  ])("\"A spec is { type: 'fn', name, fn } or { type: 'command', name, command }\": %j", (spec, good) => {
    const register = () => new HookRegistry().register('tool.pre', spec as never);
    if (good) expect(register).not.toThrow();
    else expect(register).toThrow();
  });

  it('an event that is none is refused when it is registered, with the nearest', () => {
    const spec = { type: 'fn', name: 'x', fn: () => ({}) } as const;
    expect(() => new HookRegistry().register('tool.prex' as never, spec)).toThrow('tool.pre');
  });

  it.each([
    ['text', 'hello'],
    ['a number', '42'],
    ['a list of texts', '["a", "b"]'],
  ])('"exit 0 allows": stdout that is %s and no result is output', async (_what, printed) => {
    const registry = new HookRegistry();
    registry.register('tool.pre', { type: 'command', name: 'c', command: `echo '${printed}'` });
    const reminders = new ReminderInjector(createDefaultRegistry());
    const runtime = new HookRuntime({ registry, reminders });
    const context = { event: 'tool.pre', turnIndex: 0, toolName: 'x', toolInput: {} } as const;
    expect(await runtime.run(context)).toEqual({ continue: true });
    expect(reminders.drain({ turnIndex: 0 }).join()).toContain(printed);
  });

  it.each(['{"continue": false', '[{"continue": false}]'])(
    '"stdout that parses as JSON": what begins like it and is no result blocks, see docs/from.md: %s',
    async (printed) => {
      const registry = new HookRegistry();
      registry.register('tool.pre', { type: 'command', name: 'c', command: `echo '${printed}'` });
      const context = { event: 'tool.pre', turnIndex: 0, toolName: 'x', toolInput: {} } as const;
      expect(await new HookRuntime({ registry }).run(context)).toMatchObject({ continue: false });
    },
  );

  it('"the first continue: false stops the chain": where nothing can be stopped the hooks after it run, see docs/from.md', async () => {
    const ran: string[] = [];
    await run([
      ['session.end', () => ({ continue: ran.push('first') < 0, reason: 'no' })],
      ['session.end', () => (ran.push('audit') > 0 ? {} : {})],
    ]);
    expect(ran).toEqual(['first', 'audit']);
  });

  it('"Streaming events — observe the same lifecycle from outside the process instead": the same moments, in the same order', async () => {
    const heard: string[] = [];
    const events = [
      'session.start',
      'model.pre',
      'model.post',
      'tool.pre',
      'tool.post',
      'session.end',
    ] as const;
    const one = await run(
      events.map(
        (event) => [event, () => (heard.push(event.replace('model', 'completion')) > 0 ? {} : {})] as const,
      ),
    );
    expect(names(one).filter((name) => heard.includes(name))).toEqual(heard);
  });

  it('"the trust model": a command of a profile does not run until the operator allows it, and its gate is shut', async () => {
    const written = { onToolCall: [{ action: 'command', command: 'touch ran' }] };
    const { outcome } = await (await profileOf(written)).fire('tool.pre', {
      id: '1',
      name: 'echo',
      args: {},
    });
    expect(outcome.action).toBe('block');
    const allowed = await profileOf(written, { env: { HARNESS_ALLOW_COMMAND_HOOKS: '1' } });
    expect((await allowed.fire('tool.pre', { id: '1', name: 'echo', args: {} })).outcome.action).toBe(
      'allow',
    );
  });

  it('"fn: async (ctx) => …": the loop waits for it', async () => {
    let archived = false;
    const registry = new HookRegistry();
    registry.register('session.end', {
      type: 'fn',
      name: 'archive',
      fn: async () => {
        await new Promise((done) => setTimeout(done, 30));
        archived = true;
        return { continue: true };
      },
    });
    await play({ hooks: new HookRuntime({ registry }), completions: [{ text: 'ok' }] });
    expect(archived).toBe(true);
  });
});
