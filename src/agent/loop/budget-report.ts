/**
 * Says when a session has used a share of what it may spend: `budget.threshold`, once for each share, as soon as the answer
 * that crossed it is there. The shares are the usual ones and those that hooks name.
 */
import type { Registry } from '../../engine/index.ts';
import { failOn, fire, sessionFields, throwIfEnded } from './fire.ts';
import type { Scope, SessionState } from './state.ts';

export async function reportBudget(scope: Scope): Promise<void> {
  const { state } = scope;
  const { spent, limit } = nearestLimit(state);
  for (const percentage of sharesToReport(state.engine.registry)) {
    if (percentage <= state.budgetReported || spent * 100 < percentage * limit) continue;
    const previous = state.budgetReported;
    state.budgetReported = percentage;
    const crossing = { percentage, previous, spent, limit };
    failOn(await fire(scope, 'budget.threshold', { ...crossing, ...sessionFields(state) }));
    throwIfEnded(scope);
  }
}

const SHARES = [50, 80, 100];

/** What is always reported, and what any hook asks for by number: `OnBudgetThreshold(70)` is called at 70 %. */
export function sharesToReport(registry: Registry, usual: readonly number[] = SHARES): number[] {
  const asked = registry.list('budget.threshold').flatMap(({ threshold }) => threshold ?? []);
  return [...new Set([...usual, ...asked])].sort((a, b) => a - b);
}

/** Tokens or money, whichever is nearer to its end. */
function nearestLimit({ usage, costUsd, config }: SessionState): { spent: number; limit: number } {
  const { maxTokens, maxCostUsd } = config.limits;
  const tokens = usage.input_tokens + usage.output_tokens;
  return costUsd / maxCostUsd > tokens / maxTokens
    ? { spent: costUsd, limit: maxCostUsd }
    : { spent: tokens, limit: maxTokens };
}
