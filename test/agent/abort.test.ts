/**
 * Abort, everywhere: after every event and at every point where the loop waits. Whatever it interrupts, the run ends at
 * once, `session.end` fires once, every call has an answer, and nothing keeps listening.
 */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type Message,
  type Provider,
  Session,
  type SessionEvent,
  type SessionOptions,
  scriptedProvider,
} from '../../src/exports/agent.ts';
import { ToolHookRegistry } from '../../src/exports/hooks.ts';
import { call, decisions, firedIn, names, on, tool } from '../support/agent.ts';

const never = new Promise<never>(() => {});

/** Called wherever the loop waits for somebody. */
type Point = (name: string) => unknown;

const FIRED = [
  'session.start',
  'turn.start',
  'completion.pre',
  'completion.post',
  'tool.pre',
  'permission.asked',
  'approval.requested',
  'permission.replied',
  'tool.post',
  'turn.step',
  'file.edited',
  'agent.stop',
  'turn.end',
  'custom.noted',
];

/** A story in which everything happens once: a retry, two calls side by side, a question, a stop that is sent back. */
function story(point: Point): SessionOptions {
  const script = scriptedProvider({
    completions: [
      { error: { status: 429, message: 'slow down' } },
      { text: 'Both.', tool_calls: [call('write'), call('note')] },
      { text: 'Done?' },
      { text: 'Done.' },
      { text: 'Again.' },
    ],
  });
  const provider: Provider = {
    name: 'scripted',
    complete: async (request, options) => {
      await point('provider');
      return script.complete(request, options);
    },
  };
  const interceptors = new ToolHookRegistry();
  interceptors.registerBefore('*', async () => void (await point('before')));
  interceptors.registerAfter('*', async (_name, _input, result) => {
    await point('after');
    return result;
  });
  const hooks = FIRED.map((event) =>
    on(
      event,
      async (seen) => {
        await point(event);
        if (event === 'agent.stop' && seen.iteration === 2) return decisions.block('look again');
        return undefined;
      },
      { timeoutMs: 60_000 },
    ),
  );
  return {
    config: { sessionId: 's1', oneShot: true, retry: { baseMs: 1 } },
    provider,
    interceptors,
    hooks,
    tools: [
      tool('write', async (_args, { fileEdited }) => {
        await point('tool');
        fileEdited('a.txt');
      }),
      tool('note', async (_args, { emit }) => {
        await point('tool');
        return emit('custom.noted', {});
      }),
    ],
    permissions: {
      decide: async () => {
        await point('permission');
        return { decision: 'ask', reason: 'sure?' };
      },
    },
    approvals: {
      request: async () => {
        await point('ask');
        return { approved: true };
      },
    },
  };
}

async function played(
  options: SessionOptions,
  signal: AbortSignal,
  watch: (event: SessionEvent) => void = () => {},
) {
  const session = new Session({ ...options, onEvent: watch });
  const run = session.run('go', { signal });
  const result = await run.result;
  const events: SessionEvent[] = [];
  for await (const event of run) events.push(event);
  return { session, result, events, fired: firedIn(events) };
}

/** Calls without an answer; a provider would refuse the next request for one. */
function unanswered(messages: readonly Message[]): string[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.call_id] : [])));
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : []))
    .filter((id) => !answered.has(id));
}

async function expectCleanEnd(one: Awaited<ReturnType<typeof played>>, signal: AbortSignal) {
  expect(names(one).filter((name) => name === 'session.end')).toHaveLength(1);
  expect(one.fired.at(-1)?.event).toBe('session.end');
  expect(one.fired.at(-1)?.outcome.trace.every(({ failure }) => failure === null)).toBe(true);
  expect(one.events.at(-1)).toMatchObject({ type: 'end', reason: one.result.reason });
  expect(unanswered(one.result.messages)).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
}

describe('abort', () => {
  it('the story without an abort has everything in it', async () => {
    const { signal } = new AbortController();
    const one = await played(
      story(() => undefined),
      signal,
    );
    expect(one.result).toMatchObject({ reason: 'end_turn', text: 'Done.', turns: 3 });
    expect(new Set(names(one))).toEqual(new Set([...FIRED, 'session.end']));
    await expectCleanEnd(one, signal);
  });

  it('after the n-th event, for every n, ends the run cleanly', async () => {
    const whole = await played(
      story(() => undefined),
      new AbortController().signal,
    );
    const last = whole.events.findIndex((event) => event.type === 'hook' && event.event === 'session.end');
    expect(last).toBeGreaterThan(30);
    for (let n = 0; n < last; n++) {
      const controller = new AbortController();
      let count = 0;
      const one = await played(
        story(() => undefined),
        controller.signal,
        () => {
          if (count++ === n) controller.abort();
        },
      );
      expect(one.result, `abort after event ${n}`).toMatchObject({
        reason: 'aborted',
        message: 'the run was aborted',
      });
      expect(names(one)).not.toContain('error');
      await expectCleanEnd(one, controller.signal);
    }
  });

  it('at every point where the loop waits, even for somebody who never answers', async () => {
    const points: string[] = [];
    await played(
      story((name) => void points.push(name)),
      new AbortController().signal,
    );
    expect(new Set(points)).toEqual(
      new Set([...FIRED, 'provider', 'before', 'after', 'tool', 'permission', 'ask']),
    );
    for (let n = 0; n < points.length; n++) {
      const controller = new AbortController();
      let count = 0;
      const options = story(() => {
        if (count++ < n) return undefined;
        setImmediate(() => controller.abort());
        return never;
      });
      const one = await played(options, controller.signal);
      expect(one.result.reason, `abort while waiting for ${points[n]}`).toBe('aborted');
      await expectCleanEnd(one, controller.signal);
    }
  });

  it('after which nothing new begins: no tool, no request, no question', async () => {
    const whole = await played(
      story(() => undefined),
      new AbortController().signal,
    );
    for (let n = 0; n < whole.events.length; n++) {
      const controller = new AbortController();
      const late: string[] = [];
      let count = 0;
      const options = story((name) => {
        if (controller.signal.aborted) late.push(name);
      });
      await played(options, controller.signal, () => {
        if (count++ === n) controller.abort();
      });
      expect(late, `after event ${n}`).toEqual([]);
    }
  });

  it('while permission is being decided keeps the tool from beginning', async () => {
    const controller = new AbortController();
    let ran = 0;
    const one = await played(
      {
        provider: scriptedProvider({ completions: [{ tool_calls: [call('t')] }] }),
        tools: [tool('t', () => ran++)],
        permissions: {
          decide: () => {
            controller.abort();
            return { decision: 'auto' };
          },
        },
      },
      controller.signal,
    );
    expect(ran).toBe(0);
    expect(one.result.messages.at(-1)).toMatchObject({ content: 'tool not run: the run was aborted' });
  });

  it('before anything has happened still leaves a start and an end on record', async () => {
    const signal = AbortSignal.abort();
    const one = await played(
      story(() => undefined),
      signal,
    );
    expect(names(one)).toEqual(['session.start', 'session.end']);
    expect(one.result.reason).toBe('aborted');
    await expectCleanEnd(one, signal);
  });

  it('while waiting to try again ends the wait', async () => {
    const controller = new AbortController();
    const options = story(() => undefined);
    const one = await played(
      { ...options, config: { ...options.config, retry: { baseMs: 3_600_000, maxWaitMs: 3_600_000 } } },
      controller.signal,
      (event) => {
        if (event.type === 'retry') setImmediate(() => controller.abort());
      },
    );
    expect(one.result.reason).toBe('aborted');
  });

  it('of one prompt leaves a conversation that can go on', async () => {
    const controller = new AbortController();
    const options = story((name) => {
      if (name !== 'tool' || controller.signal.aborted) return undefined;
      controller.abort();
      return never;
    });
    const session = new Session({ ...options, config: { ...options.config, oneShot: false } });
    const first = await session.run('go', { signal: controller.signal }).result;
    expect(first.reason).toBe('aborted');
    expect(unanswered(first.messages)).toEqual([]);
    const second = await session.run('and now?').result;
    expect(second).toMatchObject({ reason: 'end_turn', text: 'Done?' });
    await session.close();
  });
});
