/** What a Markdown hook leaves for the model beside its decision, and what becomes of it. */
import { describe, expect, it } from 'vitest';
import { call, echo, play } from '../../../test/support/agent.ts';
import { decideScript, hookFile, loadHooks } from '../../../test/support/temp-project.ts';
import type { Json } from '../../base/json.ts';

const said = async (returns: string, more: Parameters<typeof decideScript>[1] = {}) =>
  (await decideScript(`def handle(event, payload):\n    ${returns.replaceAll('\n', '\n    ')}`, more))
    .outcome;

const CONTEXT = [{ kind: 'context', hook: 'sample', text: 'the tests are red' }];

describe('context with a decision', () => {
  it.each([
    ['return allow(context = "the tests are red")', 'allow', 'tool.pre'],
    ['return block("no", context = "the tests are red")', 'block', 'tool.pre'],
    ['return ask("sure?", context = "the tests are red")', 'block', 'tool.pre'],
    ['return modify({"args": {"a": 1}}, context = "the tests are red")', 'modify', 'tool.pre'],
    ['return permit(context = "the tests are red")', 'permit', 'permission.asked'],
    ['return delegate({}, context = "the tests are red")', 'block', 'agent.stop'],
    ['return {"action": "allow", "context": "the tests are red"}', 'allow', 'tool.pre'],
    ['return {"action": "block", "reason": "no", "context": "the tests are red"}', 'block', 'tool.pre'],
  ])('%s', async (returns, action, event) => {
    const payload: Json = event === 'agent.stop' ? { response: '' } : { id: '1', name: 'x', args: {} };
    expect(await said(returns, { event, payload })).toMatchObject({ action, effects: CONTEXT });
  });

  it('is a name of its own: a text by position is a mistake', async () => {
    const { trace } = await said('return allow("fine")');
    expect(trace[0]!.failure?.message).toBe('allow: got 1 argument, want 0');
  });

  it('that is no text is not delivered, and the trace says so', async () => {
    const outcome = await said('return {"action": "allow", "context": 3}');
    expect(outcome).toMatchObject({ action: 'allow', effects: [] });
    expect(outcome.trace[0]!.warnings).toEqual(['the context is 3, not a string: not delivered']);
  });

  it('that is blank says nothing', async () => {
    expect((await said('return allow(context = " ")')).effects).toEqual([]);
  });
});

describe('remind', () => {
  it('takes every key a reminder has', async () => {
    const outcome = await said(
      'remind("Audit is on", tags = ["audit"], dedupe_key = "audit", ttl_turns = 2, preserve_on_compact = True, propagate = "all", role_hint = "system", authority = "advisory")\nreturn allow()',
    );
    expect(outcome.effects).toEqual([
      {
        kind: 'reminder',
        hook: 'sample',
        reminder: {
          body: 'Audit is on',
          tags: ['audit'],
          dedupe_key: 'audit',
          ttl_turns: 2,
          preserve_on_compact: true,
          propagate: 'all',
          role_hint: 'system',
          authority: 'advisory',
        },
      },
    ]);
  });

  it.each([
    ['remind("")', 'body'],
    ['remind("x", ttl_turns = 0)', 'ttl_turns'],
    ['remind("x", propagate = "some")', 'propagate'],
    ['remind("x", tags = "a")', 'tags'],
  ])('%s fails: a note must not mean something else than was written', async (line, key) => {
    const outcome = await said(`${line}\nreturn allow()`);
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]!.failure?.message).toMatch(new RegExp(`^remind: .*${key}`));
  });

  it('goes with a block too', async () => {
    expect(await said('remind("use the named tool")\nreturn block("no")')).toMatchObject({
      action: 'block',
      effects: [{ kind: 'reminder', reminder: { body: 'use the named tool' } }],
    });
  });

  it('in the dict form, one or several', async () => {
    const outcome = await said(
      'return {"action": "block", "reason": "no", "reminder": {"body": "a"}, "reminders": [{"body": "b", "ttl_turns": 3}]}',
    );
    expect(outcome.effects.map((effect) => effect.kind === 'reminder' && effect.reminder)).toEqual([
      { body: 'a' },
      { body: 'b', ttl_turns: 3 },
    ]);
    const wrong = await said('return {"action": "allow", "reminder": {"bdy": "a"}}');
    expect(wrong.trace[0]!.warnings[0]).toContain('not delivered: a reminder has no key "bdy"');
  });
});

describe('in a session', () => {
  it.each([
    ['session.start', 0],
    ['turn.start', 0],
    ['completion.pre', 0],
    ['completion.post', 1],
    ['tool.pre', 1],
    ['tool.post', 1],
    ['turn.step', 1],
  ])('what a hook of %s leaves is on request %i', async (event, at) => {
    const script = `def handle(event, payload):\n    remind("note of ${event}", dedupe_key = "n")\n    return allow(context = "context of ${event}")`;
    const { hooks } = await loadHooks({ note: hookFile(script, `event: ${event}\npriority: 1`) });
    const { provider } = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'x' })] }, { text: 'Done.' }],
    });
    const request = JSON.stringify(provider.requests[at]);
    expect(request).toContain(`note of ${event}`);
    expect(request).toContain(`context of ${event}`);
  });

  it.each(['session.end', 'error', 'finish.post'])(
    'on %s nobody would read it: the trace says so',
    async (event) => {
      const payload = event === 'error' ? { message: 'x' } : null;
      const outcome = await said('return allow(context = "too late")', { event, payload });
      expect(outcome.trace[0]!.warnings).toEqual([
        `not delivered: context: the model hears nothing of ${event}`,
      ]);
    },
  );

  it('of a hook in shadow nothing is told: the trace says so', async () => {
    const outcome = await said('remind("x")\nreturn allow(context = "y")', { fields: 'mode: shadow' });
    expect(outcome.effects).toEqual([]);
    expect(outcome.trace[0]!.warnings).toEqual([
      'not delivered: reminder: a shadow hook tells the model nothing',
      'not delivered: context: a shadow hook tells the model nothing',
    ]);
  });
});
