/**
 * The example of the registry's documentation, as printed but for the import, and what it promises around it.
 */
import { describe, expect, it } from 'vitest';
import { Session, scriptedProvider } from '../../src/exports/agent.ts';
import {
  createDefaultRegistry,
  HookRegistry,
  HookRuntime,
  ReminderInjector,
} from '../../src/exports/hooks.ts';
import { call, firedIn, tool } from '../support/agent.ts';

const archived: string[][] = [];
async function archiveRun(sessionId: string, reason: string): Promise<void> {
  archived.push([sessionId, reason]);
}

const config = { model: 'm-1', sessionId: 's1' };
const written: string[] = [];
const tools = [
  tool('write', ({ file_path }) => {
    written.push(String(file_path));
    return 'written';
  }),
];
const provider = scriptedProvider({
  completions: [
    {
      tool_calls: [
        call('write', { file_path: '/srv/prod/app.conf' }),
        call('write', { file_path: '/tmp/x' }),
      ],
    },
    { text: 'Only the second was written.' },
  ],
});

describe('the example', () => {
  it('[C006] [C113] runs as printed: the call is denied, the model hears why, the run is archived', async () => {
    const registry = new HookRegistry();

    registry.register('tool.pre', {
      type: 'fn',
      name: 'no-prod',
      fn: (ctx) => {
        if (ctx.event !== 'tool.pre') return { continue: true };
        const target = String(ctx.toolInput.file_path ?? '');
        if (target.startsWith('/srv/prod')) {
          return { continue: false, reason: 'Production paths are off-limits in this session.' };
        }
        return { continue: true };
      },
    });

    registry.register('session.end', {
      type: 'fn',
      name: 'archive',
      fn: async (ctx) => {
        if (ctx.event === 'session.end') await archiveRun(ctx.sessionId, ctx.reason);
        return { continue: true };
      },
    });

    // ONE injector, shared by the runtime and the session — this is what
    // makes hook outcomes visible to the model on its next turn.
    const reminders = new ReminderInjector(createDefaultRegistry());
    const hooks = new HookRuntime({ registry, reminders });
    const session = new Session({ config, provider, tools, hooks, reminders });

    const run = session.run('Write both files.');
    const { reason, messages } = await run.result;
    expect(reason).toBe('end_turn');
    expect(written).toEqual(['/tmp/x']);
    expect(messages[2]).toMatchObject({
      role: 'tool',
      is_error: true,
      content: 'tool blocked: blocked by hook "no-prod": Production paths are off-limits in this session.',
    });
    expect(provider.requests[1]?.messages[0]?.content).toContain(
      '<system-reminder>\nHook "no-prod" blocked the action: Production paths are off-limits in this session.\n',
    );
    expect(JSON.stringify(messages)).not.toContain('system-reminder');
    expect(archived).toEqual([['s1', 'end_turn']]);
  });
});

describe('registry hooks in a session', () => {
  const once = async (register: (registry: HookRegistry) => unknown, withReminders = true) => {
    const registry = new HookRegistry();
    register(registry);
    const reminders = new ReminderInjector(createDefaultRegistry());
    const scripted = scriptedProvider({ completions: [{ tool_calls: [call('t')] }, { text: 'Done.' }] });
    const session = new Session({
      config,
      provider: scripted,
      tools: [tool('t', () => 'ok')],
      hooks: new HookRuntime({ registry, reminders }),
      ...(withReminders && { reminders }),
    });
    const run = session.run('go');
    const result = await run.result;
    const events = [];
    for await (const event of run) events.push(event);
    return { result, requests: scripted.requests, fired: firedIn(events) };
  };
  const sent = (one: Awaited<ReturnType<typeof once>>, request: number) =>
    JSON.stringify(one.requests[request]?.messages);

  it('[C075] what model.pre adds is on this very request', async () => {
    const one = await once((registry) =>
      registry.register('model.pre', {
        type: 'fn',
        name: 'fresh',
        fn: ({ turnIndex }) => ({ additionalContext: `fresh ${turnIndex}` }),
      }),
    );
    expect(sent(one, 0)).toContain('fresh 0');
    expect(sent(one, 1)).toContain('fresh 1');
    expect(sent(one, 1)).not.toContain('fresh 0');
  });

  it('[C112] [C114] what tool.post prints is told with the next request, and only with it', async () => {
    const one = await once((registry) =>
      registry.register('tool.post', { type: 'fn', name: 'audit', fn: () => ({ output: 'noted' }) }),
    );
    expect(sent(one, 0)).not.toContain('noted');
    expect(sent(one, 1)).toContain('noted');
  });

  it.each([
    ['session.start', true],
    ['tool.post', true],
    ['model.pre', false],
    ['model.post', false],
  ] as const)(
    'a veto of %s stops nothing and is on record; the model hears of it: %s',
    async (event, told) => {
      const one = await once((registry) =>
        registry.register(event, {
          type: 'fn',
          name: 'no',
          fn: () => ({ continue: false, reason: 'because', additionalContext: 'all the same' }),
        }),
      );
      expect(one.result.reason).toBe('end_turn');
      const requests = JSON.stringify(one.requests);
      // Nothing was blocked around a completion, so nothing is said of a block; the context is not lost with it.
      expect(requests.includes('because')).toBe(told);
      expect(requests.includes('all the same')).toBe(true);
      expect(
        one.fired.flatMap(({ outcome }) => outcome.trace.map(({ vetoIgnored }) => vetoIgnored)),
      ).toContainEqual(expect.stringMatching(/cannot block|nothing can block/));
    },
  );

  it('the injector of the runtime is used where the session was given none', async () => {
    const one = await once(
      (registry) =>
        registry.register('session.start', { type: 'fn', name: 's', fn: () => ({ output: 'hello' }) }),
      false,
    );
    expect(sent(one, 0)).toContain('hello');
  });

  it('[C076] model.post meters: stop reason, tokens, cost, number of calls', async () => {
    const seen: unknown[] = [];
    await once((registry) =>
      registry.register('model.post', {
        type: 'fn',
        name: 'meter',
        fn: ({ stopReason, inputTokens, outputTokens, costUsd, toolCallCount }) => {
          seen.push({ stopReason, inputTokens, outputTokens, costUsd, toolCallCount });
          return {};
        },
      }),
    );
    expect(seen).toEqual([
      { stopReason: 'tool_use', inputTokens: 0, outputTokens: 0, costUsd: 0, toolCallCount: 1 },
      { stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, costUsd: 0, toolCallCount: 0 },
    ]);
  });
});
