/**
 * What each action of a hook does to the verdict of its chain, one row an action. What the hook wanted, and what its mode and the
 * event let it have, is written into its trace entry.
 */
import { sameJson } from '../base/index.ts';
import type { Action, Decision, Failure } from './decision.ts';
import { failure } from './failure.ts';
import type { Hook } from './hook.ts';
import { layerOf } from './layer.ts';
import { rewrite } from './rewrite.ts';
import type { EntryDraft } from './trace.ts';
import { block, canBlock, type HookReason, ignore, type Verdict, vetoIgnored } from './verdict.ts';

/** The hook said what it may not say: this counts as a failure, under `policy` or else the hook's own. */
export interface InvalidAction {
  readonly failure: Failure;
  readonly policy?: Hook['onError'];
}

type Apply<A extends Action> = (
  verdict: Verdict,
  hook: Hook,
  decision: Extract<Decision, { action: A }>,
  entry: EntryDraft,
) => InvalidAction | null;

const ACTIONS: { readonly [A in Exclude<Action, 'allow'>]: Apply<A> } = {
  block(verdict, hook, decision, entry) {
    const reason = (entry.reason = reasonOf(decision.reason));
    if (muted(verdict, hook, entry, `block this: ${reason}`)) return null;
    const invalid = veto(verdict, hook, reason, entry);
    if (decision.cause !== undefined && verdict.blocked?.hook === hook)
      verdict.blocked = { ...verdict.blocked, cause: decision.cause };
    return invalid;
  },

  ask(verdict, hook, decision, entry) {
    const reason = (entry.reason = reasonOf(decision.reason));
    if (muted(verdict, hook, entry, `ask about this: ${reason}`)) return null;
    if (canBlock(verdict, hook) !== true) return veto(verdict, hook, reason, entry);
    addAsk(verdict, { hook, reason });
    return null;
  },

  modify(verdict, hook, decision, entry) {
    if (!hook.frontEnd.powers.modify)
      return invalid(`hooks of the ${hook.frontEnd.name} front end cannot modify`);
    if (verdict.spec.honours.modify === 'none') {
      ignore(verdict, entry, `the payload of ${verdict.event} cannot be rewritten`);
      return null;
    }
    const { who, run } = verdict;
    const rewritten = rewrite(verdict.spec, verdict.payload, decision.payload, who, run);
    if (!rewritten.ok && rewritten.blocks === true) {
      entry.reason = rewritten.message;
      if (muted(verdict, hook, entry, 'loosen the sandbox')) return null;
      return veto(verdict, hook, rewritten.message, entry);
    }
    if (!rewritten.ok) return invalid(rewritten.message);
    if (rewritten.warnings.length > 0) entry.warnings = [...entry.warnings, ...rewritten.warnings];
    if (muted(verdict, hook, entry, 'rewrite this')) return null;
    if (verdict.rechecking) {
      if (sameJson(rewritten.payload, verdict.payload)) return null;
      entry.reason = 'the call was changed after this hook had judged it, and it would change it again';
      return veto(verdict, hook, entry.reason, entry);
    }
    verdict.payload = rewritten.payload;
    verdict.rewrittenBy = hook;
    return null;
  },

  delegate(verdict, hook, decision, entry) {
    if (muted(verdict, hook, entry, 'delegate this')) return null;
    const { honours } = verdict.spec;
    if (honours.delegate && verdict.canDelegate && !verdict.rechecking) {
      verdict.delegated ??= { hook, request: decision.request };
      // A hook must not keep those of a higher layer from saying no.
      verdict.over = !verdict.guardsToCome(hook);
      return null;
    }
    const who = verdict.rechecking
      ? 'it has judged the call before it was changed'
      : honours.delegate
        ? 'this host cannot delegate'
        : `${verdict.event} cannot be delegated`;
    entry.reason = `the hook delegates, but ${who}`;
    return veto(verdict, hook, entry.reason, entry);
  },

  permit(verdict, hook, decision, entry) {
    if (!verdict.spec.honours.permit)
      return invalid(`permit answers permission.asked only, not ${verdict.event}`);
    const reason = (entry.reason = reasonOf(decision.reason));
    // Does not end the chain: a later block or ask is the stricter word and wins.
    if (muted(verdict, hook, entry, `permit this: ${reason}`)) return null;
    // The yes of the highest layer counts: it answers the questions of all below it.
    const before = verdict.permitted;
    if (before === null || layerOf(hook).rank < layerOf(before.hook).rank)
      verdict.permitted = { hook, reason };
    return null;
  },
};

/** Applies a decision that is not `allow`. */
export function applyAction(
  verdict: Verdict,
  hook: Hook,
  decision: Decision,
  entry: EntryDraft,
): InvalidAction | null {
  const { action } = decision;
  if (action === 'allow' || !Object.hasOwn(ACTIONS, action)) return invalid('the reply is not a decision');
  entry.decision = action;
  return (ACTIONS[action] as Apply<Action>)(verdict, hook, decision, entry);
}

function invalid(message: string): InvalidAction {
  return { failure: failure('invalid_return', message) };
}

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

function veto(verdict: Verdict, hook: Hook, reason: string, entry: EntryDraft): InvalidAction | null {
  const power = canBlock(verdict, hook);
  if (power === 'error')
    return { ...invalid(`${verdict.event} does not accept a veto: ${reason}`), policy: 'throw' };
  if (power) block(verdict, hook, reason);
  else ignore(verdict, entry, vetoIgnored(verdict));
  return null;
}

function reasonOf(given: unknown): string {
  return typeof given === 'string' && given.trim() !== '' ? given : 'no reason given';
}
