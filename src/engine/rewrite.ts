/**
 * A payload after a hook's `modify`: the given keys laid over it. What identifies the operation and what the engine says of it
 * stays; a value and its text stay in step; a sandbox only gets tighter.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from '../base/index.ts';
import { sandboxIn, tightened, tighterOf } from '../machine/index.ts';
import { isLocationEvent, locateCall } from './call-place.ts';
import type { EventSpec } from './catalog.ts';
import { PLACE_KEYS } from './event-spec.ts';
import { frozenCopy } from './frozen-copy.ts';
import { decode, kindOf, textOf, unjudgeable } from './payload.ts';
import type { RunState, SessionInfo } from './run-state.ts';
import { UNKNOWN_WHO, WHO_KEYS, type Who } from './who.ts';

type Pair = NonNullable<EventSpec['pair']>;

export type Rewritten =
  | { readonly ok: true; readonly payload: Json; readonly warnings: readonly string[] }
  /** `blocks`: the hook wants what it may not have, and the operation stops for it. */
  | { readonly ok: false; readonly message: string; readonly blocks?: true };

const NO_RUN: Pick<RunState, 'session' | 'settings'> = {
  session: { id: '', transcriptPath: null, cwd: null },
  settings: { allowedDomains: [] },
};

/** Only a key whose value changed counts as given: to hand back the whole payload with one key changed means that key. */
export function rewrite(
  spec: EventSpec,
  payload: Json,
  given: Json,
  who: Who = UNKNOWN_WHO,
  { session, settings }: Pick<RunState, 'session' | 'settings'> = NO_RUN,
): Rewritten {
  const after = tighten(
    spec,
    payload,
    given,
    settings,
    withoutEngineKeys(spec, payload, given, who, session),
  );
  // A copy: the hook may have kept what it returned, and a call stays what was judged.
  return after.ok && spec.pair?.data === 'args' ? { ...after, payload: frozenCopy(after.payload) } : after;
}

/** A sandbox that the hook asks for counts only where it is tighter than the one in force. */
function tighten(
  { tightens: key }: EventSpec,
  payload: Json,
  given: Json,
  { sandbox = null }: RunState['settings'],
  after: Rewritten,
): Rewritten {
  if (!after.ok || key === undefined || !isJsonObject(given) || !Object.hasOwn(given, key)) return after;
  const before = isJsonObject(payload) ? payload[key] : undefined;
  const tighter = tightened(tighterOf(sandbox, sandboxIn(before)), given[key]!);
  if (!tighter.ok) return { ...tighter, blocks: true };
  const next: Record<string, Json> = { ...(after.payload as JsonObject) };
  if (tighter.sandbox === null) delete next[key];
  else next[key] = tighter.sandbox;
  return { ...after, payload: next };
}

/** What the engine says of an event stays: a hook that hands it back says nothing, one that changes it gets a warning. */
function withoutEngineKeys(
  spec: EventSpec,
  payload: Json,
  given: Json,
  { actor, caller }: Who,
  session: SessionInfo,
): Rewritten {
  if (!isJsonObject(given) || !ENGINE_KEYS.some((key) => Object.hasOwn(given, key)))
    return rewriteOwn(spec, payload, given);
  const place = isJsonObject(payload) && isLocationEvent(spec) ? locateCall(payload, session) : null;
  const said: Readonly<Record<string, unknown>> = { actor, caller, ...place };
  const changed = Object.keys(said).filter(
    (key) => Object.hasOwn(given, key) && !sameJson(given[key], said[key]),
  );
  const rest = Object.entries(given).filter(([key]) => !Object.hasOwn(said, key));
  const after = rewriteOwn(spec, payload, Object.fromEntries(rest));
  if (!after.ok) return after;
  const warnings = changed.map((key) => `"${key}" says ${about(key)} and was not rewritten`);
  return { ...after, warnings: [...after.warnings, ...warnings] };
}

const ENGINE_KEYS: readonly string[] = [...WHO_KEYS, ...PLACE_KEYS];

function about(key: string): string {
  return (WHO_KEYS as readonly string[]).includes(key) ? 'who is behind the call' : 'where the call happens';
}

function rewriteOwn(spec: EventSpec, payload: Json, given: Json): Rewritten {
  const mode = spec.honours.modify;
  if (mode === 'text' || (mode === 'any' && typeof payload === 'string')) {
    if (typeof given === 'string') return { ok: true, payload: given, warnings: [] };
    return { ok: false, message: `modify of a text wants a string, got ${kindOf(given)}` };
  }
  if (mode === 'any' && !isJsonObject(payload)) return { ok: true, payload: given, warnings: [] };
  if (!isJsonObject(given)) return { ok: false, message: `modify wants a dict, got ${kindOf(given)}` };
  return overlay(spec, isJsonObject(payload) ? payload : {}, given);
}

function overlay(spec: EventSpec, payload: JsonObject, given: JsonObject): Rewritten {
  const next: Record<string, Json> = { ...payload, ...given };
  const warnings: string[] = [];
  for (const key of spec.identity) {
    if (!Object.hasOwn(given, key) || sameJson(given[key], payload[key])) continue;
    warnings.push(`"${key}" identifies the operation and was not rewritten`);
    if (Object.hasOwn(payload, key)) next[key] = payload[key]!;
    else delete next[key];
  }
  const pair = spec.pair;
  const problem =
    pair === undefined
      ? null
      : (syncArguments(pair, payload, given, next, warnings) ?? unjudgeable(spec, next));
  return problem === null ? { ok: true, payload: next, warnings } : { ok: false, message: problem };
}

/** Sets both halves of the pair in `next`, or says why that cannot be done. */
function syncArguments(
  pair: Pair,
  payload: JsonObject,
  given: JsonObject,
  next: Record<string, Json>,
  warnings: string[],
): string | null {
  const strict = pair.data === 'args';
  const dataGiven = Object.hasOwn(given, pair.data) && !sameJson(given[pair.data], payload[pair.data]);
  const textGiven = Object.hasOwn(given, pair.text) && !sameJson(given[pair.text], payload[pair.text]);
  if (dataGiven && strict && !isJsonObject(given[pair.data]))
    return `modify wants "${pair.data}" to be a dict, got ${kindOf(given[pair.data])}`;
  const text = next[pair.text];
  if (textGiven && typeof text !== 'string')
    return `modify wants "${pair.text}" to be a string, got ${kindOf(text)}`;
  const decoded = textGiven ? decode(text as string) : undefined;
  if (textGiven && strict && !isJsonObject(decoded))
    return `modify wants "${pair.text}" to be the JSON text of an object`;

  if (dataGiven && textGiven) {
    // A result and its rendering are both the hook's word; arguments must not mean two things.
    if (!strict || sameJson(decoded, next[pair.data])) return null;
    warnings.push(`"${pair.data}" and "${pair.text}" disagree; "${pair.data}" counts`);
  }
  if (dataGiven) next[pair.text] = textOf(next[pair.data]!);
  else if (textGiven) next[pair.data] = decoded === undefined ? (text as string) : decoded;
  else {
    // Equal in value, but the payload's own pair is known to agree.
    next[pair.data] = payload[pair.data]!;
    next[pair.text] = payload[pair.text]!;
  }
  return null;
}
