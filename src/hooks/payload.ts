/**
 * The payload on its way through a chain: completed before the first hook sees it, rewritten by those that modify, and
 * settled to plain data for the host. Nothing here changes an object it was given.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { readJson } from '../base/json-text.ts';
import {
  copied,
  ExtendedObject,
  extended,
  type LazyJson,
  type LazyObject,
  LazyText,
} from '../base/lazy-json.ts';
import type { EventSpec } from '../events/catalog.ts';
import { type Sandbox, sandboxIn, tightened, tighterOf } from '../sandbox/sandbox.ts';
import { frozenCopy } from './frozen-copy.ts';
import { NOBODY, WHO_KEYS, type Who, withoutClaims } from './who.ts';

type Pair = NonNullable<EventSpec['pair']>;

/** What a chain passes on: data, or data whose text half is put in when somebody wants it. */
export type Payload = LazyJson | ExtendedObject;

export type Rewritten =
  | { readonly ok: true; readonly payload: LazyJson; readonly warnings: readonly string[] }
  /** `blocks`: the hook wants what it may not have, and the operation stops for it. */
  | { readonly ok: false; readonly message: string; readonly blocks?: true };

/** A payload that no hook could judge, because what it decodes to is unknown. */
export class PayloadProblem {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Fills in what hooks may rely on: the decoded value and its text, both there and saying the same. */
export function normalise(spec: EventSpec, given: Json): Payload | PayloadProblem {
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
function unjudgeable({ payload: shape, index }: EventSpec, payload: LazyJson): string | null {
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
  if (!isLazyObject(payload)) return `the payload is ${kindOf(payload)}, not a dict`;
  if (!named || (typeof payload.name === 'string' && payload.name !== '')) return null;
  return Object.hasOwn(payload, 'name') ? 'name is not the name of a tool' : 'the tool has no name';
}

/** The payload with everything in it. */
export function whole(payload: Payload): LazyJson {
  return payload instanceof ExtendedObject ? payload.whole : payload;
}

/** The payload without what is made from it. */
export function baseOf(payload: Payload): LazyJson {
  return payload instanceof ExtendedObject ? payload.base : payload;
}

interface Seen {
  readonly payload: Payload;
  readonly who: Who;
}

/** The payload as a script sees it, with who is behind it, put in when somebody asks; a payload that is no dict has no room for that. */
export function seenBy(payload: Payload, who: Who): Payload {
  if (payload instanceof ExtendedObject) return new ExtendedObject(payload.base, complete, { payload, who });
  return isLazyObject(payload) ? new ExtendedObject(payload, complete, { payload, who }) : payload;
}

function complete(_base: LazyObject, { payload, who: { actor, caller } }: Seen): LazyObject {
  // An interface does not say of itself that it is JSON.
  return { ...(whole(payload) as LazyObject), actor: actor as Json, caller: caller as unknown as Json };
}

/**
 * The payload after a `modify`: the given dict laid over it, identity kept, the pair in step. Only a key whose value
 * changed counts as given, so that handing back the whole payload with one key changed means that key.
 */
export function rewrite(
  spec: EventSpec,
  payload: LazyJson,
  given: LazyJson,
  who: Who = NOBODY,
  inForce: Sandbox | null = null,
): Rewritten {
  const after = rewriteWho(spec, payload, given, who);
  const key = spec.tightens;
  if (!after.ok || key === undefined || !isLazyObject(given) || !Object.hasOwn(given, key)) return after;
  const before = isLazyObject(payload) ? (payload[key] as Json | undefined) : undefined;
  const tighter = tightened(tighterOf(inForce, sandboxIn(before)), settleDeep(given[key]!));
  if (!tighter.ok) return { ...tighter, blocks: true };
  const next: Record<string, LazyJson> = { ...(after.payload as LazyObject) };
  if (tighter.sandbox === null) delete next[key];
  else next[key] = tighter.sandbox;
  return { ...after, payload: next };
}

function rewriteWho(spec: EventSpec, payload: LazyJson, given: LazyJson, who: Who): Rewritten {
  if (!isLazyObject(given) || !WHO_KEYS.some((key) => Object.hasOwn(given, key)))
    return rewritten(spec, payload, given);
  // A hook that hands back the whole payload says nothing; one that names another person is told that it cannot.
  const changed = WHO_KEYS.filter(
    (key) => Object.hasOwn(given, key) && !sameJson(given[key]!, who[key] as Json),
  );
  const kept = Object.entries(given).filter(([key]) => !(WHO_KEYS as readonly string[]).includes(key));
  const after = rewritten(spec, payload, Object.fromEntries(kept));
  if (!after.ok) return after;
  const warnings = changed.map((key) => `"${key}" says who is behind the call and was not rewritten`);
  return { ...after, warnings: [...after.warnings, ...warnings] };
}

function rewritten(spec: EventSpec, payload: LazyJson, given: LazyJson): Rewritten {
  const mode = spec.honours.modify;
  if (mode === 'text' || (mode === 'any' && typeof payload === 'string')) {
    if (typeof given === 'string') return { ok: true, payload: given, warnings: [] };
    return { ok: false, message: `modify of a text wants a string, got ${kindOf(given)}` };
  }
  if (mode === 'any' && !isLazyObject(payload)) return { ok: true, payload: given, warnings: [] };
  if (!isLazyObject(given)) return { ok: false, message: `modify wants a dict, got ${kindOf(given)}` };
  return overlay(spec, isLazyObject(payload) ? payload : {}, given);
}

/** Plain data: every lazy text replaced by its text. `deep` where a hook may have moved one elsewhere. */
export function settle(spec: EventSpec, given: Payload, deep: boolean): Json {
  if (given instanceof ExtendedObject) return judgedCall(given.base as JsonObject);
  const payload = given;
  // Only the text of a pair is ever made late, so without a rewrite there is no other.
  if (spec.pair === undefined || !isLazyObject(payload)) return payload as Json;
  // A call stays what was judged, also if the outcome is shown to somebody before it runs.
  const isCall = spec.pair.data === 'args';
  if (deep) return isCall ? frozenCopy(settleDeep(payload)) : settleDeep(payload);
  const text = payload[spec.pair.text];
  if (text instanceof LazyText && isLong(payload[spec.pair.data]))
    return withLateText(payload, spec.pair, text, isCall);
  const plain = text instanceof LazyText ? { [spec.pair.text]: text.text } : null;
  if (isCall) return Object.freeze({ ...payload, ...plain }) as JsonObject;
  return (plain === null ? payload : { ...payload, ...plain }) as JsonObject;
}

/** What a judged call says in `arguments`: one function for all, so that V8 gives their objects one shape. */
function lateArguments(this: { readonly args: Json }): string {
  return JSON.stringify(this.args);
}

/** A call that came without its text, which is written when somebody reads it. */
function judgedCall(call: JsonObject): JsonObject {
  const own = hasUsualKeys(call) ? { id: call.id, name: call.name, args: call.args } : copied(call);
  // The old way to say `defineProperty`, and half as long on the way to V8.
  defineGetter.call(own, 'arguments', lateArguments);
  return Object.freeze(own) as JsonObject;
}

const { __defineGetter__: defineGetter } = Object.prototype as unknown as {
  __defineGetter__: (this: object, key: string, get: (this: never) => unknown) => void;
};

/** Those of the catalog, as nearly every host gives them: V8 is twice as fast to copy what is known. */
function hasUsualKeys(call: JsonObject): boolean {
  let at = 0;
  for (const key in call) if (key !== USUAL_KEYS[at++]) return false;
  return at === USUAL_KEYS.length;
}

const USUAL_KEYS = ['id', 'name', 'args'];

/** To write it as text takes longer than to judge it. Looked at from the outside only. */
function isLong(data: LazyJson | undefined): boolean {
  if (Array.isArray(data)) return data.length > 64;
  if (!isLazyObject(data)) return false;
  let text = 0;
  for (const key in data) {
    const value = data[key];
    if (typeof value === 'string') text += value.length;
    else if (Array.isArray(value)) text += 16 * value.length;
    else if (typeof value === 'object' && value !== null) text += 16 * Object.keys(value).length;
    if (text > 1024) return true;
  }
  return false;
}

/** A copy whose text is written when somebody reads it. */
function withLateText(payload: LazyObject, pair: Pair, text: LazyText, isCall: boolean): JsonObject {
  const copy = { ...payload };
  Object.defineProperty(copy, pair.text, { enumerable: true, configurable: true, get: () => text.text });
  return (isCall ? Object.freeze(copy) : copy) as JsonObject;
}

function completeCall(pair: Pair, payload: JsonObject): Payload | PayloadProblem {
  const args = payload[pair.data];
  if (isJsonObject(args)) {
    const text = payload[pair.text];
    // `in` is known by the shape of the object, and nearly always says enough.
    if (text === undefined && (!(pair.text in payload) || !Object.hasOwn(payload, pair.text)))
      return new ExtendedObject(payload, withArguments);
    // Two readings of one call: guards would judge one, and somebody may run the other.
    if (text !== null && !agree(args, text))
      return new PayloadProblem(`${pair.data} and ${pair.text} say different things`);
    return extended(payload, pair.text, lazyText(args));
  }
  if (args !== undefined && args !== null)
    return new PayloadProblem(`${pair.data} is ${kindOf(args)}, not an object`);
  const text = payload[pair.text];
  if (text === undefined || text === null || text === '')
    return { ...payload, [pair.text]: '{}', [pair.data]: {} };
  const decoded = typeof text === 'string' ? decode(text) : undefined;
  if (!isJsonObject(decoded)) return new PayloadProblem(`${pair.text} is not the JSON text of an object`);
  return { ...payload, [pair.data]: decoded };
}

/** The text may be absent in all but name, as some hosts send it. */
function agree(args: JsonObject, text: Json | undefined): boolean {
  if (text === undefined || text === '') return true;
  const decoded = typeof text === 'string' ? decode(text) : text;
  return decoded !== undefined && sameJson(decoded, args);
}

function completeResult(pair: Pair, payload: JsonObject): LazyJson {
  const hasText = typeof payload[pair.text] === 'string';
  const hasData = payload[pair.data] !== undefined;
  if (hasText && hasData && payload.is_error !== undefined) return payload;
  const complete: Record<string, LazyJson> = { ...payload };
  if (complete.is_error === undefined) complete.is_error = false;
  if (!hasText) complete[pair.text] = textOf(payload[pair.data] ?? null);
  else if (!hasData) defineDecoded(complete, pair, payload[pair.text] as string);
  return complete;
}

/** The decoded result as a property that parses when first read: results are long and most hooks read only the text. */
function defineDecoded(target: object, pair: Pair, text: string): void {
  let known: { readonly value: Json } | undefined;
  Object.defineProperty(target, pair.data, {
    enumerable: true,
    configurable: true,
    get: () => (known ??= { value: decodeOr(text) }).value,
  });
}

function overlay(spec: EventSpec, payload: LazyObject, given: LazyObject): Rewritten {
  const next: Record<string, LazyJson> = { ...payload, ...given };
  const warnings: string[] = [];
  for (const key of spec.identity) {
    if (!Object.hasOwn(given, key) || given[key] === payload[key]) continue;
    warnings.push(`"${key}" identifies the operation and was not rewritten`);
    if (Object.hasOwn(payload, key)) next[key] = payload[key]!;
    else delete next[key];
  }
  const pair = spec.pair;
  const problem =
    pair === undefined ? null : (keepInStep(pair, payload, given, next, warnings) ?? unjudgeable(spec, next));
  return problem === null ? { ok: true, payload: next, warnings } : { ok: false, message: problem };
}

/** Sets both halves of the pair in `next`, or says why that cannot be done. */
function keepInStep(
  pair: Pair,
  payload: LazyObject,
  given: LazyObject,
  next: Record<string, LazyJson>,
  warnings: string[],
): string | null {
  const strict = pair.data === 'args';
  const dataGiven = Object.hasOwn(given, pair.data) && !sameJson(given[pair.data]!, payload[pair.data]!);
  const textGiven = Object.hasOwn(given, pair.text) && !sameJson(given[pair.text]!, payload[pair.text]!);
  if (dataGiven && strict && !isLazyObject(given[pair.data])) {
    return `modify wants "${pair.data}" to be a dict, got ${kindOf(given[pair.data]!)}`;
  }
  const text = plain(next[pair.text]!);
  if (textGiven && typeof text !== 'string')
    return `modify wants "${pair.text}" to be a string, got ${kindOf(text)}`;
  const decoded = textGiven ? decode(text as string) : undefined;
  if (textGiven && strict && !isJsonObject(decoded))
    return `modify wants "${pair.text}" to be the JSON text of an object`;

  if (dataGiven && textGiven) {
    // A result and its rendering are both the hook's word; arguments must not mean two things.
    if (!strict || sameJson(decoded!, next[pair.data]!)) return null;
    warnings.push(`"${pair.data}" and "${pair.text}" disagree; "${pair.data}" counts`);
  }
  // A copy: the hook may have kept what it returned, and later guards judge what it was then.
  if (dataGiven && strict) next[pair.data] = frozenCopy(next[pair.data]!);
  if (dataGiven) next[pair.text] = strict ? lazyText(next[pair.data]!) : textOf(next[pair.data]!);
  else if (textGiven) next[pair.data] = decoded === undefined ? (text as string) : decoded;
  else {
    // Equal in value, but the payload's own pair is known to agree.
    next[pair.data] = payload[pair.data]!;
    next[pair.text] = payload[pair.text]!;
  }
  return null;
}

function lazyText(value: LazyJson): LazyText {
  return new LazyText(() => JSON.stringify(value));
}

function isLazyObject(value: LazyJson | undefined): value is LazyObject {
  return isJsonObject(value) && !(value instanceof LazyText);
}

function withArguments(payload: LazyObject): LazyObject {
  return extended(payload, 'arguments', lazyText(payload.args!));
}

function textOf(value: LazyJson): string | LazyText {
  return typeof value === 'string' ? value : lazyText(value);
}

type Written = Exclude<LazyJson, LazyText>;

function plain(value: LazyJson): Written {
  return value instanceof LazyText ? value.text : value;
}

/** Undefined also for what is nested beyond reason: code that goes through it later would run out of stack. */
function decode(text: string): Json | undefined {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}

function decodeOr(text: string): Json {
  const decoded = decode(text);
  return decoded === undefined ? text : decoded;
}

export function sameJson(a: LazyJson, b: LazyJson): boolean {
  const left = plain(a);
  const right = plain(b);
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => sameJson(item, right[at]!));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key]!, right[key]!));
}

/** Copies only what holds a lazy text. */
function settleDeep(value: LazyJson): Json {
  const held = plain(value);
  if (Array.isArray(held)) {
    const items = held.map(settleDeep);
    return items.some((item, at) => item !== held[at]) ? items : (held as readonly Json[]);
  }
  if (!isLazyObject(held)) return held as Json;
  let copy: Record<string, LazyJson> | undefined;
  for (const key of Object.keys(held)) {
    const settled = settleDeep(held[key]!);
    if (settled !== held[key]) (copy ??= { ...held })[key] = settled;
  }
  return (copy ?? held) as JsonObject;
}

function kindOf(value: LazyJson): string {
  if (value === null || value === undefined) return 'None';
  return Array.isArray(value) ? 'list' : isJsonObject(value) ? 'dict' : typeof value;
}
