/**
 * What hooks kept and counted in a session, for the process that goes on with it: a guard that counts must not start at zero because the
 * program did.
 */
import type { RunState, RunStore } from '../engine/index.ts';
import { SessionOrigins } from '../flow/index.ts';
import { type LoadedRun, loadRunState, saveRunState } from '../policy/index.ts';

export interface ResumedRun {
  /** Puts what has changed since the last time into the store. Throws what the store says. */
  readonly save: () => Promise<void>;
}

const NOTHING: LoadedRun['before'] = { cache: new Map(), metrics: new Map() };

/** Fills the state of a session that goes on with what an earlier process of it left, and throws where that cannot be read. */
export async function resumeRun(
  store: RunStore,
  session: string,
  run: RunState,
  goesOn: boolean,
): Promise<ResumedRun> {
  let before = goesOn ? await fill(store, session, run) : NOTHING;
  let last: Promise<void> = Promise.resolve();
  const saveNow = async () => {
    const now: LoadedRun['before'] = {
      metrics: new Map(run.metrics),
      cache: new Map(Array.from(run.cache, ([name, value]) => [name, JSON.stringify(value)])),
    };
    const saved = await saveRunState(store, session, { run, before });
    if (!saved.ok) throw saved.error;
    before = now;
  };
  return {
    save: () => {
      last = last.catch(() => {}).then(saveNow);
      return last;
    },
  };
}

async function fill(store: RunStore, session: string, run: RunState): Promise<LoadedRun['before']> {
  const loaded = await loadRunState(store, session);
  if (!loaded.ok) throw loaded.error;
  for (const [name, value] of loaded.value.run.metrics) run.metrics.set(name, value);
  const { origins } = loaded.value.run;
  if (origins instanceof SessionOrigins && run.origins instanceof SessionOrigins) {
    origins.sources = run.origins.sources;
    run.origins = origins;
  }
  for (const [name, value] of loaded.value.run.cache) run.cache.set(name, value);
  return loaded.value.before;
}
