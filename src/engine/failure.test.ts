import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now, plainFrontEnd } from '../../test/support/plain-hook.ts';
import { RunState } from './run-state.ts';

const { allow, block } = decisions;
const call = { id: '1', name: 'run_command', args: {} };
const broken = () => {
  throw new Error('broken');
};
const never = () => new Promise(() => {});

describe('a hook that fails', () => {
  it('[C031] blocks a gate event under on_error: block', () => {
    const outcome = now(
      engineOf([hook({ name: 'g', body: broken }), hook({ position: 1 })]).decide('tool.pre', call),
    );
    expect(outcome).toMatchObject({
      action: 'block',
      reason: 'hook "g" failed: broken',
      hook: 'g',
      trace: [
        { failure: { kind: 'error', code: 'HOOK_THREW', message: 'broken' }, onFailure: 'blocked' },
        { state: 'unreached' },
      ],
    });
  });

  it('[C030] lets the operation go on under on_error: allow, and is counted', () => {
    const run = new RunState();
    const hooks = [hook({ onError: 'allow', body: broken }), hook({ position: 1, body: allow })];
    const outcome = now(engineOf(hooks, { run }).decide('tool.pre', call));
    expect(outcome).toMatchObject({
      action: 'allow',
      trace: [{ onFailure: 'allowed', decision: null }, { decision: 'allow' }],
    });
    expect(Object.fromEntries(run.health)).toEqual({ 'hook.failures': 1, 'hook.fail_open': 1 });
    expect(run.metrics.size).toBe(0);
  });

  it('[C032] hands the failure to the host under on_error: throw, and ends the chain', () => {
    const hooks = [
      hook({ name: 't', event: 'error', onError: 'throw', body: broken }),
      hook({ event: 'error', position: 1 }),
    ];
    const outcome = now(engineOf(hooks).decide('error', { message: '' }));
    expect(outcome).toMatchObject({
      failure: { hook: 't', message: 'broken' },
      trace: [{ onFailure: 'threw' }, { state: 'unreached' }],
    });
  });

  it('[C032] also blocks a gate under on_error: throw, for hosts that look at the action alone', () => {
    const outcome = now(engineOf([hook({ onError: 'throw', body: broken })]).decide('tool.pre', call));
    expect(outcome).toMatchObject({ action: 'block', failure: { message: 'broken' } });
  });

  it('cannot block an event that nothing can block', () => {
    const outcome = now(engineOf([hook({ event: 'session.end', body: broken })]).decide('session.end', null));
    expect(outcome).toMatchObject({
      action: 'allow',
      trace: [{ onFailure: 'allowed', vetoIgnored: 'nothing can block session.end' }],
    });
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a text', 'text'],
    ['null', null],
    ['an object that cannot become text', Object.create(null)],
    ['a proxy that refuses everything', new Proxy({}, { get: broken, getPrototypeOf: broken })],
  ])('may throw %s', (_, thrown) => {
    const body = () => {
      throw thrown;
    };
    expect(now(engineOf([hook({ body })]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      trace: [{ failure: { kind: 'error', message: expect.any(String) } }],
    });
  });

  it.each([
    ['view', { view: broken }],
    ['interpret', { interpret: broken }],
    ['interpret without a reply', { interpret: () => undefined as never }],
    [
      'interpret with an unknown action',
      { interpret: () => ({ decision: { action: 'toString' } }) as never },
    ],
    ['explain', { interpret: broken, explain: broken }],
    ['explain with nonsense', { interpret: broken, explain: () => 7 as never }],
  ])('may do so through the %s of its front end', (_, parts) => {
    const frontEnd = { ...plainFrontEnd, ...parts };
    expect(now(engineOf([hook({ frontEnd, body: () => 1 })]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
    });
  });

  it.each<[string, () => unknown]>([
    ['a thenable whose then cannot be read', () => Object.defineProperty({}, 'then', { get: broken })],
    ['a proxy that refuses everything', () => new Proxy({}, { get: broken, has: broken, ownKeys: broken })],
    ['a number', () => 42],
    ['a function', () => broken],
    ['a modify with a proxy', () => ({ action: 'modify', payload: new Proxy({}, { ownKeys: broken }) })],
    ['a modify with nothing', () => ({ action: 'modify' })],
  ])('may return %s', (_, body) => {
    expect(now(engineOf([hook({ body })]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      trace: [{ onFailure: 'blocked' }],
    });
  });
});

describe('an asynchronous hook', () => {
  it('makes the dispatch asynchronous from there on, in the same order', async () => {
    const order: string[] = [];
    const outcome = engineOf([
      hook({ name: 'a', priority: 1, body: () => void order.push('a') }),
      hook({ name: 'b', priority: 2, when: async () => true, body: async () => void order.push('b') }),
      hook({ name: 'c', priority: 3, body: () => order.push('c') && block('end') }),
      hook({ name: 'd', priority: 4 }),
    ]).decide('tool.pre', call);
    expect(outcome).toBeInstanceOf(Promise);
    expect(order).toEqual(['a']);
    expect(await outcome).toMatchObject({ action: 'block', hook: 'c' });
    expect(order).toEqual(['a', 'b', 'c']);
    expect((await outcome).trace.map((entry) => entry.state)).toEqual(['ran', 'ran', 'ran', 'unreached']);
  });

  it('may reject', async () => {
    expect(await engineOf([hook({ body: async () => broken() })]).decide('tool.pre', call)).toMatchObject({
      action: 'block',
      reason: 'hook "sample" failed: broken',
    });
  });

  it('may have a condition that rejects', async () => {
    const outcome = await engineOf([hook({ when: async () => broken() })]).decide('tool.pre', call);
    expect(outcome).toMatchObject({ action: 'allow', trace: [{ state: 'condition_failed' }] });
  });

  it('may be a thenable that throws when waited for', async () => {
    const outcome = await engineOf([
      hook({ body: () => Object.defineProperty({}, 'then', { value: broken }) }),
    ]).decide('tool.pre', call);
    expect(outcome).toMatchObject({ action: 'block', reason: 'hook "sample" failed: broken' });
  });

  it('[C033] [C035] that does not answer in time blocks under on_error: block', async () => {
    expect(
      await engineOf([hook({ name: 'slow', timeoutMs: 10, body: never })]).decide('tool.pre', call),
    ).toMatchObject({
      action: 'block',
      reason: 'hook "slow" failed: timed out after 10 ms',
      trace: [{ failure: { kind: 'timeout', code: 'HOOK_TIMEOUT' } }],
    });
  });

  it('[C034] that does not answer in time is left behind under on_error: allow', async () => {
    const late = hook({ timeoutMs: 10, onError: 'allow', body: never });
    expect(await engineOf([late, hook({ position: 1 })]).decide('tool.pre', call)).toMatchObject({
      action: 'allow',
      trace: [{ onFailure: 'allowed' }, { state: 'ran' }],
    });
  });

  it('that answers too late is not heard: no effect, no emit, no unhandled rejection', async () => {
    const run = new RunState();
    let finish!: () => void;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const refused: string[] = [];
    const body = async (
      _: unknown,
      open: {
        log: (level: 'info', text: string) => void;
        emit: (event: string, payload: null) => unknown;
        signal: AbortSignal | null;
      },
    ) => {
      await new Promise((resolve) => open.signal!.addEventListener('abort', resolve));
      open.log('info', 'too late');
      try {
        open.emit('custom.late', null);
      } catch (error) {
        refused.push((error as Error).message);
      }
      finish();
      throw new Error('nobody listens');
    };
    const outcome = await engineOf([hook({ timeoutMs: 10, body })], { run }).decide('tool.pre', call);
    await done;
    await new Promise(setImmediate);
    expect(outcome.effects).toEqual([]);
    expect(run.logs).toEqual([]);
    expect(refused).toEqual(['emit: the call of hook "sample" is over']);
  });

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await engineOf([hook({ timeoutMs: 60_000, body: async () => {} })]).decide('tool.pre', call);
    expect(timers()).toBe(before);
  });

  it('without a limit waits', async () => {
    const body = () => new Promise((resolve) => setTimeout(resolve, 15, block('late but heard')));
    expect(await engineOf([hook({ timeoutMs: 0, body })]).decide('tool.pre', call)).toMatchObject({
      action: 'block',
    });
  });
});

describe('an abort', () => {
  it('[C036] before a hook fails it without calling it', () => {
    let called = 0;
    const hooks = [hook({ name: 'h', when: () => ++called, body: () => ++called })];
    expect(now(engineOf(hooks).decide('tool.pre', call, { signal: AbortSignal.abort() }))).toMatchObject({
      action: 'block',
      reason: 'hook "h" failed: the operation was aborted',
      trace: [{ state: 'unreached', failure: { kind: 'aborted', code: 'HOOK_ABORTED' } }],
    });
    expect(called).toBe(0);
  });

  it('[C036] during a hook fails it at once and tells it', async () => {
    const controller = new AbortController();
    let told = false;
    const body = (_: unknown, open: { signal: AbortSignal | null }) => {
      open.signal!.addEventListener('abort', () => (told = true));
      setTimeout(() => controller.abort(), 5);
      return never();
    };
    const outcome = await engineOf([hook({ body })]).decide('tool.pre', call, { signal: controller.signal });
    expect(outcome).toMatchObject({
      action: 'block',
      trace: [{ state: 'ran', failure: { kind: 'aborted' } }],
    });
    expect(told).toBe(true);
  });
});
