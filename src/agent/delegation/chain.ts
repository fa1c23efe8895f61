/**
 * The delegations that hooks string together: each counts against one budget, and none may come up twice. Both ends are
 * errors, so that a hook that never comes to an end stops the work and not the machine.
 */
import { canonicalJson, isJsonObject, type Json } from '../../base/index.ts';
import { DelegationError } from './errors.ts';

export class DelegationChain {
  private readonly budget: number;
  private readonly seen = new Set<string>();

  constructor(budget: number) {
    this.budget = budget;
  }

  /** Throws where the chain may not go on with this request. */
  enter(request: Json): void {
    const key = canonicalJson(withoutIds(request));
    if (this.seen.has(key)) {
      throw new DelegationError(
        'DELEGATION_CYCLE',
        `delegation goes in a circle: the same request came up again after ${this.seen.size} delegations: ${key.slice(0, 200)}`,
      );
    }
    if (this.seen.size >= this.budget) {
      throw new DelegationError(
        'DELEGATION_BUDGET',
        `hooks delegated ${this.seen.size} times in a row, which is the limit`,
      );
    }
    this.seen.add(key);
  }
}

const IDS = new Set(['id', 'parent_id', 'session_id', 'call_id', 'turn']);

/** Ids differ each time; what is asked of whom is what makes two requests the same. */
function withoutIds(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutIds);
  if (typeof value === 'string') return value.trim();
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !IDS.has(key));
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutIds(held)]));
}
