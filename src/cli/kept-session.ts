/**
 * `decide --session ID`: what guards count and remember is that of the session, and of all others, in the user's store.
 */
import { machineHost } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { Outcome } from '../events/decision.ts';
import type { DecideOptions } from '../hooks/engine.ts';
import { RunState } from '../hooks/run-state.ts';
import type { RunStore } from '../hooks/stores/run-store.ts';
import type { Policy } from '../policy/policy.ts';
import { loadRunState, saveRunState } from '../policy/stores/run-state-store.ts';
import { userRunStore } from '../policy/stores/user-run-store.ts';
import { UsageError } from './command.ts';

export type DecideHere = (event: string, payload: Json) => Promise<Outcome>;

export interface Kept {
  readonly store: RunStore;
  /** What cannot be kept is not decided: the error of the store is thrown. */
  readonly decideIn: (policy: Policy, options?: DecideOptions) => DecideHere;
}

export function keptSession(session: string): Kept {
  if (session.trim() === '') throw new UsageError('--session wants the id of a session');
  const store = userRunStore(machineHost);
  if (store === undefined) throw new UsageError('--session needs a place to keep it: HOME is not set');
  return {
    store,
    decideIn: (policy, options) => (event, payload) => decide(policy, event, payload, options),
  };

  async function decide(
    policy: Policy,
    event: string,
    payload: Json,
    options: DecideOptions | undefined,
  ): Promise<Outcome> {
    const { settings, session: info } = policy.newRun({ id: session });
    const loaded = await loadRunState(
      policy.store,
      session,
      (shared) => new RunState(settings, info, undefined, shared),
    );
    if (!loaded.ok) throw loaded.error;
    const engine = policy.engine({ run: loaded.value.run, canAsk: true });
    const outcome: Outcome = await engine.decide(event, payload, options);
    const saved = await saveRunState(policy.store, session, loaded.value, outcome.effects);
    if (!saved.ok) throw saved.error;
    return outcome;
  }
}
