/**
 * The decision constructors. What they return is a value of its own type, so that no payload a script builds can be
 * taken for a decision by accident.
 */

import type { Json } from '../../base/json.ts';
import type { Decision } from '../../events/decision.ts';
import {
  builtin,
  type ReprWriter,
  StarObject,
  toJson,
  type Value,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';

export class DecisionValue extends StarObject {
  readonly type = 'decision';
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }

  /** The same names as the dict form, so that both read alike. */
  override attr(name: string): Value | undefined {
    const held = this.decision as unknown as Readonly<Record<string, Json>>;
    return Object.hasOwn(held, name) ? wrapJson(held[name]) : undefined;
  }

  override attrNames(): readonly string[] {
    return Object.keys(this.decision);
  }

  override writeRepr(out: ReprWriter): void {
    const { action, ...rest } = this.decision;
    out.text(`${action}(`);
    const [value] = Object.values(rest) as Json[];
    if (value !== undefined) out.value(wrapJson(value));
    out.text(')');
  }
}

const ALLOW = new DecisionValue({ action: 'allow' });

/** What a decision without words says. */
export const DEFAULT_REASONS = {
  block: 'blocked by policy',
  ask: 'a person has to confirm this',
  permit: 'permitted by policy',
} as const;

export const DECISIONS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['allow', builtin('allow', '', () => ALLOW)],
  ['block', builtin('block', 'reason', (_thread, reason) => spoken('block', reason))],
  ['ask', builtin('ask', 'reason', (_thread, reason) => spoken('ask', reason))],
  ['permit', builtin('permit', 'reason=""', (_thread, reason) => spoken('permit', reason))],
  [
    'modify',
    builtin('modify', 'payload', (thread, payload) => {
      return new DecisionValue({ action: 'modify', payload: toJson(payload, thread) as Json });
    }),
  ],
  [
    'delegate',
    builtin('delegate', 'request', (thread, request) => {
      return new DecisionValue({ action: 'delegate', request: toJson(request, thread) as Json });
    }),
  ],
]);

function spoken(action: keyof typeof DEFAULT_REASONS, reason: Value): DecisionValue {
  const text = wantString(action, 'reason', reason).trim();
  return new DecisionValue({ action, reason: text === '' ? DEFAULT_REASONS[action] : text });
}
