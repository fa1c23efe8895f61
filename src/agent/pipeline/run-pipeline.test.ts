import { describe, expect, it } from 'vitest';
import { decisions, engineOf, type HookSketch, hook } from '../../../test/support/plain-hook.ts';
import type { Json } from '../../base/json.ts';
import { checkPayload } from '../../engine/describe.ts';
import { scriptedProvider } from '../providers/scripted.ts';
import { Session } from '../session.ts';
import { type OnFinish, runPipeline } from './run-pipeline.ts';
import { BUCKETS, UnsettledState } from './unsettled.ts';

const FINISH = ['finish.pre', 'finish.unsettled', 'finish.post'];

/** Notes every finish event, with what `more` says at one of them. */
function watching(more: Readonly<Record<string, HookSketch>> = {}) {
  const seen: { event: string; payload: Json }[] = [];
  const hooks = FINISH.map((event) => {
    const { body, ...rest } = more[event] ?? {};
    return hook({
      event,
      name: event,
      body: (payload, call) => {
        seen.push({ event, payload: structuredClone(payload) as Json });
        return body?.(payload, call);
      },
      ...rest,
    });
  });
  return { seen, names: () => seen.map(({ event }) => event), engine: engineOf(hooks) };
}

describe('[C090] the end of a pipeline', () => {
  it('fires finish.pre and finish.post around it, with the value', async () => {
    const { engine, seen } = watching();
    expect(await runPipeline(() => 42, { hooks: engine })).toBe(42);
    expect(seen).toEqual([
      { event: 'finish.pre', payload: { value: 42 } },
      { event: 'finish.post', payload: { value: 42 } },
    ]);
  });

  it('[C090] goes pre, unsettled, on_finish, post, and the callback replaces the value', async () => {
    const { engine, seen, names } = watching();
    const order: string[] = [];
    const value = await runPipeline(
      ({ onFinish, unsettled }) => {
        unsettled.note('queued_triggers', { id: 't1' });
        onFinish((given, { summary }) => {
          order.push(...names(), summary);
          return { was: given };
        });
        return 'first';
      },
      { hooks: engine },
    );
    expect(value).toEqual({ was: 'first' });
    expect(order).toEqual(['finish.pre', 'finish.unsettled', '1 queued trigger']);
    expect(names()).toEqual(FINISH);
    expect(seen[0]!.payload).toEqual({ value: 'first' });
    expect(seen[2]!.payload).toEqual({ value: { was: 'first' } });
  });

  it('the last callback given counts, is called once, and may leave the value or be taken back', async () => {
    const { engine } = watching();
    const called: string[] = [];
    const noting =
      (name: string, returned?: Json): OnFinish =>
      () => {
        called.push(name);
        return returned;
      };
    const twice = await runPipeline(
      ({ onFinish }) => {
        onFinish(noting('a', 'a'));
        onFinish(noting('b'));
        return 1;
      },
      { hooks: engine },
    );
    expect([twice, called]).toEqual([1, ['b']]);
    const back = await runPipeline(
      ({ onFinish }) => {
        onFinish(noting('c', 'c'));
        onFinish(null);
        return 2;
      },
      { hooks: engine },
    );
    expect([back, called]).toEqual([2, ['b']]);
  });

  it('a callback that asks for itself again is not called again', async () => {
    const { engine } = watching();
    let called = 0;
    const again = await runPipeline(
      ({ onFinish }) => {
        const callback: OnFinish = () => {
          onFinish(callback);
          return ++called;
        };
        onFinish(callback);
        return 0;
      },
      { hooks: engine },
    );
    expect([again, called]).toEqual([1, 1]);
  });

  it('[C090] a veto on finish.pre is an error, and the callback is not called', async () => {
    const { engine, names } = watching({ 'finish.pre': { body: () => decisions.block('not yet') } });
    let called = false;
    const run = runPipeline(
      ({ onFinish }) => {
        onFinish(() => {
          called = true;
          return null;
        });
        return 1;
      },
      { hooks: engine },
    );
    await expect(run).rejects.toMatchObject({
      code: 'PIPELINE_VETOED',
      message: expect.stringContaining('finish.pre'),
    });
    expect([called, names()]).toEqual([false, ['finish.pre']]);
  });

  it('vetoes and rewrites of the other two are ignored, and say so', async () => {
    const outcomes: unknown[] = [];
    const { engine } = watching({
      'finish.unsettled': { body: () => decisions.block('no') },
      'finish.post': { body: () => decisions.modify({ value: 'other' }) },
    });
    const observed = engineOf([], {
      registry: engine.registry,
      observe: (outcome) => outcomes.push(outcome.trace[0]?.vetoIgnored ?? null),
    });
    const unsettled = new UnsettledState();
    unsettled.note('partial_handoffs', 'h');
    expect(await runPipeline(() => 'mine', { hooks: observed, unsettled })).toBe('mine');
    expect(outcomes).toEqual([null, expect.any(String), expect.any(String)]);
  });

  it('a function that throws passes its error on: no event fires and the callback is gone', async () => {
    const { engine, names } = watching();
    let called = false;
    const run = runPipeline(
      ({ onFinish }) => {
        onFinish(() => {
          called = true;
          return null;
        });
        throw new Error('broken');
      },
      { hooks: engine },
    );
    await expect(run).rejects.toThrow('broken');
    expect([called, names()]).toEqual([false, []]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no disk')), 'no disk'],
    ['never returns', () => new Promise<Json>(() => {}), 'timed out'],
    ['returns what is no JSON', () => Number.NaN, 'NaN'],
  ])('a callback that %s is a typed error, and finish.post does not fire', async (_what, callback, why) => {
    const { engine, names } = watching();
    const run = runPipeline(
      ({ onFinish }) => {
        onFinish(callback);
        return 1;
      },
      { hooks: engine, finishMs: 20 },
    );
    await expect(run).rejects.toMatchObject({
      code: 'PIPELINE_FINISH',
      message: expect.stringContaining(why),
    });
    expect(names()).toEqual(['finish.pre']);
  });

  it('ends with its signal, even where the function ignores it', async () => {
    const { engine } = watching();
    const stop = new AbortController();
    const run = runPipeline(() => new Promise<Json>(() => {}), { hooks: engine, signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    await expect(run).rejects.toMatchObject({ code: 'PIPELINE_ABORTED' });
  });

  it('closes the session it runs in, also where its callback fails', async () => {
    for (const fails of [false, true]) {
      const events: string[] = [];
      const session = new Session({
        provider: scriptedProvider({ completions: [{ text: 'hello' }] }),
        config: { oneShot: false, sessionId: 's1' },
        onEvent: (event) => {
          if (event.type === 'hook') events.push(event.event);
        },
      });
      const run = runPipeline(
        async ({ onFinish }) => {
          onFinish((value) => {
            if (fails) throw new Error('broken');
            return value;
          });
          return (await session.run('hi').result).text;
        },
        { hooks: session },
      );
      if (fails) await expect(run).rejects.toMatchObject({ code: 'PIPELINE_FINISH' });
      else expect(await run).toBe('hello');
      expect(events.slice(-3)).toEqual(
        fails ? ['turn.end', 'finish.pre', 'session.end'] : ['finish.pre', 'finish.post', 'session.end'],
      );
    }
  });
});

describe('[C091] the unsettled snapshot', () => {
  it('fires only where something is open, with the five buckets', async () => {
    const { engine, seen } = watching();
    await runPipeline(
      ({ unsettled }) => {
        unsettled.note('in_flight_llm_calls', 'a')();
        return null;
      },
      { hooks: engine },
    );
    expect(seen.map(({ event }) => event)).not.toContain('finish.unsettled');
    await runPipeline(
      ({ unsettled }) => {
        for (const bucket of BUCKETS) unsettled.note(bucket, { of: bucket });
        return null;
      },
      { hooks: engine },
    );
    const { payload } = seen.find(({ event }) => event === 'finish.unsettled')!;
    expect(checkPayload('finish.unsettled', payload)).toEqual([]);
    expect(payload).toMatchObject({
      is_empty: false,
      counts: { suspended_subagents: 1, pool_pending_tasks: 1 },
      unsettled: Object.fromEntries(BUCKETS.map((bucket) => [bucket, [{ of: bucket }]])),
    });
  });

  it('counts, sums up and settles', () => {
    const state = new UnsettledState();
    expect(state.snapshot()).toMatchObject({ is_empty: true, summary: 'nothing unsettled' });
    const settle = state.note('suspended_subagents', 'a');
    state.note('suspended_subagents', 'b');
    state.note('pool_pending_tasks', 'c');
    const before = state.snapshot();
    expect(before.summary).toBe('2 suspended subagents, 1 pool pending task');
    settle();
    settle();
    expect(state.snapshot().counts.suspended_subagents).toBe(1);
    expect(before.counts.suspended_subagents).toBe(2);
  });
});
