/**
 * Who is behind a call: the person or program a session works for, and the agent that makes it. The host says so and
 * vouches for it; no hook, tool or payload can. What arrives under these names from outside is kept apart, under `native`.
 */
import { canonicalJson, isJsonObject, type Json, type JsonObject, kindOf } from '../base/index.ts';
import { frozenCopy } from './frozen-copy.ts';

/** The person or program an agent works for. Whatever else the host knows of them may stand beside these. */
export interface Actor {
  readonly id: string;
  readonly email?: string;
  readonly tenant?: string;
  readonly tier?: string;
  /** What they may do; absent: nothing is said, which under `scopes: enforce` is nothing. */
  readonly scopes?: readonly string[];
  readonly [key: string]: Json | undefined;
}

/** The agent a call comes from. */
export interface Caller {
  /** Empty for the agent that no other one started. */
  readonly name: string;
  readonly depth: number;
  /** Names from the first sub-agent to this one. */
  readonly chain: readonly string[];
  readonly parent_session_id: string | null;
  /** What it may do: what the person, the agents above it and its task all may. Absent: nothing narrows it. */
  readonly scopes?: readonly string[];
}

export interface Who {
  readonly actor: Actor | null;
  readonly caller: Caller;
  /** The host named somebody, and this is why it cannot be told whom: then there is no actor, and gates do not open. */
  readonly problem?: string;
}

export const FIRST_CALLER: Caller = Object.freeze({
  name: '',
  depth: 0,
  chain: Object.freeze([]),
  parent_session_id: null,
});

export const UNKNOWN_WHO: Who = Object.freeze({ actor: null, caller: FIRST_CALLER });

const ACTOR_LIMITS = { characters: 16 * 1024, text: 1000, scopes: 1000 } as const;

export type ReadActor =
  | { readonly ok: true; readonly actor: Actor | null }
  | { readonly ok: false; readonly message: string };

/**
 * An actor as a host gives one. Half of one is none: a scope that is no text could be meant to allow or to forbid, and an
 * actor without an id is nobody that a limit or a record could hold on to.
 */
export function readActor(given: unknown): ReadActor {
  if (given === null || given === undefined) return { ok: true, actor: null };
  if (!isJsonObject(given)) return wrong(`want an object with an id, got ${kindOf(given)}`);
  // What is looked at is what is kept: an object may say something else each time it is asked.
  const copy = jsonCopy(given);
  if (typeof copy === 'string') return wrong(copy);
  if (!Object.hasOwn(copy, 'id')) return wrong('id is missing');
  for (const key of ['id', 'email', 'tenant', 'tier'] as const) {
    const value = Object.hasOwn(copy, key) ? copy[key] : undefined;
    if (value === undefined && key !== 'id') continue;
    if (typeof value !== 'string') return wrong(`${key}: want a text, got ${kindOf(value)}`);
    if (value.trim() === '') return wrong(`${key} is empty`);
    if (value.length > ACTOR_LIMITS.text)
      return wrong(`${key} has more than ${ACTOR_LIMITS.text} characters`);
  }
  const scopes = readScopes(copy.scopes);
  if (!scopes.ok) return wrong(scopes.message);
  return { ok: true, actor: frozenCopy(copy) as Actor };
}

/** A text says what is wrong with it. */
function jsonCopy(given: JsonObject): JsonObject | string {
  let text: string;
  try {
    text = canonicalJson(given);
  } catch {
    return 'it is not JSON';
  }
  if (text.length > ACTOR_LIMITS.characters)
    return `it has more than ${ACTOR_LIMITS.characters} characters as JSON`;
  const copy = JSON.parse(text) as unknown;
  return isJsonObject(copy) ? copy : 'it is not an object';
}

export type ReadCaller =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly message: string };

/** A caller as a host gives one. Half of one is none, as with an actor: it could be of an agent that may do less. */
export function readCaller(given: unknown): ReadCaller {
  if (given === null || given === undefined) return { ok: true, caller: FIRST_CALLER };
  if (!isJsonObject(given)) return noCaller(`want an object, got ${kindOf(given)}`);
  const copy = jsonCopy(given);
  if (typeof copy === 'string') return noCaller(copy);
  const { name, depth, chain, parent_session_id: parent = null, scopes } = copy;
  if (typeof name !== 'string') return noCaller(`name: want a text, got ${kindOf(name)}`);
  if (!Array.isArray(chain) || chain.some((each) => typeof each !== 'string'))
    return noCaller('chain: want a list of texts');
  if (depth !== chain.length || name !== (chain.at(-1) ?? ''))
    return noCaller('want as many names in chain as depth says, and name as its last');
  if (parent !== null && typeof parent !== 'string')
    return noCaller(`parent_session_id: want a text or null, got ${kindOf(parent)}`);
  const read = readScopes(scopes);
  if (!read.ok) return noCaller(read.message);
  return { ok: true, caller: frozenCopy({ ...copy, parent_session_id: parent }) as unknown as Caller };
}

function noCaller(message: string): ReadCaller {
  return { ok: false, message: `caller: ${message}` };
}

/** Who is behind an event, by what the host says of it; what it does not say is as in the run. */
export function resolveWho(actor: ReadActor, caller: unknown, run: Who): Who {
  const from: ReadCaller = caller === undefined ? { ok: true, caller: run.caller } : readCaller(caller);
  if (!from.ok) return { actor: null, caller: FIRST_CALLER, problem: from.message };
  if (!actor.ok) return { actor: null, caller: from.caller, problem: actor.message };
  return { actor: actor.actor, caller: from.caller };
}

/** Whether another agent started the one that calls. */
export function isOfSubAgent({ caller }: Pick<Who, 'caller'>): boolean {
  return caller.depth > 0;
}

export type ReadScopes =
  | { readonly ok: true; readonly scopes: readonly string[] | undefined }
  | { readonly ok: false; readonly message: string };

/** A list of texts; anything in it that is none makes it no list of scopes. */
export function readScopes(given: unknown): ReadScopes {
  if (given === undefined) return { ok: true, scopes: undefined };
  if (!Array.isArray(given)) return noScopes(`want a list of texts, got ${kindOf(given)}`);
  if (given.length > ACTOR_LIMITS.scopes) return noScopes(`more than ${ACTOR_LIMITS.scopes} of them`);
  const strange = given.find((scope) => typeof scope !== 'string' || scope.trim() === '');
  if (strange !== undefined || given.includes(undefined))
    return noScopes(`want texts, got ${strange === '' ? 'an empty text' : kindOf(strange)}`);
  return { ok: true, scopes: given as readonly string[] };
}

function noScopes(message: string): ReadScopes {
  return { ok: false, message: `scopes: ${message}` };
}

/** What all of them have; an absent list narrows nothing. */
export function commonScopes(
  ...lists: readonly (readonly string[] | undefined)[]
): readonly string[] | undefined {
  const stated = lists.filter((list) => list !== undefined);
  if (stated.length === 0) return undefined;
  return [...new Set(stated[0])].filter((scope) => stated.every((list) => list.includes(scope)));
}

function wrong(message: string): ReadActor {
  return { ok: false, message: `actor: ${message}` };
}

/** The keys of a payload that are the engine's to say. */
export const WHO_KEYS = ['actor', 'caller'] as const;

/** A payload whose own words on who is behind it stand under `native`, where nobody takes them for the host's. */
export function withoutClaims(payload: JsonObject): JsonObject {
  if (!('actor' in payload) && !('caller' in payload)) return payload;
  const claimed = WHO_KEYS.filter((key) => Object.hasOwn(payload, key));
  if (claimed.length === 0) return payload;
  const { native } = payload;
  const before = native === undefined ? {} : isJsonObject(native) ? native : { native };
  const claims = Object.fromEntries(claimed.map((key) => [key, payload[key]!]));
  const kept = Object.entries(payload).filter(([key]) => !(WHO_KEYS as readonly string[]).includes(key));
  return Object.fromEntries([...kept, ['native', { ...before, ...claims }]]) as JsonObject;
}
