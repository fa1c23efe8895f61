import { describe, expect, it } from 'vitest';
import { exitTools } from '../../src/agent/tools/done-tool.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Decision } from '../../src/engine/decision.ts';
import type { AgentDefinition, ScriptedCompletion, SessionEvent } from '../../src/exports/agent.ts';
import { ReminderStore } from '../../src/exports/hooks.ts';
import { exitPolicyHooks } from '../../src/policy/exit-policy.ts';
import {
  call,
  decisions,
  echo,
  names,
  on,
  outcomeOf,
  payloadsOf,
  play,
  tool,
  toolMessages,
} from '../support/agent.ts';

const { block, modify } = decisions;
const delegates = (request: JsonObject): Decision => ({ action: 'delegate', request });

const helper: AgentDefinition = { name: 'helper', description: 'Helps.', system: 'You help.' };
const ask = (prompt = 'look', agent = 'helper') => ({ tool_calls: [call('delegate', { agent, prompt })] });
const say = (text: string, input = 0): ScriptedCompletion => ({
  text,
  usage: { input_tokens: input, output_tokens: 0 },
});

/** The events of sub-agents, without their wrapping. */
function inside(events: readonly SessionEvent[]): SessionEvent[] {
  return events.flatMap((event) => (event.type === 'agent' ? [event.event, ...inside([event.event])] : []));
}

const firedInside = (events: readonly SessionEvent[]) =>
  inside(events).flatMap((event) => (event.type === 'hook' ? [event] : []));

describe('[C077] a delegation', () => {
  it('is offered as a tool that names the agents, runs a session of its own, and returns its answer', async () => {
    const played = await play({
      agents: [helper],
      completions: [ask('look'), say('found it', 5), say('done', 7)],
    });
    const [first, second] = played.provider.requests;
    expect(first?.tools.map(({ name }) => name)).toEqual(['delegate']);
    expect(first?.tools[0]?.description).toContain('- helper: Helps.');
    expect(second).toMatchObject({ system: 'You help.', messages: [{ role: 'user', content: 'look' }] });
    expect(toolMessages(played)).toMatchObject([{ content: 'found it', is_error: false }]);
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'done', usage: { input_tokens: 12 } });
    expect(names(played)).toEqual([
      'session.start',
      'turn.start',
      'completion.pre',
      'completion.post',
      'tool.pre',
      'delegation.pre',
      'delegation.post_verify',
      'delegation.post',
      'tool.post',
      'turn.step',
      'completion.pre',
      'completion.post',
      'turn.step',
      'agent.stop',
      'turn.end',
      'session.end',
    ]);
    expect(firedInside(played.events).map(({ event }) => event)).toEqual([
      'session.start',
      'turn.start',
      'completion.pre',
      'completion.post',
      'turn.step',
      'agent.stop',
      'turn.end',
      'session.end',
    ]);
  });

  it('tells its hooks what is asked of whom, and what came of it', async () => {
    const played = await play({
      agents: [{ ...helper, tools: ['echo'], model: 'small' }],
      tools: [echo],
      completions: [ask(), { tool_calls: [call('echo', { text: 'x' })] }, say('found it', 3), say('done')],
    });
    const [pre] = payloadsOf(played, 'delegation.pre');
    expect(pre).toMatchObject({
      agent: 'helper',
      prompt: 'look',
      depth: 1,
      parent_id: 's1',
      model: 'small',
      tools: ['echo'],
      system_prompt: 'You help.',
      verify: false,
      max_verify_retries: 2,
      session_id: 's1',
      turn: 0,
    });
    const same = { id: pre?.id, parent_id: 's1', agent: 'helper', depth: 1, result: 'found it' };
    const made = {
      tool_calls: [{ name: 'echo', args: { text: 'x' } }],
      tool_results: [{ content: '{"said":"x"}' }],
    };
    expect(payloadsOf(played, 'delegation.post_verify')).toMatchObject([{ ...same, ...made, attempt: 1 }]);
    expect(payloadsOf(played, 'delegation.post')).toMatchObject([
      { ...same, ...made, usage: { input_tokens: 3 } },
    ]);
    expect(played.provider.requests[1]?.model).toBe('small');
    const stops = firedInside(played.events).filter(({ event }) => event === 'agent.stop');
    expect(stops[0]?.payload).toMatchObject({ id: pre?.id, parent_id: 's1' });
  });

  it('does not begin where delegation.pre is blocked; the model reads why', async () => {
    const played = await play({
      agents: [helper],
      hooks: [on('delegation.pre', () => block('not today'))],
      completions: [ask(), say('done')],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      content: 'tool failed: delegation blocked by hook "on delegation.pre": not today',
      is_error: true,
    });
    expect(inside(played.events)).toEqual([]);
  });

  it('may lose tools or get another agent by delegation.pre, and never tools its parent has not', async () => {
    const other: AgentDefinition = { name: 'other', description: '', system: 'You are the other.' };
    const lone = tool('lone', () => 'x');
    const dropped = await play({
      agents: [helper],
      tools: [echo, lone],
      hooks: [on('delegation.pre', () => modify({ tools: ['echo', 'rm'] }))],
      completions: [ask(), say('a'), say('b')],
    });
    expect(dropped.provider.requests[1]?.tools.map(({ name }) => name)).toEqual(['echo']);
    const swapped = await play({
      agents: [helper, other],
      tools: [echo],
      hooks: [on('delegation.pre', () => modify({ agent: 'other', prompt: 'look twice' }))],
      completions: [ask(), say('a'), say('b')],
    });
    expect(swapped.provider.requests[1]).toMatchObject({
      system: 'You are the other.',
      messages: [{ content: 'look twice' }],
    });
    expect(payloadsOf(swapped, 'delegation.post')[0]).toMatchObject({ agent: 'other' });
  });

  it('has its answer rewritten or hidden by delegation.post', async () => {
    const completions = [ask(), say('the key is k1'), say('done')];
    const cut = await play({
      agents: [helper],
      completions,
      hooks: [on('delegation.post', () => modify({ result: 'the key is —' }))],
    });
    expect(toolMessages(cut)[0]?.content).toBe('the key is —');
    const hidden = await play({
      agents: [helper],
      completions,
      hooks: [on('delegation.post', () => block('secret'))],
    });
    expect(toolMessages(hidden)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('secret'),
    });
  });

  it.each([
    [{ agent: 'helpr', prompt: 'x' }, 'there is no agent "helpr" (did you mean helper?)'],
    [{ agent: 'helper', prompt: ' ' }, 'needs a prompt'],
  ])('is refused for %j', async (args, message) => {
    const played = await play({
      agents: [helper],
      completions: [{ tool_calls: [call('delegate', args)] }, say('done')],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining(message),
    });
  });

  it('fails where the sub-agent does not come to an answer, with its session ended', async () => {
    const played = await play({
      agents: [helper],
      config: { retry: { maxAttempts: 1 } },
      completions: [ask(), { error: { status: 500, message: 'down' } }, say('done')],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('delegation failed: "helper" ended with error'),
    });
    expect(
      firedInside(played.events)
        .map(({ event }) => event)
        .slice(-2),
    ).toEqual(['error', 'session.end']);
  });
});

describe('[C083] a sub-agent', () => {
  it('inherits every hook of its parent and adds its own, which do not reach the parent', async () => {
    const heard: string[] = [];
    const own = on('tool.pre', (seen) => void heard.push(`own ${seen.name}`), { name: 'own', priority: 5 });
    const played = await play({
      agents: [{ ...helper, hooks: [own] }],
      tools: [echo, tool('rm', () => 'gone')],
      hooks: [on('tool.pre', (seen) => (seen.name === 'rm' ? block('no rm') : null), { priority: 10 })],
      completions: [
        ask(),
        { tool_calls: [call('rm'), call('echo')] },
        say('a'),
        { tool_calls: [call('echo')] },
        say('b'),
      ],
    });
    const results = inside(played.events).flatMap((event) =>
      event.type === 'tool.end' ? [event.content] : [],
    );
    expect(results.sort()).toEqual(['tool blocked: blocked by hook "on tool.pre": no rm', '{"said":null}']);
    expect(heard.sort()).toEqual(['own echo', 'own rm']);
  });

  it('is held by a hook that is added to the parent while it runs', async () => {
    const { Registry } = await import('../../src/engine/registry.ts');
    const registry = new Registry();
    const late = tool('late', () => {
      registry.add(on('tool.pre', () => block('closed now')));
      return 'added';
    });
    const played = await play({
      agents: [helper],
      tools: [late],
      hooks: registry,
      completions: [
        ask(),
        { tool_calls: [call('late')] },
        { tool_calls: [call('late')] },
        say('a'),
        say('b'),
      ],
    });
    const results = inside(played.events).flatMap((event) =>
      event.type === 'tool.end' ? [event.content] : [],
    );
    expect(results).toEqual(['added', expect.stringContaining('closed now')]);
  });

  it('counts with its parent: a limit on calls holds for both together', async () => {
    const limit = on('tool.pre', (seen, { run }) => {
      if (seen.name !== 'echo') return null;
      const calls = (run.metrics.get('calls') ?? 0) + 1;
      run.metrics.set('calls', calls);
      return calls > 1 ? block('one is enough') : null;
    });
    const played = await play({
      agents: [helper],
      tools: [echo],
      hooks: [limit],
      completions: [
        { tool_calls: [call('echo')] },
        ask(),
        { tool_calls: [call('echo')] },
        say('a'),
        say('b'),
      ],
    });
    const ends = inside(played.events).flatMap((event) => (event.type === 'tool.end' ? [event.content] : []));
    expect(ends).toEqual([expect.stringContaining('one is enough')]);
  });

  it('gets the reminders that propagate to it', async () => {
    const reminders = new ReminderStore({ agentId: 's1' });
    const ttl_turns = 9;
    reminders.add({ body: 'for all', propagate: 'all', ttl_turns }, { hook: 'h', turn: 0 });
    reminders.add({ body: 'for direct ones', propagate: 'session', ttl_turns }, { hook: 'h', turn: 0 });
    reminders.add({ body: 'for me', propagate: 'none', ttl_turns }, { hook: 'h', turn: 0 });
    const played = await play({
      agents: [helper],
      reminders,
      completions: [ask(), ask('deeper'), say('a'), say('b'), say('c')],
    });
    const told = played.provider.requests.map(({ messages }) => JSON.stringify(messages));
    const bodies = (text: string | undefined) =>
      ['for all', 'for direct ones', 'for me'].filter((body) => text?.includes(body));
    expect(bodies(told[0])).toEqual(['for all', 'for direct ones', 'for me']);
    expect(bodies(told[1])).toEqual(['for all', 'for direct ones']);
    expect(bodies(told[2])).toEqual(['for all']);
  });
});

describe('[C081] depth and iterations', () => {
  it('end at three agents inside one another: the deepest has no delegate tool', async () => {
    const played = await play({
      agents: [helper],
      completions: [ask('1'), ask('2'), ask('3'), ask('4'), say('c3'), say('c2'), say('c1'), say('root')],
    });
    expect(played.provider.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0, 0, 1, 1, 1]);
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'root' });
    const depths = (event: SessionEvent): number[] =>
      event.type === 'agent' ? [event.depth, ...depths(event.event)] : [];
    expect(Math.max(...played.events.flatMap((event) => depths(event)))).toBe(3);
  });

  it('refuse a program that delegates deeper all the same', async () => {
    const sneaky = tool(
      'sneaky',
      async (_, { agent }) => (await agent!.delegate({ agent: 'helper', prompt: 'x' })).text,
    );
    const played = await play({
      agents: [helper],
      tools: [sneaky],
      delegation: { maxDepth: 1 },
      completions: [{ tool_calls: [call('sneaky')] }, { tool_calls: [call('sneaky')] }, say('a'), say('b')],
    });
    const refusals = inside(played.events).flatMap((event) =>
      event.type === 'tool.end' ? [event.content] : [],
    );
    expect(refusals).toEqual([expect.stringContaining('1 deep inside one another, which is the limit')]);
  });

  it.each([
    [1, 20],
    [2, 10],
    [3, 5],
    [4, 3],
    [7, 3],
  ])('at depth %i allow %i round trips', async (depth, most) => {
    const { iterationsAt, delegationLimits } = await import('../../src/agent/delegation/agent.ts');
    expect(iterationsAt(delegationLimits(), depth)).toBe(most);
  });

  it('end a sub-agent that never ends', async () => {
    const forever = Array.from({ length: 30 }, () => ({ tool_calls: [call('echo')] }));
    const played = await play({
      agents: [helper],
      tools: [echo],
      completions: [ask(), ...forever.slice(0, 20), say('gave up')],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('ended with max_turns: the model was asked 20 times'),
    });
    expect(played.result.text).toBe('gave up');
  });

  it('end one that hangs, with the run aborted or its time up, and session.end fired', async () => {
    const slow = { ...say('late'), delay_ms: 60_000 };
    const timed = await play({
      agents: [{ ...helper, timeoutMs: 20 }],
      completions: [ask(), slow, say('done')],
    });
    expect(toolMessages(timed)[0]?.content).toContain('ended with budget_exceeded');
    expect(firedInside(timed.events).at(-1)?.event).toBe('session.end');
    const controller = new AbortController();
    // Once the model of the one inside is asked.
    let asked = 0;
    const abort = on('completion.pre', () => {
      if (++asked === 2) setImmediate(() => controller.abort());
    });
    const aborted = await play({
      agents: [helper],
      completions: [ask(), slow],
      hooks: [abort],
      signal: controller.signal,
    });
    expect(aborted.result.reason).toBe('aborted');
    expect(names(aborted).at(-1)).toBe('session.end');
    const ends = aborted.events.map((event) =>
      JSON.stringify([event.type === 'agent' ? event.event : event]),
    );
    const places = ends.flatMap((text, place) => (text.includes('"event":"session.end"') ? [place] : []));
    expect(places).toHaveLength(2);
    expect(aborted.events[places[0]!]?.type).toBe('agent');
  });

  it('leave a sub-agent only what its parent has not spent', async () => {
    const played = await play({
      agents: [helper],
      tools: [echo],
      config: { limits: { maxTokens: 100 } },
      completions: [
        { ...ask(), usage: { input_tokens: 60, output_tokens: 0 } },
        { tool_calls: [call('echo')], usage: { input_tokens: 50, output_tokens: 0 } },
        say('never'),
      ],
    });
    expect(firedInside(played.events).length).toBeGreaterThan(0);
    expect(played.result).toMatchObject({ reason: 'budget_exceeded' });
    expect(played.session.usage.input_tokens).toBe(110);
  });
});

describe('[C082] the retry guard', () => {
  const failing = tool('flaky', () => {
    throw new Error('no luck');
  });
  const twice = Array.from({ length: 3 }, () => ({ tool_calls: [call('flaky')] }));

  it('blocks a tool of a sub-agent after two failures in a row', async () => {
    const played = await play({
      agents: [helper],
      tools: [failing],
      completions: [ask(), ...twice, say('a'), say('b')],
    });
    const ends = inside(played.events).flatMap((event) => (event.type === 'tool.end' ? [event.content] : []));
    expect(ends).toEqual([
      'tool failed: no luck',
      'tool failed: no luck',
      'tool blocked: blocked by hook "_retry_guard": tool "flaky" failed 2 times in a row; do without it',
    ]);
  });

  it('begins anew after a success, and can be switched off', async () => {
    let calls = 0;
    const lucky = tool('flaky', () => {
      if (++calls % 2 === 0) return 'fine';
      throw new Error('no luck');
    });
    const played = await play({
      agents: [helper],
      tools: [lucky],
      completions: [ask(), ...twice, { tool_calls: [call('flaky')] }, say('a'), say('b')],
    });
    const errors = inside(played.events).filter((event) => event.type === 'tool.end' && event.isError);
    expect(errors).toHaveLength(2);
    const off = await play({
      agents: [helper],
      tools: [failing],
      delegation: { toolRetries: 0 },
      completions: [ask(), ...twice, say('a'), say('b')],
    });
    expect(JSON.stringify(inside(off.events))).not.toContain('_retry_guard');
  });
});

describe('[C080] delegate(request) of a hook', () => {
  const once = (request: JsonObject) =>
    on('agent.stop', (seen) =>
      seen.parent_id === null && seen.response === 'draft' ? delegates(request) : null,
    );

  it('on agent.stop hands the work over, and the answer stands in for the model’s', async () => {
    const played = await play({
      agents: [helper],
      hooks: [once({ agent: 'helper', task: 'finish it' })],
      completions: [say('draft', 2), say('finished', 3)],
    });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'finished', usage: { input_tokens: 5 } });
    expect(outcomeOf(played, 'agent.stop')).toMatchObject({
      action: 'delegate',
      request: { task: 'finish it' },
    });
    expect(payloadsOf(played, 'agent.stop').map(({ response }) => response)).toEqual(['draft', 'finished']);
    expect(played.result.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'finished' });
  });

  it('on delegation.post runs a follow-up whose answer is the one returned', async () => {
    const reviewer: AgentDefinition = { name: 'reviewer', description: '', system: 'You review.' };
    const played = await play({
      agents: [helper, reviewer],
      hooks: [
        on('delegation.post', (seen) =>
          seen.agent === 'helper' ? delegates({ agent: 'reviewer', prompt: `review: ${seen.result}` }) : null,
        ),
      ],
      completions: [ask(), say('draft'), say('reviewed'), say('done')],
    });
    expect(played.provider.requests[2]?.messages[0]?.content).toBe('review: draft');
    expect(toolMessages(played)[0]?.content).toBe('reviewed');
  });

  it('in a circle is an error, ids notwithstanding', async () => {
    let n = 0;
    const played = await play({
      agents: [helper],
      hooks: [
        on('agent.stop', (seen) =>
          seen.parent_id === null ? delegates({ id: `d${++n}`, agent: 'helper', prompt: 'again ' }) : null,
        ),
      ],
      completions: [say('draft'), say('one'), say('two')],
    });
    expect(played.result).toMatchObject({ reason: 'error', message: expect.stringContaining('in a circle') });
    expect(payloadsOf(played, 'error')).toMatchObject([{ code: 'DELEGATION_CYCLE' }]);
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('is found to go in a circle through sub-agents too', async () => {
    const played = await play({
      agents: [helper],
      hooks: [on('agent.stop', () => delegates({ agent: 'helper', prompt: 'again' }))],
      completions: [say('draft'), say('one'), say('two'), say('three')],
    });
    expect(played.result).toMatchObject({ reason: 'error' });
    expect(played.provider.requests).toHaveLength(2);
  });

  it('more than eight times in a row is an error', async () => {
    let n = 0;
    const played = await play({
      agents: [helper],
      hooks: [
        on('agent.stop', (seen) =>
          seen.parent_id === null ? delegates({ agent: 'helper', prompt: `part ${++n}` }) : null,
        ),
      ],
      completions: [say('draft'), ...Array.from({ length: 12 }, () => say('more'))],
    });
    expect(played.result).toMatchObject({
      reason: 'error',
      message: expect.stringContaining('8 times in a row'),
    });
    expect(payloadsOf(played, 'error')).toMatchObject([{ code: 'DELEGATION_BUDGET' }]);
    expect(played.provider.requests).toHaveLength(9);
  });

  it('fails closed where the delegation itself fails', async () => {
    const played = await play({
      agents: [helper],
      hooks: [once({ agent: 'nobody', prompt: 'x' })],
      completions: [say('draft')],
    });
    expect(played.result).toMatchObject({
      reason: 'error',
      message: expect.stringContaining('no agent "nobody"'),
    });
    expect(payloadsOf(played, 'error')).toMatchObject([{ code: 'DELEGATION_REFUSED' }]);
  });
});

describe('[C078] verification', () => {
  const verified = (
    verify: AgentDefinition['verify'],
    more: Partial<AgentDefinition> = {},
  ): AgentDefinition => ({
    ...helper,
    ...more,
    ...(verify && { verify }),
  });

  it('sends an answer back to the same conversation with the reasons of script and hooks, and counts', async () => {
    const seen: unknown[] = [];
    const agent = verified(async (result) => {
      seen.push(result.attempt);
      return { verified: result.result === 'with tests', reason: 'no tests' };
    });
    const played = await play({
      agents: [agent],
      hooks: [on('delegation.post_verify', ({ result }) => (result === 'bare' ? block('too short') : null))],
      completions: [ask(), say('bare', 1), say('longer', 1), say('with tests', 1), say('done')],
    });
    expect(toolMessages(played)[0]?.content).toBe('with tests');
    expect(seen).toEqual([1, 2, 3]);
    expect(payloadsOf(played, 'delegation.post_verify').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const retry = played.provider.requests[2]!.messages;
    expect(retry.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(retry.at(-1)?.content).toContain('not accepted (attempt 1): no tests; too short');
    expect(names(played).filter((event) => event === 'delegation.post')).toHaveLength(1);
    expect(firedInside(played.events).filter(({ event }) => event === 'session.start')).toHaveLength(1);
    expect(played.result.usage.input_tokens).toBe(3);
  });

  it('takes a bare bool for its word', async () => {
    const played = await play({
      agents: [verified(async (result) => result.attempt === 2)],
      completions: [ask(), say('one'), say('two'), say('done')],
    });
    expect(toolMessages(played)[0]?.content).toBe('two');
  });

  it('that always fails ends in VerificationFailed after two retries', async () => {
    const thrown: unknown[] = [];
    const asking = tool('asking', async (_, { agent }) => {
      try {
        return (await agent!.delegate({ agent: 'helper', prompt: 'x' })).text;
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    });
    const played = await play({
      agents: [verified(async () => ({ verified: false, reason: 'never good' }))],
      tools: [asking],
      completions: [{ tool_calls: [call('asking')] }, say('1'), say('2'), say('3'), say('done')],
    });
    expect(thrown).toMatchObject([
      {
        name: 'VerificationFailed',
        code: 'VERIFICATION_FAILED',
        agent: 'helper',
        attempts: 3,
        reason: 'never good',
      },
    ]);
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('never good'),
    });
    expect(names(played)).not.toContain('delegation.post');
    expect(firedInside(played.events).at(-1)?.event).toBe('session.end');
  });

  it.each([
    [-1, 1],
    [0, 3],
    [1, 2],
    [undefined, 3],
  ])('with max_verify_retries %s tries %i times', async (given, tries) => {
    const played = await play({
      agents: [verified(async () => false, given === undefined ? {} : { maxVerifyRetries: given })],
      completions: [ask(), ...Array.from({ length: tries }, () => say('x')), say('done')],
    });
    expect(played.result.text).toBe('done');
    expect(payloadsOf(played, 'delegation.post_verify')).toHaveLength(tries);
  });

  it.each([
    [
      'crashes',
      async () => {
        throw new Error('boom');
      },
      'boom',
    ],
    ['returns something else', async () => ({ ok: true }), 'it returned {"ok":true}'],
    ['returns nothing', async () => undefined, 'it returned nothing'],
  ])('by a script that %s is a hard failure, and no opinion on the answer', async (_, verify, message) => {
    const played = await play({ agents: [verified(verify)], completions: [ask(), say('x'), say('done')] });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('the verify script of "helper" is broken'),
    });
    expect(toolMessages(played)[0]?.content).toContain(message);
    expect(played.provider.requests).toHaveLength(3);
  });

  it('by a script that hangs ends with the time of a tool', async () => {
    const played = await play({
      agents: [verified(() => new Promise(() => {}))],
      config: { limits: { toolMs: 20 } },
      completions: [ask(), say('x'), say('done')],
    });
    expect(toolMessages(played)[0]?.content).toContain('is broken');
  });

  it('by a hook that crashes is a hard failure too', async () => {
    const played = await play({
      agents: [helper],
      hooks: [
        on('delegation.post_verify', () => {
          throw new Error('boom');
        }),
      ],
      completions: [ask(), say('x'), say('done')],
    });
    expect(toolMessages(played)[0]?.content).toContain('boom');
    expect(played.provider.requests).toHaveLength(3);
  });
});

describe('[C079] exit_policy', () => {
  it('done_tool holds for a sub-agent too, which has the tool whatever its list says', async () => {
    const tools = exitTools('done_tool');
    const hooks = exitPolicyHooks('done_tool');
    const finish = { tool_calls: [call('done', { summary: 'all' })] };
    const played = await play({
      agents: [{ ...helper, tools: ['echo'] }],
      tools: [...tools, echo],
      hooks,
      completions: [ask(), say('early'), finish, say('found it'), finish, say('done')],
    });
    expect(played.provider.requests[1]?.tools.map(({ name }) => name)).toEqual(['done', 'echo']);
    expect(played.provider.requests[2]?.messages.at(-1)?.content).toContain('not marked as finished');
    expect(toolMessages(played)[0]?.content).toBe('found it');
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'done', message: null });
  });
});

describe('[C079] on_max_iterations', () => {
  it('makes running out of turns an error, or not', async () => {
    const completions = [{ tool_calls: [call('echo')] }];
    const limits = { maxTurns: 1 };
    const stopped = await play({ tools: [echo], completions, config: { limits } });
    expect(stopped.result.reason).toBe('max_turns');
    expect(names(stopped)).not.toContain('error');
    const failed = await play({ tools: [echo], completions, config: { limits, onMaxTurns: 'error' } });
    expect(failed.result.reason).toBe('max_turns');
    expect(payloadsOf(failed, 'error')).toMatchObject([{ code: 'MAX_TURNS' }]);
  });
});
