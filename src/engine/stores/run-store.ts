/**
 * Where what a run remembers lives between processes: values, counters, things done once, and rates. A store has one area a
 * session and one a user; every operation on an area is one step that no other process can come between. Files are the
 * default (file-run-store.ts); every other store passes the same cases (test/support/run-store-cases.ts).
 */
import type { HarnessError, Json } from '../../base/index.ts';
import type { MaybePromise } from '../hook.ts';

export interface RunStore {
  /** Of one session. */
  session(id: string): RunArea;
  /** Of this user, shared by all sessions. */
  user(): RunArea;
  /**
   * Whether the disk must have a change before it is acknowledged, so that it survives a loss of power. A policy with
   * `tape.sync` turns it on; a store without this method decides for itself.
   */
  syncChanges?(on: boolean): void;
}

/** Failure is a value: a caller that guards something denies on it. Nothing here throws or rejects because of its input. */
export type Stored<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: HarnessError };

export interface RunArea {
  /** Undefined if nothing is there. */
  get(key: string): MaybePromise<Stored<Json | undefined>>;
  set(key: string, value: Json): MaybePromise<Stored<void>>;
  /** Whether something was there: of several who take a value away, exactly one is told yes. */
  delete(key: string): MaybePromise<Stored<boolean>>;
  /** The new value; what was no number counts as 0. */
  incr(key: string, by?: number): MaybePromise<Stored<number>>;
  /** True the first time. */
  once(key: string): MaybePromise<Stored<boolean>>;
  /**
   * Takes `amount` (1 by default) of what `limit` allows within any `windowMs`, at once. It counts until it is given back
   * with `settle`. `now` is the time of day in milliseconds.
   */
  reserve(
    key: string,
    limit: number,
    windowMs: number,
    now: number,
    amount?: number,
  ): MaybePromise<Reservation>;
  /** What became of it: one that does not count is given back. Whether there was something to give back. */
  settle(token: string, counted: boolean): MaybePromise<Stored<boolean>>;
  /** Everything whose key begins so, without the beginning. */
  entries(prefix: string): MaybePromise<Stored<ReadonlyMap<string, Json>>>;
  /** All of them in one step. */
  apply(changes: readonly Change[]): MaybePromise<Stored<void>>;
}

export type Change =
  | { readonly op: 'set'; readonly key: string; readonly value: Json }
  | { readonly op: 'delete'; readonly key: string }
  | { readonly op: 'incr'; readonly key: string; readonly by: number };

export type Reservation =
  | { readonly ok: true; readonly left: number; readonly retryAfter: 0; readonly token: string }
  | {
      readonly ok: false;
      readonly left: number;
      /** Milliseconds until as much would be granted; null if it never would, or the store cannot say. */
      readonly retryAfter: number | null;
      readonly token: null;
      /** Why the store could not answer; null if the limit is reached. */
      readonly error: HarnessError | null;
    };

/** What a store has to hold in memory and on disk is bounded, whatever hooks ask for. */
export const STORE_LIMITS = {
  keyCharacters: 1000,
  valueCharacters: 1024 * 1024,
  keys: 100_000,
  /** Grants of one rate that are remembered one by one; of more than that, older ones are remembered in pairs. */
  grants: 10_000,
} as const;

/** The key under which a guard keeps something: whose it is, and what the guard calls it. */
export function guardKey(owner: string, name: string): string {
  return `${owner}\0${name}`;
}

/** What the guard calls it; for records, where the guard is known. */
export function nameInKey(key: string): string {
  return key.slice(key.indexOf('\0') + 1);
}
