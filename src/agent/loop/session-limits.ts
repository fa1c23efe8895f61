/**
 * What bounds a session, and how its settings become complete: one table of defaults, checked once when the session is
 * made. A limit that is no number would be no limit, so it is refused.
 */
import { didYouMean, HarnessError } from '../../base/index.ts';
import type { Usage } from '../message.ts';

export interface SessionLimits {
  /** Round trips to the model for one prompt: a completion and the tools it called are one. */
  readonly maxTurns: number;
  /** Tokens of the whole session, sent and received. */
  readonly maxTokens: number;
  /** Cost of the whole session, as far as the provider knows it. */
  readonly maxCostUsd: number;
  /** Milliseconds one prompt may take. */
  readonly maxMs: number;
  /** Milliseconds one attempt at a completion may take. */
  readonly completionMs: number;
  /** Milliseconds a tool may take that states no limit of its own. */
  readonly toolMs: number;
  /** Characters of a tool's result that are kept; the rest is cut off with a note. */
  readonly toolResultChars: number;
  /** Tool calls of one completion that run at the same time. */
  readonly parallelTools: number;
  /** Milliseconds a person has to answer whether a call may run. */
  readonly approvalMs: number;
  /** Milliseconds the hooks of `session.end` may take all together. */
  readonly endMs: number;
}

export interface RetryPolicy {
  /** Attempts at one completion, the first included. */
  readonly maxAttempts: number;
  /** Wait before the second attempt; doubles from there. */
  readonly baseMs: number;
  /** The longest wait, also where the service asks for more. */
  readonly maxWaitMs: number;
}

export const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 50,
  maxTokens: Number.POSITIVE_INFINITY,
  maxCostUsd: Number.POSITIVE_INFINITY,
  maxMs: Number.POSITIVE_INFINITY,
  completionMs: 600_000,
  toolMs: 120_000,
  toolResultChars: 100_000,
  parallelTools: 16,
  approvalMs: 1_800_000,
  endMs: 10_000,
};

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 4, baseMs: 500, maxWaitMs: 60_000 };

/** Defaults with the given numbers over them. A name that is not in the table, or no number above 0, throws. */
export function numbersOver<T extends object>(defaults: T, given: Partial<T> | undefined, where: string): T {
  const complete = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, name)) {
      const hint = didYouMean(name, Object.keys(defaults));
      throw new HarnessError('SESSION_CONFIG', `${where} has no "${name}"${hint}`);
    }
    if (typeof value !== 'number' || !(value > 0)) {
      throw new HarnessError(
        'SESSION_CONFIG',
        `${where}.${name} wants a number above 0, got ${String(value)}`,
      );
    }
    complete[name] = value;
  }
  return complete as T;
}

export interface SessionUsage {
  readonly usage: Usage;
  readonly costUsd: number;
  /** Round trips of this prompt. */
  readonly turns: number;
}

export interface ExceededLimit {
  readonly reason: 'max_turns' | 'budget_exceeded';
  readonly message: string;
}

/** The limit that stands in the way of asking the model once more, or null. */
export function exceededLimit(limits: SessionLimits, spent: SessionUsage): ExceededLimit | null {
  if (spent.turns >= limits.maxTurns) {
    return { reason: 'max_turns', message: `the model was asked ${spent.turns} times, which is the limit` };
  }
  const tokens = spent.usage.input_tokens + spent.usage.output_tokens;
  if (tokens >= limits.maxTokens) return over(`${tokens} of ${limits.maxTokens} tokens are spent`);
  if (spent.costUsd >= limits.maxCostUsd) {
    return over(`$${spent.costUsd.toFixed(4)} of $${limits.maxCostUsd} are spent`);
  }
  return null;
}

function over(message: string): ExceededLimit {
  return { reason: 'budget_exceeded', message };
}
