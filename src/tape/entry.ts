/**
 * What a tape is made of: one JSON object a line. The first is the header, which names the policy; every other carries a
 * counter, the hash of the line before it, and one record. No wall clock is in anything that replay compares.
 */
import type { KeyOrder } from '../base/canonical-json.ts';
import type { Json } from '../base/json.ts';
import type { Action, Effect, Failure } from '../events/decision.ts';
import type { PolicyDigest } from '../policy/policy-digest.ts';

export const TAPE_VERSION = 1;

export interface Header {
  readonly tape: typeof TAPE_VERSION;
  readonly session: string;
  /** Name and version of the engine that wrote it. */
  readonly engine: string;
  /** Which host fired the events: `harness run`, an adapter, a test. */
  readonly host: string;
  readonly policy: PolicyDigest;
  /** For people; replay never looks at it. */
  readonly started: string;
}

/**
 * A value from outside that a hook read, in the order it asked for them: `now`, `uuid`, `env`, `http`, `command`, `append`,
 * `approval`, `agent`, `tool`, and for the stores `cache`, `turn` and `metric` with a dot and what was asked: `get`, `has`, `delete`, `size`,
 * `all`.
 */
export interface Reading {
  readonly kind: string;
  /** What was asked, where there is something to ask: the key, the name, the request. */
  readonly key?: Json;
  /** The answer. Absent where there was none: a key nobody set, a variable that is not there. */
  readonly value?: Json;
  /** Instead of an answer: why there is none. */
  readonly error?: string;
  /** The call was over before the answer came. */
  readonly pending?: true;
}

/** An event begins its way through the chain. */
export interface DispatchRecord {
  readonly type: 'dispatch';
  /** Counts the dispatches of the tape, from 1. */
  readonly dispatch: number;
  /** Which engine, as the `run` entries number them. */
  readonly run: number;
  readonly event: string;
  /** As the host gave it. */
  readonly payload: Json;
  /** The number of the turn where the host has said it. */
  readonly turn?: number;
  /** The dispatch of the hook that emitted this event, which was then at its last hook_call. */
  readonly parent?: number;
  /** The operation it belongs to, where operations overlap. */
  readonly callId?: string;
  /** The call was judged and changed since: every guard looked once more. */
  readonly recheck?: true;
}

/** A hook's condition holds, and its handler is called. */
export interface HookCallRecord {
  readonly type: 'hook_call';
  readonly dispatch: number;
  readonly hook: string;
  readonly source: string;
  /** Absent where it is the payload of the dispatch, as it came. */
  readonly payload?: Json;
}

/** What both ends of a call have. Lists are absent where they would be empty, and texts where there is none. */
interface CallEnd {
  readonly dispatch: number;
  readonly hook: string;
  /** What the hook gave beside its action: the payload of a modify, the request of a delegate. */
  readonly raw?: Json;
  readonly readings?: readonly Reading[];
  /** All that came of the call, in order; in mode `warn` its last is the reminder its decision became. */
  readonly effects?: readonly Effect[];
  readonly steps: number;
  readonly warnings?: readonly string[];
  /** Why what it wanted did not count. */
  readonly vetoIgnored?: string;
}

export interface HookReturnedRecord extends CallEnd {
  readonly type: 'hook_returned';
  readonly result: Action;
  readonly reason?: string;
}

/** Follows a hook_returned whose block, ask or permit counts. */
export interface HookVetoedRecord {
  readonly type: 'hook_vetoed';
  readonly dispatch: number;
  readonly hook: string;
  readonly decision: Action;
  readonly reason: string;
}

/** Without a hook_call before it where the hook was never called; `state` says why. */
export interface HookFailedRecord extends CallEnd {
  readonly type: 'hook_failed';
  readonly state: 'ran' | 'condition_failed' | 'unreached';
  /** What it said, where it said something it may not say here. */
  readonly result?: Action;
  readonly reason?: string;
  /** Absent where a condition failed and the hook was passed over: `reason` then says what went wrong. */
  readonly failure?: Failure;
  readonly policy: 'blocked' | 'allowed' | 'threw' | 'skipped';
}

/** What the chain as a whole said. Its effects are those of its hooks, one after the other. */
export interface OutcomeRecord {
  readonly type: 'outcome';
  readonly dispatch: number;
  readonly event: string;
  readonly action: Action;
  readonly reason?: string;
  /** The hook that decided. */
  readonly hook?: string;
  /** Only where a hook rewrote it. */
  readonly payload?: Json;
  /** Of a delegate. */
  readonly request?: Json;
  readonly failure?: Failure & { readonly hook: string };
}

/**
 * What the session did beside its hooks: messages, tool results, reminders, the end. The kinds `closed`, `repaired`,
 * `policy`, `run` and `hook` are the tape's own; see docs/tape-format.md.
 */
export interface SessionRecord {
  readonly type: 'session';
  readonly kind: string;
  readonly data: Json;
}

export type TapeRecord =
  | DispatchRecord
  | HookCallRecord
  | HookReturnedRecord
  | HookVetoedRecord
  | HookFailedRecord
  | OutcomeRecord
  | SessionRecord;

/** One line after the header. */
export interface Entry {
  /** 1 for the first entry, and one more for each. */
  readonly seq: number;
  /** SHA-256 of the line before this one, as hex. */
  readonly prev: string;
  readonly record: TapeRecord;
  /** How long it took, in milliseconds. Inside the hash, outside everything that replay compares. */
  readonly ms?: number;
  /** How the keys of objects inside the record stood before they were sorted; a reader has put them back. */
  readonly order?: KeyOrder;
}

/** What stands where a secret was: its kind and a keyed digest, so that replay can say why it cannot replay. */
export interface Redacted {
  readonly $redacted: string;
  /** HMAC-SHA-256 of the whole value, as hex. */
  readonly digest: string;
  /** Where the secret was only a part of a text: that text with `[kind]` in place of the secret. */
  readonly text?: string;
}

/** What stands where a value was that JSON cannot hold: a cycle, a function, NaN. */
export interface Unrecordable {
  readonly $unrecordable: string;
}
