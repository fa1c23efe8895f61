/**
 * Run state between processes: what hooks kept and counted in one process of a session is there in the next. Hooks see a
 * `RunState` as ever; it is filled before they run and what they changed goes back after.
 *
 * Parallel processes lose nothing: of a counter what was added is added, of everything else only what was changed is
 * written. Two that read a value at once still both see the same one; a limit that must hold then is a `reserve`.
 */
import type { Json } from '../../base/index.ts';
import {
  type Change,
  type Effect,
  type Guards,
  type MaybePromise,
  type RunArea,
  RunState,
  type RunStore,
  type SharedRun,
  type Stored,
} from '../../engine/index.ts';
import { originChanges, originsIn } from './flow-store.ts';

const CACHE = 'cache/';
const METRIC = 'metric/';

export interface LoadedRun {
  readonly run: RunState;
  /** As it was in the store, for `saveRunState` to tell what has changed. */
  readonly before: {
    readonly cache: ReadonlyMap<string, string>;
    readonly metrics: ReadonlyMap<string, number>;
  };
}

/**
 * `make` gets the maps to make the run with; by default it has no settings. `limits` is the store of what all sessions count
 * together, if that is another one.
 */
export function loadRunState(
  store: RunStore,
  session: string,
  make: (shared: SharedRun) => RunState = (shared) => new RunState(undefined, undefined, undefined, shared),
  limits: RunStore = store,
): MaybePromise<Stored<LoadedRun>> {
  const area = store.session(session);
  const found = area.entries('');
  const loaded = (all: Stored<ReadonlyMap<string, Json>>): Stored<LoadedRun> =>
    all.ok ? { ok: true, value: runStateFrom(all.value, area, make, limits) } : all;
  return found instanceof Promise ? found.then(loaded) : loaded(found);
}

/** The same for a host that has all entries of the session already. */
export function runStateFrom(
  entries: ReadonlyMap<string, Json>,
  area: RunArea,
  make: (shared: SharedRun) => RunState,
  limits: RunStore,
): LoadedRun {
  // What guards count goes straight to the store: a host that loads a run cannot forget to give them one.
  const guards: Guards = { session: area, shared: limits.user() };
  const cache = new Map<string, Json>();
  const metrics = new Map<string, number>();
  for (const [key, value] of entries) {
    if (key.startsWith(CACHE)) cache.set(key.slice(CACHE.length), value);
    else if (key.startsWith(METRIC)) metrics.set(key.slice(METRIC.length), Number(value));
  }
  const run = make({ cache, metrics, health: new Map(), guards, origins: originsIn(entries) });
  const texts = new Map(Array.from(cache, ([key, value]) => [key, JSON.stringify(value)]));
  return { run, before: { cache: texts, metrics: new Map(metrics) } };
}

/** `effects` are those of the decisions made: they tell what was counted from what was set. */
export function saveRunState(
  store: RunStore,
  session: string,
  { run, before }: LoadedRun,
  effects: readonly Effect[] = [],
): MaybePromise<Stored<void>> {
  const changes = runStateChanges({ run, before }, effects);
  return changes.length === 0 ? { ok: true, value: undefined } : store.session(session).apply(changes);
}

/** The same as data, for a host that has more to write. */
export function runStateChanges({ run, before }: LoadedRun, effects: readonly Effect[] = []): Change[] {
  return [
    ...cacheChanges(run, before.cache),
    ...metricChanges(run, before.metrics, effects),
    ...originChanges(run),
  ];
}

function cacheChanges({ cache }: RunState, before: LoadedRun['before']['cache']): Change[] {
  const gone = [...before.keys()].filter((key) => !cache.has(key));
  const changed = [...cache].filter(([key, value]) => before.get(key) !== JSON.stringify(value));
  return [
    ...gone.map((key): Change => ({ op: 'delete', key: CACHE + key })),
    ...changed.map(([key, value]): Change => ({ op: 'set', key: CACHE + key, value })),
  ];
}

function metricChanges(
  { metrics }: RunState,
  before: LoadedRun['before']['metrics'],
  effects: readonly Effect[],
): Change[] {
  const set = new Set(
    effects.flatMap((effect) => (effect.kind === 'metric' && effect.op === 'set' ? [effect.name] : [])),
  );
  const gone = [...before.keys()].filter((key) => !metrics.has(key));
  const changed = [...metrics].filter(([key, value]) => before.get(key) !== value);
  return [
    ...gone.map((key): Change => ({ op: 'delete', key: METRIC + key })),
    ...changed.map(([key, value]): Change => {
      if (set.has(key)) return { op: 'set', key: METRIC + key, value };
      return { op: 'incr', key: METRIC + key, by: value - (before.get(key) ?? 0) };
    }),
  ];
}
