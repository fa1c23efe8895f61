/** `outcome.mayRun`: the one question a program asks before it acts, answered the same way for every action and failure. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { decisions, engineOf, hook, now } from '../../test/support/plain-hook.ts';
import type { Outcome } from './decision.ts';
import type { EngineOptions } from './engine.ts';
import type { Hook } from './hook.ts';

const { allow, block, modify, ask } = decisions;
const call = { id: '1', name: 'run_command', args: { command: 'ls' } };

const crash = () => {
  throw new Error('broken');
};

function outcomeOf(given: Partial<Hook> & { body: unknown }, options: Partial<EngineOptions> = {}): Outcome {
  const made = hook(given as Parameters<typeof hook>[0]);
  return now(engineOf([made], { canAsk: true, ...options }).decide(made.event, call as never));
}

describe('outcome.mayRun', () => {
  it.each([
    ['allow', true, { body: allow }],
    ['modify', true, { body: () => modify({ args: {} }) }],
    ['permit', true, { event: 'permission.asked', body: () => ({ action: 'permit', reason: 'known' }) }],
    ['block', false, { body: () => block('no') }],
    ['ask', false, { body: () => ask('sure?') }],
    ['delegate', false, { event: 'agent.stop', body: () => ({ action: 'delegate', request: {} }) }],
  ] as const)('after %s is %s', (action, mayRun, given) => {
    const outcome = outcomeOf(given, { canDelegate: true });
    expect(outcome.action).toBe(action);
    expect(outcome.mayRun).toBe(mayRun);
  });

  it.each([
    ['block', 'tool.pre', false],
    ['throw', 'tool.pre', false],
    ['allow', 'tool.pre', true],
    // Nothing can block this event: the action stays allow, and the host still has to fail the operation.
    ['throw', 'session.start', false],
  ] as const)('after a hook failed under on_error: %s on %s is %s', (onError, event, mayRun) => {
    expect(outcomeOf({ event, onError, body: crash }).mayRun).toBe(mayRun);
  });

  it('is a plain boolean to the compiler', () => {
    expectTypeOf<Outcome<'tool.pre'>['mayRun']>().toEqualTypeOf<boolean>();
  });

  it('follows from the rest of the outcome, and is not written to tapes or other records', () => {
    expect(JSON.stringify(outcomeOf({ body: () => ask('sure?') }))).not.toContain('mayRun');
  });
});
