/**
 * Sessions over time: one prompt or several, closing, two at once, and the run as its caller holds it.
 */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { Registry } from '../../src/engine/registry.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { Session, type SessionEvent, scriptedProvider } from '../../src/exports/agent.ts';
import { call, echo, firedIn, names, on, tool } from '../support/agent.ts';
import { stillHost } from '../support/plain-hook.ts';

const says = (...texts: string[]) => scriptedProvider({ completions: texts.map((text) => ({ text })) });

function recorded(options: Omit<ConstructorParameters<typeof Session>[0], 'onEvent'>) {
  const events: SessionEvent[] = [];
  const session = new Session({ ...options, onEvent: (event) => void events.push(event) });
  return { session, names: () => names({ fired: firedIn(events) }), fired: () => firedIn(events) };
}

describe('a conversation', () => {
  it('starts once, keeps its history, and ends with close()', async () => {
    const provider = says('one', 'two');
    const { session, names, fired } = recorded({ provider, config: { oneShot: false } });
    expect((await session.run('first').result).text).toBe('one');
    expect(names()).not.toContain('session.end');
    expect((await session.run('second').result).text).toBe('two');
    expect(provider.requests[1]?.messages.map(({ content }) => content)).toEqual(['first', 'one', 'second']);
    await session.close();
    await session.close();
    expect(names().filter((name) => name.startsWith('session.'))).toEqual(['session.start', 'session.end']);
    expect(fired().at(-1)?.payload).toMatchObject({ reason: 'end_turn', turn: 1 });
  });

  it('a blocked prompt leaves no trace in what the model is sent next', async () => {
    const provider = says('fine');
    const { session } = recorded({
      provider,
      config: { oneShot: false },
      hooks: [
        on('turn.start', (seen) =>
          String(seen).includes('secret') ? { action: 'block', reason: 'no' } : null,
        ),
      ],
    });
    expect((await session.run('a secret').result).reason).toBe('user_prompt_submit_blocked');
    expect((await session.run('a question').result).text).toBe('fine');
    expect(provider.requests[0]?.messages).toEqual([{ role: 'user', content: 'a question' }]);
    await session.close();
  });

  it('per-turn values of scripts are gone when the prompt is done', async () => {
    const seen: unknown[] = [];
    const { session } = recorded({
      provider: says('one', 'two'),
      config: { oneShot: false },
      hooks: [
        on('turn.start', (_seen, { run }) => {
          seen.push(run.turn.get('k') ?? null);
          run.turn.set('k', 1);
        }),
      ],
    });
    await session.run('a').result;
    await session.run('b').result;
    expect(seen).toEqual([null, null]);
  });

  it('limits of tokens and cost are of the whole session, that of round trips of one prompt', async () => {
    const provider = scriptedProvider({
      completions: Array.from({ length: 5 }, () => ({
        text: 'x',
        usage: { input_tokens: 30, output_tokens: 10 },
      })),
    });
    const { session } = recorded({
      provider,
      config: { oneShot: false, limits: { maxTurns: 1, maxTokens: 80 } },
    });
    expect((await session.run('a').result).reason).toBe('end_turn');
    expect((await session.run('b').result).reason).toBe('end_turn');
    expect((await session.run('c').result).reason).toBe('budget_exceeded');
  });
});

describe('a session of one prompt', () => {
  it('that is run again begins again, with what was said before', async () => {
    const { session, fired } = recorded({ provider: says('one', 'two') });
    await session.run('a').result;
    const second = await session.run('b').result;
    expect(second.messages).toHaveLength(4);
    const starts = fired().filter(({ event }) => event === 'session.start');
    expect(starts.map(({ payload }) => (payload as { source: string }).source)).toEqual([
      'startup',
      'resume',
    ]);
  });

  it('close() after it has ended fires nothing more', async () => {
    const { session, names } = recorded({ provider: says('one') });
    await session.run('a').result;
    const before = names().length;
    await session.close();
    expect(names()).toHaveLength(before);
  });
});

describe('close()', () => {
  it('aborts the run under way and waits for it', async () => {
    const { session, names } = recorded({
      provider: { name: 'slow', complete: () => new Promise(() => {}) },
      config: { oneShot: false },
    });
    const run = session.run('a');
    await session.close();
    expect((await run.result).reason).toBe('aborted');
    expect(names().at(-1)).toBe('session.end');
  });

  it('afterwards a prompt throws', async () => {
    const { session } = recorded({ provider: says('one') });
    await session.close();
    expect(() => session.run('a')).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }));
  });

  it('a second prompt while one is being answered throws', async () => {
    const { session } = recorded({ provider: says('one', 'two') });
    const run = session.run('a');
    expect(() => session.run('b')).toThrow(expect.objectContaining({ code: 'SESSION_BUSY' }));
    await run.result;
    expect((await session.run('b').result).text).toBe('two');
  });
});

describe('a run', () => {
  it('goes on whether or not anybody looks, and can be looked at late and twice', async () => {
    const run = new Session({ provider: says('one') }).run('a');
    await run.result;
    const collect = async () => {
      const types: string[] = [];
      for await (const event of run) types.push(event.type);
      return types;
    };
    const first = await collect();
    expect(first.at(-1)).toBe('end');
    expect(await collect()).toEqual(first);
  });

  it('leaving the loop early does not stop it', async () => {
    const run = new Session({ provider: says('one') }).run('a');
    for await (const event of run) if (event.type === 'hook') break;
    expect((await run.result).text).toBe('one');
  });

  it('events arrive while it is under way', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const session = new Session({
      provider: scriptedProvider({ completions: [{ tool_calls: [call('wait')] }, { text: 'Done.' }] }),
      tools: [tool('wait', () => gate)],
    });
    const seen: string[] = [];
    for await (const event of session.run('a')) {
      seen.push(event.type);
      if (event.type === 'tool.start') release();
    }
    expect(seen).toContain('tool.end');
  });
});

describe('two sessions in one process', () => {
  it('share nothing: history, reminders, cache, counters, logs', async () => {
    const registry = new Registry([
      on('tool.post', (_seen, at) => {
        at.run.metrics.set('calls', (at.run.metrics.get('calls') ?? 0) + 1);
        at.run.cache.set('last', at.run.session.id);
        at.log('info', at.run.session.id);
        at.effect({ kind: 'context', hook: 'h', text: `note of ${at.run.session.id}` });
      }),
    ]);
    const make = (sessionId: string) => {
      const provider = scriptedProvider({
        completions: [
          { tool_calls: [call('echo', { text: sessionId })], delay_ms: 1 },
          { tool_calls: [call('echo', { text: sessionId })], delay_ms: 1 },
          { text: sessionId },
        ],
      });
      const session = new Session({ provider, tools: [echo], hooks: registry, config: { sessionId } });
      return { provider, session };
    };
    const [a, b] = [make('a'), make('b')];
    const [first, second] = await Promise.all([a.session.run('x').result, b.session.run('y').result]);
    expect([first.text, second.text]).toEqual(['a', 'b']);
    for (const [{ session, provider }, mine, other] of [
      [a, 'a', 'b'],
      [b, 'b', 'a'],
    ] as const) {
      expect(session.runState.metrics.get('calls')).toBe(2);
      expect(session.runState.cache.get('last')).toBe(mine);
      const sent = JSON.stringify(provider.requests);
      expect(sent).toContain(`note of ${mine}`);
      expect(sent).not.toContain(`note of ${other}`);
    }
  });
});

describe('what hooks may be given as', () => {
  const hook = on('turn.start', (_seen, { run }) => void run.metrics.set('asked', 1));

  it.each([
    ['a list', [hook]],
    ['a registry', new Registry([hook])],
  ])('%s: the session makes its own engine', async (_what, hooks) => {
    const session = new Session({ provider: says('x'), hooks });
    await session.run('a').result;
    expect(session.runState.metrics.get('asked')).toBe(1);
    expect(session.runState.session.id).toBe(session.id);
  });

  it('an engine: used as it is, with its host and its run state', async () => {
    const run = new RunState();
    const engine = new Engine({ hooks: [hook], host: stillHost, run });
    const session = new Session({ provider: says('x'), hooks: engine });
    await session.run('a').result;
    expect(run.metrics.get('asked')).toBe(1);
    expect(session.id).toBe('0');
  });

  it('two tools of one name are refused', () => {
    expect(() => new Session({ provider: says(), tools: [echo, echo] })).toThrow(
      'two tools have the name "echo"',
    );
  });
});
