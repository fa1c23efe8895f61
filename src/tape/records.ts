/**
 * What the engine tells, as records of the tape. Recording writes these and replay makes them again, so that two runs are
 * the same exactly when their records are. Keys stand in sorted order and what is empty is left out.
 */
import { isJsonObject, type Json } from '../base/json.ts';
import type { Decision, Effect, Failure, Outcome, TraceEntry } from '../events/decision.ts';
import type { Caller, Who } from '../hooks/who.ts';
import type { Behind, Fired, HookPart, PartEffect, Reading, Said } from './entry.ts';
import type { HookOrigin } from './hook-names.ts';

type Draft<T> = { -readonly [K in keyof T]: T[K] };

export interface CallEnded {
  readonly entry: TraceEntry;
  readonly decision: Decision | null;
  readonly effects: readonly Effect[];
  readonly readings: readonly Reading[];
  /** Undefined if the tape knows it by the name of the hook. */
  readonly origin: HookOrigin | undefined;
  /** What it was called with, if that is not what the hook before it was called with. */
  readonly payload: Json | undefined;
  /** It judged the call a second time. */
  readonly recheck: boolean;
}

export function hookPart(ended: CallEnded): HookPart {
  const { entry, decision, effects, readings, origin, payload } = ended;
  const failed = entry.failure !== null || entry.state !== 'ran';
  const result = entry.decision ?? (failed ? null : 'allow');
  const raw = rawOf(decision);
  const part = {} as Draft<HookPart>;
  if (effects.length > 0) part.effects = effects.map((effect) => partEffect(effect, entry.hook));
  if (entry.failure !== null) part.failure = sortedFailure(entry.failure);
  part.hook = entry.hook;
  if (origin?.layer !== undefined) part.layer = origin.layer;
  if (payload !== undefined) part.payload = payload;
  if (failed) part.policy = entry.onFailure ?? 'skipped';
  if (raw !== undefined) part.raw = raw;
  if (readings.length > 0) part.readings = readings;
  if (entry.reason !== null) part.reason = entry.reason;
  if (ended.recheck) part.recheck = true;
  if (result !== null && (failed || result !== 'allow')) part.result = result;
  if (origin !== undefined) part.source = origin.source;
  if (entry.state === 'condition_failed' || entry.state === 'unreached') part.state = entry.state;
  if (entry.steps > 0) part.steps = entry.steps;
  if (entry.vetoIgnored !== undefined) part.vetoIgnored = entry.vetoIgnored;
  if (entry.warnings.length > 0) part.warnings = entry.warnings;
  return part;
}

export function saidRecord(outcome: Outcome, hooks: readonly HookPart[], rewritten: boolean): Said {
  const { action, failure, hook, reason, request } = outcome;
  const said = { action } as Draft<Said>;
  if (failure !== undefined) said.failure = { ...sortedFailure(failure), hook: failure.hook };
  if (hook !== null) said.hook = hook;
  if (hooks.length > 0) said.hooks = hooks;
  if (rewritten) said.payload = outcome.payload;
  if (reason !== null) said.reason = reason;
  if (request !== undefined) said.request = request;
  return said;
}

/** Where an event comes from, beside the event itself. */
export interface FiredFrom {
  readonly dispatch: number;
  readonly run: number;
  readonly turn: number | undefined;
  readonly emittedBy: { readonly parent: number; readonly after: number } | null;
  /** See `Fired.recheck`. */
  readonly recheck: boolean;
  readonly who?: Who | undefined;
}

export function firedRecord(event: string, payload: Json, from: FiredFrom): Fired {
  const callId = callIdOf(event, payload);
  const fired = {} as Draft<Fired>;
  if (from.emittedBy !== null) fired.after = from.emittedBy.after;
  if (from.who !== undefined) fired.behind = behindOf(from.who);
  if (callId !== undefined) fired.callId = callId;
  fired.dispatch = from.dispatch;
  fired.event = event;
  if (from.emittedBy !== null) fired.parent = from.emittedBy.parent;
  fired.payload = payload ?? null;
  if (from.recheck) fired.recheck = true;
  fired.run = from.run;
  if (from.turn !== undefined) fired.turn = from.turn;
  return fired;
}

function behindOf({ actor, caller, problem }: Who): Behind {
  return { actor: actor as Json, caller: sortedCaller(caller), ...(problem !== undefined && { problem }) };
}

/** Keys in sorted order, as all records have them. */
export function sortedCaller({ chain, depth, name, parent_session_id, scopes }: Caller): Caller {
  return { chain, depth, name, parent_session_id, ...(scopes !== undefined && { scopes }) };
}

/** Events of operations that may run side by side. */
const OVERLAPPING = /^(?:tool|permission|delegation|step)\./;

function callIdOf(event: string, payload: Json): string | undefined {
  if (!OVERLAPPING.test(event) || !isJsonObject(payload)) return undefined;
  const id = payload.call_id ?? payload.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** What `result` and `reason` do not say. */
function rawOf(decision: Decision | null): Json | undefined {
  if (decision?.action === 'modify') return decision.payload;
  return decision?.action === 'delegate' ? decision.request : undefined;
}

function partEffect(effect: Effect, hook: string): PartEffect {
  const by = effect.hook === hook ? {} : { hook: effect.hook };
  switch (effect.kind) {
    case 'log':
      return { ...by, kind: effect.kind, level: effect.level, message: effect.message };
    case 'metric':
      return {
        ...by,
        kind: effect.kind,
        name: effect.name,
        op: effect.op,
        value: effect.value,
      };
    case 'annotate':
      return { facts: effect.facts, ...by, kind: effect.kind };
    case 'reminder':
      return { ...by, kind: effect.kind, reminder: effect.reminder };
    case 'context':
    case 'output':
      return { ...by, kind: effect.kind, text: effect.text };
    default: {
      // Of a kind that this program does not know yet.
      const { hook: _hook, ...rest } = effect as Effect;
      return { ...by, ...rest } as PartEffect;
    }
  }
}

function sortedFailure({ code, kind, message, position, traceback }: Failure): Failure {
  return {
    code,
    kind,
    message,
    ...(position !== undefined && { position }),
    ...(traceback !== undefined && { traceback }),
  };
}
