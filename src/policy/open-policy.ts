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
import type { Json, JsonObject } from '../base/json.ts';
import type { EventArgument, PayloadFor } from '../events/catalog.ts';
import type { Outcome } from '../events/decision.ts';
import { markdownReader, markdownReaderWith } from '../frontends/markdown/read-project.ts';
import { profileReaderWith } from '../frontends/profile/profile-reader.ts';
import {
  byPlace,
  loadProject,
  PROJECT_READERS,
  type Project,
  unreadableProject,
} from '../frontends/project.ts';
import {
  type HookTest,
  mergeSettings,
  NO_SETTINGS,
  type ProjectReader,
} from '../frontends/project-reader.ts';
import { type DecideOptions, Engine, type EngineOptions } from '../hooks/engine.ts';
import type { Hook, MaybePromise } from '../hooks/hook.ts';
import { type HookLayer, isBuiltIn, layerOf } from '../hooks/layer.ts';
import type { Recorder } from '../hooks/recorder.ts';
import { Registry } from '../hooks/registry.ts';
import { RunState } from '../hooks/run-state.ts';
import { intersectDomains } from '../script/network-policy.ts';
import { floorHook, protectedHook } from './built-in.ts';
import { exitPolicyHooks } from './exit-policy.ts';
import { findLayers, type LayerPlaces, layerFolders, layerPlaces, type PolicyLayer } from './layers.ts';
import type { PackParts } from './packs.ts';
import type { ReadTable } from './permissions/table-hooks.ts';
import { askHooks, type LeftOpen, type Permitted } from './permit.ts';
import { fileDigests, type PolicyDigest, policyDigest } from './policy-digest.ts';
import { guardedPaths, Protected } from './protected.ts';
import { applyStrict } from './strict.ts';

export interface PolicyOptions {
  readonly host?: Host;
  /** Where the managed and the user's policy stand; default: as the host's environment says. */
  readonly places?: LayerPlaces;
  /** The operator's switches as they were, for a replay; default: the host's. */
  readonly switches?: Pick<Host, 'env'>;
  readonly recorder?: Recorder;
  /** Count which lines of scripts run, see `Hook.covered`. */
  readonly coverage?: boolean;
  /** No policy folder anywhere is fine. Default: then every gate blocks. */
  readonly allowEmpty?: boolean;
  /** The policy as a session keeps it: these layers, whatever stands in their folders by now. */
  readonly kept?: readonly KeptLayer[];
}

/** A layer of which a copy of every file is in the folder `copy`. */
export interface KeptLayer extends PolicyLayer {
  readonly copy: string;
}

/** A layer and what was read from it. */
export interface LoadedLayer extends PolicyLayer {
  readonly project: Project;
  /** Taken when it was read: what the files say later is not what is in force. */
  readonly digests: Readonly<Record<string, string>>;
}

/** What the layers say together. */
export interface PolicySettings {
  readonly strict: boolean;
  readonly exitMode: string;
  /** Hosts that scripts of the innermost layer may reach. */
  readonly allowedDomains: readonly string[];
}

/** The parts of an engine that a host brings. */
export type HostParts = Pick<EngineOptions, 'run' | 'observe' | 'canAsk' | 'canDelegate' | 'recorder'>;

export class Policy {
  /** The folder it was opened for. */
  readonly dir: string;
  /** The innermost project folder: where tools, agents and settings of an agent are read. */
  readonly root: string;
  /** The chain. It stays the same object when the policy changes, so that engines over it follow. */
  readonly registry: Registry;
  readonly host: Host;
  private parts: PolicyParts;
  private own: Engine | null = null;
  private known: PolicyDigest | null = null;

  constructor(parts: PolicyParts) {
    this.dir = parts.dir;
    this.root = parts.layers.findLast(({ kind }) => kind === 'project')?.dir ?? parts.dir;
    this.registry = new Registry(parts.hooks);
    this.host = parts.host;
    this.parts = parts;
  }

  /** From the highest authority to the lowest; the built-in layer is not among them. */
  get layers(): readonly LoadedLayer[] {
    return this.parts.layers;
  }

  get settings(): PolicySettings {
    return this.parts.settings;
  }

  /** The packs of rules that some layer uses, with the mode of each rule, and the exceptions from them. */
  get packs(): Pick<PackParts, 'packs' | 'exceptions'> {
    return this.parts.packs;
  }

  /** Sorted by place. */
  get problems(): readonly Problem[] {
    return this.parts.problems;
  }

  get tests(): readonly HookTest[] {
    return this.parts.layers.flatMap(({ project }) => project.tests);
  }

  /** No policy folder was found; the built-in layer does not count. */
  get empty(): boolean {
    return this.parts.layers.length === 0;
  }

  /** Every folder that could hold a layer of this policy, whether it does now or not. */
  get places(): readonly string[] {
    return layerFolders(this.dir, this.parts.places);
  }

  /** What the agent may not change. A host adds what it keeps elsewhere, such as a tape: `guarded.add({ files: [tape] })`. */
  get guarded(): Protected {
    return this.parts.guarded;
  }

  /** The same, read anew: what a new session would get. */
  reread(): Promise<Policy> {
    const { host, places, switches, recorder, allowEmpty } = this.parts;
    return openPolicy(this.dir, {
      host,
      places,
      switches,
      allowEmpty,
      ...(recorder !== undefined && { recorder }),
    });
  }

  /** Puts another reading of the same folder in force: all of it with the next event, hooks added in code stay. */
  adopt(next: Policy): void {
    // What was guarded stays so: a change must not open what it came from.
    next.guarded.add(this.guarded.paths);
    this.registry.replaceAll(next.parts.hooks);
    this.parts = next.parts;
    this.known = next.digest;
  }

  /** In the order they run, event by event; built-in ones included. */
  get hooks(): readonly Hook[] {
    return this.registry.list();
  }

  /** Hooks that somebody wrote. One that stands in on every gate because it could not be loaded counts once. */
  get authored(): number {
    const keys = this.hooks.filter((hook) => !isBuiltIn(hook) && !isOfPack(hook)).map(keyOf);
    return new Set(keys).size;
  }

  /**
   * By content: two policies with the same digest decide alike. One for each layer, and one for the whole. Taken when first
   * asked for; a host that goes on after that, such as a watch or a tape, asks as soon as the policy is open.
   */
  get digest(): PolicyDigest {
    this.known ??= policyDigest({
      hooks: this.hooks,
      layers: this.layers.map(({ name, dir, project, digests }) => ({
        name,
        dir,
        files: project.files,
        digests,
      })),
      settings: { ...digestedSettings(this.settings), ...digestedPacks(this.parts.packs.packs) },
      host: this.parts.switches,
    });
    return this.known;
  }

  /** An engine over this policy's chain, for a host that has a run of its own. */
  engine(parts: HostParts): Engine {
    return new Engine({ ...parts, registry: this.registry, host: this.host });
  }

  /** A run state with this policy's settings and nothing in it. */
  newRun(): RunState {
    return new RunState(
      { allowedDomains: this.settings.allowedDomains },
      { id: '', transcriptPath: null, cwd: this.dir },
    );
  }

  /** What the chain says. Pure: an `ask` stays an ask, and `permit` says what became of it. */
  decide<E extends string>(
    event: EventArgument<E>,
    payload: PayloadFor<E>,
    options?: DecideOptions,
  ): MaybePromise<Outcome<E>> {
    this.own ??= this.engine({
      run: this.newRun(),
      canAsk: true,
      ...(this.parts.recorder !== undefined && { recorder: this.parts.recorder }),
    });
    return this.own.decide<E>(event, payload, options);
  }

  /** What the hooks of `permission.asked` say about an outcome `ask`, or that it is a person's to answer. */
  async permit(outcome: Outcome): Promise<Permitted | LeftOpen> {
    if (outcome.action !== 'ask') return { allowed: outcome.action !== 'block', reason: outcome.reason };
    // `permission.asked` is about tool calls: no hook can answer for anything else.
    if (outcome.event !== 'tool.pre') return { reason: null };
    const { id, name, args } = outcome.payload as { id?: string; name: string; args: Record<string, Json> };
    const payload = { id: id ?? '', name, args, reason: outcome.reason };
    const fire = async (event: string, asked: Json) => this.decide(event, asked);
    return askHooks({ asks: outcome.asks ?? [], fire }, payload);
  }

  close(): void {
    this.own = null;
  }
}

interface PolicyParts {
  readonly dir: string;
  readonly layers: readonly LoadedLayer[];
  readonly hooks: readonly Hook[];
  readonly guarded: Protected;
  readonly settings: PolicySettings;
  readonly packs: PackParts;
  readonly problems: readonly Problem[];
  readonly host: Host;
  readonly switches: Pick<Host, 'env'>;
  readonly places: LayerPlaces;
  readonly allowEmpty: boolean;
  readonly recorder?: Recorder;
}

/** Never throws because of a file: what cannot be read is in `problems`, and blocks what it might have guarded. */
export async function openPolicy(dir: string, options: PolicyOptions = {}): Promise<Policy> {
  const host = options.host ?? machineHost;
  const switches = options.switches ?? host;
  const places = options.places ?? layerPlaces(host);
  const { allowEmpty = false, coverage = false } = options;
  const found = options.kept === undefined ? findLayers(dir, places) : { layers: options.kept, problems: [] };
  const readers = PROJECT_READERS.map((reader) => {
    if (reader.name === 'profile') return profileReaderWith(switches);
    return reader === markdownReader && coverage ? markdownReaderWith({ coverage }) : reader;
  });
  const layers = await Promise.all(found.layers.map((layer) => loadLayer(layer, readers)));
  const settings = mergeLayers(layers);
  const permissions = await permissionsOf(layers);
  const packs = await packsOf(layers);
  const strictRank = layers.find(({ project }) => project.settings.strict)?.rank ?? null;
  const authored = [...layers.flatMap((layer) => withLayer(layer, layers)), ...packs.hooks];
  const { hooks, problems: inHooks } = applyStrict(authored, strictRank);
  const guarded = new Protected(guardedPaths({ dir, layers, places, host: switches }));
  const missing = layers.length === 0 && !allowEmpty ? noPolicy(dir) : [];
  return new Policy({
    dir,
    layers,
    hooks: [
      ...hooks,
      ...missing,
      floorHook(dir),
      protectedHook(guarded, dir, switches.env('HOME') ?? null),
      ...permissions.map(({ hook }) => hook),
      ...exitPolicyHooks(settings.exitMode),
    ],
    guarded,
    settings,
    packs,
    problems: [
      ...found.problems,
      ...layers.flatMap(({ project }) => project.problems.filter((problem) => !isEmptyProblem(problem))),
      ...emptyPolicy(layers),
      ...permissions.flatMap(({ problems }) => problems),
      ...packs.problems,
      ...inHooks,
    ].sort(byPlace),
    host,
    switches,
    places,
    allowEmpty,
    ...(options.recorder !== undefined && { recorder: options.recorder }),
  });
}

async function loadLayer(
  layer: PolicyLayer | KeptLayer,
  readers: readonly ProjectReader[],
): Promise<LoadedLayer> {
  const { insides, broken } = layer;
  const dir = 'copy' in layer ? layer.copy : layer.dir;
  const projects = await Promise.all(insides.map((inside) => loadProject(dir, { readers, inside })));
  // It has been named where it was found.
  if (broken !== undefined) projects.push({ ...unreadableProject(dir, brokenLayer(broken)), problems: [] });
  const project = projects.reduce(bothForms);
  return { ...layer, project, digests: fileDigests(dir, project.files) };
}

/** A folder that holds both `hooks` and `.harness/hooks`: all of it is in force. */
function bothForms(a: Project, b: Project): Project {
  return {
    ...a,
    hooks: [...a.hooks, ...b.hooks],
    problems: [...a.problems, ...b.problems],
    settings: mergeSettings(a.settings, b.settings),
    harness: [...a.harness, ...b.harness],
    files: [...a.files, ...b.files],
    tests: [...a.tests, ...b.tests],
  };
}

function brokenLayer(message: string): Problem {
  return { severity: 'error', code: 'LAYER_BROKEN', message, position: null };
}

/** How settings of several layers become one: lists of what is allowed intersect, and the stricter word counts. */
function mergeLayers(layers: readonly LoadedLayer[]): PolicySettings {
  const settings = layers.map(({ project }) => project.settings);
  return {
    strict: settings.some(({ strict }) => strict),
    exitMode: settings.find(({ exitMode }) => exitMode !== NO_SETTINGS.exitMode)?.exitMode ?? 'natural',
    allowedDomains: domainsOf(layers),
  };
}

/** What scripts of the last of these layers may reach: its own list, less what a layer above does not list. */
function domainsOf(layers: readonly LoadedLayer[]): readonly string[] {
  const lists = layers
    .map(({ project }) => project.settings)
    .filter(({ restrictsNetwork }) => restrictsNetwork)
    .map(({ allowedDomains }) => allowedDomains);
  return lists.length === 0 ? [] : lists.reduce(intersectDomains);
}

function withLayer({ name, rank, project }: LoadedLayer, layers: readonly LoadedLayer[]): Hook[] {
  const above = layers.filter((other) => other.rank <= rank);
  const layer: HookLayer = { name, rank, allowedDomains: domainsOf(above) };
  const observed = project.settings.observe;
  return project.hooks.map((hook) => ({ ...(observed ? onlyRecorded(hook) : hook), layer }));
}

/** Observed: what it would have done is in the trace, and nothing is stopped. */
function onlyRecorded(hook: Hook): Hook {
  return { ...hook, mode: 'shadow' };
}

const NO_PACKS: PackParts = { hooks: [], problems: [], packs: [], exceptions: [] };

/** Rules are loaded only if some layer uses a pack. */
async function packsOf(layers: readonly LoadedLayer[]): Promise<PackParts> {
  if (layers.every(({ project }) => project.settings.use.length === 0)) return NO_PACKS;
  const { packParts } = await import('./packs.ts');
  const parts = await packParts(
    layers.map((layer) => {
      const { name, rank, dir, project } = layer;
      return { name, rank, dir, use: project.settings.use };
    }),
  );
  const observed = new Set(layers.filter(({ project }) => project.settings.observe).map(({ name }) => name));
  const hooks = parts.hooks.map((hook) => (observed.has(layerOf(hook).name) ? onlyRecorded(hook) : hook));
  return { ...parts, hooks };
}

/** What it takes to read commands is loaded only if some layer has a table. */
async function permissionsOf(layers: readonly LoadedLayer[]): Promise<readonly ReadTable[]> {
  if (layers.every(({ project }) => project.settings.permissions.length === 0)) return [];
  const { tableHooks } = await import('./permissions/table-hooks.ts');
  return layers.flatMap(({ name, rank, project }, place) =>
    tableHooks(project.settings.permissions, { name, rank }, place),
  );
}

/** Without a policy nothing was decided by anybody, and that must not look like an allow. */
function noPolicy(dir: string): Hook[] {
  return unreadableProject(dir, missingPolicy(dir)).hooks.map((hook) => ({ ...hook, name: 'no_policy' }));
}

export function missingPolicy(dir: string): Problem {
  const message = `no policy found: neither in ${dir} nor in a folder above it, nor for this user or machine`;
  return { severity: 'error', code: 'POLICY_MISSING', message, position: null };
}

function emptyPolicy(layers: readonly LoadedLayer[]): Problem[] {
  if (layers.length === 0 || layers.some(isFilled)) return [];
  return layers.flatMap(({ project }) => project.problems.filter(isEmptyProblem)).slice(0, 1);
}

/** Rules of a pack guard as well as hooks. */
function isFilled({ project: { hooks, settings } }: LoadedLayer): boolean {
  return hooks.length > 0 || settings.use.length > 0;
}

function isEmptyProblem({ code }: Problem): boolean {
  return code === 'PROJECT_EMPTY';
}

/** Defaults are left out, see `PolicySource`. */
function digestedSettings({ allowedDomains, strict, exitMode }: PolicySettings): JsonObject {
  return {
    allowedDomains: [...allowedDomains],
    ...(strict && { strict }),
    ...(exitMode !== NO_SETTINGS.exitMode && { exitMode }),
  };
}

/** Hooks of packs are not written by anybody here; one that stands in for a pack that cannot be loaded counts. */
function isOfPack({ frontEnd, standIn }: Hook): boolean {
  return frontEnd.name === 'packs' && standIn !== true;
}

/** Which rules judge hangs on what ships as well as on the files. */
function digestedPacks(packs: PackParts['packs']): JsonObject {
  if (packs.length === 0) return {};
  return { packs: packs.map(({ layer, pack }) => `${layer} ${pack.name} ${pack.digest}`).sort() };
}

function keyOf({ layer, source, position, name }: Hook): string {
  return [layer?.name, source, position, name].join('\n');
}
