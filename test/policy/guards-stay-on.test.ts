/**
 * Guards that could be off without anybody noticing: one added after a sub-agent has begun, one whose condition never
 * answers, one that is given more time than a timer can count.
 */
import { describe, expect, it } from 'vitest';
import { LayeredRegistry } from '../../src/engine/layered-registry.ts';
import { raceTimeout } from '../../src/engine/race.ts';
import { Registry } from '../../src/engine/registry.ts';
import { decisions, engineOf, hook } from '../support/plain-hook.ts';

const CALL = { id: '1', name: 'x', args: {} };
const no = (name: string) => hook({ name, body: () => decisions.block(name) });

describe('a chain over several registries', () => {
  it('has a guard that is added below after the chain was first used', async () => {
    const below = new Registry([hook({ name: 'old' })]);
    const above = new LayeredRegistry(below, [hook({ name: 'own' })]);
    const engine = engineOf([], { registry: above });
    expect((await engine.decide('tool.pre', CALL)).action).toBe('allow');
    const remove = below.add(no('late'));
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block', hook: 'late' });
    remove();
    expect((await engine.decide('tool.pre', CALL)).action).toBe('allow');
  });

  it('has a guard that is added on top after the chain was first used', async () => {
    const above = new LayeredRegistry(new Registry([hook({ name: 'old' })]), [hook({ name: 'own' })]);
    const engine = engineOf([], { registry: above });
    expect((await engine.decide('tool.pre', CALL)).action).toBe('allow');
    const remove = above.add(no('late'));
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block', hook: 'late' });
    remove();
    expect((await engine.decide('tool.pre', CALL)).action).toBe('allow');
  });

  it('reaches a sub-agent of a sub-agent', async () => {
    const below = new Registry([hook({ name: 'old' })]);
    const child = new LayeredRegistry(below, [hook({ name: 'own' })]);
    const engine = engineOf([], { registry: new LayeredRegistry(child, [hook({ name: 'grandchild' })]) });
    expect((await engine.decide('tool.pre', CALL)).action).toBe('allow');
    below.add(no('late'));
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block', hook: 'late' });
  });
});

describe('a condition that does not answer in time', () => {
  it('is a failure of the guard under its failure policy, and does not mean "not mine"', async () => {
    const guard = (onError: 'block' | 'allow') =>
      hook({ name: 'slow', onError, onWhenError: 'skip', timeoutMs: 5, when: () => new Promise(() => {}) });
    const blocked = await engineOf([guard('block')]).decide('tool.pre', CALL);
    expect(blocked).toMatchObject({ action: 'block', hook: 'slow' });
    expect(blocked.trace[0]).toMatchObject({
      state: 'condition_failed',
      failure: { kind: 'timeout' },
      onFailure: 'blocked',
    });
    const allowed = await engineOf([guard('allow')]).decide('tool.pre', CALL);
    expect(allowed.action).toBe('allow');
    expect(allowed.trace[0]).toMatchObject({ failure: { kind: 'timeout' }, onFailure: 'allowed' });
  });
});

describe('a time limit longer than a timer can count', () => {
  it.each([2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER])('of %d ms does not end at once', async (ms) => {
    const work = new Promise((resolve) => setTimeout(() => resolve('done'), 30));
    expect(await raceTimeout(work, ms, null)).toEqual({ kind: 'value', value: 'done' });
  });
});
