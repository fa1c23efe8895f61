/**
 * The payload before the first hook sees it: completed, so that hooks can rely on both halves of a pair (a value and its text).
 * It is plain JSON and one object from there to the host. Nothing here changes an object it was given.
 */
import { isJsonObject, type Json, type JsonObject, readJson, sameJson } from '../base/index.ts';
import { isLocationEvent, locateCall } from './call-place.ts';
import type { EventSpec } from './catalog.ts';
import { requireEvent } from './describe.ts';
import type { SessionInfo } from './run-state.ts';
import { type Who, withoutClaims } from './who.ts';

type Pair = NonNullable<EventSpec['pair']>;

/** A payload that no hook could judge, because what it decodes to is unknown. */
export class PayloadProblem {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Fills in what hooks may rely on: the decoded value and its text, both there and saying the same. */
export function completePayload(spec: EventSpec, given: Json): Json | PayloadProblem {
  const payload = isJsonObject(given) ? withoutClaims(given) : given;
  const problem = spec.honours.block === true ? unjudgeable(spec, payload) : null;
  if (problem !== null) return new PayloadProblem(problem);
  const pair = spec.pair;
  if (pair === undefined || !isJsonObject(payload)) return payload;
  return pair.data === 'args' ? completeCall(pair, payload) : completeResult(pair, payload);
}

/**
 * Why guards could not tell what this is about: not the kind of value the event has, or a tool call without the name that
 * nearly every condition asks for. They would all say "not mine", and it would pass with nobody having looked at it.
 */
export function unjudgeable({ payload: shape, index }: EventSpec, payload: Json): string | null {
  // As nearly every call comes.
  if (
    shape.kind === 'object' &&
    isJsonObject(payload) &&
    typeof payload.name === 'string' &&
    payload.name !== ''
  )
    return null;
  const named = index === 'name' && shape.fields?.name?.required === true;
  if (payload === null) return named ? 'there is no payload' : null;
  if (shape.kind === 'string') {
    return typeof payload === 'string' ? null : `the payload is ${kindOf(payload)}, not a string`;
  }
  if (shape.kind !== 'object') return null;
  if (!isJsonObject(payload)) return `the payload is ${kindOf(payload)}, not a dict`;
  if (!named || (typeof payload.name === 'string' && payload.name !== '')) return null;
  return Object.hasOwn(payload, 'name') ? 'name is not the name of a tool' : 'the tool has no name';
}

/** What the engine itself says of an event: who is behind it and where it happens. No hook rewrites these keys. */
export function engineKeys(event: string, payload: JsonObject, session: SessionInfo, who: Who): JsonObject {
  const place = isLocationEvent(requireEvent(event)) ? locateCall(payload, session) : null;
  // An interface does not say of itself that it is JSON.
  return { actor: who.actor, caller: who.caller, ...place } as unknown as JsonObject;
}

/** A call is frozen: it stays what was judged, also if the outcome is shown to somebody before it runs. */
function completeCall(pair: Pair, payload: JsonObject): JsonObject | PayloadProblem {
  const args = payload[pair.data];
  const text = payload[pair.text];
  if (isJsonObject(args)) {
    if (text === undefined && !Object.hasOwn(payload, pair.text)) return withLateArguments(payload);
    // Two readings of one call: guards would judge one, and somebody may run the other.
    if (text !== null && !agree(args, text))
      return new PayloadProblem(`${pair.data} and ${pair.text} say different things`);
    return Object.freeze({ ...payload, [pair.text]: JSON.stringify(args) });
  }
  if (args !== undefined && args !== null)
    return new PayloadProblem(`${pair.data} is ${kindOf(args)}, not an object`);
  if (text === undefined || text === null || text === '')
    return Object.freeze({ ...payload, [pair.text]: '{}', [pair.data]: {} });
  const decoded = typeof text === 'string' ? decode(text) : undefined;
  if (!isJsonObject(decoded)) return new PayloadProblem(`${pair.text} is not the JSON text of an object`);
  return Object.freeze({ ...payload, [pair.data]: decoded });
}

/**
 * A copy of a call that came without its text, which is written whenever it is read: few hooks read it, and to write it for
 * every call makes a decision a tenth slower.
 */
function withLateArguments(call: JsonObject): JsonObject {
  const own = { ...call };
  Object.defineProperty(own, 'arguments', { get: argumentsText, enumerable: true });
  return Object.freeze(own);
}

/** One function for all calls, so that V8 gives their objects one shape. */
function argumentsText(this: { readonly args: Json }): string {
  return JSON.stringify(this.args);
}

/** The text may be absent in all but name, as some hosts send it. */
function agree(args: JsonObject, text: Json | undefined): boolean {
  if (text === undefined || text === '') return true;
  const decoded = typeof text === 'string' ? decode(text) : text;
  return decoded !== undefined && sameJson(decoded, args);
}

function completeResult(pair: Pair, payload: JsonObject): JsonObject {
  const text = payload[pair.text];
  const data = payload[pair.data];
  if (typeof text === 'string' && data !== undefined && payload.is_error !== undefined) return payload;
  const complete: Record<string, Json> = { ...payload };
  if (complete.is_error === undefined) complete.is_error = false;
  if (typeof text !== 'string') complete[pair.text] = textOf(data ?? null);
  else if (data === undefined) complete[pair.data] = dataOf(text);
  return complete;
}

export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Results are long and most are no JSON: what begins like none is not gone through. */
const MAY_BE_JSON = /^\s*(?:[[{"\d-]|true\b|false\b|null\b)/;

function dataOf(text: string): Json {
  const decoded = MAY_BE_JSON.test(text) ? decode(text) : undefined;
  return decoded === undefined ? text : decoded;
}

/** Undefined also for what is nested beyond reason: code that goes through it later would run out of stack. */
export function decode(text: string): Json | undefined {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}

export function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'None';
  return Array.isArray(value) ? 'list' : isJsonObject(value) ? 'dict' : typeof value;
}
