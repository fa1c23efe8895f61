/**
 * Compaction in a whole session: when a pass happens, what hooks see of it and can do, and what the model is sent after.
 */
import { describe, expect, it } from 'vitest';
import { checkPayload } from '../../src/engine/describe.ts';
import { Session, scriptedProvider, summaryByModel } from '../../src/exports/agent.ts';
import { createDefaultRegistry, ReminderInjector, ReminderStore } from '../../src/exports/hooks.ts';
import { call, decisions, echo, names, on, outcomeOf, payloadsOf, play } from '../support/agent.ts';

const { block, modify } = decisions;
const LONG = 'x'.repeat(4000);
/** Ten round trips of about a thousand tokens each. */
const WORK = [
  ...Array.from({ length: 10 }, (_, at) => ({
    text: `step ${at}`,
    tool_calls: [call('echo', { text: LONG })],
  })),
  { text: 'Done.' },
];
const SMALL = { compaction: { maxTokens: 6000, keepTurns: 2 } };

describe('compaction', () => {
  it('[C087] shortens a conversation that has grown too long, between compact.pre and compact.post', async () => {
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, prompt: 'the task' });
    expect(played.result.reason).toBe('end_turn');
    const passes = names(played).filter((name) => name.startsWith('compact.'));
    expect(passes.slice(0, 2)).toEqual(['compact.pre', 'compact.post']);
    const [pre] = payloadsOf(played, 'compact.pre');
    expect(pre).toMatchObject({ trigger: 'auto', session_id: 's1' });
    expect(pre!.tokens).toBeGreaterThanOrEqual(6000);
    const [post] = payloadsOf(played, 'compact.post');
    expect(post!.message_count_before).toBe(pre!.message_count);
    expect(post!.message_count_after).toBeLessThan(Number(pre!.message_count));
    expect(post!.tokens_after).toBeLessThan(Number(post!.tokens_before));
    expect(post!.summary).toContain('the task');
    expect(played.fired.flatMap(({ event, payload }) => checkPayload(event, payload))).toEqual([]);
    for (const { messages } of played.provider.requests) {
      const sent = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
      expect(sent).toBeLessThan(6000 * 4 * 1.5);
    }
  });

  it('leaves the prompt under way word for word, and no call without its result', async () => {
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, prompt: 'the\n  task' });
    const { messages } = played.provider.requests.at(-1)!;
    expect(messages[0]).toMatchObject({ role: 'user' });
    expect(messages[0]!.content).toContain('shortened');
    expect(messages.filter(({ role, content }) => role === 'user' && content === 'the\n  task')).toHaveLength(
      1,
    );
    for (const message of messages) {
      if (message.role !== 'tool') continue;
      const made = messages.some(
        (other) => other.role === 'assistant' && other.tool_calls.some(({ id }) => id === message.call_id),
      );
      expect(made, message.call_id).toBe(true);
    }
  });

  it('[C087] a block on compact.pre skips this pass and asks again before the next request', async () => {
    const hooks = [on('compact.pre', () => block('keep it all'))];
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, hooks });
    expect(payloadsOf(played, 'compact.pre').length).toBeGreaterThan(2);
    expect(names(played)).not.toContain('compact.post');
    expect(played.result.messages).toHaveLength(22);
    expect(played.result.reason).toBe('end_turn');
  });

  it('reports a veto and a rewrite of compact.post as ignored', async () => {
    for (const said of [block('no'), modify({ summary: 'other' })]) {
      const played = await play({
        completions: WORK,
        tools: [echo],
        config: SMALL,
        hooks: [on('compact.post', () => said)],
      });
      expect(outcomeOf(played, 'compact.post').trace[0]!.vetoIgnored).toBeTruthy();
      expect(played.result.reason).toBe('end_turn');
    }
  });

  it('a hook that fails under throw ends the run with an error, and session.end fires', async () => {
    const failing = on('compact.pre', () => Promise.reject(new Error('broken')), { onError: 'throw' });
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, hooks: [failing] });
    expect(played.result.reason).toBe('error');
    expect(names(played).slice(-2)).toEqual(['error', 'session.end']);
  });

  it('happens only on request unless a limit is set', async () => {
    const played = await play({ completions: WORK, tools: [echo] });
    expect(names(played)).not.toContain('compact.pre');
  });

  it('goes by the tokens the provider reports where they are more than the estimate', async () => {
    const played = await play({
      completions: [
        { text: 'a', tool_calls: [call('echo')] },
        { text: 'b', tool_calls: [call('echo')] },
        { text: 'c', tool_calls: [call('echo')], usage: { input_tokens: 9000, output_tokens: 1 } },
        { text: 'Done.' },
      ],
      tools: [echo],
      config: SMALL,
    });
    expect(payloadsOf(played, 'compact.pre')).toHaveLength(1);
    expect(payloadsOf(played, 'compact.pre')[0]!.tokens).toBeGreaterThanOrEqual(9001);
  });
});

describe('a conversation that the model says is too long', () => {
  const REFUSED = { error: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' } };
  const [work, done] = [WORK.slice(0, -1), WORK.at(-1)!];
  const tooLong = (after: readonly object[], more: object = {}) =>
    play({ completions: [...work, REFUSED, ...after], tools: [echo], ...more });

  it('is shortened, whatever the settings, and sent once more with the reminders it had', async () => {
    let steps = 0;
    const remind = on('turn.step', () => void steps++);
    const reminders = new ReminderInjector(createDefaultRegistry());
    const last = on('tool.post', () => {
      if (steps === 9) reminders.store.add({ body: 'mind the gap' }, { hook: 'last', turn: 9 });
      return null;
    });
    const played = await tooLong([done], { reminders, hooks: [remind, last] });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(names(played).filter((name) => name.startsWith('compact.'))).toEqual([
      'compact.pre',
      'compact.post',
    ]);
    const [refused, sent] = played.provider.requests.slice(-2);
    expect(sent!.messages.length).toBeLessThan(refused!.messages.length);
    for (const { messages } of [refused!, sent!]) expect(JSON.stringify(messages)).toContain('mind the gap');
    expect(played.events.filter(({ type }) => type === 'retry')).toMatchObject([{ waitMs: 0 }]);
  });

  it.each<[string, Parameters<typeof tooLong>]>([
    ['if it still is', [[REFUSED, done]]],
    ['if a hook of compact.pre keeps it', [[done], { hooks: [on('compact.pre', () => block('keep it'))] }]],
    ['if there is nothing to shorten', [[done], { config: { compaction: { keepTurns: 20 } } }]],
  ])('ends the run %s', async (_when, given) => {
    const { result } = await tooLong(...given);
    expect(result).toMatchObject({ reason: 'error', message: expect.stringContaining('prompt is too long') });
  });
});

describe('reminders and compaction', () => {
  it('those that ask to be preserved survive, others do not', async () => {
    const reminders = new ReminderStore();
    const records: string[] = [];
    const later = on('compact.pre', () => {
      reminders.add({ body: 'goes' }, { hook: 'h', turn: 0 });
      reminders.add({ body: 'stays', preserve_on_compact: true }, { hook: 'h', turn: 0 });
    });
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, hooks: [later], reminders });
    for (const event of played.events) if (event.type === 'reminder') records.push(event.text);
    expect(records.some((text) => text.includes('stays'))).toBe(true);
    expect(records.some((text) => text.includes('goes'))).toBe(false);
  });

  it('an injector tells the model that the conversation was shortened', async () => {
    const reminders = new ReminderInjector(createDefaultRegistry());
    const played = await play({ completions: WORK, tools: [echo], config: SMALL, reminders });
    expect(played.events.filter(({ type }) => type === 'reminder').length).toBeGreaterThan(0);
  });
});

describe('the summary', () => {
  const asking = { compaction: { maxTokens: 6000, keepTurns: 2, summarise: summaryByModel() } };
  /** The fourth request is the first that is too long; the summary comes before it. */
  const withSummary = (summary: object) => [...WORK.slice(0, 3), summary, WORK[3]!, { text: 'Done.' }];

  it('may be written by the model, with a request that hooks see like any other', async () => {
    const played = await play({
      completions: withSummary({ text: 'They ran echo.', usage: { input_tokens: 50, output_tokens: 5 } }),
      tools: [echo],
      config: asking,
    });
    expect(payloadsOf(played, 'compact.post')[0]!.summary).toBe('They ran echo.');
    const asked = payloadsOf(played, 'completion.pre').filter(({ purpose }) => purpose === 'compaction');
    expect(asked).toHaveLength(1);
    expect(asked[0]!.tools).toEqual([]);
    expect(played.events.some((event) => event.type === 'text' && event.text === 'They ran echo.')).toBe(
      false,
    );
    expect(played.result.usage.input_tokens).toBe(50);
    expect(played.result.turns).toBe(5);
  });

  it.each([
    ['the model fails', withSummary({ error: { status: 400, message: 'no' } }), []],
    ['the model says nothing', withSummary({ text: ' ' }), []],
    [
      'a hook refuses the request',
      withSummary({ text: 'unused' }).filter((one) => !('text' in one) || one.text !== 'unused'),
      [on('completion.pre', (seen) => (seen.purpose === 'compaction' ? block('no') : undefined))],
    ],
  ])('is a digest where %s', async (_why, completions, hooks) => {
    const played = await play({ completions, tools: [echo], config: asking, hooks });
    expect(played.result.reason).toBe('end_turn');
    expect(payloadsOf(played, 'compact.post')[0]!.summary).toContain('assistant called echo');
  });

  it('that never comes ends when the run is aborted', async () => {
    const stop = new AbortController();
    const played = await play({
      completions: WORK,
      tools: [echo],
      signal: stop.signal,
      config: {
        compaction: {
          ...SMALL.compaction,
          summarise: () => {
            setTimeout(() => stop.abort(), 5);
            return new Promise<string>(() => {});
          },
        },
      },
    });
    expect(played.result.reason).toBe('aborted');
    expect(names(played).at(-1)).toBe('session.end');
  });
});

describe('compaction on request', () => {
  const talk = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      { role: 'user' as const, content: `question ${at}` },
      { role: 'assistant' as const, content: `answer ${at}`, tool_calls: [] },
    ]).flat();
  const sessionOf = (count: number, hooks = [] as ReturnType<typeof on>[]) =>
    new Session({
      provider: scriptedProvider({ completions: [{ text: 'hello' }] }),
      messages: talk(count),
      hooks,
      config: { oneShot: false },
    });

  it('shortens now, with the trigger manual', async () => {
    const triggers: unknown[] = [];
    const session = sessionOf(8, [on('compact.pre', (seen) => void triggers.push(seen.trigger))]);
    const done = await session.compact();
    expect(done).toMatchObject({ compacted: true, before: 16, after: 9 });
    expect(session.messages).toHaveLength(9);
    expect(triggers).toEqual(['manual']);
    await session.close();
  });

  it('says why it did not', async () => {
    expect(await sessionOf(2).compact()).toMatchObject({
      compacted: false,
      reason: expect.stringContaining('nothing'),
    });
    const refused = await sessionOf(8, [on('compact.pre', () => block('not now'))]).compact();
    expect(refused).toMatchObject({
      compacted: false,
      reason: 'compaction blocked by hook "on compact.pre": not now',
    });
  });

  it('is refused while a run is under way, and a run while it is', async () => {
    const session = sessionOf(8);
    const run = session.run('hi');
    expect(() => session.compact()).toThrow(/another prompt/);
    await run.result;
    const pass = session.compact();
    expect(() => session.run('again')).toThrow(/another prompt/);
    await pass;
    await session.close();
    expect(() => session.compact()).toThrow(/closed/);
  });
});

describe('settings of compaction', () => {
  it.each([
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ keepTurn: 3 }, 'keepTurns'],
    [{ summarise: 'short' }, 'function'],
  ])('refuses %j', (compaction, named) => {
    const make = () =>
      new Session({ provider: scriptedProvider({ completions: [] }), config: { compaction } as never });
    expect(make).toThrow(named);
  });
});
