/**
 * What a tape is made of, version 2: one JSON object a line. The first is the header, which names the policy; every other
 * carries a counter, the time of day, the hash of the line before it, and one record. No clock is in anything that replay
 * compares. The page is docs/tape-format.md.
 */
import type { Json, JsonObject, KeyOrder } from '../base/index.ts';
import type { Action, Caller, Effect, Failure } from '../engine/index.ts';
import type { PolicyDigest } from '../policy/index.ts';

export const TAPE_VERSION = 2;

export interface Header {
  readonly tape: number;
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
 * `all`; of what guards own `state.get`, `state.set`, `state.incr` and `limit`.
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

/** What was fired. */
export interface Fired {
  /** Tells the dispatches of one tape apart; they count up, from 1 or from a random number. */
  readonly dispatch: number;
  /** Which engine, as the `run` entries number them. */
  readonly run: number;
  readonly event: string;
  /** As the host gave it, with nothing in the place of the values that `same` names. */
  readonly payload: Json;
  /** By the keys of the payload: values that the tape has already. */
  readonly same?: Readonly<Record<string, SharedPrefix>>;
  /** The number of the turn, if the host has said it. */
  readonly turn?: number;
  /** The dispatch of the hook that emitted this event. */
  readonly parent?: number;
  /** How many hooks of that dispatch had ended before: the next one emitted it. */
  readonly after?: number;
  /** The operation it belongs to, where operations overlap. */
  readonly callId?: string;
  /** The call was judged and changed since: every guard looked once more. */
  readonly recheck?: true;
  /** Who is behind it, if that is not who is behind the run. */
  readonly behind?: RecordedWho;
}

export interface RecordedWho {
  readonly actor: Json;
  readonly caller: Caller;
  /** Why it could not be told who. */
  readonly problem?: string;
}

/**
 * Where a value of a payload is already: under a key of the payload of an earlier dispatch of the same call, or of the same
 * event in the same run; of a list so many items of it, which those in the payload follow. A text alone is a key of this very
 * payload: the value is what that text is as JSON.
 */
export type SharedPrefix = readonly [dispatch: number, key: string, items?: number] | string;

/** One hook's part in a decision. What is absent is empty; without `result` it allowed, without `state` it ran. */
export interface HookPart {
  readonly hook: string;
  /** Its file and its layer; absent if the policy on the tape has one hook of that name for the event, and it is that one. */
  readonly source?: string;
  readonly layer?: string;
  /** What it was called with, if a hook before it had changed that. */
  readonly payload?: Json;
  readonly result?: Action;
  readonly reason?: string;
  /** It judged the call a second time, after it had been changed. */
  readonly recheck?: true;
  /** What it gave beside its action: the payload of a modify, the request of a delegate. */
  readonly raw?: Json;
  readonly readings?: readonly Reading[];
  /** Without the name of the hook where it is this one. */
  readonly effects?: readonly PartEffect[];
  readonly steps?: number;
  readonly warnings?: readonly string[];
  /** Why what it wanted did not count. */
  readonly vetoIgnored?: string;
  /** Only of a hook that gave no decision that counts, and then always: what came of that. */
  readonly policy?: 'blocked' | 'allowed' | 'threw' | 'skipped';
  readonly failure?: Failure;
  readonly state?: 'condition_failed' | 'unreached';
}

export type PartEffect = Effect extends infer E
  ? E extends Effect
    ? Omit<E, 'hook'> & { readonly hook?: string }
    : never
  : never;

/** What came of it. Hooks that did not match are not in it. */
export interface RecordedDecision {
  readonly action: Action;
  readonly reason?: string;
  /** The hook that decided. */
  readonly hook?: string;
  readonly hooks?: readonly HookPart[];
  /** Only if a hook rewrote it. */
  readonly payload?: Json;
  /** Of a delegate. */
  readonly request?: Json;
  readonly failure?: Failure & { readonly hook: string };
}

/** One event on its way through its chain, from beginning to end. */
export interface DecisionRecord {
  readonly type: 'decision';
  /** Only the number, if a `dispatch` entry has the rest. */
  readonly in: Fired | Pick<Fired, 'dispatch'>;
  readonly out: RecordedDecision;
}

/** An event whose decision waits for something: written before the wait, so that a process that dies in it leaves a trace. */
export interface DispatchRecord extends Fired {
  readonly type: 'dispatch';
}

/** A hook's condition holds, and its handler is called. Only of a hook that is waited for, or that emits. */
export interface HookCallRecord {
  readonly type: 'hook_call';
  readonly dispatch: number;
  readonly hook: string;
  readonly source: string;
  readonly layer?: string;
  /** Absent where it is the payload of the dispatch, as it came. */
  readonly payload?: Json;
}

/** How an attempt to call a tool ended. */
export type CallVerdict = (typeof CALL_VERDICTS)[number];

export const CALL_VERDICTS = [
  /** The tool ran, and the model has its result. */
  'ran',
  /** A hook said no or failed, or an interceptor said no. */
  'blocked',
  /** The permission table or the person who was asked said no, or nobody could be asked. */
  'denied',
  /** The floor, a guarded path, an untrusted folder or missing scopes; or nobody could judge the call. */
  'refused',
  'unknown_tool',
  'invalid_arguments',
  /** It ran and failed, or was aborted. */
  'failed',
  /** Kept from the model: its result, or the tool itself, which was taken from the agent; then nothing ran. */
  'hidden',
  /** It was let pass by a host that does not hear whether it ran. */
  'allowed',
] as const;

/** One attempt to call a tool, whatever became of it. */
export interface CallRecord {
  readonly type: 'call';
  readonly callId: string;
  readonly tool: string;
  readonly verdict: CallVerdict;
  /** The hook or the layer that decided. */
  readonly by: string | null;
  readonly reason: string | null;
  /** SHA-256 of the canonical JSON of `{args, name}` as it ran; null if nothing ran. */
  readonly digest: string | null;
  /** What ran, if that is not what `tool.pre` left. */
  readonly args?: JsonObject;
  /** What its programs ran in; absent if in nothing. */
  readonly sandbox?: JsonObject;
  /** Of a sub-agent: the session it belongs to. */
  readonly session?: string;
}

/** An engine with its settings, and for whom it decides; written once for each. */
export interface RunRecord {
  readonly type: 'run';
  readonly run: number;
  readonly actor: Json;
  readonly caller: Caller | null;
  /** What the engine may do, and the session as hooks are told of it. */
  readonly settings: JsonObject;
}

/** Another policy than the one before. */
export interface PolicyChangedRecord {
  readonly type: 'policy.changed';
  readonly from: string;
  readonly to: string;
  /** Whether it decides from here on. If not, the old one stays in force until a person accepts the new one. */
  readonly accepted: boolean;
  /** Why not. */
  readonly reason?: string;
  /** The new policy, as the header has it. */
  readonly policy?: PolicyDigest;
}

/** Facts on record for those who read it; nothing follows from them. */
export interface AnnotateRecord {
  readonly type: 'annotate';
  readonly facts: JsonObject;
  /** The call they are about. */
  readonly callId?: string;
}

/**
 * What the session did beside its hooks: messages, reminders, the end. The kinds `closed`, `repaired` and `hook` are the
 * tape's own; see docs/tape-format.md.
 */
export interface SessionRecord {
  readonly type: 'session';
  readonly kind: string;
  readonly data: Json;
}

export type TapeRecord =
  | DecisionRecord
  | DispatchRecord
  | HookCallRecord
  | CallRecord
  | RunRecord
  | PolicyChangedRecord
  | AnnotateRecord
  | SessionRecord;

/** One line after the header. */
export interface Entry {
  /** 1 for the first entry, and one more for each. */
  readonly seq: number;
  /** SHA-256 of the line before this one, as hex. */
  readonly prev: string;
  readonly record: TapeRecord;
  /** When, in milliseconds since the epoch. Absent in the closing entry. Inside the hash, never compared. */
  readonly at?: number;
  /** How long it took, in milliseconds; of a decision a list, the whole first and then each hook. Never compared. */
  readonly ms?: number | readonly number[];
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
