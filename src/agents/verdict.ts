/**
 * From what the policy said of each part of a native call to one verdict: the strictest word counts for all of it. What the
 * model reads names the hook and its reason, never a way around it.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from '../base/index.ts';
import type { Effect, Outcome } from '../engine/index.ts';
import type { Verdict } from './adapter.ts';

/** Text for the model, and for the person, is bounded: an agent may cut it anywhere, or refuse it. */
const MAX_REASON = 8_000;
const MAX_CONTEXT = 60_000;

/**
 * `outcomes` in the order of `payloads`, those of the call; `also` those of the other events that the moment is. Asks have
 * been put to the hooks of `permission.asked` before.
 */
export function verdictOf(
  outcomes: readonly Outcome[],
  payloads: readonly Json[],
  also: readonly Outcome[] = [],
): Verdict {
  const all = [...outcomes, ...also];
  const effects = all.flatMap((outcome) => outcome.effects);
  const message = attachmentText(effects);
  const blocked = all.find(isBlock) ?? also.find(({ action }) => action === 'modify');
  if (blocked !== undefined) return blockOf(blockReason(blocked));
  const asks = all.filter(({ action }) => action === 'ask');
  if (asks.length > 0) {
    const reason = bounded(asks.map(askReason).join('; '), MAX_REASON);
    const changed = outcomes.some((outcome, i) => isChanged(payloads[i]!, outcome.payload));
    return { action: 'ask', reason, message: reason, ...(changed && { payloads: outcomes.map(rewritten) }) };
  }
  const context = contextOf(effects);
  if (outcomes.some(({ action }) => action === 'modify')) {
    return { action: 'modify', payloads: outcomes.map(rewritten), context, message };
  }
  return { action: 'allow', context, message };
}

/** A block that no hook said: a fault of the launcher, the policy or the payload. The person reads the same. */
export function blockOf(reason: string): Verdict & { readonly action: 'block' } {
  const text = bounded(reason, MAX_REASON);
  return { action: 'block', reason: text, message: text };
}

/** The words of a block, for an event at which the agent takes none. */
export function notBlocked(reason: string): string {
  return reason.replace(/^Blocked(?: by|:) /, 'Nothing was blocked here; ');
}

/** An ask is still open. A delegate is a block: an outside agent hands no work over. */
function isBlock({ action, mayRun }: Outcome): boolean {
  return !mayRun && action !== 'ask';
}

function blockReason(outcome: Outcome): string {
  const { failure } = outcome;
  if (failure !== undefined) return `Blocked: hook "${failure.hook}" failed: ${failure.message}`;
  const reason = outcome.reason ?? 'no reason given';
  if (outcome.action === 'modify') return `Blocked by ${who(outcome)}: it rewrites what cannot be rewritten`;
  return `Blocked by ${who(outcome)}: ${reason}`;
}

function askReason(outcome: Outcome): string {
  const asks = outcome.asks ?? [];
  if (asks.length === 0) return `${who(outcome)} asks: ${outcome.reason ?? 'it needs approval'}`;
  return asks.map(({ hook, reason }) => `hook "${hook}" asks: ${reason}`).join('; ');
}

/** With its layer if that is not simply the project's. */
function who({ hook, decidedBy }: Outcome): string {
  if (hook === null) return 'the policy';
  const layer = decidedBy?.layer;
  return layer === undefined || layer === 'project' || layer === 'code'
    ? `hook "${hook}"`
    : `hook "${hook}" (${layer})`;
}

/** Keys that the engine itself fills in are no change of anybody's. */
export function isChanged(before: Json, after: Json): boolean {
  if (!isJsonObject(before) || !isJsonObject(after)) return before !== after;
  return Object.keys(before).some((key) => !sameJson(before[key], after[key]));
}

function rewritten({ payload }: Outcome): JsonObject | string {
  const value: Json = payload;
  return isJsonObject(value) ? value : typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the model is told beside the answer: context and reminders, each text once. */
function contextOf(effects: readonly Effect[]): string | null {
  const texts = effects.flatMap((effect) => {
    if (effect.kind === 'context') return [effect.text];
    return effect.kind === 'reminder' ? [effect.reminder.body] : [];
  });
  return joined(texts, MAX_CONTEXT);
}

function attachmentText(effects: readonly Effect[]): string | null {
  return joined(
    effects.flatMap((effect) => (effect.kind === 'output' ? [effect.text] : [])),
    MAX_REASON,
  );
}

function joined(texts: readonly string[], most: number): string | null {
  const text = [...new Set(texts)].filter((each) => each.trim() !== '').join('\n');
  return text === '' ? null : bounded(text, most);
}

function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
