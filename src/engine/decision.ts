/**
 * What one hook may say, what it may leave beside it, and what the whole chain says: the vocabulary every front end
 * translates into and every host obeys.
 */
import type { Json, JsonObject, Position } from '../base/index.ts';
import type { PayloadFor } from './catalog.ts';
import type { EventActions } from './payload-types.ts';
import type { Reservations } from './reservations.ts';

export type Decision =
  /** No opinion. */
  | { readonly action: 'allow' }
  /** `cause`: not the rule itself but a folder that is not trusted. */
  | { readonly action: 'block'; readonly reason: string; readonly cause?: 'trust' }
  /** Laid over the payload: absent keys stay. */
  | { readonly action: 'modify'; readonly payload: Json }
  | { readonly action: 'ask'; readonly reason: string }
  /** Hands the work to someone else; only `agent.stop` and `delegation.post` can. */
  | { readonly action: 'delegate'; readonly request: Json }
  /** Answers `permission.asked` with yes. */
  | { readonly action: 'permit'; readonly reason: string };

export type Action = Decision['action'];

export type LogLevel = 'info' | 'warn' | 'error';

/** What a decision carries beside its action. */
export type Effect =
  | { readonly kind: 'reminder'; readonly hook: string; readonly reminder: ReminderSpec }
  | { readonly kind: 'context'; readonly hook: string; readonly text: string }
  | { readonly kind: 'output'; readonly hook: string; readonly text: string }
  | { readonly kind: 'log'; readonly hook: string; readonly level: LogLevel; readonly message: string }
  | {
      readonly kind: 'metric';
      readonly hook: string;
      readonly name: string;
      readonly op: 'incr' | 'set';
      readonly value: number;
    }
  /** Facts for the record, from which nothing follows. */
  | { readonly kind: 'annotate'; readonly hook: string; readonly facts: JsonObject };

/** A note to the model. Stores and front ends validate it strictly; `body` is never blank. */
export interface ReminderSpec {
  readonly body: string;
  readonly tags?: readonly string[];
  readonly dedupe_key?: string;
  readonly ttl_turns?: number;
  readonly preserve_on_compact?: boolean;
  readonly propagate?: 'all' | 'session' | 'none';
  readonly role_hint?: 'system' | 'developer' | 'user_block' | 'ephemeral_cache';
  readonly authority?: 'contract' | 'corrective' | 'advisory';
}

/** A hook that gave no decision. */
export interface Failure {
  readonly kind: 'error' | 'timeout' | 'aborted' | 'invalid_return';
  /** From the catalogue in base/errors.ts. */
  readonly code: string;
  readonly message: string;
  readonly position?: Position;
  readonly traceback?: string;
}

/** One line of the record: every hook of the chain has one, in the order of the chain. */
export interface TraceEntry {
  readonly hook: string;
  readonly source: string;
  readonly frontEnd: string;
  /** The layer of the policy the hook comes from. */
  readonly layer: string;
  readonly priority: number;
  readonly mode: Mode;
  /**
   * `ran` (its handler was called), `unmatched` (its condition said no), `condition_failed` (its condition raised),
   * `unreached` (an earlier block ended the chain).
   */
  readonly state: 'ran' | 'unmatched' | 'condition_failed' | 'unreached';
  readonly matched: boolean;
  /** What the hook said, before mode and authority were applied; null if it said nothing. */
  readonly decision: Action | null;
  /** The reason it gave, or why it did not match. */
  readonly reason: string | null;
  readonly failure: Failure | null;
  /** What the failure led to under the hook's policy. */
  readonly onFailure?: 'blocked' | 'allowed' | 'threw';
  /** The hook wanted to block, ask or rewrite where this event, mode or front end does not let it; says which. */
  readonly vetoIgnored?: string;
  readonly warnings: readonly string[];
  readonly ms: number;
  readonly steps: number;
  /** The guard judged the call a second time, because a lower layer had rewritten it since. */
  readonly recheck?: true;
}

/** How much of a hook's word counts: all, as a reminder only, as a record only. */
export type Mode = 'enforce' | 'warn' | 'shadow';

/** A line of a file. */
export interface DecisionSite {
  readonly file: string;
  readonly line: number;
}

/** A hook as an outcome names it. */
export interface DecidingHook {
  readonly name: string;
  readonly layer: string;
  /** Authority of the layer: the smaller, the higher. */
  readonly rank: number;
  readonly frontEnd: string;
  readonly source: string;
  /** Where it says what it said, if that stands in its own file; else where it begins. */
  readonly line?: number;
  /** The line that decided: of its script, of a library, of a rule. */
  readonly site?: DecisionSite;
  /** It blocked because its folder is not trusted. */
  readonly cause?: 'trust';
}

export interface Ask {
  readonly hook: string;
  readonly layer: string;
  /** Authority of the layer: the smaller, the higher. */
  readonly rank: number;
  readonly reason: string;
  /** Where the hook is written. */
  readonly source: string;
  readonly line?: number;
}

/**
 * What the chain as a whole said. A host acts only if `mayRun`, and then with `payload`, which has the event's type if the
 * name was known when `decide` was compiled.
 */
export interface Outcome<E extends string = string> {
  readonly event: E;
  /** `delegate` and `permit` only on the events that have them, and where the event is known only at run time. */
  readonly action:
    | 'allow'
    | 'block'
    | 'modify'
    | 'ask'
    | (E extends unknown ? EventActions[E & keyof EventActions] : never);
  /**
   * Whether the operation may go ahead: true for allow, modify and permit. False for block, for ask until somebody has said
   * yes (`policy.permit`), for delegate, and where a hook failed under `on_error: throw`. Derived: tapes and `decide --json` do not have it.
   */
  readonly mayRun: boolean;
  /** Bare, without the hook's name; surfaces render their own prefix. Null for a plain allow. */
  readonly reason: string | null;
  /** The hook that decided, or null. */
  readonly hook: string | null;
  /** Where the hook that decided comes from; absent if none did. */
  readonly decidedBy?: DecidingHook;
  /** Every hook that asked, for an outcome `ask`: a yes counts only for those it may answer. */
  readonly asks?: readonly Ask[];
  /** Whether an `ask` was approved, once a hook or a person has answered it. */
  readonly approved?: boolean;
  readonly payload: PayloadFor<E>;
  readonly effects: readonly Effect[];
  readonly trace: readonly TraceEntry[];
  /** The request of a `delegate`. */
  readonly request?: Json;
  /** What guards took from limits for the operation: see `giveBack`. No part of the JSON form. */
  readonly reservations?: Reservations;
  /** A hook failed under `on_error: throw` (or vetoed an event that forbids it): the host fails the operation with this. */
  readonly failure?: Failure & { readonly hook: string };
}
