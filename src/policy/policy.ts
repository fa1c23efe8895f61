/**
 * A policy that is open: its chain, its settings, what it and the doors through which every host asks it. Made by `openPolicy`.
 */

import { resolve } from 'node:path';
import { HarnessError, type Json, type JsonObject, type Problem } from '../base/index.ts';
import {
  type Approvals,
  type DecideOptions,
  Engine,
  type EngineOptions,
  type EventArgument,
  guardsIn,
  type Hook,
  isBuiltIn,
  type MaybePromise,
  type NestedOptions,
  type Outcome,
  type PayloadFor,
  type ReadActor,
  type Recorder,
  Registry,
  RunState,
  type RunStore,
  readActor,
  resolveWho,
  type SessionInfo,
  UNKNOWN_WHO,
  type ValueOrigins,
} from '../engine/index.ts';
import type { HiddenText } from '../files/index.ts';
import { SessionOrigins, Sources, type WrittenSources } from '../flow/index.ts';
import { type HookTest, NO_SETTINGS } from '../frontends/index.ts';
import {
  type Command,
  type Containment,
  containedHost,
  type Host,
  type Sandbox,
  type Wrapped,
  wrapCommand,
} from '../machine/index.ts';
import type { AskingSettings } from './asking-settings.ts';
import type { EnvironmentRules } from './environment.ts';
import { type Identified, type Identify, identified } from './identify.ts';
import { fleetFiles, type LayerPlaces, layerFolders } from './layers.ts';
import { isTrusted, type LoadedLayer } from './loaded-layer.ts';
import type { PackParts } from './packs.ts';
import { askThrough, type Fire, permit } from './permit.ts';
import { type PolicyDigest, policyDigest } from './policy-digest.ts';
import type { Protected } from './protected.ts';
import { SessionEngines } from './session-engines.ts';
import { newOrigins } from './stores/flow-store.ts';
import type { TapeSettings } from './tape-settings.ts';
import { type TrustFolder, trustFolderOf } from './trust/records.ts';
import type { FolderTrust } from './trust/trust.ts';

/** What the layers say together. */
export interface PolicySettings {
  readonly strict: boolean;
  readonly exitMode: string;
  /** Hosts that scripts of the innermost layer may reach. */
  readonly allowedDomains: readonly string[];
  /** Layers whose hooks need capabilities that do not hold. */
  readonly untrusted: readonly string[];
  readonly environment: EnvironmentRules;
  readonly tape: TapeSettings;
  readonly asking: AskingSettings;
  /** `sources:` of each layer that writes it; null: nothing asks where values come from. */
  readonly sources: readonly WrittenSources[] | null;
  /** What becomes of characters in results that a person does not see. */
  readonly hiddenText: HiddenText;
  /** What stands around programs; null if no layer asks for anything. */
  readonly sandbox: Sandbox | null;
}

export interface PolicyDecideOptions extends DecideOptions {
  /** Instead of `actor`: what the host was given to tell who it is, for `identify`. */
  readonly claim?: Json;
  /** The session it belongs to, by its id: what hooks keep is kept for it. Absent: one that all such decisions share. */
  readonly session?: string;
}

export interface PermitOptions extends PolicyDecideOptions {
  /** Puts the question to a person where the hooks of `permission.asked` leave it open. */
  readonly approvals?: Approvals;
  /** How long a person may take; two minutes if it is not said. */
  readonly approvalMs?: number;
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
  private readonly engines: SessionEngines;
  private known: PolicyDigest | null = null;

  constructor(parts: PolicyParts) {
    this.dir = parts.dir;
    this.root = parts.layers.findLast(({ kind }) => kind === 'project')?.dir ?? parts.dir;
    this.registry = new Registry(parts.hooks);
    this.parts = parts;
    this.host = this.contained(this.root);
    this.engines = new SessionEngines(this, parts.recorder);
  }

  /** A host whose programs run in the sandbox of this policy, as it is then; by default around the policy's own. */
  contained(workspace: string, host: Host = this.parts.host): Host {
    return containedHost(host, this.containment(workspace));
  }

  /** What stands around programs that work in a folder. */
  containment(workspace: string): Containment {
    return {
      workspace,
      sandbox: () => this.settings.sandbox,
      guarded: () => this.guarded.paths,
      domains: () => this.settings.allowedDomains,
    };
  }

  /** A command line with the walls of this policy before it, for a program that is spoken with while it runs. */
  async wrapped(workspace: string, command: Command): Promise<Wrapped | { readonly problem: string }> {
    const { sandbox } = this.settings;
    if (sandbox === null) return { ...command, close: () => {} };
    return wrapCommand(this.parts.host, this.containment(workspace), sandbox, command);
  }

  /** From the highest authority to the lowest; the built-in layer is not among them. */
  get layers(): readonly LoadedLayer[] {
    return this.parts.layers;
  }

  get settings(): PolicySettings {
    return this.parts.settings;
  }

  /** The packs of rules that some layer uses, with the mode of each rule, and the exceptions from them. */
  get packs(): Pick<PackParts, 'packs' | 'exceptions' | 'sources'> {
    return this.parts.packs;
  }

  /** Whether some hook asks for the tools of the policy: then their files decide too. */
  get readsTools(): boolean {
    return this.parts.readsTools;
  }

  /** Sorted by place. */
  get problems(): readonly Problem[] {
    return this.parts.problems;
  }

  get tests(): readonly HookTest[] {
    return this.parts.layers.flatMap(({ project }) => project.tests().tests);
  }

  /** Nobody starts programs of it, as in a test or a replay. */
  get startsNothing(): boolean {
    return this.parts.startsNothing;
  }

  /** No policy folder was found; the built-in layer does not count. */
  get empty(): boolean {
    return this.parts.layers.length === 0;
  }

  /** What each project folder asks for beyond the sandbox, and whether it holds. */
  get trust(): readonly FolderTrust[] {
    return this.parts.layers.filter(({ kind }) => kind === 'project').map((layer) => layer.trust());
  }

  /** Folders whose hooks need capabilities that do not hold. */
  get untrusted(): readonly FolderTrust[] {
    return this.parts.layers.filter((layer) => !isTrusted(layer)).map((layer) => layer.trust());
  }

  /** The folder where what a person agreed to is kept. */
  get trustFolder(): TrustFolder | null {
    return trustFolderOf(this.parts.places);
  }

  /** Every folder that could hold a layer of this policy, whether it does now or not. */
  get places(): readonly string[] {
    return layerFolders(this.dir, this.parts.places);
  }

  /** Those of them that are all policy: the managed and the user's. */
  get wholePlaces(): readonly string[] {
    const { managed, user } = this.parts.places;
    return [managed, user].filter((place) => place !== null);
  }

  /** Files that change when a fleet puts another policy on this machine. */
  get fleetFiles(): readonly string[] {
    return fleetFiles(this.parts.places);
  }

  /** What the agent may not change. A host adds what it keeps elsewhere, such as a tape: `guarded.add({ files: [tape] })`. */
  get guarded(): Protected {
    return this.parts.guarded;
  }

  /** The same, read anew: what a new session would get. */
  reread(): Promise<Policy> {
    return this.parts.reopen();
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
      layers: this.layers,
      settings: { ...digestedSettings(this.settings), ...digestedPacks(this.parts.packs.packs) },
      host: this.parts.switches,
    });
    return this.known;
  }

  /** An engine over this policy's chain, for a host that has a run of its own. */
  engine(parts: HostParts): Engine {
    const { observe } = this.parts;
    const observed = observe === undefined ? {} : { observe };
    parts.run.origins = this.originsFor(parts.run);
    return new Engine({ ...observed, ...parts, registry: this.registry, host: this.host });
  }

  /** The ledger of a run, with the sources of this policy: its own, or a new one; null where nothing of the policy asks for it. */
  originsFor({ origins }: Pick<RunState, 'origins'>): ValueOrigins | null {
    const { sources } = this.settings;
    if (sources === null) return null;
    const own = origins instanceof SessionOrigins ? origins : newOrigins();
    own.sources = new Sources(sources);
    return own;
  }

  /** Where guards keep what they count and remember. */
  get store(): RunStore {
    return this.parts.store;
  }

  /**
   * A run state with this policy's settings; what guards keep is that of the session in `store`, empty for a new one. Throws
   * ACTOR_INVALID.
   */
  newRun(session: Partial<SessionInfo> = {}, store: RunStore = this.store): RunState {
    const { actor, caller, problem } = resolveWho(
      readActor(session.actor),
      session.caller ?? null,
      UNKNOWN_WHO,
    );
    if (problem !== undefined) throw new HarnessError('ACTOR_INVALID', problem);
    const info: SessionInfo = {
      id: '',
      transcriptPath: null,
      // Hooks compare them with absolute folders; the program may have given a relative one.
      cwd: resolve(this.dir),
      workspace: resolve(this.root),
      ...session,
      ...(actor !== null && { actor }),
      ...(session.caller && { caller }),
    };
    const { allowedDomains, environment, sandbox } = this.settings;
    const guards = guardsIn(store, info.id);
    const settings = {
      allowedDomains,
      passedVariables: environment.pass,
      ...(sandbox !== null && { sandbox }),
    };
    return new RunState(settings, info, undefined, {
      metrics: new Map(),
      health: new Map(),
      cache: new Map(),
      guards,
      origins: this.originsFor({ origins: null }),
    });
  }

  /** Whether the host can tell whose token it is: then nobody else says who somebody is. */
  get identifies(): boolean {
    return this.parts.identify !== undefined;
  }

  /** Whose token it is, as the host's `identify` says. Never rejects: what cannot be told is nobody, with the reason. */
  identify(claim: Json): Promise<Identified> {
    return identified(this.parts.identify, claim, this.parts.identifyMs);
  }

  /** What the chain says. Pure: an `ask` stays an ask, and `permit` says what became of it. */
  decide<E extends string>(
    event: EventArgument<E>,
    payload: PayloadFor<E>,
    options?: PolicyDecideOptions,
  ): MaybePromise<Outcome<E>> {
    return this.decideOver(this.engines.of(options?.session ?? ''), event, payload, options);
  }

  /** The same over an engine of the host's own. */
  decideOver<E extends string>(
    engine: Engine,
    event: EventArgument<E>,
    payload: PayloadFor<E>,
    options?: PolicyDecideOptions,
  ): MaybePromise<Outcome<E>> {
    if (options?.claim === undefined) return engine.decide<E>(event, payload, options);
    const { claim, ...rest } = options;
    return this.decideFor<E>(engine, event, payload, claim, rest);
  }

  private async decideFor<E extends string>(
    engine: Engine,
    event: EventArgument<E>,
    payload: PayloadFor<E>,
    claim: Json,
    options: DecideOptions,
  ): Promise<Outcome<E>> {
    const read = await this.identify(claim);
    const actor: ReadActor = read.ok ? read : { ok: false, message: read.reason };
    const who = resolveWho(actor, options.caller, engine.who);
    const nested: NestedOptions = { ...options, who };
    return engine.decide<E>(event, payload, nested);
  }

  /**
   * The outcome after an `ask` was answered, by the hooks of `permission.asked` or else by a person: `mayRun` is final. An ask
   * that nobody answers stays one and may not run; any other outcome is returned as it is. `fire` is of a host with an
   * engine of its own.
   */
  async permit<E extends string>(
    outcome: Outcome<E>,
    options: PermitOptions = {},
    fire: Fire = async (event, asked) => this.decide(event, asked, options),
  ): Promise<Outcome<E>> {
    const { approvals, approvalMs: windowMs = APPROVAL_MS, signal } = options;
    const person =
      approvals === undefined ? null : askThrough({ approvals, windowMs, signal: signal ?? NEVER });
    const { session } = this.engines.of(options.session ?? '').run;
    return permit(outcome, { fire, person, session });
  }

  close(): void {
    this.engines.clear();
  }
}

const APPROVAL_MS = 120_000;
const NEVER = new AbortController().signal;

export interface PolicyParts {
  readonly dir: string;
  readonly layers: readonly LoadedLayer[];
  readonly hooks: readonly Hook[];
  readonly guarded: Protected;
  readonly settings: PolicySettings;
  readonly packs: PackParts;
  readonly readsTools: boolean;
  readonly problems: readonly Problem[];
  readonly host: Host;
  readonly switches: Pick<Host, 'env'>;
  readonly places: LayerPlaces;
  readonly startsNothing: boolean;
  readonly store: RunStore;
  readonly identify?: Identify;
  readonly identifyMs?: number;
  readonly recorder?: Recorder;
  readonly observe?: NonNullable<EngineOptions['observe']>;
  /** The same folder with the same options, read anew. */
  readonly reopen: () => Promise<Policy>;
}

/** Defaults are left out, see `PolicySource`. */
function digestedSettings(settings: PolicySettings): JsonObject {
  const { allowedDomains, strict, exitMode, untrusted, sandbox, sources, hiddenText } = settings;
  return {
    ...(sandbox !== null && { sandbox }),
    ...(sources !== null && sources.length > 0 && { sources: [...sources] }),
    allowedDomains: [...allowedDomains],
    ...(strict && { strict }),
    ...(exitMode !== NO_SETTINGS.exitMode && { exitMode }),
    ...(hiddenText !== 'reveal' && { hiddenText }),
    ...(untrusted.length > 0 && { untrusted: [...untrusted] }),
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
