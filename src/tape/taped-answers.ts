/**
 * Answers that are on the tape instead of in a hook: of hooks that are no longer there, and of those that ended by the clock,
 * which no machine can be made to repeat.
 */
import type { Json } from '../base/index.ts';
import type { Action, Decision, Effect, Failure, FrontEnd, Hook, Reply } from '../engine/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import type { HookPart } from './entry.ts';

/** What a hook said then, handed to the pipeline as if it said it now. */
export class RecordedReply {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

/** Why a condition failed then. */
export class RecordedFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The reply a part came of: what the pipeline itself made of it is left for the pipeline to make again. */
export function replyFrom(part: HookPart, hook: Pick<PolicyHook, 'mode' | 'event'>): Reply {
  const decision = decisionFrom(part);
  const effects = ownEffects(part, hook);
  const warnings = part.warnings ?? [];
  // If a decision led to the failure, the pipeline finds the same fault with it.
  if (decision !== null) return { decision, effects, warnings };
  return { failure: part.failure ?? UNKNOWN, effects, warnings };
}

const UNKNOWN: Failure = { kind: 'error', code: 'HOOK_THREW', message: 'not recorded' };

function decisionFrom({ result, reason = '', raw = null, policy }: HookPart): Decision | null {
  const action = result ?? (policy === undefined ? 'allow' : null);
  return action === null ? null : DECISIONS[action](reason, raw);
}

const DECISIONS: { readonly [A in Action]: (reason: string, raw: Json) => Decision } = {
  allow: () => ({ action: 'allow' }),
  block: (reason) => ({ action: 'block', reason }),
  ask: (reason) => ({ action: 'ask', reason }),
  permit: (reason) => ({ action: 'permit', reason }),
  modify: (_reason, payload) => ({ action: 'modify', payload }),
  delegate: (_reason, request) => ({ action: 'delegate', request }),
};

/**
 * In mode `warn` the pipeline leaves a reminder in the place of a decision it could have taken. The tape does not repeat whose an
 * effect is, nor on which event its hook logged.
 */
function ownEffects(part: HookPart, { mode, event }: Pick<PolicyHook, 'mode' | 'event'>): readonly Effect[] {
  const { effects = [], policy, vetoIgnored } = part;
  const muted = policy === undefined && mode === 'warn' && vetoIgnored === 'mode is warn';
  const own = muted ? effects.slice(0, -1) : effects;
  return own.map(
    (effect) => ({ hook: part.hook, ...(effect.kind === 'log' && { event }), ...effect }) as Effect,
  );
}

const CONDITION_PREFIX = 'condition failed: ';

export function conditionFailure({ failure, reason = '' }: HookPart): RecordedFailure {
  const message = reason.startsWith(CONDITION_PREFIX) ? reason.slice(CONDITION_PREFIX.length) : reason;
  return new RecordedFailure(failure ?? { kind: 'error', code: 'HOOK_THREW', message });
}

const wrapped = new WeakMap<FrontEnd, FrontEnd>();

/** The front end, for hooks whose answer may be given. One for each: the pipeline tells views apart by their front end. */
export function recordedFrontEnd(frontEnd: FrontEnd): FrontEnd {
  const known = wrapped.get(frontEnd) ?? replayingFrontEnd(frontEnd);
  wrapped.set(frontEnd, known);
  return known;
}

/** The same of a front end that nobody else has. */
export function replayingFrontEnd(frontEnd: FrontEnd): FrontEnd {
  return {
    ...frontEnd,
    interpret: (returned, hook, event) =>
      returned instanceof RecordedReply ? returned.reply : frontEnd.interpret(returned, hook, event),
    explain: (thrown, hook) =>
      thrown instanceof RecordedFailure ? thrown.failure : frontEnd.explain(thrown, hook),
  };
}

const MODES: Readonly<Record<string, Hook['onError']>> = { allowed: 'allow', threw: 'throw' };

/** What the failure of a hook meant, for one whose `on_error` is an expression. */
export function failureModeOf(part: HookPart | null | undefined): Hook['onError'] {
  return MODES[part?.policy ?? ''] ?? 'block';
}
