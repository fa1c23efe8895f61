/**
 * Everything around the loop fails in turn: the provider, the tools, the model's own words, the hooks. Each time the run
 * ends with a result, `session.end` fires, and nothing is left behind.
 */
import { describe, expect, it } from 'vitest';
import { type Provider, Session, type SessionEvent } from '../../src/exports/agent.ts';
import { call, echo, firedIn, names, on, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';

const DONE = { text: 'Done.' };
const never = new Promise<never>(() => {});

async function withProvider(complete: Provider['complete'], limits = {}) {
  const session = new Session({
    provider: { name: 'odd', complete },
    config: { sessionId: 's1', limits, retry: { baseMs: 1, maxWaitMs: 2, maxAttempts: 3 } },
  });
  const run = session.run('go');
  const events: SessionEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run.result, events, fired: firedIn(events) };
}

describe('a provider', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no network card');
      },
      'provider odd threw: no network card',
    ],
    ['rejects', () => Promise.reject(new Error('socket hang up')), 'provider odd threw: socket hang up'],
    [
      'answers nothing',
      () => Promise.resolve(undefined),
      'the provider gave an answer that is no completion',
    ],
    [
      'calls nothing by name',
      () => Promise.resolve({ ok: true, completion: { text: '', tool_calls: [{ args: {} }] } }),
      'the provider gave an answer that is no completion',
    ],
    [
      'answers nonsense',
      () => Promise.resolve({ ok: true, completion: 7 }),
      'the provider gave an answer that is no completion',
    ],
    ['never answers', () => never, 'timed out after 5 ms (after 3 attempts)'],
  ])('that %s fails the run with what happened', async (_what, complete, message) => {
    const played = await withProvider(complete as never, { completionMs: 5 });
    expect(played.result).toMatchObject({ reason: 'error', message });
    expect(names(played).slice(-2)).toEqual(['error', 'session.end']);
    expect(played.events.at(-1)?.type).toBe('end');
  });

  it('is told when its time is up, and late pieces of text are not shown', async () => {
    const signals: AbortSignal[] = [];
    const speak: ((piece: string) => void)[] = [];
    const played = await withProvider(
      (_request, { signal, onText }) => {
        signals.push(signal);
        speak.push(onText!);
        return never;
      },
      { completionMs: 5 },
    );
    for (const say of speak) say('too late');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(played.events.filter(({ type }) => type === 'text')).toEqual([]);
  });

  it('that passes arguments which are no object has its call answered', async () => {
    let asked = 0;
    const tool_calls = [{ id: 'a', name: 'echo', args: 'ls' as never }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const played = await withProvider(async () => ({
      ok: true,
      completion: { text: 'x', tool_calls: asked++ === 0 ? tool_calls : [], stop_reason: 'end_turn', usage },
    }));
    expect(toolMessages(played)[0]?.content).toBe(
      'invalid arguments for tool "echo": want a JSON object, got "ls"',
    );
  });

  it('that counts tokens wrongly cannot switch off the limits', async () => {
    const usage = { input_tokens: Number.NaN, output_tokens: -5 };
    const played = await withProvider(async () => ({
      ok: true,
      completion: {
        text: 'x',
        tool_calls: [],
        stop_reason: 'odd' as never,
        usage,
        cost_usd: Number.NaN,
      },
    }));
    expect(played.result).toMatchObject({
      reason: 'end_turn',
      usage: { input_tokens: 0, output_tokens: 0 },
      costUsd: 0,
    });
  });

  it('is not asked again where that cannot help, and no more often than the limit', async () => {
    const error = (status: number) => ({ error: { status, message: `status ${status}` } });
    const hopeless = await play({ completions: [error(400), DONE] });
    expect(hopeless.result.message).toBe('status 400');
    const busy = await play({ completions: Array.from({ length: 9 }, () => error(503)) });
    expect(busy.provider.requests).toHaveLength(4);
    expect(busy.result.message).toBe('status 503 (after 4 attempts)');
    expect(payloadsOf(busy, 'error')[0]?.code).toBe('overloaded');
  });

  it('a script that has run out says which item is missing', async () => {
    const played = await play({ completions: [{ tool_calls: [call('echo')] }], tools: [echo] });
    expect(played.result.message).toBe(
      'the script has 1 completion and was asked for completions[1]: add an item',
    );
  });
});

describe('a tool call', () => {
  const answer = async (given: object, tools = [echo]) => {
    const played = await play({ completions: [{ tool_calls: [given as never] }, DONE], tools });
    expect(played.result.reason).toBe('end_turn');
    // Transcripts and hooks walk over all of it.
    expect(() => JSON.stringify(played.events)).not.toThrow();
    return { ...toolMessages(played)[0], fired: names(played) };
  };

  it('with arguments that are no JSON is answered, not run', async () => {
    const { content, is_error, fired } = await answer({ name: 'echo', arguments: '{"text": ' });
    expect(content).toContain('invalid arguments for tool "echo": want a JSON object, got {"text": ');
    expect(is_error).toBe(true);
    expect(fired).not.toContain('tool.pre');
  });

  it('of an unknown tool is answered with the nearest name', async () => {
    const { content, fired } = await answer({ name: 'ecoh' });
    expect(content).toBe('unknown tool "ecoh" (did you mean echo?); the tools are echo');
    expect(fired).not.toContain('tool.pre');
    expect((await answer({ name: 'echo' }, [])).content).toBe('unknown tool "echo"; there are no tools');
  });

  it('with an argument of another type is answered before any hook sees it', async () => {
    const { content, fired } = await answer({ name: 'echo', args: { text: 5 } });
    expect(content).toBe('invalid arguments for tool "echo": args.text is the number 5 (want string)');
    expect(fired).not.toContain('tool.pre');
  });

  it('with arguments nested without end is refused', async () => {
    const { content } = await answer({
      name: 'echo',
      arguments: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    });
    expect(content).toContain('nested deeper than 512 levels');
  });
});

describe('a tool', () => {
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
      'tool failed: disk full',
    ],
    ['rejects', () => Promise.reject(new Error('disk full')), 'tool failed: disk full'],
    [
      'throws what is no error',
      () => {
        throw null;
      },
      'tool failed: null',
    ],
    [
      'throws what cannot be shown',
      () => {
        throw Object.create(null);
      },
      'tool failed: something that cannot be shown was thrown',
    ],
    ['hangs', () => never, 'tool failed: timed out after 5 ms'],
    ['returns a circle', () => cyclic, 'tool failed: what it returned is no JSON'],
    ['returns a big integer', () => 1n, 'tool failed: what it returned is no JSON'],
    ['returns a function', () => () => {}, 'tool failed: it returned a function, which is no JSON'],
  ])('that %s gives the model an error, and the turn goes on', async (_what, run, content) => {
    const played = await play({
      completions: [{ tool_calls: [call('bad'), call('echo', { text: 'hi' })] }, DONE],
      tools: [tool('bad', run, { timeoutMs: 5 }), echo],
    });
    const [bad, good] = toolMessages(played);
    expect(bad).toMatchObject({ is_error: true, content: expect.stringContaining(content) });
    expect(good).toMatchObject({ is_error: false });
    expect(payloadsOf(played, 'tool.post').map(({ is_error }) => is_error)).toContain(true);
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
  });

  it('that returns nothing returned null', async () => {
    const played = await play({
      completions: [{ tool_calls: [call('quiet')] }, DONE],
      tools: [tool('quiet', () => {})],
    });
    expect(toolMessages(played)[0]).toMatchObject({ content: 'null', is_error: false });
  });

  it('that returns 50 MB is cut with a note, for hooks and model alike', async () => {
    const size = 50 * 1024 * 1024;
    const played = await play({
      completions: [{ tool_calls: [call('text'), call('data')] }, DONE],
      tools: [tool('text', () => 'x'.repeat(size)), tool('data', () => ({ x: 'y'.repeat(size) }))],
    });
    const [text, data] = toolMessages(played);
    expect(text?.content).toHaveLength(100_000 + text!.content.slice(100_000).length);
    expect(text?.content.slice(100_000)).toBe(`\n[cut: these are the first 100000 of ${size} characters]`);
    expect(data?.content.length).toBeLessThan(100_100);
    for (const { content, result } of payloadsOf(played, 'tool.post')) {
      expect(String(content).length).toBeLessThan(100_100);
      expect(JSON.stringify(result).length).toBeLessThan(100_200);
    }
  });

  it('that was given up can no longer log or emit, and its late failure disturbs nobody', async () => {
    let context: Parameters<Parameters<typeof tool>[1]>[1] | undefined;
    let fail = (_error: Error) => {};
    const played = await play({
      completions: [{ tool_calls: [call('slow')] }, DONE],
      tools: [
        tool(
          'slow',
          (_args, given) => {
            context = given;
            return new Promise((_resolve, reject) => {
              fail = reject;
            });
          },
          { timeoutMs: 5 },
        ),
      ],
    });
    expect(context?.signal.aborted).toBe(true);
    fail(new Error('late'));
    context?.log('info', 'late');
    await expect(context?.emit('custom.late', null)).rejects.toThrow('the call of tool "slow" is over');
    expect(played.session.runState.logs).toEqual([]);
  });
});

describe('a hook that fails', () => {
  const EVENTS = [
    'session.start',
    'turn.start',
    'completion.pre',
    'completion.post',
    'tool.pre',
    'tool.post',
    'file.edited',
    'agent.stop',
    'turn.end',
    'error',
    'session.end',
  ];
  const BODIES = {
    throws: () => {
      throw new Error('hook broke');
    },
    rejects: () => Promise.reject(new Error('hook broke')),
    hangs: () => never,
    'answers nonsense': () => ({ action: 'perhaps' }),
  };
  const POLICIES = ['block', 'allow', 'throw'] as const;

  const story = (event: string, body: () => unknown, onError: 'block' | 'allow' | 'throw') =>
    play({
      completions: [
        { tool_calls: [call('write')] },
        event === 'error' ? { error: { status: 400, message: 'no' } } : DONE,
        DONE,
        DONE,
        DONE,
      ],
      tools: [tool('write', (_args, { fileEdited }) => fileEdited('a.txt'))],
      hooks: [on(event, body, { onError, timeoutMs: 5, name: 'broken' })],
    });

  for (const event of EVENTS) {
    for (const [what, body] of Object.entries(BODIES)) {
      it.each(POLICIES)(
        `${event}: one that ${what}, on_error %s, is on record and the session ends`,
        async (onError) => {
          const played = await story(event, body, onError);
          const seen = played.fired.filter((one) => one.event === event);
          expect(seen.length).toBeGreaterThan(0);
          expect(seen[0]?.outcome.trace[0]?.failure).not.toBeNull();
          expect(names(played).at(-1)).toBe('session.end');
          expect(names(played).filter((name) => name === 'session.end')).toHaveLength(1);
          expect(played.events.at(-1)?.type).toBe('end');
          if (onError === 'allow' && event !== 'error') expect(played.result.reason).toBe('end_turn');
        },
      );
    }
  }

  it.each([
    ['session.start', 'error', 'session.start: hook "broken" failed: hook broke'],
    ['turn.start', 'error', 'turn.start: hook "broken" failed: hook broke'],
    ['completion.pre', 'error', 'completion.pre: hook "broken" failed: hook broke'],
    ['completion.post', 'error', 'completion.post: hook "broken" failed: hook broke'],
    ['agent.stop', 'error', 'agent.stop: hook "broken" failed: hook broke'],
    ['turn.end', 'error', 'turn.end: hook "broken" failed: hook broke'],
    ['file.edited', 'error', 'file.edited: hook "broken" failed: hook broke'],
    ['session.end', 'end_turn', null],
  ])('under on_error throw, a failure at %s makes the run end with %s', async (event, reason, message) => {
    const played = await story(event, BODIES.throws, 'throw');
    expect(played.result).toMatchObject({ reason, message });
    expect(names(played).includes('error')).toBe(reason === 'error');
  });

  it('under on_error throw, a failure around a tool is the result of that tool', async () => {
    expect(toolMessages(await story('tool.pre', BODIES.throws, 'throw'))[0]).toMatchObject({
      content: 'tool failed: hook "broken" failed: hook broke',
      is_error: true,
    });
    expect(toolMessages(await story('tool.post', BODIES.throws, 'throw'))[0]).toMatchObject({
      content: 'tool result hidden: hook "broken" failed: hook broke',
      is_error: true,
    });
  });
});

describe('limits', () => {
  const endless = Array.from({ length: 20 }, () => ({
    tool_calls: [call('echo')],
    usage: { input_tokens: 10, output_tokens: 10 },
    cost_usd: 0.5,
  }));

  it.each([
    [{ maxTurns: 3 }, 'max_turns', 3, 'the model was asked 3 times, which is the limit'],
    [{ maxTokens: 50 }, 'budget_exceeded', 3, '60 of 50 tokens are spent'],
    [{ maxCostUsd: 1 }, 'budget_exceeded', 2, '$1.0000 of $1 are spent'],
  ])('%j ends the run with %s after %d round trips', async (limits, reason, turns, message) => {
    const played = await play({ completions: endless, tools: [echo], config: { limits } });
    expect(played.result).toMatchObject({ reason, turns, message });
    expect(payloadsOf(played, 'session.end')[0]?.reason).toBe(reason);
    expect(names(played)).not.toContain('turn.end');
    // Every call has its answer, so that the conversation could go on.
    expect(toolMessages(played)).toHaveLength(turns);
  });

  it('the time of a prompt is up also where a tool ignores its signal', async () => {
    const played = await play({
      completions: [{ tool_calls: [call('hang')] }],
      tools: [tool('hang', () => never)],
      config: { limits: { maxMs: 30 } },
    });
    expect(played.result).toMatchObject({
      reason: 'budget_exceeded',
      message: 'the prompt took longer than 30 ms',
    });
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('hooks of session.end that hang are cut off at their own deadline', async () => {
    const hooks = [on('session.end', () => never, { timeoutMs: 60_000 })];
    const played = await play({ completions: [DONE], hooks, config: { limits: { endMs: 20 } } });
    expect(played.result.reason).toBe('end_turn');
    expect(played.fired.at(-1)?.outcome.trace[0]?.failure?.kind).toBe('aborted');
  });

  it.each([
    [{ limits: { maxTurn: 3 } }, 'config.limits has no "maxTurn" (did you mean maxTurns?)'],
    [{ limits: { maxTurns: Number.NaN } }, 'config.limits.maxTurns wants a number above 0, got NaN'],
    [{ limits: { maxTokens: '5' } }, 'config.limits.maxTokens wants a number above 0, got 5'],
    [{ modell: 'x' }, 'config has no "modell" (did you mean model?)'],
    [{ stop: { maxContinuations: -1 } }, 'config.stop.maxContinuations wants a whole number from 0, got -1'],
  ])('a setting that would be no limit is refused: %j', (config, message) => {
    const provider: Provider = { name: 'none', complete: () => never };
    expect(() => new Session({ provider, config: config as never })).toThrow(
      expect.objectContaining({ code: 'SESSION_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});

describe('a listener that throws', () => {
  it('changes nothing', async () => {
    const played = await play({
      completions: [DONE],
      onEvent: () => {
        throw new Error('listener broke');
      },
    });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
  });
});
