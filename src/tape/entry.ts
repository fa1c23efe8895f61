/**
 * What a tape is made of: one JSON object a line. The first is the header, which names the policy; every other carries a
 * counter, the hash of the line before it, and one record. No wall clock is in anything that replay compares.
 */
import type { Json, JsonObject } from '../base/json.ts';
import type { Action, Effect, Failure } from '../events/decision.ts';

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

/** The policy by content: every hook file and every setting that changes a decision. */
export interface PolicyDigest {
  /** SHA-256 over the canonical JSON of the rest. */
  readonly digest: string;
  readonly hooks: readonly {
    readonly name: string;
    readonly event: string;
    readonly source: string;
    readonly frontEnd: string;
    readonly priority: number;
    /** SHA-256 of the file, or null for a closure: such a hook can only be replayed from its recorded returns. */
    readonly digest: string | null;
  }[];
  readonly settings: JsonObject;
}

/** A value from outside that a hook read, in the order it read them. */
export interface Reading {
  readonly kind: 'now' | 'uuid' | 'env' | 'http' | 'cache' | 'turn' | 'command' | 'random';
  /** What was asked, where there is something to ask: the key, the URL, the name. */
  readonly key: Json;
  readonly value: Json;
}

export type Record_ =
  /** An event begins its way through the chain. Nested dispatches carry the `seq` of the hook_call they happened in. */
  | { readonly type: 'dispatch'; readonly dispatch: number; readonly event: string; readonly payload: Json; readonly parent: number | null; readonly callId: string | null }
  | { readonly type: 'hook_call'; readonly dispatch: number; readonly hook: string; readonly source: string; readonly payload: Json | null }
  | { readonly type: 'hook_returned'; readonly dispatch: number; readonly hook: string; readonly result: Action; readonly reason: string | null; readonly raw: Json; readonly readings: readonly Reading[]; readonly effects: readonly Effect[]; readonly steps: number; readonly warnings: readonly string[] }
  | { readonly type: 'hook_vetoed'; readonly dispatch: number; readonly hook: string; readonly decision: Action; readonly reason: string }
  | { readonly type: 'hook_failed'; readonly dispatch: number; readonly hook: string; readonly failure: Failure; readonly policy: 'blocked' | 'allowed' | 'threw'; readonly readings: readonly Reading[]; readonly steps: number }
  | { readonly type: 'outcome'; readonly dispatch: number; readonly event: string; readonly action: Action; readonly reason: string | null; readonly hook: string | null; readonly payload: Json | null; readonly effects: readonly Effect[]; readonly digest: string }
  /** What the session did beside its hooks: messages, tool results, reminders, the end. */
  | { readonly type: 'session'; readonly kind: string; readonly data: Json };

/** One line after the header. */
export interface Entry {
  readonly seq: number;
  /** SHA-256 of the line before this one, as hex. */
  readonly prev: string;
  readonly record: Record_;
}

/** What stands where a secret was: its kind and a keyed digest, so that replay can say why it cannot replay. */
export interface Redacted {
  readonly $redacted: string;
  readonly digest: string;
}
