/**
 * `budget.threshold` in a session: when it fires, and what it carries.
 */
import { describe, expect, it } from 'vitest';
import { createHooks } from '../../src/exports/hooks.ts';
import { call, echo, names, payloadsOf, play } from '../support/agent.ts';

const spending = (...tokens: number[]) =>
  tokens.map((output_tokens, i) => ({
    usage: { input_tokens: 0, output_tokens },
    ...(i === tokens.length - 1 ? { text: 'Done.' } : { tool_calls: [call('echo')] }),
  }));

describe('budget.threshold', () => {
  it('[C096] fires once for each share of the limit, and calls a hook that names a share once', async () => {
    const hooks = createHooks();
    const heard: number[] = [];
    hooks.registerPersonaHook('*', 'OnBudgetThreshold(80)', ({ percentage }) => {
      heard.push(percentage);
      return { deny: 'stop' };
    });
    const played = await play({
      completions: spending(40, 20, 25, 20, 1),
      tools: [echo],
      hooks: hooks.registry,
      config: { limits: { maxTokens: 100 } },
    });
    expect(payloadsOf(played, 'budget.threshold')).toEqual([
      { percentage: 50, previous: 0, spent: 60, limit: 100, session_id: 's1', turn: 1 },
      { percentage: 80, previous: 50, spent: 85, limit: 100, session_id: 's1', turn: 2 },
      { percentage: 100, previous: 80, spent: 105, limit: 100, session_id: 's1', turn: 3 },
    ]);
    expect(heard).toEqual([80]);
    // It can be watched only: what ends the session is the limit.
    expect(played.result.reason).toBe('budget_exceeded');
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('never fires where there is no limit', async () => {
    const played = await play({ completions: spending(1e9, 1e9), tools: [echo] });
    expect(names(played)).not.toContain('budget.threshold');
  });
});
