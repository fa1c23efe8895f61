/** `decide --session ID`: what guards count and remember belongs to that session, in the user's store. */

import type { Json } from '../base/index.ts';
import type { DecideOptions, Outcome, RunStore } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { type Policy, userRunStore } from '../policy/index.ts';
import { decideStored } from '../session/index.ts';
import { UsageError } from '../terminal/index.ts';

export type DecideInSession = (event: string, payload: Json) => Promise<Outcome>;

export interface StoredSession {
  readonly store: RunStore;
  /** Throws the error of the store: what cannot be counted is not decided. */
  readonly decideIn: (policy: Policy, options?: DecideOptions) => DecideInSession;
}

export function sessionStore(session: string): StoredSession {
  if (session.trim() === '') throw new UsageError('--session wants the id of a session');
  const store = userRunStore(machineHost);
  if (store === undefined) throw new UsageError('--session needs a place to store it: HOME is not set');
  return {
    store,
    decideIn: (policy, options) => (event, payload) => decideStored(policy, session, event, payload, options),
  };
}
