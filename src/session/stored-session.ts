/** One decision in a session whose counters and caches lie in the store: loaded before it, saved after it. */
import type { Json } from '../base/index.ts';
import { type DecideOptions, type Outcome, RunState } from '../engine/index.ts';
import { loadRunState, type Policy, saveRunState } from '../policy/index.ts';
import { GovernedSession } from './governed-session.ts';

/** Throws the error of the store: what cannot be counted is not decided. */
export async function decideStored(
  policy: Policy,
  id: string,
  event: string,
  payload: Json,
  options?: DecideOptions,
): Promise<Outcome> {
  const { settings, session: info } = policy.newRun({ id });
  const loaded = await loadRunState(
    policy.store,
    id,
    (shared) => new RunState(settings, info, undefined, shared),
  );
  if (!loaded.ok) throw loaded.error;
  const { run } = loaded.value;
  const session = new GovernedSession({ policy, run, openTape: null, approvals: null, approvalMs: 0 });
  const outcome = await session.decide(event, payload, options);
  const saved = await saveRunState(policy.store, id, loaded.value, outcome.effects);
  if (!saved.ok) throw saved.error;
  return outcome;
}
