/**
 * One prepared object for every host: all that decides for a folder, read once. `decide`, `hooks`, `validate`, `run`,
 * `replay`, the session and every adapter go through it, so that for one folder all of them name the same chain and give the
 * same answer.
 *
 * ```ts
 * const policy = await openPolicy('my-agent', { host: machineHost });
 * const outcome = await policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command: 'ls' } });
 * if (outcome.mayRun) run(outcome.payload);
 * ```
 */
import { type EngineOptions, MemoryRunStore, type Recorder, type RunStore } from '../engine/index.ts';
import { byPlace } from '../frontends/index.ts';
import { type Host, machineHost } from '../machine/index.ts';
import type { ScriptCheck } from '../script/index.ts';
import { CONTRIBUTORS, type OpenRequest, opening } from './contributors.ts';
import type { Identify } from './identify.ts';
import { type LayerPlaces, layerPlaces } from './layers.ts';
import type { CopiedLayer, SharedLayers, TrustOption } from './loaded-layer.ts';
import { Policy } from './policy.ts';

export interface PolicyOptions {
  readonly host?: Host;
  /** Where the managed and the user's policy stand; default: as the host's environment says. */
  readonly places?: LayerPlaces;
  /** The operator's switches as they were, for a replay; default: the host's. */
  readonly switches?: Pick<Host, 'env'>;
  readonly recorder?: Recorder;
  /** Sees every outcome of `decide` and of the engines made of this policy. A `Session` tells its own, see its `onEvent`. */
  readonly observe?: NonNullable<EngineOptions['observe']>;
  /** Count which lines of scripts run, see `Hook.covered`. */
  readonly coverage?: boolean;
  /** Looks into the scripts of Markdown hooks; what it finds is in `problems`. */
  readonly check?: ScriptCheck;
  /** No policy folder anywhere is fine. Default: then every gate blocks. */
  readonly allowEmpty?: boolean;
  /** Whether capabilities of project folders hold; default: as records and `HARNESS_TRUST` say. */
  readonly trust?: TrustOption;
  /** Where guards keep what they count and remember; by default in memory, for as long as the policy is open. */
  readonly store?: RunStore;
  /** Layers that policies of one process have in common; see `openPolicies`. */
  readonly shared?: SharedLayers;
  /** For a host that is given a token instead of a person: says whose it is. See `Policy.identify`. */
  readonly identify?: Identify;
  /** How long `identify` may take, in milliseconds; by default 10 seconds. */
  readonly identifyMs?: number;
  /** Programs of this policy are started by nobody, as in a test or a replay: whether they could be contained is not looked at. */
  readonly startsNothing?: boolean;
  /** The process ends with the call that the policy is opened for: what is guarded is looked up when a call could change it. */
  readonly oneCall?: boolean;
  /** The policy as a session keeps it: these layers, whatever stands in their folders by now. */
  readonly kept?: readonly CopiedLayer[];
}

/**
 * The policy of a folder, by default of the current one. Never throws because of a file: what cannot be read is in `problems`,
 * and blocks what it might have guarded.
 */
export async function openPolicy(dir = '.', options: PolicyOptions = {}): Promise<Policy> {
  const host = options.host ?? machineHost;
  const request: OpenRequest = {
    dir,
    host,
    switches: options.switches ?? host,
    places: options.places ?? layerPlaces(host),
    allowEmpty: options.allowEmpty ?? false,
    startsNothing: options.startsNothing ?? (options.trust !== undefined && options.trust !== 'all'),
    options,
  };
  let opened = opening(request);
  for (const { contribute } of CONTRIBUTORS) {
    const made = contribute(opened);
    opened = { ...opened, ...(made instanceof Promise ? await made : made) };
    // A large policy takes seconds: the timer of a deadline gets its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { switches, places, allowEmpty, startsNothing, layers, hooks, guarded, settings, packs } = opened;
  const store =
    options.store ?? new MemoryRunStore({ steady: { now: () => host.elapsed(), boot: 'process' } });
  options.store?.syncChanges?.(settings.tape.sync);
  // Files that a caller has read do not serve a second time, nor does what it measures on the way.
  const { check: _check, coverage: _coverage, kept: _kept, shared: _shared, ...again } = options;
  return new Policy({
    dir,
    layers,
    hooks,
    guarded,
    settings,
    packs,
    readsTools: opened.readsTools,
    problems: [...opened.problems].sort(byPlace),
    host,
    switches,
    places,
    startsNothing,
    store,
    reopen: () => openPolicy(dir, { ...again, host, startsNothing, places, switches, allowEmpty, store }),
    ...(options.identify !== undefined && { identify: options.identify }),
    ...(options.identifyMs !== undefined && { identifyMs: options.identifyMs }),
    ...(options.recorder !== undefined && { recorder: options.recorder }),
    ...(options.observe !== undefined && { observe: options.observe }),
  });
}
