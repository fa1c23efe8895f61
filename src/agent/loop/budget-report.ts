/**
 * Says when a session has used a share of what it may spend: `budget.threshold`, once for each share, as soon as the answer
 * that crossed it is there.
 */
import { checkpoint, failOn, fire, here } from './fire.ts';
import type { Scope, SessionState } from './state.ts';

const SHARES = [50, 80, 100];

export async function reportBudget(scope: Scope): Promise<void> {
  const { state } = scope;
  const { spent, limit } = nearestLimit(state);
  for (const percentage of SHARES) {
    if (percentage <= state.budgetReported || spent * 100 < percentage * limit) continue;
    state.budgetReported = percentage;
    failOn(await fire(scope, 'budget.threshold', { percentage, spent, limit, ...here(state) }));
    checkpoint(scope);
  }
}

/** Tokens or money, whichever is nearer to its end. */
function nearestLimit({ usage, costUsd, config }: SessionState): { spent: number; limit: number } {
  const { maxTokens, maxCostUsd } = config.limits;
  const tokens = usage.input_tokens + usage.output_tokens;
  return costUsd / maxCostUsd > tokens / maxTokens
    ? { spent: costUsd, limit: maxCostUsd }
    : { spent: tokens, limit: maxTokens };
}
