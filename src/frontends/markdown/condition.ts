/**
 * Conditions made of conditions: a hook's own `when`, the number in its event's name, what its bundle demands.
 */

import { isJsonObject } from '../../base/index.ts';
import { type Condition, type EventParameter, isReached } from '../../engine/index.ts';
import { partOf } from '../../script/index.ts';
import { Dict } from '../../starlark/index.ts';

/** All of them, judged in order. Null for none: such a hook matches always. */
export function allOf(conditions: readonly Condition[]): Condition | null {
  const [first, ...others] = conditions;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const indexable = partOf(first.indexable);
  return {
    text: conditions.map((condition) => `(${condition.text})`).join(' and '),
    test: (seen, call) => {
      for (const condition of conditions) if (!condition.test(seen, call)) return false;
      return true;
    },
    mayRaise: (spec) => conditions.some((condition) => condition.mayRaise?.(spec) !== false),
    // Only what is judged first is certain to say no before anything else can raise.
    ...(indexable !== undefined && { indexable }),
  };
}

/** `OnBudgetThreshold(80)`: the payload's number has reached the one in the name, for the first time if the payload says so. */
export function atLeast(parameter: EventParameter): Condition {
  return {
    text: `${parameter.key} >= ${parameter.value}`,
    test: (seen) => {
      const json = seen instanceof Dict ? seen.source : null;
      return isJsonObject(json) && isReached(parameter, json);
    },
    mayRaise: () => false,
  };
}
