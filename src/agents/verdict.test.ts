import { describe, expect, it } from 'vitest';
import type { Outcome } from '../engine/decision.ts';
import { isChanged, verdictOf } from './verdict.ts';

const CALL = { id: '1', name: 'run_command', args: { command: 'ls' } };

function outcome(action: Outcome['action'], more: Partial<Outcome> = {}): Outcome {
  return {
    event: 'tool.pre',
    action,
    mayRun: (action === 'allow' || action === 'modify') && more.failure === undefined,
    reason: null,
    hook: null,
    payload: CALL,
    effects: [],
    trace: [],
    ...more,
  };
}

const decidedBy = { name: 'x', layer: 'user', rank: 2, frontEnd: 'markdown', source: 'x.md' };

describe('the verdict over a native call', () => {
  it('is the strictest word of all its parts, a block before an ask before a rewrite', () => {
    const block = outcome('block', { hook: 'x', reason: 'no' });
    const ask = outcome('ask', { hook: 'y', reason: 'sure?' });
    const modify = outcome('modify', { payload: { ...CALL, args: { command: 'pwd' } } });
    const calls = [CALL, CALL, CALL];
    expect(verdictOf([modify, ask, block], calls).action).toBe('block');
    expect(verdictOf([modify, ask, outcome('allow')], calls).action).toBe('ask');
    expect(verdictOf([modify, outcome('allow'), outcome('allow')], calls)).toMatchObject({
      action: 'modify',
      payloads: [{ args: { command: 'pwd' } }, CALL, CALL],
    });
    expect(verdictOf([outcome('allow')], [CALL])).toEqual({ action: 'allow', context: null, message: null });
  });

  it('names the hook that blocks, its layer if it is not the project, and its reason', () => {
    const said = (more: Partial<Outcome>) => verdictOf([outcome('block', { reason: 'no', ...more })], [CALL]);
    expect(said({ hook: 'x' })).toMatchObject({
      reason: 'Blocked by hook "x": no',
      message: 'Blocked by hook "x": no',
    });
    expect(said({ hook: 'x', decidedBy })).toMatchObject({ reason: 'Blocked by hook "x" (user): no' });
  });

  it('blocks for a hook that failed under throw, and for a delegate that nobody carries out', () => {
    const failure = { kind: 'error', code: 'HOOK_THREW', message: 'bad', hook: 'x' } as const;
    expect(verdictOf([outcome('allow', { failure })], [CALL])).toMatchObject({
      action: 'block',
      reason: 'Blocked: hook "x" failed: bad',
    });
    expect(verdictOf([outcome('delegate', { hook: 'x' })], [CALL]).action).toBe('block');
  });

  it('lets other events that the moment is block and ask, and refuses what they rewrite', () => {
    const also = (action: Outcome['action']) =>
      verdictOf([outcome('allow')], [CALL], [outcome(action, { hook: 'x', reason: 'r' })]);
    expect(also('block').action).toBe('block');
    expect(also('ask').action).toBe('ask');
    expect(also('modify').action).toBe('block');
    expect(also('allow').action).toBe('allow');
  });

  it('asks about what hooks before had rewritten, so that a yes runs what was judged', () => {
    const payload = { ...CALL, args: { command: 'pwd' } };
    const asked = verdictOf([outcome('ask', { payload, hook: 'x', reason: 'sure?' })], [CALL]);
    expect(asked).toMatchObject({ action: 'ask', payloads: [payload] });
    expect(verdictOf([outcome('ask', { reason: 'sure?' })], [CALL])).not.toHaveProperty('payloads');
  });

  it('gives context and reminders to the model and output to the person, each text once', () => {
    const context = { kind: 'context', hook: 'x', text: 'remember' } as const;
    const reminder = { kind: 'reminder', hook: 'x', reminder: { body: 'mind' } } as const;
    const output = { kind: 'output', hook: 'x', text: 'shown' } as const;
    const effects = [context, context, reminder, output];
    expect(verdictOf([outcome('allow', { effects })], [CALL])).toEqual({
      action: 'allow',
      context: 'remember\nmind',
      message: 'shown',
    });
  });

  it('bounds what it says', () => {
    const { reason } = verdictOf([outcome('block', { reason: 'x'.repeat(1e6) })], [CALL]) as {
      reason: string;
    };
    expect(reason.length).toBeLessThan(9000);
  });
});

describe('whether a payload was changed', () => {
  it('does not count what the engine fills in', () => {
    expect(isChanged(CALL, { ...CALL, arguments: '{}' })).toBe(false);
    expect(isChanged(CALL, { ...CALL, args: { command: 'pwd' } })).toBe(true);
    expect(isChanged('a', 'b')).toBe(true);
  });
});
