/**
 * What one hook may say, what it may leave beside it, and what the whole chain says: the vocabulary every front end
 * translates into and every host obeys.
 */
import type { Json, JsonObject } from '../base/json.ts';
import type { Position } from '../base/source.ts';
import type { PayloadFor } from './catalog.ts';

export type Decision =
  /** No opinion. */
  | { readonly action: 'allow' }
  | { readonly action: 'block'; readonly reason: string }
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

/** A hook as an outcome names it. */
export interface DecidingHook {
  readonly name: string;
  readonly layer: string;
  /** Authority of the layer: the smaller, the higher. */
  readonly rank: number;
  readonly frontEnd: string;
  readonly source: string;
  readonly line?: number;
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
 * What the chain as a whole said. Hosts obey `action` and go on with `payload`, which has the event's type if the name was
 * known when `decide` was compiled.
 */
export interface Outcome<E extends string = string> {
  readonly event: E;
  readonly action: Action;
  /** Bare, without the hook's name; surfaces render their own prefix. Null for a plain allow. */
  readonly reason: string | null;
  /** The hook that decided, or null. */
  readonly hook: string | null;
  /** Where the hook that decided comes from; absent if none did. */
  readonly decidedBy?: DecidingHook;
  /** Every hook that asked, for an outcome `ask`: a yes counts only for those it may answer. */
  readonly asks?: readonly Ask[];
  readonly payload: PayloadFor<E>;
  readonly effects: readonly Effect[];
  readonly trace: readonly TraceEntry[];
  /** The request of a `delegate`. */
  readonly request?: Json;
  /** A hook failed under `on_error: throw` (or vetoed an event that forbids it): the host fails the operation with this. */
  readonly failure?: Failure & { readonly hook: string };
}
