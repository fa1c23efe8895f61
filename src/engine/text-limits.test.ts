/** The words of a hook have sizes: what is longer is cut where it enters the pipeline, and says how long it was. */
import { describe, expect, it } from 'vitest';
import { decisions, engineOf, hook, now } from '../../test/support/plain-hook.ts';
import { LIMITS } from './hook-limits.ts';
import { RunState } from './run-state.ts';

const call = { id: '1', name: 'run_command', args: { command: 'ls' } };
const LONG = 'word '.repeat(4_000_000);
/** The number of characters, in words, behind the cut. */
const SLACK = 40;

describe('[S33] what a hook says at great length', () => {
  it.each(['block', 'ask'] as const)('is cut in the reason of %s, also in the trace', (action) => {
    const body = () => decisions[action](LONG);
    const { reason, trace } = now(engineOf([hook({ body })], { canAsk: true }).decide('tool.pre', call));
    expect(reason).toMatch(/^word .*… \(20000000 characters\)$/);
    expect(reason!.length).toBeLessThan(LIMITS.line + SLACK);
    expect(trace[0]!.reason).toBe(reason);
  });

  it('is cut in the message of a failure', () => {
    const body = () => {
      throw new Error(LONG);
    };
    const { action, reason, trace } = now(engineOf([hook({ body })]).decide('tool.pre', call));
    expect(action).toBe('block');
    expect(reason!.length).toBeLessThan(LIMITS.line + 2 * SLACK);
    expect(trace[0]!.failure!.message.length).toBeLessThan(LIMITS.line + SLACK);
  });

  it('is cut in log lines and in attachments, on the outcome and in the run', () => {
    const run = new RunState();
    const talking = hook({
      body: (_, given) => {
        given.log('info', LONG);
        given.effect({ kind: 'context', hook: 'sample', text: LONG });
        given.effect({ kind: 'output', hook: 'sample', text: LONG });
        given.effect({ kind: 'reminder', hook: 'sample', reminder: { body: LONG, tags: ['a'] } });
      },
    });
    const { effects } = now(engineOf([talking], { run }).decide('tool.pre', call));
    expect(effects.map(({ kind }) => kind)).toEqual(['log', 'context', 'output', 'reminder']);
    expect(JSON.stringify(effects).length).toBeLessThan(LIMITS.line + 3 * LIMITS.text + 1000);
    expect(effects[3]).toMatchObject({ reminder: { tags: ['a'] } });
    expect(run.logs[0]!.message.length).toBeLessThan(LIMITS.line + SLACK);
  });

  it('is left as it is where it fits', () => {
    const fits = 'x'.repeat(LIMITS.line);
    const { reason } = now(engineOf([hook({ body: () => decisions.block(fits) })]).decide('tool.pre', call));
    expect(reason).toBe(fits);
  });
});
