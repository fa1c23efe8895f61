/** The hooks page of Harn, claim by claim. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadAgentProject } from '../../src/agent/config/index.ts';
import type { Json } from '../../src/base/json.ts';
import { run as decide } from '../../src/cli/decide.ts';
import type { Approvals } from '../../src/engine/approvals.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import {
  ContextMaintenance,
  createPersona,
  parseTranscript,
  runDaemon,
  runPipeline,
  Session,
  type SessionEvent,
  scriptedProvider,
  transcriptLines,
} from '../../src/exports/agent.ts';
import { createHooks, type HarnHooks } from '../../src/exports/hooks.ts';
import { openTape, readTape, replayTape, storyRecords } from '../../src/exports/tape.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { call, echo, names, play, tool, toolMessages } from '../support/agent.ts';
import { engineOf } from '../support/plain-hook.ts';
import { tempProject } from '../support/temp-project.ts';
import { command } from './support.ts';

const fire = async (hooks: HarnHooks, event: string, payload: Json): Promise<Outcome> =>
  engineOf(hooks.registry.list()).decide(event, payload);
const CALL = { id: 'c1', name: 'exec_rm', args: { a: 1 } };

describe('Tool lifecycle hooks (register_tool_hook)', () => {
  it('register_tool_hook({pattern: "exec_*", deny: "exec is gated"})', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'exec_*', deny: 'exec is gated' });
    expect(await fire(hooks, 'tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'exec is gated' });
    expect((await fire(hooks, 'tool.pre', { ...CALL, name: 'read' })).action).toBe('allow');
  });

  it('register_tool_hook({pattern: "*", max_output: 4000})', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: '*', max_output: 4000 });
    const { payload } = await fire(hooks, 'tool.post', { name: 'x', content: 'y'.repeat(9000) });
    expect(String((payload as { content: string }).content).length).toBeLessThanOrEqual(4000);
  });

  it('"{args: replacement} to rewrite the arguments"', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pre: () => ({ args: { a: 2 } }) });
    expect(await fire(hooks, 'tool.pre', CALL)).toMatchObject({
      action: 'modify',
      payload: { args: { a: 2 } },
    });
  });

  it.each([['other'], [{ result: 'other' }]])(
    '"PostToolUse returns a string or {result: replacement}": %j',
    async (returned) => {
      const hooks = createHooks();
      hooks.registerToolHook({ post: () => returned as never });
      expect((await fire(hooks, 'tool.post', { name: 'x', content: 'y' })).payload).toMatchObject({
        content: 'other',
      });
    },
  );

  it('"For custom logic, pass pre and/or post closures in the config table": all keys in one registration', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({
      pattern: 'fetch_*',
      pre: ({ tool }) => ({ args: { ...tool.args, b: 2 } }),
      post: ({ result }) => `${result.text}!`,
      max_output: 4000,
    });
    const fetched = await fire(hooks, 'tool.pre', { ...CALL, name: 'fetch_page' });
    expect(fetched.payload).toMatchObject({ args: { a: 1, b: 2 } });
    const { payload } = await fire(hooks, 'tool.post', { name: 'fetch_page', content: 'y' });
    expect(payload).toMatchObject({ content: 'y!' });
    expect((await fire(hooks, 'tool.post', { name: 'read', content: 'y' })).action).toBe('allow');
  });

  it('a pre closure that returns a reminder', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({
      pattern: 'fetch_*',
      pre: () => ({ reminder: { body: 'Network fetch is about to run', tags: ['tool'] } }),
    });
    expect(await fire(hooks, 'tool.pre', { ...CALL, name: 'fetch_page' })).toMatchObject({
      action: 'allow',
      effects: [{ kind: 'reminder', reminder: { body: 'Network fetch is about to run', tags: ['tool'] } }],
    });
  });
});

describe('Persona / step lifecycle hooks', () => {
  const STEP = { persona: 'merge_bot', step: 'audit', args: [1] };

  it.each([
    'PreStep',
    'PostStep',
    'OnApprovalRequested',
    'OnHandoffEmitted',
    'OnPersonaPaused',
    'OnPersonaResumed',
    'OnBudgetThreshold(80)',
  ] as const)('observes %s', (event) => {
    expect(() => createHooks().registerPersonaHook('*', event, () => null)).not.toThrow();
  });

  it('the step hook of the page: a reminder, then {args}', async () => {
    const hooks = createHooks();
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', (ctx) => ({
      reminder: { body: 'Audit step is running', tags: ['audit'] },
      // biome-ignore lint/suspicious/noThenProperty: the protocol calls it that.
      then: { args: ctx.step.args },
    }));
    const outcome = await fire(hooks, 'step.pre', STEP);
    expect(outcome.effects).toMatchObject([{ reminder: { body: 'Audit step is running' } }]);
    expect((await fire(hooks, 'step.pre', { ...STEP, step: 'merge' })).effects).toEqual([]);
  });

  it('"both can deny via {deny: reason} or rewrite via {args} / {output}"', async () => {
    const deny = createHooks();
    deny.registerPersonaHook('merge_*', 'PreStep', () => ({ deny: 'frozen' }));
    expect(await fire(deny, 'step.pre', STEP)).toMatchObject({ action: 'block', reason: 'frozen' });
    const output = createHooks();
    output.registerStepHook('*', 'audit', 'PostStep', () => ({ output: 'clean' }));
    expect((await fire(output, 'step.post', { ...STEP, output: 'x' })).payload).toMatchObject({
      output: 'clean',
    });
  });

  it('reminder keys: "body, tags, dedupe_key, ttl_turns, preserve_on_compact, propagate, and role_hint"', async () => {
    const reminder = {
      body: 'b',
      tags: ['t'],
      dedupe_key: 'k',
      ttl_turns: 2,
      preserve_on_compact: true,
      propagate: 'all',
      role_hint: 'developer',
    } as const;
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => ({ reminder }));
    expect((await fire(hooks, 'session.start', null)).effects).toMatchObject([{ reminder }]);
  });
});

const SESSION_EVENTS =
  'session_start session_end user_prompt_submit pre_compact post_compact post_turn permission_asked permission_replied file_edited session_error session_idle pre_finish on_unsettled_detected post_finish'.split(
    ' ',
  );

describe('Session lifecycle hooks (register_session_hook)', () => {
  it.each(SESSION_EVENTS)('has %s', (event) => {
    expect(() => createHooks().registerSessionHook(event as 'session_start', () => null)).not.toThrow();
  });

  it('"user_prompt_submit … returns a blocked result with stop_reason: user_prompt_submit_blocked" (the example)', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', ({ prompt }) =>
      prompt.includes('secret') ? { block: true, reason: 'policy violation: secret in prompt' } : null,
    );
    const blocked = await play({ hooks: hooks.registry, prompt: 'my secret', completions: [{ text: 'ok' }] });
    expect(blocked.result).toMatchObject({
      reason: 'user_prompt_submit_blocked',
      message: expect.stringContaining('policy violation'),
    });
    expect(
      (await play({ hooks: hooks.registry, prompt: 'hello', completions: [{ text: 'ok' }] })).result.reason,
    ).toBe('end_turn');
  });

  it('"{block: true} skips this compaction pass"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('pre_compact', () => ({ block: true }));
    const played = await play({
      hooks: hooks.registry,
      completions: [{ text: 'ok' }],
      config: { oneShot: false },
    });
    expect((await played.session.compact()).compacted).toBe(false);
  });

  it('"post_turn — After a model/tool turn is recorded, before … control logic decides whether to continue"', async () => {
    const hooks = createHooks();
    let count = 0;
    hooks.registerSessionHook('post_turn', () => void count++);
    const played = await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(count).toBe(2);
    expect(names(played).indexOf('turn.step')).toBeGreaterThan(names(played).indexOf('tool.post'));
  });

  it('"permission_asked … {decision: "allow"|"deny", reason} short-circuits the policy" (the example)', async () => {
    for (const [decision, ran] of [
      ['deny', 0],
      ['allow', 1],
    ] as const) {
      const hooks = createHooks();
      hooks.registerSessionHook('permission_asked', (event) =>
        event.tool.name === 'exec_root' ? { decision, reason: 'exec_root never runs unattended' } : null,
      );
      let runs = 0;
      const played = await play({
        hooks: hooks.registry,
        tools: [tool('exec_root', () => ++runs)],
        permissions: { decide: () => ({ decision: 'ask', reason: 'sure?' }) },
        completions: [{ tool_calls: [call('exec_root')] }, { text: 'ok' }],
      });
      expect(runs).toBe(ran);
      if (ran === 0) expect(toolMessages(played)[0]?.content).toContain('exec_root never runs unattended');
    }
  });

  it('"file_edited … Drained at each agent-loop turn boundary" (the example)', async () => {
    const hooks = createHooks();
    const edited: string[] = [];
    hooks.registerSessionHook('file_edited', ({ path }) => void (path.endsWith('.rs') && edited.push(path)));
    await play({
      hooks: hooks.registry,
      tools: [tool('write', (_args, { fileEdited }) => fileEdited('main.rs'))],
      completions: [{ tool_calls: [call('write')] }, { text: 'ok' }],
    });
    expect(edited).toEqual(['main.rs']);
  });

  it('"session_error — Before session_end when the loop ended with an error"', async () => {
    const played = await play({ completions: [{ error: { status: 400, message: 'no' } }] });
    expect(names(played).slice(-2)).toEqual(['error', 'session.end']);
  });
});

describe('Return-value protocol', () => {
  it.each([
    ['nil', null, 'allow'],
    ['true', true, 'allow'],
    ['false', false, 'block'],
    ['{block: true, reason}', { block: true, reason: 'r' }, 'block'],
    // biome-ignore lint/suspicious/noThenProperty: the protocol calls it that.
    ['{reminder, then}', { reminder: { body: 'b' }, then: { block: true } }, 'block'],
    ['{body, tags}', { body: 'b', tags: ['x'] }, 'allow'],
    ['[{reminder}, …]', [{ reminder: { body: 'a' } }, { reminder: { body: 'b' } }], 'allow'],
  ])('%s', async (_title, returned, action) => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', () => returned as never);
    expect((await fire(hooks, 'turn.start', 'hi')).action).toBe(action);
  });

  it('{decision} "only honoured for permission_asked"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('permission_asked', () => ({ decision: 'deny', reason: 'r' }));
    expect((await fire(hooks, 'permission.asked', { name: 'x' })).action).toBe('block');
  });

  it('"deduped by dedupe_key"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => [
      { reminder: { body: 'old', dedupe_key: 'k' } },
      { reminder: { body: 'new', dedupe_key: 'k' } },
    ]);
    const { provider } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    const request = JSON.stringify(provider.requests[0]);
    expect([request.includes('new'), request.includes('old')]).toEqual([true, false]);
  });

  it.each(['text', 7])(
    '"Any other return shape raises a runtime error so misuse fails loudly": %j',
    async (returned) => {
      const hooks = createHooks();
      hooks.registerSessionHook('user_prompt_submit', () => returned as never);
      expect((await fire(hooks, 'turn.start', 'hi')).failure).toBeDefined();
    },
  );
});

describe('[[hooks]] package manifest entries', () => {
  it('the entry of the page: handler = "policy::reject_secrets"', async () => {
    const dir = tempProject({
      'harn.toml':
        '[[hooks]]\nevent = "UserPromptSubmit"\npattern = "*"\nhandler = "policy::reject_secrets"\n',
      'policy.star':
        'def reject_secrets(event):\n    if "secret" in event["prompt"]:\n        return {"block": True, "reason": "no"}\n',
    });
    const policy = await openPolicy(dir);
    expect((await policy.decide('turn.start', 'a secret')).action).toBe('block');
    expect((await policy.decide('turn.start', 'hello')).action).toBe('allow');
  });

  it('"The handler must resolve to an exported pub fn"', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "SessionStart"\nhandler = "policy::nosuch"\n',
      'policy.star': 'def other(event):\n    return None\n',
    });
    expect((await openPolicy(dir)).problems.map(({ code }) => code)).toContain('HANDLER_INVALID');
  });
});

describe('Tape capture and replay', () => {
  it('"hook_call … hook_returned … hook_vetoed — emitted only when control flow is block or a permission decision"; "replay … even if the closures are no longer registered"', async () => {
    const dir = tempProject();
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => null);
    hooks.registerSessionHook('user_prompt_submit', () => ({ block: true, reason: 'no' }));
    const tape = openTape(`${dir}/t.jsonl`, {
      session: 's',
      hooks: hooks.registry.list(),
      host: machineHost,
    });
    const played = await play({
      hooks: hooks.registry,
      recorder: tape.recorder,
      completions: [{ text: 'ok' }],
    });
    expect(played.result.reason).toBe('user_prompt_submit_blocked');
    await tape.close();
    const kinds = [...readTape(`${dir}/t.jsonl`).entries].flatMap(({ record }) => {
      if (record.type !== 'decision') return [];
      return storyRecords(0, '', record.out).map(({ type }) => type as string);
    });
    const hookKinds = kinds.filter((kind) => kind.startsWith('hook_'));
    expect(hookKinds).toEqual(['hook_call', 'hook_returned', 'hook_call', 'hook_returned', 'hook_vetoed']);
    expect(await replayTape(`${dir}/t.jsonl`)).toMatchObject({ differences: [] });
  });

  it('"they see the live transcript"', async () => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    hooks.registerToolHook({
      pre: ({ transcript = [] }) => void seen.push(transcript.map(({ role }) => role)),
    });
    await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(seen).toEqual([['user', 'assistant']]);
  });
});

describe('"so they see the live transcript and can call any builtin"', () => {
  it('a .star handler: the conversation is in event["transcript"], and a replay gives it what it saw then', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::f"\n',
      'policy.star': `def f(event):
    said = [m["role"] + ":" + m["content"] for m in event["transcript"]]
    metrics.incr("seen")
    cache.set("said", said)
    log.info(hash.sha256(json.encode(said))[:8])
    return {"deny": " ".join(said)}
`,
    });
    const policy = await openPolicy(dir);
    const path = `${dir}/t.jsonl`;
    const tape = openTape(path, {
      session: 's',
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
    });
    const played = await play({
      policy,
      prompt: 'look here',
      recorder: tape.recorder,
      tools: [echo],
      completions: [{ text: 'I will', tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    await tape.close();
    expect(toolMessages(played)[0]?.content).toContain('user:look here assistant:I will');
    const replayed = await replayTape(path, { hooks: policy.hooks, policy: policy.digest });
    expect(replayed.decisions).toBeGreaterThan(3);
    expect(replayed.differences).toEqual([]);
  });

  it('where no agent runs it is None, and a guard that looks into it fails instead of finding nothing', async () => {
    const said = async (body: string) => {
      const dir = tempProject({
        'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::f"\n',
        'policy.star': `def f(event):\n    ${body}\n`,
      });
      return (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} });
    };
    expect((await said('return {"deny": repr(event["transcript"])}')).reason).toBe('None');
    const found = await said(
      'return {"deny": "x"} if [m for m in event["transcript"] if "x" in m] else None',
    );
    expect([found.action, found.trace[0]?.failure !== null]).toEqual(['block', true]);
  });
});

describe('The transcript', () => {
  it('"Hook invocations are recorded on the active session transcript under hook_call, hook_returned, and hook_vetoed"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => null);
    hooks.registerSessionHook('user_prompt_submit', () => ({ block: true, reason: 'no' }));
    const { events, result } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    const { header, line } = transcriptLines({ sessionId: 's', startedAt: 0 });
    const entries = parseTranscript(header + events.map(line).join('')).filter(({ type }) =>
      type.startsWith('hook_'),
    );
    const [start, prompt] = ['SessionStart', 'UserPromptSubmit'].map((event) => ({
      event,
      handler: `session_hook::${event}`,
    }));
    expect(entries).toMatchObject([
      { type: 'hook_call', ...start, payload: { source: 'startup' } },
      { type: 'hook_returned', ...start, result: 'allow' },
      { type: 'hook_call', ...prompt, payload: 'go' },
      { type: 'hook_returned', ...prompt, result: 'block' },
      { type: 'hook_vetoed', ...prompt, decision: 'block', reason: 'no' },
    ]);
    expect(result.stop_reason).toBe('user_prompt_submit_blocked');
  });
});

describe('Handlers in Starlark', () => {
  it('know the policy they are part of', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::f"\n',
      'policy.star': 'def f(event):\n    return {"deny": str(len(policy.hooks()))}\n',
    });
    expect(await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} })).toMatchObject({
      reason: '1',
    });
  });
});

describe('The end of a pipeline, and a daemon', () => {
  it.each([
    [false, 'pre_finish on_finish post_finish'],
    [true, 'pre_finish on_unsettled_detected on_finish post_finish'],
  ])(
    '"Between pre_finish and on_finish, but only when harness.unsettled_state() is non-empty" (%s): %s',
    async (open, order) => {
      const hooks = createHooks();
      const seen: string[] = [];
      for (const event of ['pre_finish', 'on_unsettled_detected', 'post_finish'] as const)
        hooks.registerSessionHook(event, () => void seen.push(event));
      const value = await runPipeline(
        ({ onFinish, unsettled }) => {
          if (open) unsettled.note('queued_triggers', { id: 't1' });
          onFinish(() => void seen.push('on_finish'));
          return 'value';
        },
        { hooks: engineOf(hooks.registry.list()) },
      );
      expect([seen.join(' '), value]).toEqual([order, 'value']);
    },
  );

  it('"session_idle — Each time the daemon-mode agent loop enters its wake_interval_ms wait between turns"', async () => {
    const hooks = createHooks();
    const waits: unknown[] = [];
    hooks.registerSessionHook('session_idle', (event) => void waits.push(event.wake_interval_ms));
    const session = new Session({
      provider: scriptedProvider({ completions: [{ text: 'ok' }, { text: 'ok' }] }),
      hooks: hooks.registry,
      config: { oneShot: false },
    });
    const prompts = ['a', null, 'b', undefined];
    await runDaemon(session, { wakeIntervalMs: 1, next: () => prompts.shift() as never });
    expect(waits).toEqual([1]);
  });
});

describe('The table of session events, row by row', () => {
  const ADVISORY = [
    ['session_start', 'session.start', { session_id: 's' }],
    ['session_end', 'session.end', { session_id: 's', reason: 'end_turn' }],
    ['post_compact', 'compact.post', {}],
    ['post_turn', 'turn.step', {}],
    ['permission_replied', 'permission.replied', {}],
    ['file_edited', 'file.edited', { path: 'a.rs' }],
    ['session_error', 'error', { message: 'x' }],
    ['session_idle', 'session.idle', {}],
    ['post_finish', 'post_finish', {}],
  ] as const;

  it.each(ADVISORY)('%s is "Advisory": a veto stops nothing', async (name, event, payload) => {
    const hooks = createHooks();
    let runs = 0;
    hooks.registerSessionHook(name, () => {
      runs++;
      return { block: true, reason: 'no' } as never;
    });
    const outcome = await fire(hooks, event, payload);
    expect([runs, outcome.action]).toEqual([1, 'allow']);
  });

  it('"session_start — After the session record is open, before the loop starts"; "session_end — After the loop exits"', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerSessionHook('session_start', () => void seen.push('start'));
    hooks.registerSessionHook('user_prompt_submit', () => void seen.push('prompt'));
    hooks.registerSessionHook('post_turn', () => void seen.push('turn'));
    hooks.registerSessionHook('session_end', () => void seen.push('end'));
    await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(seen.join(' ')).toBe('start prompt turn turn end');
  });

  it('"permission_replied — After the dynamic permission policy decides"', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerSessionHook('permission_asked', () => {
      seen.push('asked');
      return { decision: 'allow' };
    });
    hooks.registerSessionHook('permission_replied', () => void seen.push('replied'));
    await play({
      hooks: hooks.registry,
      tools: [tool('exec_root', () => seen.push('ran'))],
      permissions: { decide: () => ({ decision: 'ask', reason: 'sure?' }) },
      completions: [{ tool_calls: [call('exec_root')] }, { text: 'ok' }],
    });
    expect(seen).toEqual(['asked', 'replied', 'ran']);
  });

  it('"user_prompt_submit — Before the agent sees the user\'s prompt"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', () => false);
    const { provider, result } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    expect(provider.requests).toEqual([]);
    expect(result.stop_reason).toBe('user_prompt_submit_blocked');
  });

  it('"PreToolUse and PostToolUse fire around each tool dispatch"', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerToolHook({
      pre: () => void seen.push('pre'),
      post: () => void seen.push('post'),
    });
    await play({
      hooks: hooks.registry,
      tools: [tool('a', () => seen.push('run'))],
      completions: [{ tool_calls: [call('a')] }, { tool_calls: [call('a')] }, { text: 'ok' }],
    });
    expect(seen.join(' ')).toBe('pre run post pre run post');
  });

  it('"{deny: reason} to refuse the call", from a pre closure', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pre: () => ({ deny: 'not today' }) });
    expect(await fire(hooks, 'tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'not today' });
  });

  it('"Step hooks pin a matching pair (persona_pattern, step_name)": both must fit', async () => {
    const hooks = createHooks();
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', () => ({ deny: 'frozen' }));
    const said = async (persona: string, step: string) =>
      (await fire(hooks, 'step.pre', { persona, step, args: [] })).action;
    expect([
      await said('merge_bot', 'audit'),
      await said('merge_bot', 'ship'),
      await said('other', 'audit'),
    ]).toEqual(['block', 'allow', 'allow']);
  });

  it('"Session hook effect list; reminders are injected in order"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => [
      { reminder: { body: 'one' } },
      { reminder: { body: 'two' } },
    ]);
    const { provider } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    const told = JSON.stringify(provider.requests[0]);
    expect(told.indexOf('one')).toBeGreaterThan(-1);
    expect(told.indexOf('two')).toBeGreaterThan(told.indexOf('one'));
  });

  it('"{reminder: {...}, then?: ...}: Inject a system_reminder, then apply the optional inner control/action"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', () => ({
      reminder: { body: 'first' },
      // biome-ignore lint/suspicious/noThenProperty: the protocol calls it that.
      then: { block: true, reason: 'then no' },
    }));
    expect(await fire(hooks, 'turn.start', 'hello')).toMatchObject({
      action: 'block',
      reason: 'then no',
      effects: [{ kind: 'reminder', reminder: { body: 'first' } }],
    });
  });
});

describe('Personas: every event fires where it happens', () => {
  const scene = async (
    register: (hooks: HarnHooks, seen: unknown[]) => void,
    approvals: Approvals = { request: async () => ({ approved: true }) },
  ) => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    register(hooks, seen);
    const captain = createPersona('merge_captain', {
      hooks: hooks.registry,
      approvals,
      budget: { limit: 100 },
    });
    const audit = captain.step('audit', async (branch: string) => {
      await captain.spend(60);
      await captain.handoff({ to: 'reviewer', reason: 'look' });
      await captain.approve({ what: 'merge' });
      await captain.pause('lunch');
      await captain.resume();
      return `${branch} is fine`;
    });
    const output = await audit('main');
    await captain.spend(30);
    return { seen, output };
  };

  const EVENTS = [
    'PreStep',
    'PostStep',
    'OnApprovalRequested',
    'OnHandoffEmitted',
    'OnPersonaPaused',
    'OnPersonaResumed',
    'OnBudgetThreshold(50)',
    'OnBudgetThreshold(57)',
  ] as const;

  it.each(EVENTS)('"Persona-scoped hooks observe …": %s', async (event) => {
    const { seen } = await scene((hooks, list) => {
      hooks.registerPersonaHook('merge_*', event, (ctx) => void list.push(ctx.persona));
      hooks.registerPersonaHook('other_*', event, () => void list.push('not mine'));
    });
    // A threshold is heard of again at each later one that is reported.
    expect([...new Set(seen)]).toEqual(['merge_captain']);
  });

  it.each(EVENTS)('"Step hooks … accept the same events": %s, of their own step only', async (event) => {
    const { seen } = await scene((hooks, list) => {
      hooks.registerStepHook('merge_*', 'audit', event, (ctx) => void list.push(ctx.persona));
      hooks.registerStepHook('merge_*', 'ship', event, () => void list.push('another step'));
    });
    expect(seen).toEqual(['merge_captain']);
  });

  it("a threshold that is crossed outside of the step is not the step's", async () => {
    const { seen } = await scene((hooks, list) => {
      hooks.registerStepHook('*', 'audit', 'OnBudgetThreshold(80)', () => void list.push('step'));
      hooks.registerPersonaHook('*', 'OnBudgetThreshold(80)', () => void list.push('persona'));
    });
    expect(seen).toEqual(['persona']);
  });

  it('"both can deny via {deny: reason} or rewrite via {args} / {output}": the step itself obeys', async () => {
    for (const register of ['persona', 'step'] as const) {
      const on = (hooks: HarnHooks, event: 'PreStep' | 'PostStep', answer: () => never) =>
        register === 'persona'
          ? hooks.registerPersonaHook('merge_*', event, answer)
          : hooks.registerStepHook('merge_*', 'audit', event, answer);
      const rewritten = await scene((hooks) => {
        on(hooks, 'PreStep', () => ({ args: ['dev'] }) as never);
        on(hooks, 'PostStep', () => ({ output: 'checked' }) as never);
      });
      expect(rewritten.output).toBe('checked');
      const args = await scene((hooks) => void on(hooks, 'PreStep', () => ({ args: ['dev'] }) as never));
      expect(args.output).toBe('dev is fine');
      const denied = scene((hooks) => void on(hooks, 'PreStep', () => ({ deny: 'frozen' }) as never));
      await expect(denied).rejects.toThrow('frozen');
    }
  });
});

describe('The order of things', () => {
  it('"Each surface fires synchronously on the agent-loop thread": the tool waits for a closure that takes its time', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerToolHook({
      pre: async () => {
        await new Promise((done) => setTimeout(done, 20));
        seen.push('pre');
        return null;
      },
    });
    hooks.registerSessionHook('session_start', (async () => {
      await new Promise((done) => setTimeout(done, 20));
      seen.push('start');
      return null;
    }) as never);
    await play({
      hooks: hooks.registry,
      tools: [tool('a', () => seen.push('run'))],
      completions: [{ tool_calls: [call('a')] }, { text: 'ok' }],
    });
    expect(seen).toEqual(['start', 'pre', 'run']);
  });

  const LONG = 'x'.repeat(4000);
  const WORK = [
    ...Array.from({ length: 6 }, () => ({ tool_calls: [call('echo', { text: LONG })] })),
    { text: 'Done.' },
  ];
  const SMALL = { compaction: { maxTokens: 3000, keepTurns: 1 } };

  it('"pre_compact — Before transcript autocompaction runs", "post_compact — After autocompaction completes and replaces messages"', async () => {
    const hooks = createHooks();
    const seen: [string, number][] = [];
    for (const event of ['pre_compact', 'post_compact'] as const)
      hooks.registerSessionHook(event, ({ transcript = [] }) => void seen.push([event, transcript.length]));
    await play({ hooks: hooks.registry, tools: [echo], completions: WORK, config: SMALL });
    const [before, after] = seen;
    expect([before?.[0], after?.[0]]).toEqual(['pre_compact', 'post_compact']);
    expect(after![1]).toBeLessThan(before![1]);
  });

  it('"{block: true} skips this compaction pass": this one, and the next is asked about again', async () => {
    const hooks = createHooks();
    let asked = 0;
    hooks.registerSessionHook('pre_compact', () => (++asked === 1 ? { block: true } : null));
    const played = await play({ hooks: hooks.registry, tools: [echo], completions: WORK, config: SMALL });
    const passes = names(played).filter((name) => name.startsWith('compact.'));
    expect(passes.slice(0, 3)).toEqual(['compact.pre', 'compact.pre', 'compact.post']);
  });

  it('"file_edited — After write_file / … queues an edit. Drained at each agent-loop turn boundary"', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.registerSessionHook('file_edited', ({ path }) => void seen.push(`edited ${path}`));
    hooks.registerToolHook({ post: () => void seen.push('post') });
    const write = (name: string) =>
      tool(name, (_args, { fileEdited }) => {
        fileEdited(name);
        seen.push('written');
      });
    await play({
      hooks: hooks.registry,
      tools: [write('write_file'), write('append_file')],
      config: { limits: { parallelTools: 1 } },
      completions: [
        { tool_calls: [call('write_file'), call('append_file')] },
        { tool_calls: [call('write_file')] },
        { text: 'ok' },
      ],
    });
    expect(seen).toEqual([
      ...['written', 'post', 'written', 'post'],
      ...['edited write_file', 'edited append_file', 'written', 'post', 'edited write_file'],
    ]);
  });

  it('"session_error — Before session_end when the loop ended with an error status": each once, in this order', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    for (const event of ['session_error', 'session_end'] as const)
      hooks.registerSessionHook(event, () => void seen.push(event));
    await play({ hooks: hooks.registry, completions: [{ error: { status: 400, message: 'no' } }] });
    expect(seen).toEqual(['session_error', 'session_end']);
    seen.length = 0;
    await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    expect(seen).toEqual(['session_end']);
  });

  it('"pre_finish … (or before pipeline return when no callback is registered)"; "post_finish … just before the pipeline value is yielded"', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    for (const event of ['pre_finish', 'on_unsettled_detected', 'post_finish'] as const)
      hooks.registerSessionHook(event, () => void seen.push(event));
    const options = { hooks: engineOf(hooks.registry.list()) };
    seen.push(String(await runPipeline(() => `${seen.length} before`, options)));
    expect(seen).toEqual(['pre_finish', 'post_finish', '0 before']);
  });
});

describe('Return values, the other readings', () => {
  it('{decision} is "only honoured for permission_asked": elsewhere it decides nothing, and a refusal that a gate would lose raises', async () => {
    const said = async (event: 'session_start' | 'user_prompt_submit', decision: string) => {
      const hooks = createHooks();
      hooks.registerSessionHook(event, () => ({ decision, reason: 'r' }) as never);
      const { result } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
      return [result.reason, result.message?.includes('decision counts on permission_asked only') ?? false];
    };
    expect(await said('session_start', 'deny')).toEqual(['end_turn', false]);
    expect(await said('user_prompt_submit', 'allow')).toEqual(['end_turn', false]);
    expect(await said('user_prompt_submit', 'deny')).toEqual(['error', true]);
  });

  it('{decision: "ask"} leaves the question to a person', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('permission_asked', () => ({ decision: 'ask', reason: 'r' }));
    let runs = 0;
    const permissions = { decide: () => ({ decision: 'ask' as const, reason: 'sure?' }) };
    const more = {
      hooks: hooks.registry,
      tools: [tool('t', () => ++runs)],
      permissions,
      completions: [{ tool_calls: [call('t')] }, { text: 'ok' }],
    };
    await play(more);
    expect(runs).toBe(0);
    await play({ ...more, approvals: { request: async () => ({ approved: true }) } });
    expect(runs).toBe(1);
  });

  it('"false — Veto (same as {block: true})" and "nil or true — Allow": in a session', async () => {
    for (const [answer, reason] of [
      [false, 'user_prompt_submit_blocked'],
      [true, 'end_turn'],
      [null, 'end_turn'],
      [undefined, 'end_turn'],
    ] as const) {
      const hooks = createHooks();
      hooks.registerSessionHook('user_prompt_submit', () => answer as never);
      const { result } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
      expect(result.reason).toBe(reason);
    }
  });

  it.each([[{ blok: true }], ['no'], [7], [[1]]])(
    '"Any other return shape raises a runtime error so misuse fails loudly": %j ends the run with an error',
    async (answer) => {
      const hooks = createHooks();
      hooks.registerSessionHook('user_prompt_submit', () => answer as never);
      const { result, provider } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
      expect(result.reason).toBe('error');
      expect(provider.requests).toEqual([]);
    },
  );

  it('"{body: "...", tags?: [...], dedupe_key?: ...} — Inject a reminder and otherwise allow/pass"', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', () => ({ body: 'mind the gap', tags: ['t'] }));
    const { provider, result } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    expect(result.reason).toBe('end_turn');
    expect(JSON.stringify(provider.requests[0])).toContain('mind the gap');
  });
});

describe('[[hooks]], event by event', () => {
  const NAMES =
    'PreToolUse PostToolUse SessionStart SessionEnd UserPromptSubmit PreCompact PostCompact PostTurn PermissionAsked PermissionReplied FileEdited SessionError SessionIdle PreFinish OnUnsettledDetected PostFinish PreStep PostStep OnApprovalRequested OnHandoffEmitted OnPersonaPaused OnPersonaResumed OnBudgetThreshold';

  it.each(NAMES.split(' '))('"The event name maps 1:1 to the runtime enum": %s', async (written) => {
    const dir = tempProject({
      'harn.toml': `[[hooks]]\nevent = "${written}"\npattern = "*"\nhandler = "policy::note"\n`,
      'policy.star': 'def note(event):\n    log.info(event["event"])\n    return None\n',
    });
    const { hooks, problems } = await openPolicy(dir);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [hook] = hooks.filter(({ source }) => source === 'harn.toml');
    const fields = { name: 't', args: {}, content: '', percentage: 80, persona: 'p', step: 's' };
    const payload = hook!.event === 'turn.start' ? 'hello' : fields;
    const { effects } = await engineOf([hook!]).decide(hook!.event, payload);
    expect(effects).toMatchObject([{ kind: 'log', message: written }]);
  });

  it.each(['pretooluse', 'PreToolUsed', 'Pre_Tool_Use'])(
    'an event that is none is an error: %s',
    async (written) => {
      const dir = tempProject({
        'harn.toml': `[[hooks]]\nevent = "${written}"\nhandler = "policy::note"\n`,
        'policy.star': 'def note(event):\n    return None\n',
      });
      expect((await openPolicy(dir)).problems.map(({ code }) => code)).toContain('EVENT_UNKNOWN');
    },
  );

  it('"participates in the same veto / tape capture semantics as a programmatic registration"', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "UserPromptSubmit"\nhandler = "policy::no"\n',
      'policy.star': 'def no(event):\n    return {"block": True, "reason": "policy"}\n',
    });
    const policy = await openPolicy(dir);
    const { events, result } = await play({ policy, completions: [{ text: 'ok' }] });
    expect(result.stop_reason).toBe('user_prompt_submit_blocked');
    expect(hookLines(events)).toMatchObject([
      { type: 'hook_call', event: 'UserPromptSubmit', handler: 'policy::no' },
      { type: 'hook_returned', result: 'block' },
      { type: 'hook_vetoed', reason: 'policy' },
    ]);
  });
});

/** The three kinds, as they stand in the transcript file. */
function hookLines(events: readonly SessionEvent[]) {
  const { header, line } = transcriptLines({ sessionId: 's', startedAt: 0 });
  return parseTranscript(header + events.map(line).join('')).filter(({ type }) => type.startsWith('hook_'));
}

describe('Tape capture, the rest of it', () => {
  it('"hook_call — payload + handler name, before the closure runs": it is on disk when the closure looks', async () => {
    const dir = tempProject();
    const path = `${dir}/t.jsonl`;
    const hooks = createHooks();
    let found: string[] = [];
    hooks.registerSessionHook('user_prompt_submit', () => {
      found = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      return null;
    });
    const tape = openTape(path, { session: 's', hooks: hooks.registry.list(), host: machineHost });
    await play({
      hooks: hooks.registry,
      recorder: tape.recorder,
      prompt: 'a prompt of its own',
      completions: [{ text: 'ok' }],
    });
    await tape.close();
    const text = found.join('\n');
    expect(text).toContain('a prompt of its own');
    expect(text).toContain('session_hook::UserPromptSubmit');
  });

  it.each(['allow', 'deny'] as const)(
    '"hook_vetoed — emitted only when control flow is block or a permission decision": {decision: "%s"}',
    async (decision) => {
      const hooks = createHooks();
      hooks.registerSessionHook('permission_asked', () => ({ decision, reason: 'r' }));
      hooks.registerSessionHook('session_start', () => null);
      const { events } = await play({
        hooks: hooks.registry,
        tools: [echo],
        permissions: { decide: () => ({ decision: 'ask', reason: 'sure?' }) },
        completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
      });
      const vetoed = hookLines(events).filter(({ type }) => type === 'hook_vetoed');
      expect(vetoed).toMatchObject([{ event: 'PermissionAsked' }]);
    },
  );

  it('"Hook closures may also return a reminder effect for the active session transcript": it is in the file', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', () => ({ reminder: { body: 'mind the gap' } }));
    const { events } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    const { header, line } = transcriptLines({ sessionId: 's', startedAt: 0 });
    const reminded = parseTranscript(header + events.map(line).join('')).filter(
      ({ type }) => type === 'reminder',
    );
    expect(JSON.stringify(reminded)).toContain('mind the gap');
  });

  it('"Hook invocations are recorded on the active session transcript": those of tools too', async () => {
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'echo', pre: () => ({ deny: 'no' }) });
    const { events } = await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(hookLines(events).map(({ type }) => type)).toEqual(['hook_call', 'hook_returned', 'hook_vetoed']);
  });

  it('"see the same hooks fire in the same order with the same payloads": a changed payload is a difference', async () => {
    const dir = tempProject();
    const path = `${dir}/t.jsonl`;
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', ({ prompt }) =>
      prompt === 'go' ? null : { block: true, reason: 'no' },
    );
    const tape = openTape(path, { session: 's', hooks: hooks.registry.list(), host: machineHost });
    await play({ hooks: hooks.registry, recorder: tape.recorder, completions: [{ text: 'ok' }] });
    await tape.close();
    expect((await replayTape(path, { hooks: hooks.registry.list() })).differences).toEqual([]);
    const other = createHooks();
    other.registerSessionHook('user_prompt_submit', () => ({ block: true, reason: 'other' }));
    expect((await replayTape(path, { hooks: other.registry.list() })).differences).not.toEqual([]);
  });
});

describe('Sentences that stand between the tables', () => {
  it('on_unsettled_detected is "Advisory": a veto stops nothing; on pre_finish it raises, see docs/from.md', async () => {
    const vetoed = async (event: 'on_unsettled_detected' | 'pre_finish') => {
      const hooks = createHooks();
      hooks.registerSessionHook(event, () => ({ block: true, reason: 'wait' }) as never);
      return runPipeline(
        ({ unsettled }) => {
          unsettled.note('queued_triggers', { id: 't1' });
          return 'value';
        },
        { hooks: engineOf(hooks.registry.list()) },
      );
    };
    expect(await vetoed('on_unsettled_detected')).toBe('value');
    await expect(vetoed('pre_finish')).rejects.toThrow('veto');
  });

  it('"session_end — … before native session-end hooks fire": before those of files', async () => {
    const policy = await openPolicy(
      tempProject({
        '.harness/hooks/end.md':
          '---\nevent: session.end\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
      }),
    );
    const hooks = createHooks();
    hooks.registerSessionHook('session_end', () => null);
    const engine = engineOf([...policy.hooks, ...hooks.registry.list()]);
    const { trace } = await engine.decide('session.end', { session_id: 's', reason: 'end_turn' });
    expect(trace.map(({ hook }) => hook)).toEqual(['session_hook::SessionEnd', 'end']);
  });

  it('"use the receipt contract in Context maintenance hooks instead of doing slow work inside the hook closure"', async () => {
    const maintenance = new ContextMaintenance({ host: machineHost, runId: 'run-1' });
    const hooks = createHooks();
    let worked = 0;
    hooks.registerSessionHook('file_edited', ({ path }) => {
      const work = () => void worked++;
      maintenance.queue({ name: 'refresh', event: 'file_edited', affectedPaths: [path], work });
      return null;
    });
    await fire(hooks, 'file.edited', { path: 'a.rs' });
    expect([worked, maintenance.receipts[0]?.status]).toEqual([0, 'queued']);
    await maintenance.settled();
    expect([worked, maintenance.receipts[0]?.status]).toEqual([1, 'succeeded']);
  });

  it('"Declarative entries in harn.toml register VM hooks at package load time": a mistake is found before an event', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "SessionStart"\nhandler = "policy::f"\n',
      'policy.star': 'def f(event):\n    return nosuch\n',
    });
    expect((await openPolicy(dir)).problems.map(({ message }) => message).join()).toContain('nosuch');
  });
});

describe('The page, word by word', () => {
  it('"both can deny via {deny: reason}": PreStep does not run, what came of PostStep is held back', async () => {
    for (const [event, ran] of [
      ['PreStep', 0],
      ['PostStep', 1],
    ] as const) {
      const hooks = createHooks();
      hooks.registerPersonaHook('merge_*', event, () => ({ deny: 'frozen' }));
      let runs = 0;
      const step = createPersona('merge_captain', { hooks: hooks.registry }).step('audit', () => ++runs);
      await expect(step()).rejects.toMatchObject({ category: 'hook_denied', event, reason: 'frozen' });
      expect(runs).toBe(ran);
    }
  });

  it('{deny} on what has happened already is ignored and on record, see docs/from.md', async () => {
    const hooks = createHooks();
    hooks.registerPersonaHook('*', 'OnHandoffEmitted', () => ({ deny: 'no' }) as never);
    const outcome = await fire(hooks, 'handoff.emitted', { persona: 'a', to: 'b' });
    expect([outcome.action, outcome.trace[0]!.vetoIgnored]).toEqual(['allow', expect.any(String)]);
  });

  it('"role_hint" is kept and recorded, see docs/from.md', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => ({ body: 'hint', role_hint: 'developer' }));
    const { provider, fired } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    expect(fired[0]!.outcome.effects).toMatchObject([{ reminder: { role_hint: 'developer' } }]);
    expect(provider.requests[0]!.messages).toMatchObject([
      { role: 'user', content: expect.stringContaining('hint') },
    ]);
  });

  it.each([true, false, { block: true, reason: 'r' }])(
    'the table of return values is that of session hooks: %j from a tool closure raises and stops the call, see docs/from.md',
    async (returned) => {
      const hooks = createHooks();
      hooks.registerToolHook({ pre: () => returned as never });
      const outcome = await fire(hooks, 'tool.pre', CALL);
      expect([outcome.action, outcome.failure?.message]).toEqual(['block', expect.stringContaining('deny')]);
    },
  );

  it('"replay tooling reproduces the same control flow byte for byte": with the closures and without', async () => {
    const path = `${tempProject()}/t.jsonl`;
    const hooks = createHooks();
    hooks.registerToolHook({ pattern: 'echo', pre: () => ({ args: { text: 'rewritten' } }) });
    hooks.registerToolHook({ pattern: 'shout', deny: 'too loud' });
    hooks.registerSessionHook('post_turn', () => ({ body: 'look again' }));
    const tape = openTape(path, { session: 's', hooks: hooks.registry.list(), host: machineHost });
    const played = await play({
      hooks: hooks.registry,
      recorder: tape.recorder,
      tools: [echo, tool('shout', () => 'HO')],
      completions: [{ tool_calls: [call('echo', { text: 'x' }), call('shout')] }, { text: 'ok' }],
    });
    await tape.close();
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      '{"said":"rewritten"}',
      expect.stringContaining('too loud'),
    ]);
    for (const again of [{ hooks: hooks.registry.list() }, {}]) {
      const { decisions, differences } = await replayTape(path, again);
      expect(decisions).toBeGreaterThan(8);
      expect(differences).toEqual([]);
    }
  });

  it.each([
    ['allow', () => null],
    ['block', () => ({ block: true, reason: 'r' })],
    ['modify', () => ({ modify: { prompt: 'other' } })],
    ['error', () => 7 as never],
  ])('"hook_returned — handler name + parsed control flow, after it runs": %s', async (result, returned) => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', returned);
    const { events } = await play({ hooks: hooks.registry, completions: [{ text: 'ok' }] });
    expect(
      hookLines(events)
        .map(({ type }) => type)
        .slice(0, 2),
    ).toEqual(['hook_call', 'hook_returned']);
    expect(hookLines(events)[1]).toMatchObject({ handler: 'session_hook::UserPromptSubmit', result });
  });

  it('"After write_file / append_file / write_file_bytes / notify_file_edited queues an edit": fs.write, fs.append, and fileEdited from code', async () => {
    const dir = tempProject({
      '.harness/tools/note.md':
        '---\nscript: |\n  def run(args):\n      fs.write("a.rs", "1")\n      fs.append("b.rs", "2")\n      return 1\n---\n\nNotes.\n',
    });
    const { tools } = await loadAgentProject(dir);
    const hooks = createHooks();
    const edited: string[] = [];
    hooks.registerSessionHook('file_edited', ({ path }) => void edited.push(path));
    await play({
      workspace: dir,
      hooks: hooks.registry,
      tools: [...tools, tool('bytes', (_args, { fileEdited }) => fileEdited('c.rs'))],
      completions: [{ tool_calls: [call('note')] }, { tool_calls: [call('bytes')] }, { text: 'ok' }],
    });
    expect(edited).toEqual(['a.rs', 'b.rs', 'c.rs']);
  });

  it('"observe or veto the surrounding session rather than each individual tool call": a session hook on a tool event is refused', () => {
    const hooks = createHooks();
    for (const event of ['PreToolUse', 'PreStep', 'nosuch'])
      expect(() => hooks.registerSessionHook(event as never, () => null), event).toThrow();
    expect(() => hooks.registerPersonaHook('*', 'session_start' as never, () => null)).toThrow();
  });

  it.each([20, 150, 4000])(
    '"max_output": %i bytes are no more than that, and what is gone is counted',
    async (limit) => {
      const hooks = createHooks();
      hooks.registerToolHook({ pattern: '*', max_output: limit });
      const { payload } = await fire(hooks, 'tool.post', {
        name: 'x',
        content: 'line of text\n'.repeat(900),
      });
      const after = payload as { content: string; dropped_bytes: number; truncated: boolean };
      expect(Buffer.byteLength(after.content)).toBeLessThanOrEqual(limit);
      expect([after.truncated, after.dropped_bytes > 11_000 - limit]).toEqual([true, true]);
    },
  );

  it('"event?.tool?.name" of permission_asked: decide reads an event as the page writes it', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "PermissionAsked"\nhandler = "policy::f"\n',
      'policy.star':
        'def f(event):\n    if event["tool"]["name"] == "exec_root":\n        return {"decision": "deny", "reason": "never unattended"}\n',
    });
    for (const [name, action] of [
      ['exec_root', 'block'],
      ['exec_ls', 'allow'],
    ]) {
      const payload = JSON.stringify({ tool: { name, args: {} } });
      const { printed } = await command('decide', decide, [
        'PermissionAsked',
        '--payload',
        payload,
        '--dir',
        dir,
        '--json',
      ]);
      expect((JSON.parse(printed) as { action: string }).action, name).toBe(action);
    }
  });

  it('"ttl_turns": a reminder lasts for this turn and as many more', async () => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => ({ reminder: { body: 'soon gone', ttl_turns: 2 } }));
    const { provider } = await play({
      hooks: hooks.registry,
      tools: [echo],
      completions: [...[1, 2, 3].map(() => ({ tool_calls: [call('echo')] })), { text: 'ok' }],
    });
    const told = provider.requests.map((request) => JSON.stringify(request).includes('soon gone'));
    expect(told).toEqual([true, true, true, false]);
  });

  it.each([
    ['all', true],
    ['session', true],
    ['none', false],
  ] as const)('"propagate": %s, in a sub-agent', async (propagate, reaches) => {
    const hooks = createHooks();
    hooks.registerSessionHook('session_start', () => ({
      reminder: { body: 'for you', propagate, ttl_turns: 9 },
    }));
    const { provider } = await play({
      hooks: hooks.registry,
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    expect(JSON.stringify(provider.requests[1])).toContain('You help.');
    expect(JSON.stringify(provider.requests[1]).includes('for you')).toBe(reaches);
  });
});
