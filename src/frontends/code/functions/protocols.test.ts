import { describe, expect, it } from 'vitest';
import { engineOf, now } from '../../../../test/support/plain-hook.ts';
import type { Json } from '../../../base/json.ts';
import type { Outcome } from '../../../engine/decision.ts';
import { Registry } from '../../../engine/registry.ts';
import { createHooks } from './register.ts';

const PAYLOADS: Readonly<Record<string, Json>> = {
  'tool.pre': { id: 'c1', name: 'run', args: { command: 'ls' } },
  'tool.post': { call_id: 'c1', name: 'run', args: { command: 'ls' }, content: 'text' },
  'turn.start': 'hello',
  'permission.asked': { id: 'c1', name: 'exec_root', args: {} },
  'permission.replied': { name: 'run', decision: 'allow' },
  'step.pre': { persona: 'merge_bot', step: 'audit', function: 'f', args: [1] },
  'step.post': { persona: 'merge_bot', step: 'audit', args: [1], output: 'done' },
  'persona.paused': { persona: 'merge_bot' },
  'compact.pre': { message_count: 3 },
  'session.start': { session_id: 's' },
  'finish.pre': null,
};

/** What the engine makes of an answer: the handler is bound through the surface that has the event. */
function answer(event: string, returned: unknown): Outcome {
  const hooks = createHooks(new Registry());
  const handler = () => returned as never;
  if (event === 'tool.pre') hooks.registerToolHook({ pre: handler });
  else if (event === 'tool.post') hooks.registerToolHook({ post: handler });
  else if (/^(step|persona)/.test(event)) hooks.registerPersonaHook('*', event as 'PreStep', handler);
  else hooks.registerSessionHook(event as 'session_start', handler);
  return now(engineOf(hooks.registry.list(), { canAsk: true }).decide(event, PAYLOADS[event]!));
}

const reminders = (outcome: Outcome) =>
  outcome.effects.flatMap((effect) => (effect.kind === 'reminder' ? [effect.reminder.body] : []));

describe('[C029] what a PreToolUse handler may return, and nothing else', () => {
  it.each([[null], [undefined], [{ deny: null }], [{ deny: false, args: undefined }]])(
    '%j allows',
    (returned) => {
      expect(answer('tool.pre', returned)).toMatchObject({ action: 'allow' });
    },
  );

  it('[C016] {deny} refuses the call, {args} rewrites it', () => {
    expect(answer('tool.pre', { deny: 'gated' })).toMatchObject({ action: 'block', reason: 'gated' });
    expect(answer('tool.pre', { deny: 'gated', args: { command: 'x' } })).toMatchObject({ action: 'block' });
    expect(answer('tool.pre', { args: { command: 'ls -l' } })).toMatchObject({
      action: 'modify',
      payload: { args: { command: 'ls -l' }, arguments: '{"command":"ls -l"}', id: 'c1' },
    });
    expect(answer('tool.pre', { args: { command: 'ls' } }).action).toBe('allow');
  });

  it.each([[''], ['  '], [true]])('[C025] {deny: %j} refuses with a default reason', (deny) => {
    expect(answer('tool.pre', { deny })).toMatchObject({
      action: 'block',
      reason: 'PreToolUse hook gave no reason',
    });
  });

  it.each([
    [true, 'a boolean'],
    [false, 'a boolean'],
    ['deny', 'a string'],
    [7, 'a number'],
    [[{ body: 'x' }], 'a list'],
    [{}, 'an empty dict'],
    [{ Deny: 'x' }, 'did you mean deny?'],
    [{ block: true }, '"block"'],
    [{ args: [1] }, 'args wants a dict'],
    [{ args: { at: 1n } }, 'no JSON data'],
    [{ deny: 7 }, 'deny wants a reason'],
  ])('[C029] [C032] %o is a loud error: the call is stopped and the host fails it', (returned, message) => {
    const outcome = answer('tool.pre', returned);
    expect(outcome).toMatchObject({
      action: 'block',
      failure: {
        kind: 'invalid_return',
        message: expect.stringContaining(message),
        hook: 'tool_hook::*::pre',
      },
      trace: [{ onFailure: 'threw' }],
    });
  });
});

describe('what a PostToolUse handler may return', () => {
  it('a text or {result} rewrites the result', () => {
    expect(answer('tool.post', 'new')).toMatchObject({
      action: 'modify',
      payload: { content: 'new', result: 'new' },
    });
    expect(answer('tool.post', { result: 'new' })).toMatchObject({ payload: { content: 'new' } });
    expect(answer('tool.post', { result: { rows: 2 } })).toMatchObject({
      payload: { result: { rows: 2 }, content: '{"rows":2}' },
    });
    expect(answer('tool.post', null).action).toBe('allow');
  });

  it('[C100] {result, denial} marks the result as denied', () => {
    const denial = { kind: 'policy', message: 'holds a secret' };
    expect(answer('tool.post', { result: 'hidden', denial })).toMatchObject({
      action: 'modify',
      payload: { content: 'hidden', is_error: true, denial },
    });
  });

  it.each([
    [{ denial: { kind: 'k', message: 'm' } }, 'without result'],
    [{ result: 'x', denial: { kind: 'k' } }, 'denial wants'],
    [
      { result: 'x', denial: { kind: 'k', message: 'm' }, truncated: true, dropped_bytes: 1 },
      'either denied or truncated',
    ],
    [{ result: 'x', truncated: true }, 'dropped_bytes'],
    [{ result: 'x', truncated: true, dropped_bytes: 0 }, 'above 0'],
    [{ result: 'x', dropped_bytes: 5 }, 'truncated: true'],
    [{ deny: 'x' }, '"deny"'],
    [7, 'a number'],
    [true, 'a boolean'],
  ])('[C029] [C099] [C100] %j is a loud error', (returned, message) => {
    expect(answer('tool.post', returned).failure).toMatchObject({
      kind: 'invalid_return',
      message: expect.stringContaining(message),
    });
  });
});

describe('what a step handler may return', () => {
  it.each([
    [{ deny: 'r' }, 'r'],
    [{ reason: 'r' }, 'r'],
    [{ action: 'deny', reason: 'r' }, 'r'],
    [{ action: 'deny' }, 'PreStep hook gave no reason'],
  ])('before the step %j denies', (returned, reason) => {
    expect(answer('step.pre', returned)).toMatchObject({ action: 'block', reason });
  });

  it('rewrites the arguments before and the output after', () => {
    expect(answer('step.pre', { args: [2] })).toMatchObject({
      action: 'modify',
      payload: { args: [2], step: 'audit' },
    });
    expect(answer('step.pre', { modify: [] })).toMatchObject({ action: 'modify', payload: { args: [] } });
    for (const key of ['output', 'result', 'modify']) {
      expect(answer('step.post', { [key]: { n: 1 } })).toMatchObject({
        action: 'modify',
        payload: { output: { n: 1 } },
      });
    }
  });

  it('nothing, "Allow" before and "Pass" after go on', () => {
    expect([answer('step.pre', 'Allow').action, answer('step.post', 'Pass').action]).toEqual([
      'allow',
      'allow',
    ]);
    expect(answer('step.pre', 'Pass').failure).toBeDefined();
    expect(answer('step.post', 'Allow').failure).toBeDefined();
  });

  it.each([
    ['step.pre', { args: {} }],
    ['step.pre', { action: 'allow' }],
    ['step.pre', { output: 1 }],
    ['step.post', { args: [] }],
    ['persona.paused', { args: [] }],
  ])('[C029] %s: %j is a loud error', (event, returned) => {
    expect(answer(event, returned).failure).toMatchObject({ kind: 'invalid_return' });
  });

  it('a denied step.post holds back the output', () => {
    expect(answer('step.post', { deny: 'no' })).toMatchObject({ action: 'block', reason: 'no' });
  });

  it('[C136] a veto where nothing can be stopped is ignored and says so', () => {
    const outcome = answer('persona.paused', { deny: 'no' });
    expect([outcome.action, outcome.trace[0]!.decision]).toEqual(['allow', 'block']);
    expect(outcome.trace[0]!.vetoIgnored).toContain('nothing can block');
  });
});

describe('[C029] what a session handler may return, and nothing else', () => {
  it('[C017] nothing and true allow, false vetoes', () => {
    for (const returned of [null, undefined, true])
      expect(answer('turn.start', returned).action).toBe('allow');
    expect(answer('turn.start', false)).toMatchObject({
      action: 'block',
      reason: 'UserPromptSubmit hook returned false',
    });
  });

  it('[C016] [C025] {block: true} vetoes, with a default reason where it gives none', () => {
    expect(answer('turn.start', { block: true, reason: 'secret' })).toMatchObject({
      action: 'block',
      reason: 'secret',
    });
    expect(answer('compact.pre', { block: 1 })).toMatchObject({
      action: 'block',
      reason: 'PreCompact hook gave no reason',
    });
    for (const block of [false, 0, '', [], {}, null]) {
      expect(answer('turn.start', { block, reason: 'x', decision: 'allow' }).action).toBe('allow');
    }
  });

  it('[C019] {decision} answers permission_asked: allow, deny or ask', () => {
    const decided = (decision: string) => answer('permission.asked', { decision, reason: 'r' });
    expect(decided('allow')).toMatchObject({ action: 'permit', reason: 'r' });
    expect(decided(' Deny ')).toMatchObject({ action: 'block', reason: 'r' });
    expect(decided('ask')).toMatchObject({ action: 'ask', reason: 'r' });
    expect(answer('permission.asked', { decision: 'allow', block: true })).toMatchObject({
      action: 'permit',
    });
  });

  it('{decision} counts nowhere else: a refusal that would be lost is a loud error, the rest is in the trace', () => {
    expect(answer('turn.start', { decision: 'deny' }).failure?.message).toContain(
      'want {block: true, reason}',
    );
    expect(answer('turn.start', { decision: 'deny', block: true, reason: 'r' })).toMatchObject({
      action: 'block',
    });
    const replied = answer('permission.replied', { decision: 'deny' });
    expect([replied.action, replied.failure]).toEqual(['allow', undefined]);
    expect(replied.trace[0]!.warnings).toEqual([expect.stringContaining('permission_asked only')]);
  });

  it('{modify} rewrites where the event can be', () => {
    expect(answer('turn.start', { modify: 'hi' })).toMatchObject({ action: 'modify', payload: 'hi' });
    expect(answer('turn.start', { modify: { prompt: 'hi' } })).toMatchObject({
      action: 'modify',
      payload: 'hi',
    });
  });

  it.each([
    ['text', 'a string'],
    [7, 'a number'],
    [{}, 'an empty dict'],
    [{ blok: true }, 'did you mean block?'],
    [{ reason: 'x' }, 'a reason alone'],
    [{ decision: 'maybe' }, 'decision wants'],
    [{ decision: 'alow' }, 'did you mean allow?'],
    [{ deny: 'x' }, '"deny"'],
    [() => true, 'a function'],
  ])('[C029] [C032] %o is a loud error', (returned, message) => {
    expect(answer('turn.start', returned)).toMatchObject({
      action: 'block',
      failure: { kind: 'invalid_return', message: expect.stringContaining(message) },
    });
  });

  it('[C136] a veto on an advisory event is ignored; on pre_finish it is an error', () => {
    expect(answer('session.start', { block: true })).toMatchObject({
      action: 'allow',
      trace: [{ decision: 'block' }],
    });
    expect(answer('finish.pre', { block: true, reason: 'wait' }).failure?.message).toContain(
      'does not accept a veto',
    );
  });

  it('a key it does not know beside one it does is a warning', () => {
    const outcome = answer('turn.start', { block: true, resaon: 'x' });
    expect(outcome.trace[0]!.warnings).toEqual([expect.stringContaining('did you mean reason?')]);
  });
});

/** `{reminder: {body}, then: inner}` */
const andThen = (body: string, inner: unknown): object =>
  Object.fromEntries([
    ['reminder', { body }],
    ['then', inner],
  ]);

describe('reminders in what a handler returns', () => {
  it('[C105] stand alone or around a decision, also one that stops the call', () => {
    expect(reminders(answer('tool.pre', { reminder: { body: 'a' } }))).toEqual(['a']);
    expect(reminders(answer('turn.start', { body: 'a', tags: ['t'] }))).toEqual(['a']);
    const denied = answer('tool.pre', andThen('a', { deny: 'no' }));
    expect([denied.action, denied.reason, reminders(denied)]).toEqual(['block', 'no', ['a']]);
    const beside = answer('tool.pre', { reminder: { body: 'a' }, args: { command: 'x' } });
    expect([beside.action, reminders(beside)]).toEqual(['modify', ['a']]);
    expect(reminders(answer('turn.start', { type: 'reminder', spec: { body: 'a' } }))).toEqual(['a']);
    expect(answer('turn.start', andThen('a', false))).toMatchObject({ action: 'block' });
    expect(answer('turn.start', andThen('a', null))).toMatchObject({ action: 'allow' });
  });

  it('[C109] come in lists on session events, and as `effects` everywhere', () => {
    const list = [{ reminder: { body: 'a' } }, { body: 'b' }, { type: 'reminder', spec: { body: 'c' } }];
    expect(reminders(answer('session.start', list))).toEqual(['a', 'b', 'c']);
    const outcome = answer('tool.pre', { effects: list, deny: 'no' });
    expect([outcome.action, reminders(outcome)]).toEqual(['block', ['a', 'b', 'c']]);
  });

  it('[C109] nest, but not without end', () => {
    const nested = (depth: number, inner: unknown): unknown =>
      depth === 0 ? inner : andThen(`${depth}`, nested(depth - 1, inner));
    const deep = answer('tool.pre', nested(32, { deny: 'no' }));
    expect([deep.action, deep.reason, reminders(deep).length]).toEqual(['block', 'no', 32]);
    expect(answer('tool.pre', nested(33, null)).failure?.message).toContain('deeper than 32');
    const endless = andThen('x', null);
    Object.assign(endless, andThen('x', endless));
    expect(answer('turn.start', endless).failure?.message).toContain('deeper than 32');
  });

  it.each([
    [{ reminder: { body: 'x', ttl: 1 } }, 'REMINDER_KEY'],
    [{ reminder: {} }, 'REMINDER_BODY'],
    [{ reminder: { body: 'x', propagate: 'up' } }, 'REMINDER_PROPAGATE'],
    [{ body: 'x', ttl_turns: -1 }, 'REMINDER_FIELD'],
    [[{ body: 'x' }, { block: true }], 'HOOK_INVALID_RETURN'],
    [[{ reminder: { body: 'x' }, block: true }], 'HOOK_INVALID_RETURN'],
    [['x'], 'HOOK_INVALID_RETURN'],
    [Object.fromEntries([['then', { block: true }]]), 'HOOK_INVALID_RETURN'],
    [{ ...andThen('x', null), block: true }, 'HOOK_INVALID_RETURN'],
    [{ effects: { body: 'x' } }, 'HOOK_INVALID_RETURN'],
  ])('[C108] [C109] %j is a loud error, and leaves no reminder', (returned, code) => {
    const outcome = answer('turn.start', returned);
    expect([outcome.failure?.code, reminders(outcome)]).toEqual([code, []]);
  });
});
