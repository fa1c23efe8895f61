import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now, plainFrontEnd } from '../../test/support/plain-hook.ts';
import { RunState } from './run-state.ts';

const { block, modify, ask } = decisions;
const call = { id: '1', name: 'run_command', args: { command: 'ls' } };

describe('ask, permit and delegate', () => {
  const asking = hook({ name: 'asks', priority: 1, body: () => ask('sure?') });

  it('[C019] is ask where somebody can answer, decided by the first hook that asked', () => {
    const second = hook({ name: 'too', priority: 2, body: () => ask('really?') });
    const outcome = now(engineOf([asking, second], { canAsk: true }).decide('tool.pre', call));
    expect(outcome).toMatchObject({ action: 'ask', reason: 'sure?; really?', hook: 'asks' });
    expect(outcome.trace.map((entry) => entry.decision)).toEqual(['ask', 'ask']);
  });

  it('[C019] does not end the chain: a later block blocks, a later modify rewrites', () => {
    const blocking = hook({ name: 'no', priority: 2, body: () => block('no') });
    const rewriting = hook({ name: 're', priority: 2, body: () => modify({ args: {} }) });
    expect(now(engineOf([asking, blocking], { canAsk: true }).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      hook: 'no',
    });
    expect(now(engineOf([asking, rewriting], { canAsk: true }).decide('tool.pre', call))).toMatchObject({
      action: 'ask',
      payload: { args: {} },
    });
  });

  it('[C019] is a block where no person can be asked', () => {
    expect(now(engineOf([asking]).decide('tool.pre', call))).toMatchObject({
      action: 'block',
      reason: 'sure? (needs approval, and there is nobody to ask)',
      hook: 'asks',
    });
  });

  it('is a block where the event can be blocked but not asked about', () => {
    const engine = engineOf([hook({ event: 'tool.post', body: () => ask('show it?') })], { canAsk: true });
    expect(now(engine.decide('tool.post', { name: 'x', content: '' }))).toMatchObject({ action: 'block' });
  });

  it('permits on permission.asked, unless another hook is stricter', () => {
    const permit = hook({ event: 'permission.asked', body: () => ({ action: 'permit', reason: 'known' }) });
    const strict = hook({ event: 'permission.asked', priority: 1, body: () => block('never') });
    expect(now(engineOf([permit]).decide('permission.asked', call))).toMatchObject({
      action: 'permit',
      reason: 'known',
    });
    expect(now(engineOf([permit, strict]).decide('permission.asked', call))).toMatchObject({
      action: 'block',
    });
  });

  it('is a failure to permit anything else', () => {
    const outcome = now(
      engineOf([hook({ name: 'p', body: () => ({ action: 'permit', reason: '' }) })]).decide(
        'tool.pre',
        call,
      ),
    );
    expect(outcome).toMatchObject({
      action: 'block',
      reason: 'hook "p" failed: permit answers permission.asked only, not tool.pre',
      trace: [{ decision: 'permit', failure: { kind: 'invalid_return' }, onFailure: 'blocked' }],
    });
  });

  it('[C018] delegates where event and host can, and ends the chain', () => {
    const body = () => ({ action: 'delegate', request: { agent: 'reviewer' } });
    const hooks = [
      hook({ name: 'd', event: 'agent.stop', priority: 1, body }),
      hook({ name: 'after', event: 'agent.stop', priority: 2 }),
    ];
    const outcome = now(engineOf(hooks, { canDelegate: true }).decide('agent.stop', { response: '' }));
    expect(outcome).toMatchObject({ action: 'delegate', hook: 'd', request: { agent: 'reviewer' } });
    expect(outcome.trace[1]).toMatchObject({ state: 'unreached' });
    expect(now(engineOf(hooks).decide('agent.stop', { response: '' }))).toMatchObject({
      action: 'block',
      reason: 'the hook delegates, but this host cannot delegate',
    });
  });

  it('[C018] does not let a delegate pass where the event knows none', () => {
    const delegating = (event: string) =>
      hook({ event, body: () => ({ action: 'delegate', request: null }) });
    expect(
      now(engineOf([delegating('tool.pre')], { canDelegate: true }).decide('tool.pre', call)),
    ).toMatchObject({
      action: 'block',
      reason: 'the hook delegates, but tool.pre cannot be delegated',
    });
    expect(
      now(engineOf([delegating('error')], { canDelegate: true }).decide('error', { message: '' })),
    ).toMatchObject({
      action: 'allow',
      trace: [{ vetoIgnored: 'nothing can block error' }],
    });
  });
});

describe('authority', () => {
  it.each([
    'session.start',
    'session.end',
    'turn.end',
    'file.edited',
    'finish.post',
    'persona.paused',
    'permission.replied',
  ])('[C026] [C136] a veto on %s is ignored, the chain goes on and the trace says so', (event) => {
    const run = new RunState();
    const hooks = [
      hook({ event, priority: 1, body: () => block('no') }),
      hook({ event, priority: 2, body: () => ask('no?') }),
      hook({ event, priority: 3 }),
    ];
    const outcome = now(engineOf(hooks, { run }).decide(event, {}));
    expect(outcome).toMatchObject({ action: 'allow', reason: null, hook: null });
    expect(outcome.trace.map((entry) => entry.vetoIgnored)).toEqual([
      `nothing can block ${event}`,
      `nothing can block ${event}`,
      undefined,
    ]);
    expect(outcome.trace[0]).toMatchObject({ decision: 'block', reason: 'no' });
    expect(run.health.get('hook.veto_ignored')).toBe(2);
  });

  it('[C027] a veto on finish.pre fails the operation', () => {
    const outcome = now(
      engineOf([hook({ name: 'v', event: 'finish.pre', body: () => block('not yet') })]).decide(
        'finish.pre',
        null,
      ),
    );
    expect(outcome).toMatchObject({
      action: 'allow',
      failure: { hook: 'v', kind: 'invalid_return', message: 'finish.pre does not accept a veto: not yet' },
      trace: [{ onFailure: 'threw' }],
    });
  });

  it('a rewrite of a payload that cannot be rewritten is ignored, visibly', () => {
    const outcome = now(
      engineOf([hook({ event: 'agent.stop', body: () => modify({ response: 'x' }) })]).decide('agent.stop', {
        response: 'y',
      }),
    );
    expect(outcome).toMatchObject({
      action: 'allow',
      payload: { response: 'y' },
      trace: [{ decision: 'modify', vetoIgnored: 'the payload of agent.stop cannot be rewritten' }],
    });
  });

  it('a front end without the power to modify cannot', () => {
    const frontEnd = { ...plainFrontEnd, name: 'settings', powers: { modify: false } };
    const outcome = now(
      engineOf([hook({ frontEnd, body: () => modify({ args: {} }) })]).decide('tool.pre', call),
    );
    expect(outcome).toMatchObject({
      action: 'block',
      reason: 'hook "sample" failed: hooks of the settings front end cannot modify',
      payload: { args: { command: 'ls' } },
    });
  });

  it('a block on tool.post is honoured: the result is withheld', () => {
    const outcome = now(
      engineOf([hook({ event: 'tool.post', body: () => block('secret inside') })]).decide('tool.post', {
        name: 'x',
        content: 's',
      }),
    );
    expect(outcome).toMatchObject({ action: 'block', reason: 'secret inside' });
  });

  it('[C095] the arguments of a step may be rewritten before it runs, its output after', () => {
    const pre = hook({ event: 'step.pre', body: () => modify({ args: ['b'] }) });
    const post = hook({ event: 'step.post', body: () => modify({ output: 2 }) });
    const engine = engineOf([pre, post]);
    expect(now(engine.decide('step.pre', { step: 's', args: ['a'] }))).toMatchObject({
      payload: { step: 's', args: ['b'] },
    });
    expect(now(engine.decide('step.post', { step: 's', args: [], output: 1 }))).toMatchObject({
      payload: { output: 2 },
    });
  });
});

describe('the mode of a hook', () => {
  it.each([
    ['block', () => block('bad'), 'hook "m" would block this: bad'],
    ['ask', () => ask('sure'), 'hook "m" would ask about this: sure'],
    ['modify', () => modify({ args: {} }), 'hook "m" would rewrite this'],
    ['delegate', () => ({ action: 'delegate', request: null }), 'hook "m" would delegate this'],
  ])('warn turns %s into a reminder', (decision, body, text) => {
    const outcome = now(engineOf([hook({ name: 'm', mode: 'warn', body })]).decide('tool.pre', call));
    expect(outcome).toMatchObject({
      action: 'allow',
      payload: call,
      effects: [{ kind: 'reminder', hook: 'm', reminder: { body: text } }],
      trace: [{ decision, mode: 'warn', vetoIgnored: 'mode is warn' }],
    });
  });

  it('shadow records the decision and lets nothing out', () => {
    const outcome = now(
      engineOf([
        hook({
          mode: 'shadow',
          body: (_, call) => {
            call.effect({ kind: 'context', hook: 'sample', text: 'to the model' });
            call.log('info', 'for the record');
            return block('bad');
          },
        }),
      ]).decide('tool.pre', call),
    );
    expect(outcome).toMatchObject({
      action: 'allow',
      trace: [{ decision: 'block', reason: 'bad', vetoIgnored: 'mode is shadow' }],
    });
    expect(outcome.effects.map((effect) => effect.kind)).toEqual(['log']);
  });

  it.each(['warn', 'shadow'] as const)('%s never stops anything by failing', (mode) => {
    const body = () => {
      throw new Error('broken');
    };
    for (const onError of ['block', 'throw'] as const) {
      const outcome = now(
        engineOf([hook({ mode, onError, body }), hook({ position: 1 })]).decide('tool.pre', call),
      );
      expect(outcome).toMatchObject({
        action: 'allow',
        trace: [{ onFailure: 'allowed', vetoIgnored: `mode is ${mode}` }, { state: 'ran' }],
      });
      expect(outcome.failure).toBeUndefined();
    }
  });
});
