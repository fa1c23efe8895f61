/**
 * A session that stays: prompts as they come, a wait between them, and an end whatever happens.
 */
import { describe, expect, it } from 'vitest';
import {
  type DaemonOptions,
  runDaemon,
  type ScriptedCompletion,
  Session,
  type SessionEvent,
  scriptedProvider,
} from '../../src/exports/agent.ts';
import { decisions, firedIn, hook, on } from '../support/agent.ts';

const QUICK = { retry: { maxAttempts: 1 } };

async function daemon(
  prompts: readonly (string | null)[],
  {
    completions = [{ text: 'one' }, { text: 'two' }] as readonly ScriptedCompletion[],
    hooks = [] as ReturnType<typeof hook>[],
    ...more
  }: Partial<DaemonOptions> & {
    completions?: readonly ScriptedCompletion[];
    hooks?: ReturnType<typeof hook>[];
  } = {},
) {
  const events: SessionEvent[] = [];
  const session = new Session({
    provider: scriptedProvider({ completions }),
    config: { ...QUICK, oneShot: false, sessionId: 's1' },
    hooks,
    onEvent: (event) => events.push(event),
  });
  const waiting = [...prompts];
  const next = () => waiting.shift();
  const result = await runDaemon(session, { wakeIntervalMs: 1, next, ...more });
  return { result, session, fired: firedIn(events), names: firedIn(events).map(({ event }) => event) };
}

describe('[C086] session.idle', () => {
  it('fires each time the session begins to wait, with its wake interval', async () => {
    const { result, names, fired } = await daemon(['a', null, null, 'b', null]);
    expect(result).toEqual({ reason: 'finished', message: null, prompts: 2, waits: 3 });
    const around = names.filter((name) =>
      ['session.start', 'turn.end', 'session.idle', 'session.end'].includes(name),
    );
    expect(around).toEqual([
      'session.start',
      'turn.end',
      'session.idle',
      'session.idle',
      'turn.end',
      'session.idle',
      'session.end',
    ]);
    const idle = fired.find(({ event }) => event === 'session.idle')!;
    expect(idle.payload).toEqual({ wake_interval_ms: 1, session_id: 's1', turn: 1 });
  });

  it('comes after session.start where the first thing to do is wait', async () => {
    expect((await daemon([null])).names).toEqual(['session.start', 'session.idle', 'session.end']);
  });

  it('reports a veto as ignored', async () => {
    const { fired, result } = await daemon([null], {
      hooks: [on('session.idle', () => decisions.block('work'))],
    });
    expect(fired.find(({ event }) => event === 'session.idle')!.outcome.trace[0]!.vetoIgnored).toBeTruthy();
    expect(result.reason).toBe('finished');
  });
});

describe('a session that stays ends', () => {
  it('with its signal, in the middle of a wait', async () => {
    const stop = new AbortController();
    const waitLong = { wakeIntervalMs: 600_000, next: () => null, signal: stop.signal };
    setTimeout(() => stop.abort(), 10);
    const { result, names } = await daemon([], waitLong);
    expect(result.reason).toBe('aborted');
    expect(names.at(-1)).toBe('session.end');
  });

  it('with its signal, where nobody ever says what is next', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 10);
    const { result } = await daemon([], { next: () => new Promise(() => {}), signal: stop.signal });
    expect(result.reason).toBe('aborted');
  });

  it.each<[string, Parameters<typeof daemon>[1], string]>([
    ['next throws', { next: () => Promise.reject(new Error('queue gone')) }, 'queue gone'],
    ['next says something else', { next: () => 7 as never }, 'wants a prompt'],
    [
      'a hook of session.idle fails under throw',
      {
        next: () => null,
        hooks: [
          hook({ event: 'session.idle', body: () => Promise.reject(new Error('x')), onError: 'throw' }),
        ],
      },
      'session.idle',
    ],
    [
      'prompts go on failing',
      {
        next: () => 'again',
        maxFailures: 2,
        completions: Array(9).fill({ error: { status: 400, message: 'no' } }),
      },
      '2 prompts in a row',
    ],
  ])('with error and then session.end where %s', async (_why, options, message) => {
    const { result, names } = await daemon([], options);
    expect(result).toMatchObject({ reason: 'failed', message: expect.stringContaining(message) });
    expect(names.slice(-2)).toEqual(['error', 'session.end']);
  });

  it('is closed then', async () => {
    const { session } = await daemon(['a']);
    expect(() => session.run('b')).toThrow(/closed/);
  });
});

describe('what a daemon refuses', () => {
  const make = (oneShot: boolean) =>
    new Session({ provider: scriptedProvider({ completions: [] }), config: { oneShot } });

  it('a session of one prompt, and an interval that is none', async () => {
    await expect(runDaemon(make(true), { wakeIntervalMs: 1, next: () => null })).rejects.toThrow(/oneShot/);
    await expect(runDaemon(make(false), { wakeIntervalMs: 0, next: () => null })).rejects.toThrow(
      /wakeIntervalMs/,
    );
  });
});
