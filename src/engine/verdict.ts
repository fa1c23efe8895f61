/**
 * The verdict of a chain while its hooks are asked: what they said so far, and the few ways in which it changes. Nothing is dropped
 * in silence: what has no power is noted in the trace.
 */
import type { Json } from '../base/index.ts';
import type { EventSpec } from './catalog.ts';
import type { DecisionSite, Effect, Failure } from './decision.ts';
import { count } from './health.ts';
import type { Hook } from './hook.ts';
import type { RunState } from './run-state.ts';
import { shortEffect } from './text-limits.ts';
import type { EntryDraft } from './trace.ts';
import type { Who } from './who.ts';

/** What the chain says so far. */
export interface Verdict {
  readonly event: string;
  readonly spec: EventSpec;
  readonly run: RunState;
  readonly canDelegate: boolean;
  readonly who: Who;
  payload: Json;
  /** The last hook that rewrote the payload. */
  rewrittenBy: Hook | null;
  blocked: HookReason | null;
  /** The hooks that asked, in their order; a later block still wins. */
  asks: readonly HookReason[];
  permitted: HookReason | null;
  delegated: { readonly hook: Hook; readonly request: Json } | null;
  failure: (Failure & { readonly hook: string }) | null;
  /** Where hooks said something else than allow, as far as that is known. */
  sites: readonly { readonly hook: Hook; readonly site: DecisionSite }[];
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
  readonly cause?: 'trust';
}

/** What the event honours, less what the hook's front end leaves to others. */
export function canBlock({ event, spec }: Verdict, hook: Hook): boolean | 'error' {
  const power = spec.honours.block;
  return power === true && hook.frontEnd.powers.block?.(event) === false ? false : power;
}

export function block(verdict: Verdict, hook: Hook, reason: string): void {
  verdict.blocked = { hook, reason };
  verdict.over = true;
}

export function failOperation(verdict: Verdict, hook: Hook, failed: Failure): void {
  verdict.failure = { ...failed, hook: hook.name };
  verdict.over = true;
}

/** The hook said something that the event gives no power to. */
export function ignore(verdict: Verdict, entry: EntryDraft, why: string): void {
  entry.vetoIgnored = why;
  count(verdict.run, 'hook.veto_ignored');
}

/** Why a block of this hook has no power. */
export function vetoIgnored({ event, spec }: Verdict): string {
  return spec.honours.block === true
    ? `hooks of this front end cannot block ${event}`
    : `nothing can block ${event}`;
}

/** Notes of a shadow hook would reach the model or the person; only what is a record stays. */
export function addEffect(verdict: Verdict, hook: Hook, effect: Effect): void {
  if (verdict.rechecking) return;
  // Audit hooks count and log on every call.
  if (effect.kind === 'metric' || effect.kind === 'log' || isDelivered(verdict, hook, effect))
    verdict.effects.push(shortEffect(effect));
}

/** Notes what the model does not get of it. */
function isDelivered(verdict: Verdict, hook: Hook, effect: Effect): boolean {
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
