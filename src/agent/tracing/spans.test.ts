import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call, decisions, echo, on, type Play, play, tool } from '../../../test/support/agent.ts';
import { type Host, machineHost } from '../../machine/host.ts';
import type { AgentDefinition } from '../index.ts';
import { Session, scriptedProvider } from '../index.ts';
import { ATTRIBUTES, type Span } from './span.ts';
import { SpanCollector, type SpanOptions, spansOf } from './spans.ts';

const { block, modify } = decisions;
const helper: AgentDefinition = { name: 'helper', description: 'Helps.', system: 'You help.' };
const ask = (prompt = 'look') => call('delegate', { agent: 'helper', prompt });
const usage = { input_tokens: 7, output_tokens: 3 };

/** The spans of a session that was watched live, once it is over and nothing is open. */
async function traced(given: Play, options: SpanOptions = {}): Promise<Span[]> {
  const collector = new SpanCollector(options);
  const spans: Span[] = [];
  await play({ ...given, onEvent: (event) => spans.push(...collector.feed(event)) });
  expect(collector.finish()).toEqual([]);
  return spans;
}

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);
const only = (spans: readonly Span[], name: string): Span => {
  const found = named(spans, name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
};

/** Each name with the names around it. */
function paths(spans: readonly Span[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: Span): string => {
    const outer = span.parentSpanId === null ? undefined : byId.get(span.parentSpanId);
    return outer === undefined ? span.name : `${path(outer)} > ${span.name}`;
  };
  return spans.map(path);
}

describe('[C148] spans of a session', () => {
  it('are one tree: session, turn, completions and tool calls, each with its attributes', async () => {
    const spans = await traced({
      config: { model: 'big' },
      tools: [echo],
      completions: [
        { tool_calls: [call('echo', { text: 'x' }, 'c1')], usage, cost_usd: 0.5 },
        { text: 'done', usage },
      ],
    });
    expect(paths(spans)).toEqual([
      'session > turn > chat big',
      'session > turn > execute_tool echo',
      'session > turn > chat big',
      'session > turn',
      'session',
    ]);
    const [chat, ran] = spans;
    expect(chat).toMatchObject({
      kind: 'completion',
      status: 'ok',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.conversation.id': 's1',
        'gen_ai.request.model': 'big',
        'gen_ai.response.finish_reasons': ['tool_use'],
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
        'harness.attempts': 1,
      },
    });
    expect(ran?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
      'gen_ai.tool.call.id': 'c1',
      'harness.outcome': 'ok',
    });
    expect(only(spans, 'turn').attributes).toMatchObject({
      'harness.turn.index': 0,
      'harness.turn.completions': 2,
      'harness.turn.tool_calls': 1,
      'harness.turn.sent_back': 0,
      'harness.end_reason': 'end_turn',
      'harness.total.input_tokens': 14,
    });
    expect(only(spans, 'session').attributes).toMatchObject({
      'harness.session.source': 'startup',
      'harness.session.turns': 1,
      'harness.end_reason': 'end_turn',
    });
  });

  it('have ids and times from the host, inside one another, and belong to the trace of the caller', async () => {
    let ids = 0;
    let ms = 100;
    const host: Host = {
      ...machineHost,
      now: () => 1_000_000,
      elapsed: () => ms++,
      uuid: () => `0000000a-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    };
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const { events } = await play({ completions: [{ text: 'done' }] });
    const spans = spansOf(events, { host, parent, attributes: { 'gen_ai.provider.name': 'gateway' } });
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(spans.map(({ spanId }) => spanId)).toContain('8000000000000001');
    expect(only(spans, 'session').parentSpanId).toBe(parent.spanId);
    for (const { traceId, startMs, endMs, parentSpanId, attributes } of spans) {
      expect(traceId).toBe(parent.traceId);
      expect(attributes['gen_ai.provider.name']).toBe('gateway');
      expect(startMs).toBeGreaterThan(999_990);
      expect(endMs).toBeGreaterThan(startMs);
      const outer = byId.get(parentSpanId ?? '');
      if (outer === undefined) continue;
      expect(startMs).toBeGreaterThanOrEqual(outer.startMs);
      expect(endMs).toBeLessThanOrEqual(outer.endMs);
    }
    expect(spansOf(events)[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('include the time of the hooks that judged the operation', async () => {
    const slow = on('tool.pre', () => new Promise((resolve) => setTimeout(() => resolve(null), 40)));
    const spans = await traced({
      tools: [echo],
      hooks: [slow],
      completions: [{ tool_calls: [call('echo')] }, {}],
    });
    const { startMs, endMs } = only(spans, 'execute_tool echo');
    expect(endMs - startMs).toBeGreaterThan(30);
  });

  it('say what became of a tool call and which hook decided', async () => {
    const bad = tool('bad', () => {
      throw new Error('broken');
    });
    const spans = await traced({
      tools: [echo, bad, tool('secret', () => 'x'), tool('never', () => 'x'), tool('guarded', () => 'x')],
      hooks: [
        on('tool.pre', () => block('no'), { name: 'guard', when: ({ name }) => name === 'guarded' }),
        on('tool.post', () => block('no'), { name: 'hide', when: ({ name }) => name === 'secret' }),
      ],
      permissions: {
        decide: async ({ name }) =>
          name === 'never' ? { decision: 'never', reason: 'policy' } : { decision: 'auto' },
      },
      completions: [
        { tool_calls: ['echo', 'bad', 'secret', 'never', 'guarded', 'other'].map((name) => call(name)) },
        {},
      ],
    });
    const table = spans
      .filter(({ kind }) => kind === 'tool')
      .map(({ attributes: at, status }) => [
        at['gen_ai.tool.name'],
        at['harness.outcome'],
        at['harness.hook'],
        status,
      ]);
    expect(table.sort()).toEqual([
      ['bad', 'failed', undefined, 'error'],
      ['echo', 'ok', undefined, 'ok'],
      ['guarded', 'blocked', 'guard', 'error'],
      ['never', 'denied', 'permissions', 'error'],
      ['other', 'unknown_tool', undefined, 'error'],
      ['secret', 'hidden', 'hide', 'error'],
    ]);
  });

  it('say that a person was asked and refused', async () => {
    const spans = await traced({
      tools: [echo],
      hooks: [on('tool.pre', () => decisions.ask('sure?'), { name: 'careful' })],
      approvals: { request: async () => ({ approved: false }) },
      completions: [{ tool_calls: [call('echo')] }, {}],
    });
    expect(only(spans, 'execute_tool echo').attributes).toMatchObject({
      'harness.outcome': 'denied',
      'harness.hook': 'careful',
      'harness.tool.permission': 'deny',
      'error.type': 'denied',
    });
  });

  it('note retries, decisions and hooks that failed where nobody stopped for them', async () => {
    const spans = await traced({
      hooks: [
        on(
          'completion.pre',
          () => {
            throw new Error('oops');
          },
          { name: 'flaky', onError: 'allow' },
        ),
      ],
      completions: [{ error: { status: 429, message: 'slow down' } }, { text: 'done' }],
    });
    const [chat] = spans.filter(({ kind }) => kind === 'completion');
    expect(chat?.attributes['harness.attempts']).toBe(2);
    expect(chat?.events.map(({ name }) => name)).toEqual([
      'harness.hook_failure',
      'harness.retry',
      'harness.hook_failure',
    ]);
    expect(chat?.events[0]?.attributes).toMatchObject({
      'harness.hook': 'flaky',
      'error.type': 'HOOK_THREW',
    });
    expect(chat?.events[1]?.attributes).toMatchObject({ 'error.type': 'rate_limited' });
  });

  it('carry the cause of a failure from the completion to the session', async () => {
    const spans = await traced({ completions: [{ error: { status: 401, message: 'no key' } }] });
    expect(spans.map(({ kind, status, attributes }) => [kind, status, attributes['error.type']])).toEqual([
      ['completion', 'error', 'auth'],
      ['turn', 'error', 'auth'],
      ['session', 'error', 'auth'],
    ]);
  });

  it('say which hook blocked a prompt or a completion', async () => {
    const prompt = await traced({
      hooks: [on('turn.start', () => block('no'), { name: 'p' })],
      completions: [],
    });
    expect(only(prompt, 'turn')).toMatchObject({
      status: 'error',
      attributes: { 'error.type': 'user_prompt_submit_blocked', 'harness.hook': 'p' },
    });
    const answer = await traced({
      hooks: [on('completion.post', () => block('no'), { name: 'c' })],
      completions: [{ text: 'x' }],
    });
    expect(answer[0]).toMatchObject({
      kind: 'completion',
      attributes: { 'error.type': 'completion_blocked', 'harness.hook': 'c' },
    });
  });

  it('hold no prompt, argument, answer, result or reason unless content is asked for', async () => {
    const given: Play = {
      prompt: 'SECRET prompt',
      config: { system: 'SECRET system' },
      agents: [helper],
      tools: [tool('leak', () => 'SECRET result'), tool('shut', () => '')],
      hooks: [
        on('tool.pre', () => block('SECRET reason'), { when: ({ name }) => name === 'shut' }),
        on('tool.post', ({ name }) => (name === 'leak' ? modify({ content: 'cleaned SECRET' }) : null)),
        on('turn.start', () => modify('rewritten SECRET')),
      ],
      completions: [
        {
          text: 'SECRET text',
          tool_calls: [call('leak', { a: 'SECRET arg' }), call('shut'), ask('SECRET task')],
        },
        { text: 'SECRET sub-answer' },
        { error: { status: 400, message: 'SECRET message' } },
      ],
    };
    const plain = JSON.stringify(await traced(given));
    expect(plain).not.toContain('SECRET');
    const full = await traced(given, { content: true });
    expect(JSON.stringify(full)).toContain('SECRET reason');
    expect(only(full, 'execute_tool leak').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"a":"SECRET arg"}',
      'gen_ai.tool.call.result': 'cleaned SECRET',
    });
    const hide = () => ({ $redacted: 'payload' });
    expect(JSON.stringify(await traced(given, { content: true, hide }))).not.toContain('SECRET');
    // What hooks took out stays out.
    expect(JSON.stringify(full)).not.toContain('SECRET prompt');
    expect(JSON.stringify(full)).not.toContain('SECRET result');
  });

  it('of a conversation are one trace with a turn a prompt, ended by close', async () => {
    const collector = new SpanCollector();
    const spans: Span[] = [];
    const session = new Session({
      provider: scriptedProvider({ completions: [{ text: 'a' }, { text: 'b' }] }),
      config: { oneShot: false },
      workspace: '/workspace',
      onEvent: (event) => spans.push(...collector.feed(event)),
    });
    await session.run('one').result;
    await session.run('two').result;
    expect(named(spans, 'turn').map(({ attributes }) => attributes['harness.turn.index'])).toEqual([0, 1]);
    expect(named(spans, 'session')).toEqual([]);
    await session.close();
    expect(only(spans, 'session').attributes['harness.session.turns']).toBe(2);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('that never came to an end are ended as unfinished', async () => {
    const { events } = await play({ tools: [echo], completions: [{ tool_calls: [call('echo')] }, {}] });
    const cut = events.slice(0, events.findIndex(({ type }) => type === 'tool.start') + 1);
    expect(spansOf(cut).map(({ kind, attributes }) => [kind, attributes['error.type']])).toEqual([
      ['completion', undefined],
      ['tool', 'unfinished'],
      ['turn', 'unfinished'],
      ['session', 'unfinished'],
    ]);
  });
});

describe('[C148] spans of a delegation', () => {
  it('lie inside the call that asked for it and hold the whole session of the sub-agent', async () => {
    const spans = await traced({
      config: { model: 'm' },
      agents: [helper],
      completions: [{ tool_calls: [ask()] }, { text: 'found', usage }, { text: 'done' }],
    });
    const inside = 'session > turn > execute_tool delegate > invoke_agent helper';
    expect(paths(spans)).toEqual([
      'session > turn > chat m',
      `${inside} > session > turn > chat m`,
      `${inside} > session > turn`,
      `${inside} > verify`,
      `${inside} > session`,
      inside,
      'session > turn > execute_tool delegate',
      'session > turn > chat m',
      'session > turn',
      'session',
    ]);
    const delegation = only(spans, 'invoke_agent helper');
    expect(delegation.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'harness.depth': 1,
      'harness.attempts': 1,
      'harness.outcome': 'ok',
    });
    const child = spans.find(({ kind, parentSpanId }) => kind === 'session' && parentSpanId !== null);
    expect(child?.attributes['gen_ai.conversation.id']).toBe(delegation.attributes['gen_ai.agent.id']);
    expect(child?.attributes['gen_ai.agent.name']).toBe('helper');
  });

  it('that hooks ask for lie in the turn, also one inside another', async () => {
    const next = on('agent.stop', ({ response }) =>
      response === 'c'
        ? null
        : { action: 'delegate', request: { agent: 'helper', prompt: `after ${response}` } },
    );
    const spans = await traced({
      config: { model: 'm' },
      agents: [helper],
      hooks: [next],
      completions: [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    });
    const step = 'session > turn > invoke_agent helper';
    expect(paths(spans)).toContain(`${step} > ${step} > session > turn > chat m`);
    const depths = named(spans, 'invoke_agent helper').map(({ attributes }) => attributes['harness.depth']);
    expect(depths).toEqual([2, 1]);
    expect(new Set(spans.map(({ status }) => status))).toEqual(new Set(['ok']));
  });

  it('side by side keep to the call of their own', async () => {
    const spans = await traced({
      agents: [helper],
      completions: [{ tool_calls: [ask('one'), ask('two')] }, { text: 'a' }, { text: 'b' }, { text: 'done' }],
    });
    const parents = named(spans, 'invoke_agent helper').map(({ parentSpanId }) => parentSpanId);
    const calls = named(spans, 'execute_tool delegate').map(({ spanId }) => spanId);
    expect(parents.sort()).toEqual(calls.sort());
    expect(new Set(calls).size).toBe(2);
  });

  it('say of each verification whether the answer was accepted, at which attempt, and who refused it', async () => {
    const spans = await traced(
      {
        agents: [{ ...helper, verify: async ({ attempt }) => attempt !== 2, maxVerifyRetries: 2 }],
        hooks: [
          on('delegation.post_verify', ({ attempt }) => (attempt === 1 ? block('too short') : null), {
            name: 'v',
          }),
        ],
        completions: [{ tool_calls: [ask()] }, { text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'done' }],
      },
      { content: true },
    );
    const table = named(spans, 'verify').map(({ attributes: at }) => [
      at['harness.verification.attempt'],
      at['harness.verification.verified'],
      at['harness.verification.refused_by'],
      at['harness.hook'],
      at['harness.reason'],
    ]);
    expect(table).toEqual([
      [1, false, 'hook', 'v', 'too short'],
      [2, false, 'script', undefined, undefined],
      [3, true, undefined, undefined, undefined],
    ]);
    expect(only(spans, 'invoke_agent helper').attributes).toMatchObject({
      'harness.attempts': 3,
      'harness.outcome': 'ok',
    });
  });

  it('fail with the last verification, and where a check itself is broken claim nothing', async () => {
    const refused = await traced({
      agents: [{ ...helper, verify: async () => false, maxVerifyRetries: 1 }],
      completions: [{ tool_calls: [ask()] }, { text: 'a' }, { text: 'b' }, { text: 'done' }],
    });
    const verified = named(refused, 'verify').map((span) => span.attributes['harness.verification.verified']);
    expect(verified).toEqual([false, false]);
    expect(only(refused, 'invoke_agent helper')).toMatchObject({
      status: 'error',
      attributes: { 'harness.outcome': 'failed' },
    });
    const broken = await traced({
      agents: [helper],
      hooks: [
        on('delegation.post_verify', () => {
          throw new Error('oops');
        }),
      ],
      completions: [{ tool_calls: [ask()] }, { text: 'a' }, { text: 'done' }],
    });
    const { status, attributes } = only(broken, 'verify');
    expect([status, attributes['error.type']]).toEqual(['error', 'VERIFIER_BROKEN']);
    expect(attributes).not.toHaveProperty('harness.verification.verified');
  });

  it('that hooks block are over at once, and say which hook', async () => {
    const spans = await traced({
      agents: [helper],
      hooks: [on('delegation.pre', () => block('no'), { name: 'gate' })],
      completions: [{ tool_calls: [ask()] }, { text: 'done' }],
    });
    expect(only(spans, 'invoke_agent helper')).toMatchObject({
      status: 'error',
      attributes: { 'harness.outcome': 'blocked', 'harness.hook': 'gate', 'harness.attempts': 0 },
    });
  });

  it('all end with an abort, in one trace', async () => {
    const controller = new AbortController();
    const wait = tool('wait', () => {
      controller.abort();
      return new Promise(() => {});
    });
    const spans = await traced({
      agents: [{ ...helper, tools: ['wait'] }],
      tools: [wait],
      signal: controller.signal,
      completions: [{ tool_calls: [ask()] }, { tool_calls: [call('wait')] }],
    });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === null)).toHaveLength(1);
    expect(only(spans, 'invoke_agent helper').attributes['harness.outcome']).toBe('failed');
    expect(named(spans, 'turn').map(({ attributes }) => attributes['harness.end_reason'])).toEqual([
      'aborted',
      'aborted',
    ]);
  });
});

it('the page on tracing names every attribute there is', () => {
  const page = readFileSync(new URL('../../../docs/guide/tracing.md', import.meta.url), 'utf8');
  expect(Object.values(ATTRIBUTES).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
