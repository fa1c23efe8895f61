/**
 * What was fired, as a record. Keys stand in sorted order and what is empty is left out.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { Caller, Who } from '../engine/index.ts';
import type { Fired, RecordedWho } from './entry.ts';

type Draft<T> = { -readonly [K in keyof T]: T[K] };

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
  if (from.who !== undefined) fired.behind = recordedWho(from.who);
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

function recordedWho({ actor, caller, problem }: Who): RecordedWho {
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
