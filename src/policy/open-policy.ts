/**
 * One prepared object for every host: all that decides for a folder, read once. `decide`, `hooks`, `validate`, `run`,
 * `replay`, the session and every adapter go through it, so that for one folder all of them name the same chain and give the
 * same answer.
 *
 * ```ts
 * const policy = await openPolicy('my-agent', { host: machineHost });
 * const outcome = await policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command: 'ls' } });
 * ```
 */
import type { Problem } from '../base/errors.ts';
import { type Host, machineHost } from '../base/host.ts';
import { libraryReader, libraryReaderWith } from '../frontends/library/library-reader.ts';
import type { KeptProjects } from '../frontends/markdown/kept-project.ts';
import { markdownReader, markdownReaderWith } from '../frontends/markdown/read-project.ts';
import { profileReaderWith } from '../frontends/profile/profile-reader.ts';
import { byPlace, PROJECT_READERS, unreadableProject } from '../frontends/project.ts';
import { NO_SETTINGS } from '../frontends/project-reader.ts';
import type { EngineOptions } from '../hooks/engine.ts';
import type { Hook } from '../hooks/hook.ts';
import { withContents } from '../hooks/policy-contents.ts';
import type { Recorder } from '../hooks/recorder.ts';
import { MemoryRunStore } from '../hooks/stores/memory-run-store.ts';
import type { RunStore } from '../hooks/stores/run-store.ts';
import type { ScriptCheck } from '../script/check/finding.ts';
import { askingProblems, askingSettings } from './asking-settings.ts';
import { floorHook, protectedHook } from './built-in.ts';
import { environmentProblems, environmentRules } from './environment.ts';
import { exitPolicyHooks } from './exit-policy.ts';
import type { Identify } from './identify.ts';
import {
  domainsOf,
  enforcedScopes,
  observedLayers,
  packsOf,
  permissionsOf,
  replacedData,
  withLayer,
  withTables,
} from './layer-hooks.ts';
import { findLayers, type LayerPlaces, layerPlaces } from './layers.ts';
import {
  guards,
  holds,
  type KeptLayer,
  type LoadedLayer,
  loadLayer,
  type SharedLayers,
  type TrustOption,
  toolsOf,
  vouchFor,
} from './loaded-layer.ts';
import { Policy, type PolicySettings } from './policy.ts';
import { guardedPaths, Protected, secretPaths } from './protected.ts';
import { missingSandbox, sandboxProblems, sandboxSettings } from './sandbox-settings.ts';
import { applyStrict, heldStrictly } from './strict.ts';
import { tapeProblems, tapeSettings } from './tape-settings.ts';

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
  /** Whether powers of project folders hold; default: as records and `HARNESS_TRUST` say. */
  readonly trust?: TrustOption;
  /** Where guards keep what they count and remember; by default in memory, for as long as the policy is open. */
  readonly store?: RunStore;
  /** Layers that policies of one process have in common; see `openPolicies`. */
  readonly shared?: SharedLayers;
  /** For a host that is given a token instead of a person: says whose it is. See `Policy.identify`. */
  readonly identify?: Identify;
  /** How long `identify` may take, in milliseconds; by default 10 seconds. */
  readonly identifyMs?: number;
  /** What was made of folders before, for a process that decides once. */
  readonly keptProjects?: KeptProjects;
  /** Programs of this policy are started by nobody, as in a test or a replay: whether they could be contained is not looked at. */
  readonly startsNothing?: boolean;
  /** The policy as a session keeps it: these layers, whatever stands in their folders by now. */
  readonly kept?: readonly KeptLayer[];
}

/** Never throws because of a file: what cannot be read is in `problems`, and blocks what it might have guarded. */
export async function openPolicy(dir: string, options: PolicyOptions = {}): Promise<Policy> {
  const host = options.host ?? machineHost;
  const switches = options.switches ?? host;
  const places = options.places ?? layerPlaces(host);
  const { allowEmpty = false, coverage = false, check, keptProjects } = options;
  const found = options.kept === undefined ? findLayers(dir, places) : { layers: options.kept, problems: [] };
  const readers = PROJECT_READERS.map((reader) => {
    if (reader.name === 'profile') return profileReaderWith(switches);
    if (reader === libraryReader && check !== undefined) return libraryReaderWith(check);
    if (reader !== markdownReader) return reader;
    if (coverage || check !== undefined)
      return markdownReaderWith({ coverage, ...(check !== undefined && { check }) });
    // A copy that a session keeps is another folder each time.
    return keptProjects === undefined || options.kept !== undefined
      ? reader
      : markdownReaderWith({ kept: keptProjects });
  });
  const vouch = vouchFor(options.trust, { host, user: places.user });
  const loaded: LoadedLayer[] = [];
  // From the highest down: what a layer shares, those below it may load.
  for (const layer of found.layers) {
    const above = loaded.findLast(({ project }) => project.library !== null)?.project.library ?? null;
    const load = () => loadLayer(layer, readers, vouch, { above, coverage });
    loaded.push(await (options.shared?.get(layer, load) ?? load()));
  }
  const { layers, tools } = toolsOf(loaded);
  const settings = mergeLayers(layers);
  const permissions = await permissionsOf(layers);
  const packs = await packsOf(layers);
  const strictRank = layers.find(({ project }) => project.settings.strict)?.rank ?? null;
  const authored = [...layers.flatMap((layer) => withLayer(layer, layers)), ...packs.hooks];
  const { hooks, problems: inHooks } = applyStrict(authored, strictRank);
  const fetching = await withTables(hooks, layers, strictRank);
  const complete = withContents(fetching.hooks, tools);
  const guarded = new Protected(guardedPaths({ dir, layers, places, host: switches }));
  const secret = new Protected(secretPaths([settings.asking.key, settings.tape.key], switches));
  const missing = layers.length === 0 && !allowEmpty ? noPolicy(dir, found.problems) : [];
  const startsNothing = options.startsNothing ?? (options.trust !== undefined && options.trust !== 'all');
  const store =
    options.store ?? new MemoryRunStore({ steady: { now: () => host.elapsed(), boot: 'process' } });
  // Readings of the files that a caller prepared do not serve a second time, nor does what it measures on the way.
  const {
    check: _check,
    coverage: _coverage,
    kept: _kept,
    keptProjects: _projects,
    shared: _shared,
    ...again
  } = options;
  const unheld = startsNothing ? null : await unheldSandbox(settings, host, dir);
  return new Policy({
    dir,
    layers,
    hooks: [
      ...complete,
      ...missing,
      ...(unheld === null ? [] : standIns(dir, unheld, 'no_sandbox')),
      floorHook(dir),
      protectedHook({ guarded, secret }, dir, switches.env('HOME') ?? null),
      ...permissions.map(({ hook }) => hook),
      ...enforcedScopes(layers),
      ...exitPolicyHooks(settings.exitMode),
    ],
    guarded,
    settings,
    packs,
    problems: [
      ...found.problems,
      ...layers.flatMap((layer) => problemsOf(layer, strictRank !== null)),
      ...emptyPolicy(layers),
      ...permissions.flatMap(({ problems }) => problems),
      ...packs.problems,
      ...inHooks,
      ...fetching.problems,
      ...environmentProblems(layers),
      ...tapeProblems(layers),
      ...askingProblems(layers),
      ...sandboxProblems(layers),
      ...(unheld === null ? [] : [unheld]),
      ...replacedData(layers),
      ...observedLayers(layers),
    ].sort(byPlace),
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

/** How settings of several layers become one: lists of what is allowed intersect, and the stricter word counts. */
function mergeLayers(layers: readonly LoadedLayer[]): PolicySettings {
  const settings = layers.map(({ project }) => project.settings);
  return {
    strict: settings.some(({ strict }) => strict),
    exitMode: settings.find(({ exitMode }) => exitMode !== NO_SETTINGS.exitMode)?.exitMode ?? 'natural',
    allowedDomains: domainsOf(layers),
    untrusted: layers.filter((layer) => !holds(layer)).map(({ name }) => name),
    environment: environmentRules(layers),
    tape: tapeSettings(layers),
    asking: askingSettings(layers),
    sandbox: sandboxSettings(layers),
  };
}

/** Without a policy nothing was decided by anybody, and that must not look like an allow. */
function noPolicy(dir: string, problems: readonly Problem[]): Hook[] {
  return standIns(dir, missingPolicy(dir, problems), 'no_policy');
}

/** One hook on every gate, which blocks with the problem as its reason. */
function standIns(dir: string, problem: Problem, name: string): Hook[] {
  return unreadableProject(dir, problem).hooks.map((hook) => ({ ...hook, name }));
}

/** The sandbox that is asked for and cannot be made here: nothing may run without it. */
async function unheldSandbox({ sandbox }: PolicySettings, host: Host, dir: string): Promise<Problem | null> {
  if (sandbox === null) return null;
  const { lookForSandbox, sandboxProblem } = await import('../sandbox/offer.ts');
  const problem = sandboxProblem(await lookForSandbox(host, dir), sandbox);
  return problem === null ? null : missingSandbox(problem);
}

/** Of a folder that was found and refused the reason is the answer: it is there, and saying only "none" sends people looking. */
export function missingPolicy(dir: string, problems: readonly Problem[] = []): Problem {
  const refused = problems
    .filter(({ code }) => code === 'LAYER_REFUSED')
    .map(({ message }) => `; ${message}`);
  const nowhere = `no policy found: neither in ${dir} nor in a folder above it, nor for this user or machine`;
  const message = nowhere + refused.join('');
  return { severity: 'error', code: 'POLICY_MISSING', message, position: null };
}

function emptyPolicy(layers: readonly LoadedLayer[]): Problem[] {
  if (layers.length === 0 || layers.some(guards)) return [];
  return layers.flatMap(({ project }) => project.problems.filter(isEmptyProblem)).slice(0, 1);
}

function problemsOf({ name, project }: LoadedLayer, strict: boolean): Problem[] {
  return project.problems
    .filter((problem) => !isEmptyProblem(problem))
    .map((problem) => ({ ...(strict ? heldStrictly(problem) : problem), layer: name }));
}

function isEmptyProblem({ code }: Problem): boolean {
  return code === 'PROJECT_EMPTY';
}
