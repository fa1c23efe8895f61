/**
 * Compose: fold what one hook said into what the chain says. What the hook wanted, what its mode and the event let it
 * have, and what became of a failure are written into its trace entry; nothing is dropped in silence.
 */
import type { Json } from '../base/json.ts';
import type { EventSpec } from '../events/catalog.ts';
import type { Action, Decision, Effect, Failure } from '../events/decision.ts';
import { failure } from './failure.ts';
import { count } from './health.ts';
import type { Hook, Reply } from './hook.ts';
import { layerOf } from './layer.ts';
import { type Payload, rewrite, sameJson, whole } from './payload.ts';
import type { RunState } from './run-state.ts';
import type { EntryDraft } from './trace.ts';
import type { Who } from './who.ts';

/** What the chain says so far. */
export interface Verdict {
  readonly event: string;
  readonly spec: EventSpec;
  readonly run: RunState;
  readonly canDelegate: boolean;
  readonly who: Who;
  payload: Payload;
  /** The last hook that rewrote the payload. */
  rewrittenBy: Hook | null;
  blocked: HookReason | null;
  /** The hooks that asked, in their order; a later block still wins. */
  asks: readonly HookReason[];
  permitted: HookReason | null;
  delegated: { readonly hook: Hook; readonly request: Json } | null;
  failure: (Failure & { readonly hook: string }) | null;
  /** Why the engine itself blocks: no hook could judge the payload. */
  refused: string | null;
  effects: Effect[];
  /** What the hook whose turn it is left for the model and the model does not get, with the reason. */
  undelivered: readonly string[];
  /** No further hook is to be called. */
  over: boolean;
  /** Guards judge a call again that was changed after they had: only block and ask count. */
  readonly rechecking: boolean;
  /** What a failure of the hook means for the operation at hand. */
  failureMode(hook: Hook): Hook['onError'];
  /** Whether hooks of a higher layer than this one's have yet to speak. */
  guardsToCome(after: Hook): boolean;
}

/** A hook and what it said. */
export interface HookReason {
  readonly hook: Hook;
  readonly reason: string;
}

type Fold<A extends Action> = (
  verdict: Verdict,
  hook: Hook,
  decision: Extract<Decision, { action: A }>,
  entry: EntryDraft,
) => void;

/** Folds a reply. Throws only where the reply itself does, before anything but its effects has been taken over. */
export function composeReply(verdict: Verdict, hook: Hook, reply: Reply, entry: EntryDraft): void {
  if (reply.warnings !== undefined && reply.warnings.length > 0) entry.warnings = [...reply.warnings];
  if (reply.effects !== undefined) for (const effect of reply.effects) addEffect(verdict, hook, effect);
  if (reply.decision === undefined) {
    composeFailure(verdict, hook, reply.failure, entry);
    return;
  }
  const { decision, unclear } = reply;
  if (unclear !== undefined && hook.strict === true) {
    composeFailure(verdict, hook, failure('invalid_return', unclear), entry);
    return;
  }
  const { action } = decision;
  if (action === 'allow') {
    entry.decision = action;
    return;
  }
  if (!Object.hasOwn(FOLDS, action)) {
    composeFailure(verdict, hook, failure('invalid_return', 'the reply is not a decision'), entry);
    return;
  }
  entry.decision = action;
  (FOLDS[action] as Fold<Action>)(verdict, hook, decision, entry);
}

/** What a failure means under the hook's policy. A hook that only warns or watches never stops anything. */
export function composeFailure(
  verdict: Verdict,
  hook: Hook,
  failed: Failure,
  entry: EntryDraft,
  policy: Hook['onError'] = verdict.failureMode(hook),
): void {
  count(verdict.run, 'hook.failures');
  entry.failure = failed;
  const blockable = blockPower(verdict, hook) === true;
  if (hook.mode !== 'enforce') {
    if (policy !== 'allow') entry.vetoIgnored = `mode is ${hook.mode}`;
    entry.onFailure = 'allowed';
  } else if (policy === 'throw') {
    entry.onFailure = 'threw';
    fail(verdict, hook, failed);
    if (blockable) block(verdict, hook, failureReason(hook, failed));
  } else if (policy === 'block' && blockable) {
    entry.onFailure = 'blocked';
    block(verdict, hook, failureReason(hook, failed));
  } else {
    entry.onFailure = 'allowed';
    if (policy === 'block') ignore(verdict, entry, powerless(verdict));
  }
  if (entry.onFailure === 'allowed') count(verdict.run, 'hook.fail_open');
}

/** Notes of a shadow hook would reach the model or the person; only what is a record stays. */
export function addEffect(verdict: Verdict, hook: Hook, effect: Effect): void {
  if (verdict.rechecking) return;
  // Audit hooks count and log on every call.
  if (effect.kind === 'metric' || effect.kind === 'log' || isKept(verdict, hook, effect))
    verdict.effects.push(effect);
}

/** Notes what the model does not get of it. */
function isKept(verdict: Verdict, hook: Hook, effect: Effect): boolean {
  if (FOR_THE_MODEL.has(effect.kind)) {
    const why =
      verdict.spec.unheard === true
        ? `the model hears nothing of ${verdict.event}`
        : hook.mode === 'shadow'
          ? 'a shadow hook tells the model nothing'
          : null;
    if (why !== null) verdict.undelivered = [...verdict.undelivered, `${effect.kind}: ${why}`];
    if (hook.mode === 'shadow') return false;
  }
  return true;
}

const FOR_THE_MODEL: ReadonlySet<Effect['kind']> = new Set(['reminder', 'context', 'output']);

const FOLDS: { readonly [A in Exclude<Action, 'allow'>]: Fold<A> } = {
  block(verdict, hook, decision, entry) {
    const reason = (entry.reason = reasonOf(decision.reason));
    if (!muted(verdict, hook, entry, `block this: ${reason}`)) veto(verdict, hook, reason, entry);
  },

  ask(verdict, hook, decision, entry) {
    const reason = (entry.reason = reasonOf(decision.reason));
    if (muted(verdict, hook, entry, `ask about this: ${reason}`)) return;
    if (blockPower(verdict, hook) === true) addAsk(verdict, { hook, reason });
    else veto(verdict, hook, reason, entry);
  },

  modify(verdict, hook, decision, entry) {
    if (!hook.frontEnd.powers.modify) {
      const message = `hooks of the ${hook.frontEnd.name} front end cannot modify`;
      composeFailure(verdict, hook, failure('invalid_return', message), entry);
      return;
    }
    if (verdict.spec.honours.modify === 'none') {
      ignore(verdict, entry, `the payload of ${verdict.event} cannot be rewritten`);
      return;
    }
    const { who, run } = verdict;
    const inForce = run.settings.sandbox ?? null;
    const rewritten = rewrite(verdict.spec, whole(verdict.payload), decision.payload, who, inForce);
    if (!rewritten.ok && rewritten.blocks === true) {
      entry.reason = rewritten.message;
      if (!muted(verdict, hook, entry, 'loosen the sandbox')) veto(verdict, hook, rewritten.message, entry);
      return;
    }
    if (!rewritten.ok) {
      composeFailure(verdict, hook, failure('invalid_return', rewritten.message), entry);
      return;
    }
    if (rewritten.warnings.length > 0) entry.warnings = [...entry.warnings, ...rewritten.warnings];
    if (muted(verdict, hook, entry, 'rewrite this')) return;
    if (verdict.rechecking) {
      if (sameJson(rewritten.payload, whole(verdict.payload))) return;
      entry.reason = 'the call was changed after this hook had judged it, and it would change it again';
      veto(verdict, hook, entry.reason, entry);
      return;
    }
    verdict.payload = rewritten.payload;
    verdict.rewrittenBy = hook;
  },

  delegate(verdict, hook, decision, entry) {
    if (muted(verdict, hook, entry, 'delegate this')) return;
    const { honours } = verdict.spec;
    if (honours.delegate && verdict.canDelegate && !verdict.rechecking) {
      verdict.delegated ??= { hook, request: decision.request };
      // A hook must not keep those of a higher layer from saying no.
      verdict.over = !verdict.guardsToCome(hook);
      return;
    }
    const who = verdict.rechecking
      ? 'it has judged the call before it was changed'
      : honours.delegate
        ? 'this host cannot delegate'
        : `${verdict.event} cannot be delegated`;
    entry.reason = `the hook delegates, but ${who}`;
    veto(verdict, hook, entry.reason, entry);
  },

  permit(verdict, hook, decision, entry) {
    if (!verdict.spec.honours.permit) {
      const message = `permit answers permission.asked only, not ${verdict.event}`;
      composeFailure(verdict, hook, failure('invalid_return', message), entry);
      return;
    }
    const reason = (entry.reason = reasonOf(decision.reason));
    // Does not end the chain: a later block or ask is the stricter word and wins.
    if (muted(verdict, hook, entry, `permit this: ${reason}`)) return;
    // The yes of the highest layer counts: it answers the questions of all below it.
    const before = verdict.permitted;
    if (before === null || layerOf(hook).rank < layerOf(before.hook).rank)
      verdict.permitted = { hook, reason };
  },
};

/** One hook asks once, however often it judges the call. */
function addAsk(verdict: Verdict, asked: HookReason): void {
  if (!verdict.asks.some(({ hook }) => hook === asked.hook)) verdict.asks = [...verdict.asks, asked];
}

/** True where the hook's mode takes the decision away; `warn` leaves a reminder in its place. */
function muted(verdict: Verdict, hook: Hook, entry: EntryDraft, would: string): boolean {
  if (hook.mode === 'enforce') return false;
  entry.vetoIgnored = `mode is ${hook.mode}`;
  if (hook.mode === 'warn') {
    const body = `hook "${hook.name}" would ${would}`;
    verdict.effects.push({ kind: 'reminder', hook: hook.name, reminder: { body } });
  }
  return true;
}

function veto(verdict: Verdict, hook: Hook, reason: string, entry: EntryDraft): void {
  const power = blockPower(verdict, hook);
  if (power === true) block(verdict, hook, reason);
  else if (power === false) ignore(verdict, entry, powerless(verdict));
  else {
    const forbidden = failure('invalid_return', `${verdict.event} does not accept a veto: ${reason}`);
    composeFailure(verdict, hook, forbidden, entry, 'throw');
  }
}

/** What the event honours, less what the hook's front end leaves to others. */
function blockPower(verdict: Verdict, hook: Hook): boolean | 'error' {
  const power = verdict.spec.honours.block;
  return power === true && hook.frontEnd.powers.block?.(verdict.event) === false ? false : power;
}

function powerless({ event, spec }: Verdict): string {
  return spec.honours.block === true
    ? `hooks of this front end cannot block ${event}`
    : `nothing can block ${event}`;
}

function block(verdict: Verdict, hook: Hook, reason: string): void {
  verdict.blocked = { hook, reason };
  verdict.over = true;
}

function fail(verdict: Verdict, hook: Hook, failed: Failure): void {
  verdict.failure = { ...failed, hook: hook.name };
  verdict.over = true;
}

function ignore(verdict: Verdict, entry: EntryDraft, why: string): void {
  entry.vetoIgnored = why;
  count(verdict.run, 'hook.veto_ignored');
}

function reasonOf(given: unknown): string {
  return typeof given === 'string' && given.trim() !== '' ? given : 'no reason given';
}

function failureReason(hook: Hook, failed: Failure): string {
  return `hook "${hook.name}" failed: ${failed.message}`;
}
