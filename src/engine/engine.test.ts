import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now, plainFrontEnd } from '../../test/support/plain-hook.ts';
import { RunState } from './run-state.ts';

const { allow, block, modify } = decisions;
const call = { id: '1', name: 'run_command', args: { command: 'ls' } };

describe('a decision', () => {
  it('[C138] is allow with the payload untouched where nobody listens', () => {
    const payload = { message: 'x' };
    const outcome = now(engineOf([]).decide('error', payload));
    expect(outcome).toMatchObject({
      event: 'error',
      action: 'allow',
      reason: null,
      hook: null,
      effects: [],
      trace: [],
    });
    expect(outcome.payload).toBe(payload);
  });

  it('[C015] [C020] [C024] is the first block, with its bare reason and its hook; later hooks are unreached', () => {
    const called: string[] = [];
    const outcome = now(
      engineOf([
        hook({ name: 'audit', priority: 1, body: () => void called.push('audit') }),
        hook({ name: 'guard', priority: 10, body: () => block('not this') }),
        hook({ name: 'second', priority: 20, body: () => void called.push('second') }),
      ]).decide('tool.pre', call),
    );
    expect(outcome).toMatchObject({ action: 'block', reason: 'not this', hook: 'guard' });
    expect(called).toEqual(['audit']);
    expect(outcome.trace.map(({ hook, state, decision }) => [hook, state, decision])).toEqual([
      ['audit', 'ran', 'allow'],
      ['guard', 'ran', 'block'],
      ['second', 'unreached', null],
    ]);
  });

  it('[C025] has a reason even where the hook gave none', () => {
    expect(now(engineOf([hook({ body: () => block('  ') })]).decide('tool.pre', call)).reason).toBe(
      'no reason given',
    );
  });

  it('[C021] [C022] is modify when any hook rewrote, and later hooks and the host see the rewritten payload', () => {
    const seen: unknown[] = [];
    const outcome = now(
      engineOf([
        hook({ name: 'rewrite', priority: 1, body: () => modify({ args: { command: 'ls -l' } }) }),
        hook({ name: 'look', priority: 2, body: (payload) => void seen.push(payload.args) }),
        hook({ name: 'pass', priority: 3, body: allow }),
      ]).decide('tool.pre', call),
    );
    expect(seen).toEqual([{ command: 'ls -l' }]);
    expect(outcome).toMatchObject({
      action: 'modify',
      hook: 'rewrite',
      payload: { ...call, args: { command: 'ls -l' }, arguments: '{"command":"ls -l"}' },
    });
  });

  it('keeps the payload as it stood when a block ends the chain', () => {
    const outcome = now(
      engineOf([
        hook({ priority: 1, body: () => modify({ args: {} }) }),
        hook({ priority: 2, body: () => block('no') }),
      ]).decide('tool.pre', call),
    );
    expect(outcome).toMatchObject({ action: 'block', payload: { args: {}, arguments: '{}' } });
  });

  it('[C015] is allow for a hook without a body', () => {
    const outcome = now(engineOf([hook({ body: null })]).decide('tool.pre', call));
    expect(outcome).toMatchObject({ action: 'allow', trace: [{ state: 'ran', decision: 'allow' }] });
  });

  it('takes an alias for the event and refuses what is none', () => {
    const engine = engineOf([hook({ body: () => block('x') })]);
    expect(now(engine.decide('PreToolUse' as string, call))).toMatchObject({
      event: 'tool.pre',
      action: 'block',
    });
    expect(() => engine.decide('tool.prre' as string, call)).toThrow(
      'event "tool.prre" is invalid (did you mean tool.pre?)',
    );
  });

  it('blocks a tool call whose arguments nobody can judge, without calling a hook', () => {
    const engine = engineOf([hook({ name: 'guard', body: allow })]);
    expect(now(engine.decide('tool.pre', { name: 'x', arguments: '{"broken' }))).toMatchObject({
      action: 'block',
      reason: 'tool.pre: arguments is not the JSON text of an object',
      hook: null,
      trace: [{ hook: 'guard', state: 'unreached' }],
    });
  });

  it('shows a front end each state of the payload once', () => {
    let views = 0;
    const frontEnd = { ...plainFrontEnd, view: (_: string, payload: unknown) => ({ payload, nth: ++views }) };
    const other = { ...frontEnd, name: 'other' };
    const engine = engineOf([
      hook({ priority: 1, frontEnd }),
      hook({ priority: 2, frontEnd: other }),
      hook({ priority: 3, frontEnd }),
      hook({ priority: 4, frontEnd: other, body: () => modify({ note: 1 }) }),
      hook({ priority: 5, frontEnd }),
    ]);
    engine.decide('tool.pre', call);
    expect(views).toBe(3);
  });

  it('shows every front end what another one rewrote', () => {
    const seen: unknown[] = [];
    const other = { ...plainFrontEnd, name: 'other' };
    const look = (payload: { note?: unknown }) => void seen.push(payload.note);
    engineOf([
      hook({ priority: 1 }),
      hook({ priority: 2, frontEnd: other, body: look }),
      hook({ priority: 3, body: () => modify({ note: 1 }) }),
      hook({ priority: 4, body: look }),
      hook({ priority: 5, frontEnd: other, body: look }),
    ]).decide('tool.pre', call);
    expect(seen).toEqual([undefined, 1, 1]);
  });

  it('is plain data, also where a hook copied a text that had not been made yet', () => {
    const body = (payload: { arguments?: unknown }) => modify({ held: [payload.arguments as never] });
    const outcome = now(engineOf([hook({ body })]).decide('tool.pre', call));
    expect(outcome.payload).toEqual({ ...call, arguments: '{"command":"ls"}', held: ['{"command":"ls"}'] });
  });

  it('becomes JSON with everything in it', () => {
    const outcome = now(
      engineOf([hook({ name: 'h', body: () => modify({ note: 1 }) })]).decide('tool.pre', call),
    );
    const json = JSON.parse(JSON.stringify(outcome));
    expect(Object.keys(json)).toEqual([
      'event',
      'action',
      'reason',
      'hook',
      'payload',
      'effects',
      'trace',
      'decidedBy',
    ]);
    expect(json).toMatchObject({
      payload: { note: 1, arguments: '{"command":"ls"}' },
      trace: [{ hook: 'h' }],
    });
  });
});

describe('a condition', () => {
  it('that the index answers wholly is not asked again, unless the key is no string', () => {
    let asked = 0;
    const event = 'completion.pre';
    const indexable = { key: 'model', values: ['large'], whole: true };
    const engine = engineOf([hook({ event, when: () => ++asked > 0, indexable, body: () => block('no') })]);
    expect(now(engine.decide(event as string, { model: 'large' }))).toMatchObject({ action: 'block' });
    expect(now(engine.decide(event as string, { model: 'small' }))).toMatchObject({ action: 'allow' });
    expect(asked).toBe(0);
    expect(now(engine.decide(event as string, {}))).toMatchObject({ action: 'block' });
    expect(asked).toBe(1);
  });

  it('is judged again by the index after a rewrite', () => {
    const indexable = { key: 'name', values: ['sudo'], whole: true };
    const when = () => true;
    const outcome = now(
      engineOf([
        hook({ name: 'rename', priority: 1, body: () => modify({ name: 'sudo' }) }),
        hook({ name: 'before', priority: 0, when, indexable, body: () => block('too early') }),
        hook({ name: 'guard', priority: 2, when, indexable, body: () => block('no') }),
      ]).decide('tool.pre', { name: 'run', args: {} }),
    );
    expect(outcome).toMatchObject({ action: 'block', hook: 'guard' });
    expect(outcome.trace.map((entry) => entry.state)).toEqual(['unmatched', 'ran', 'ran']);
  });

  it('[C037] decides whether the hook runs', () => {
    const guard = hook({ when: (payload) => payload.name === 'rm', body: () => block('no') });
    const engine = engineOf([guard]);
    expect(now(engine.decide('tool.pre', { ...call, name: 'rm' })).action).toBe('block');
    expect(now(engine.decide('tool.pre', call))).toMatchObject({
      action: 'allow',
      trace: [{ state: 'unmatched', matched: false, reason: 'condition is false: test', decision: null }],
    });
  });

  it('[C037] is judged on the payload as earlier hooks left it', () => {
    const engine = engineOf([
      hook({ priority: 1, body: () => modify({ name: 'rm' }) }),
      hook({ priority: 2, when: (payload) => payload.name === 'rm', body: () => block('no') }),
    ]);
    expect(now(engine.decide('tool.pre', call)).action).toBe('block');
  });

  it('[C038] that raises means no match, with a warning', () => {
    const run = new RunState();
    const when = () => {
      throw new Error('key "name" not in dict');
    };
    const engine = engineOf([hook({ when, body: () => block('no') })], { run });
    expect(now(engine.decide('tool.pre', call))).toMatchObject({
      action: 'allow',
      trace: [
        {
          state: 'condition_failed',
          matched: false,
          failure: null,
          reason: 'condition failed: key "name" not in dict',
          warnings: ['condition failed: key "name" not in dict'],
        },
      ],
    });
    expect(run.health.get('hook.condition_failed')).toBe(1);
  });

  it('[C038] that raises blocks where the hook asks for it, whatever its on_error', () => {
    const when = () => {
      throw new Error('oops');
    };
    const engine = engineOf([hook({ name: 'g', when, onWhenError: 'block', onError: 'allow' })]);
    expect(now(engine.decide('tool.pre', call))).toMatchObject({
      action: 'block',
      reason: 'hook "g" failed: oops',
      trace: [{ state: 'condition_failed', onFailure: 'blocked' }],
    });
  });
});

describe('effects', () => {
  it('come out in the order they were left, also from a hook that failed or blocked', () => {
    const run = new RunState();
    const outcome = now(
      engineOf(
        [
          hook({
            name: 'a',
            priority: 1,
            onError: 'allow',
            body: (_, call) => {
              call.effect({ kind: 'context', hook: 'a', text: 'one' });
              throw new Error('late');
            },
          }),
          hook({
            name: 'b',
            priority: 2,
            body: (_, call) => {
              call.log('warn', 'two');
              return block('three');
            },
          }),
        ],
        { run },
      ).decide('tool.pre', call),
    );
    expect(outcome.effects).toMatchObject([
      { kind: 'context', text: 'one' },
      { kind: 'log', hook: 'b', level: 'warn', message: 'two' },
    ]);
    expect(run.logs).toMatchObject([{ hook: 'b', event: 'tool.pre', level: 'warn', message: 'two' }]);
  });

  it('of a reply are kept', () => {
    const effects = [{ kind: 'output', hook: 'x', text: 'hi' }] as const;
    const frontEnd = {
      ...plainFrontEnd,
      interpret: () => ({ decision: { action: 'allow' } as const, effects, warnings: ['odd'] }),
    };
    const outcome = now(engineOf([hook({ frontEnd, body: () => 1 })]).decide('tool.pre', call));
    expect(outcome.effects).toEqual(effects);
    expect(outcome.trace[0]?.warnings).toEqual(['odd']);
  });
});
