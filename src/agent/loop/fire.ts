/**
 * Fires one event: through the engine, onto the stream, and what hooks left for the model into the reminders. Every event
 * of a session goes through here, so that none can happen unseen.
 */
import { type Json, type JsonObject, sameJson } from '../../base/index.ts';
import {
  type CatalogName,
  checkPayload,
  count,
  type NestedOptions,
  type Outcome,
  type RunState,
} from '../../engine/index.ts';
import { Halt, type Scope, type SessionState } from './state.ts';

export interface FireOptions {
  readonly callId?: string;
  /** Instead of the signal of the run. */
  readonly signal?: AbortSignal;
  /** See `DecideOptions.recheck`. */
  readonly recheck?: boolean;
  /** See `DecideOptions.judged`. */
  readonly judged?: Outcome;
}

export async function fire(
  scope: Scope,
  event: CatalogName | `custom.${string}`,
  payload: Json,
  options: FireOptions = {},
): Promise<Outcome> {
  const { state } = scope;
  const { governed, engine, reminders } = state;
  engine.run.turnNumber = state.turns;
  const signal = options.signal ?? scope.signal;
  const { judged } = options;
  const how: NestedOptions = {
    signal,
    depth: scope.depth ?? 0,
    recheck: options.recheck === true,
    ...(judged !== undefined && { judged }),
  };
  const outcome: Outcome = await governed.decide(event, payload, how);
  const { callId } = options;
  if (!state.shown.has(outcome))
    scope.emit({ type: 'hook', event, payload, outcome, ...(callId === undefined ? {} : { callId }) });
  if (event.startsWith('worker.')) refuseReminders(scope, outcome);
  else reminders.take(outcome, state.turns);
  return outcome;
}

/** What a worker does is not part of the conversation: those events are watched only, and a note would be out of place. */
function refuseReminders({ state }: Scope, { event, effects }: Outcome): void {
  for (const { kind, hook } of effects) {
    if (kind !== 'reminder') continue;
    state.reminders.store.refuse({ hook, turn: state.turns }, `${event} takes no reminders`);
  }
}

/** What every payload says of where it comes from. */
export function sessionFields({ id, turns }: Pick<SessionState, 'id' | 'turns'>): {
  readonly session_id: string;
  readonly turn: number;
} {
  return { session_id: id, turn: turns };
}

/** Ends the run where it was aborted, or where its time is up. */
export function throwIfEnded({ signal }: Scope): void {
  if (signal.aborted) throw haltOf(signal);
}

export function haltOf({ reason }: AbortSignal): Halt {
  return reason instanceof Halt ? reason : new Halt('aborted', 'the run was aborted');
}

/** Ends the run where a hook failed under `on_error: throw`. */
export function failOn(outcome: Outcome): void {
  const failed = outcome.failure;
  if (failed !== undefined) {
    throw new Halt('error', `${outcome.event}: hook "${failed.hook}" failed: ${failed.message}`, failed.code);
  }
}

/** Why the chain does not let the operation go on, as the model and people read it; null if it does. */
export function vetoOf(outcome: Outcome): string | null {
  if (outcome.mayRun || outcome.action === 'delegate') return null;
  const reason = outcome.reason ?? 'no reason given';
  const why = outcome.action === 'ask' ? `${reason} (needs approval, and here nobody can be asked)` : reason;
  return outcome.hook === null ? `blocked: ${why}` : `blocked by hook "${outcome.hook}": ${why}`;
}

/** The payload as hooks rewrote it, or null if none did. A rewrite that broke its shape ends the run. */
export function rewrittenBy(outcome: Outcome): JsonObject | null {
  if (outcome.action !== 'modify') return null;
  const problems = checkPayload(outcome.event, outcome.payload);
  if (problems.length > 0) throw badRewrite(outcome, problems);
  return outcome.payload as JsonObject;
}

/** Says which rewritten keys the loop has no use for: nothing a hook does is dropped in silence. */
export function ignoreRewrites(
  { state }: Scope,
  outcome: Outcome,
  fired: JsonObject,
  honoured: readonly string[],
): void {
  noteIgnored(state.engine.run, outcome, fired, honoured);
}

/** The same, for what fires through an engine without a session. */
export function noteIgnored(
  run: RunState,
  outcome: Outcome,
  fired: JsonObject,
  honoured: readonly string[],
): void {
  const after = outcome.payload as JsonObject;
  const ignored = Object.keys(after).filter(
    (key) => !honoured.includes(key) && !sameJson(after[key], fired[key]),
  );
  if (ignored.length === 0) return;
  count(run, 'hook.veto_ignored');
  const { event, hook } = outcome;
  const message = `${event} was rewritten in what stays as it is: ${ignored.join(', ')}`;
  run.logs.push({ hook: hook ?? '', event, level: 'warn', message });
}

export function badRewrite({ event, hook }: Outcome, problems: readonly string[]): Halt {
  const message = `${event}: hook "${hook}" rewrote it to something it cannot be: ${problems.join('; ')}`;
  return new Halt('error', message, 'HOOK_INVALID_RETURN');
}
