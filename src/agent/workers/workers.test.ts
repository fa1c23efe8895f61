import { describe, expect, it } from 'vitest';
import {
  decisions,
  engineOf,
  type HookSketch,
  hook,
  plainFrontEnd,
} from '../../../test/support/plain-hook.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Outcome } from '../../engine/decision.ts';
import { checkPayload } from '../../engine/describe.ts';
import { createHooks } from '../../frontends/code/functions/register.ts';
import { scriptedProvider } from '../providers/scripted.ts';
import { Session } from '../session.ts';
import { Workers } from './workers.ts';

const { block, modify } = decisions;

function watched(...hooks: HookSketch[]) {
  const outcomes: Outcome[] = [];
  const engine = engineOf(
    hooks.map((sketch) => hook(sketch)),
    { observe: (outcome) => outcomes.push(outcome) },
  );
  const workers = new Workers({ hooks: engine });
  return { workers, outcomes, names: () => outcomes.map(({ event }) => event) };
}

describe('[C093] the life of a worker', () => {
  it('[C093] fires an event for each step, with who it is', async () => {
    const { workers, outcomes, names } = watched();
    const one = await workers.spawn('index', 'agent_1');
    await one.progress({ done: 3 });
    await one.waitForInput('which branch?');
    await one.suspend('night');
    await one.resume();
    await one.complete('ok');
    await (await workers.spawn('b')).fail('no disk');
    await (await workers.spawn('c')).cancel();
    expect(names().filter((name) => name.startsWith('worker.'))).toEqual([
      'worker.spawned',
      'worker.progressed',
      'worker.waiting_for_input',
      'worker.suspended',
      'worker.resumed',
      'worker.completed',
      'worker.spawned',
      'worker.failed',
      'worker.spawned',
      'worker.cancelled',
    ]);
    expect(outcomes[1]!.payload).toEqual({
      id: 'worker_1',
      name: 'index',
      parent_id: 'agent_1',
      progress: { done: 3 },
    });
    expect(outcomes.flatMap(({ event, payload }) => checkPayload(event, payload))).toEqual([]);
  });

  it('is watched only: vetoes and rewrites are ignored, and say so', async () => {
    for (const said of [block('no'), modify({ name: 'other' })]) {
      const { workers, outcomes } = watched({ event: 'worker.completed', body: () => said });
      const worker = await workers.spawn('a');
      await worker.complete();
      expect(worker.state).toBe('completed');
      expect(outcomes.at(-1)!.trace[0]!.vetoIgnored).toBeTruthy();
    }
  });

  it('[C093] takes no reminders', async () => {
    const reminding = hook({
      event: 'worker.spawned',
      frontEnd: {
        ...plainFrontEnd,
        interpret: (_returned, { name }) => ({
          decision: { action: 'allow' },
          effects: [{ kind: 'reminder', hook: name, reminder: { body: 'look', preserve_on_compact: true } }],
        }),
      },
      body: () => null,
    });
    const session = new Session({ provider: scriptedProvider({ completions: [] }), hooks: [reminding] });
    await new Workers({ hooks: session }).spawn('a');
    expect(session.reminders.drain(0)).toEqual([]);
    expect(session.reminders.takeRecords()).toMatchObject([{ kind: 'dropped' }]);
    await session.close();
  });

  it('refuses a step that its state does not allow', async () => {
    const { workers } = watched();
    const worker = await workers.spawn('a');
    await expect(worker.resume()).rejects.toMatchObject({ code: 'WORKER_STATE' });
    await worker.complete();
    await expect(worker.cancel()).rejects.toThrow('worker_1 is completed and cannot be cancelled');
  });
});

describe('[C092] suspend, resume and drain', () => {
  it('[C092] fire a gate before and an event after', async () => {
    const { workers, names } = watched();
    const worker = await workers.spawn('a');
    expect(await worker.suspend('night')).toEqual({ ok: true });
    expect(workers.unsettled.snapshot().unsettled.suspended_subagents).toEqual([
      { id: 'worker_1', name: 'a', reason: 'night' },
    ]);
    expect(await worker.resume()).toEqual({ ok: true });
    expect(workers.unsettled.isEmpty).toBe(true);
    expect(names()).toEqual([
      'worker.spawned',
      'suspend.pre',
      'worker.suspended',
      'suspend.post',
      'resume.pre',
      'worker.resumed',
      'resume.post',
    ]);
  });

  it.each([
    ['suspend.pre', 'running'],
    ['resume.pre', 'suspended'],
  ])('[C092] a block on %s leaves the worker %s', async (event, state) => {
    const { workers } = watched({ event, name: 'guard', body: () => block('not now') });
    const worker = await workers.spawn('a');
    const said = await worker.suspend();
    const last = said.ok ? await worker.resume() : said;
    expect(last).toEqual({ ok: false, reason: 'blocked by hook "guard": not now' });
    expect(worker.state).toBe(state);
    expect(workers.unsettled.isEmpty).toBe(state === 'running');
  });

  it('[C092] drain decides on each in the order they were suspended', async () => {
    const { workers, outcomes, names } = watched();
    for (const name of ['a', 'b', 'c']) await (await workers.spawn(name)).suspend();
    const before = outcomes.length;
    const decided = { a: 'resume', b: 'cancel', c: 'keep' } as const;
    expect(await workers.drain(({ name }) => decided[name as keyof typeof decided])).toEqual({ ok: true });
    expect(names().slice(before)).toEqual([
      'drain.pre',
      'drain.decision',
      'resume.pre',
      'worker.resumed',
      'resume.post',
      'drain.decision',
      'worker.cancelled',
      'drain.decision',
      'drain.post',
    ]);
    const payloads = outcomes.slice(before).map(({ payload }) => payload as JsonObject);
    expect(payloads[0]).toEqual({ pending: 3, ids: ['worker_1', 'worker_2', 'worker_3'] });
    expect(payloads.at(-1)).toEqual({ pending: 1, ids: ['worker_3'] });
    expect(outcomes.flatMap(({ event, payload }) => checkPayload(event, payload))).toEqual([]);
  });

  it('[C092] a block on drain.pre settles nothing', async () => {
    const { workers, names } = watched({ event: 'drain.pre', name: 'guard', body: () => block('later') });
    await (await workers.spawn('a')).suspend();
    expect(await workers.drain(() => 'cancel')).toEqual({
      ok: false,
      reason: 'blocked by hook "guard": later',
    });
    expect(names().at(-1)).toBe('drain.pre');
    expect(workers.unsettled.snapshot().counts.suspended_subagents).toBe(1);
  });

  it('a hook that fails under throw is a typed error', async () => {
    const broken = () => Promise.reject(new Error('x'));
    const { workers } = watched({ event: 'suspend.pre', body: broken, onError: 'throw' });
    const worker = await workers.spawn('a');
    await expect(worker.suspend()).rejects.toMatchObject({ code: 'WORKER_STATE' });
    expect(worker.state).toBe('running');
  });

  it('are known to Harn handlers in both spellings', () => {
    const hooks = createHooks();
    const register = (name: string) => hooks.registerSessionHook(name as 'pre_suspend', () => null);
    const NAMES = 'PreSuspend post_suspend PreResume post_resume pre_drain OnDrainDecision PostDrain';
    for (const name of NAMES.split(' ')) expect(() => register(name), name).not.toThrow();
    expect(() => register('worker_spawned')).toThrow();
  });
});
