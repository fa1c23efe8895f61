import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now } from '../../test/support/plain-hook.ts';
import type { Outcome } from './decision.ts';
import { Engine } from './engine.ts';
import { Registry } from './registry.ts';

const { block, modify } = decisions;
const call = { id: '1', name: 'run', args: {} };

const emitter = (event: string, payload: never = { n: 1 } as never) =>
  hook({ name: 'emitter', body: (_, open) => modify({ got: open.emit(event, payload) as never }) });

describe('an event emitted by a hook', () => {
  it('[C004] runs through its own chain and returns its final payload', () => {
    const doubler = hook({ event: 'custom.double', body: (payload) => modify({ n: Number(payload.n) * 2 }) });
    expect(now(engineOf([emitter('custom.double'), doubler]).decide('tool.pre', call))).toMatchObject({
      action: 'modify',
      payload: { got: { n: 2 } },
    });
    expect(now(engineOf([emitter('custom.unheard')]).decide('tool.pre', call))).toMatchObject({
      payload: { got: { n: 1 } },
    });
  });

  it('[C004] raises in the emitter where a hook blocks it', () => {
    const refuser = hook({ name: 'refuser', event: 'custom.x', body: () => block('not now') });
    let raised: unknown;
    const body = (_: unknown, open: { emit: (event: string, payload: null) => unknown }) => {
      try {
        open.emit('custom.x', null);
      } catch (error) {
        raised = error;
      }
    };
    expect(now(engineOf([hook({ body }), refuser]).decide('tool.pre', call)).action).toBe('allow');
    expect(raised).toMatchObject({ name: 'EmitBlocked', message: 'not now', hook: 'refuser' });
    expect(now(engineOf([emitter('custom.x'), refuser]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      reason: 'hook "emitter" failed: not now',
    });
  });

  it.each(['meta.register_tool', 'tool.pre', 'custom.Bad', 'nonsense'])('cannot be %s', (event) => {
    expect(now(engineOf([emitter(event)]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      hook: 'emitter',
    });
  });

  it('stops at a depth, however the events emit each other', () => {
    let depth = 0;
    const loop = hook({
      event: 'custom.loop',
      body: (_, open) => {
        depth = Math.max(depth, open.depth);
        return modify({ got: open.emit('custom.loop', {}) as never });
      },
    });
    expect(now(engineOf([emitter('custom.loop'), loop]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      reason: expect.stringContaining('more than 8 deep'),
    });
    expect(depth).toBe(8);
  });

  it('may be asynchronous, and keeps the effects of its hooks', async () => {
    const slow = hook({
      name: 'slow',
      event: 'custom.slow',
      body: async (_, open) => {
        open.log('info', 'heard');
        return modify({ n: 5 });
      },
    });
    const emitting = hook({
      body: async (_, open) => modify({ got: (await open.emit('custom.slow', {})) as never }),
    });
    const outcome = await engineOf([emitting, slow]).decide('tool.pre', call);
    expect(outcome).toMatchObject({ payload: { got: { n: 5 } }, effects: [{ kind: 'log', hook: 'slow' }] });
  });

  it('is seen by the observer before the event around it', () => {
    const seen: [string, number][] = [];
    const observe = (outcome: Outcome, depth: number) => void seen.push([outcome.event, depth]);
    engineOf([emitter('custom.inner')], { observe }).decide('tool.pre', call);
    expect(seen).toEqual([
      ['custom.inner', 1],
      ['tool.pre', 0],
    ]);
  });
});

describe('a registry that changes during a dispatch', () => {
  it('[C014] does not disturb it; the change takes effect next time', () => {
    const registry = new Registry();
    const called: string[] = [];
    const removeLast = registry.add(
      hook({ name: 'last', priority: 3, body: () => void called.push('last') }),
    );
    registry.add(
      hook({
        name: 'first',
        priority: 1,
        body: () => {
          called.push('first');
          removeLast();
          registry.add(hook({ name: 'new', priority: 2, body: () => void called.push('new') }));
        },
      }),
    );
    const { host, run } = engineOf([]);
    const engine = new Engine({ registry, host, run });
    engine.decide('tool.pre', call);
    expect(called).toEqual(['first', 'last']);
    called.length = 0;
    engine.decide('tool.pre', call);
    expect(called).toEqual(['first', 'new']);
  });
});
