/**
 * The decision constructors. What they return is a value of its own type, so that no payload a script builds can be
 * taken for a decision by accident.
 */

import type { Json } from '../../base/index.ts';
import type { Decision, DecisionSite } from '../../engine/index.ts';
import {
  builtin,
  type CallSite,
  type ReprWriter,
  StarObject,
  type Thread,
  toJson,
  type Value,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';

export class DecisionValue extends StarObject {
  readonly type = 'decision';
  readonly decision: Decision;
  /** What the model is to know beside the decision; null: nothing. */
  readonly context: string | null;
  private readonly madeAt: CallSite | null;

  constructor(decision: Decision, context: string | null = null, madeAt: CallSite | null = null) {
    super();
    this.decision = decision;
    this.context = context;
    this.madeAt = madeAt;
  }

  /** Where the script says it. */
  get site(): DecisionSite | undefined {
    if (this.madeAt === null) return undefined;
    const { file, line } = this.madeAt.source.position(this.madeAt.at);
    return { file, line };
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
  [
    'allow',
    builtin('allow', '*, context=None', (_thread, context) =>
      context === null ? ALLOW : new DecisionValue({ action: 'allow' }, contextOf('allow', context)),
    ),
  ],
  [
    'block',
    builtin('block', 'reason, *, context=None', (thread, reason, context) =>
      decisionValue(thread, 'block', reason, context),
    ),
  ],
  [
    'ask',
    builtin('ask', 'reason, *, context=None', (thread, reason, context) =>
      decisionValue(thread, 'ask', reason, context),
    ),
  ],
  [
    'permit',
    builtin('permit', 'reason="", *, context=None', (thread, reason, context) =>
      decisionValue(thread, 'permit', reason, context),
    ),
  ],
  [
    'modify',
    builtin('modify', 'payload, *, context=None', (thread, payload, context) => {
      const decision = { action: 'modify', payload: toJson(payload, thread) as Json } as const;
      return new DecisionValue(decision, contextOf('modify', context), thread.callSite());
    }),
  ],
  [
    'delegate',
    builtin('delegate', 'request, *, context=None', (thread, request, context) => {
      const decision = { action: 'delegate', request: toJson(request, thread) as Json } as const;
      return new DecisionValue(decision, contextOf('delegate', context), thread.callSite());
    }),
  ],
]);

function decisionValue(
  thread: Thread,
  action: keyof typeof DEFAULT_REASONS,
  reason: Value,
  context: Value,
): DecisionValue {
  const text = wantString(action, 'reason', reason).trim();
  const decision = { action, reason: text === '' ? DEFAULT_REASONS[action] : text } as const;
  return new DecisionValue(decision, contextOf(action, context), thread.callSite());
}

function contextOf(action: string, context: Value): string | null {
  return context === null ? null : wantString(action, 'context', context);
}
