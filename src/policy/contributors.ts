/**
 * Everything that decides for a folder, as one table. A row takes what the rows before it found and gives what it adds: hooks at the
 * end of the chain, settings, problems. `openPolicy` walks the table from the first row to the last.
 */

import { join, resolve } from 'node:path';
import type { JsonObject, Problem } from '../base/index.ts';
import { type Hook, type MaybePromise, withContents } from '../engine/index.ts';
import {
  libraryReader,
  libraryReaderWith,
  markdownReader,
  markdownReaderWith,
  NO_SETTINGS,
  PROJECT_READERS,
  type ProjectReader,
  profileReaderWith,
  unreadableProject,
} from '../frontends/index.ts';
import { findSandbox, type Host, homeFolder, sandboxProblem } from '../machine/index.ts';
import { askingProblems, askingSettings } from './asking-settings.ts';
import { floorHook, hiddenTextHook, protectedHook, staleHook } from './built-in.ts';
import { environmentProblems, environmentRules } from './environment.ts';
import { exitPolicyHooks } from './exit-policy.ts';
import { NO_FLEET, readFleetPolicy } from './fleet-policy.ts';
import { hiddenTextProblems, hiddenTextSetting } from './hidden-text.ts';
import {
  domainsOf,
  enforcedScopes,
  NO_PACKS,
  observedLayers,
  packsOf,
  permissionsOf,
  replacedData,
  withLayer,
  withTables,
} from './layer-hooks.ts';
import { findLayers, type LayerPlaces, type PolicyLayer } from './layers.ts';
import {
  type CopiedLayer,
  guards,
  isTrusted,
  type LoadedLayer,
  loadLayer,
  toolsOf,
  vouchFor,
} from './loaded-layer.ts';
import type { PolicyOptions } from './open-policy.ts';
import type { PackParts } from './packs.ts';
import type { PolicySettings } from './policy.ts';
import { guardedPaths, Protected, secretPaths } from './protected.ts';
import { unmetVersion } from './required-version.ts';
import { missingSandbox, sandboxProblems, sandboxSettings } from './sandbox-settings.ts';
import { applyStrict, errorIfStrict } from './strict.ts';
import { tapeProblems, tapeSettings } from './tape-settings.ts';

/** What is asked for, with every default in place. */
export interface OpenRequest {
  readonly dir: string;
  readonly host: Host;
  readonly switches: Pick<Host, 'env'>;
  readonly places: LayerPlaces;
  readonly allowEmpty: boolean;
  readonly startsNothing: boolean;
  readonly options: PolicyOptions;
}

/** A policy while it is opened. */
export interface Opening extends OpenRequest {
  readonly found: readonly (PolicyLayer | CopiedLayer)[];
  /** From the highest authority to the lowest. */
  readonly layers: readonly LoadedLayer[];
  readonly readsTools: boolean;
  readonly tools: readonly JsonObject[];
  readonly settings: PolicySettings;
  /** Of the highest layer that is strict. */
  readonly strictRank: number | null;
  readonly packs: PackParts;
  readonly guarded: Protected;
  readonly hooks: readonly Hook[];
  readonly problems: readonly Problem[];
}

export interface Contributor {
  readonly name: string;
  /** What it decides, as a sentence goes on after the name. */
  readonly decides: string;
  readonly contribute: (opening: Opening) => MaybePromise<Partial<Opening>>;
}

export const CONTRIBUTORS: readonly Contributor[] = [
  { name: 'layers', decides: 'which policy folders there are, and which are refused', contribute: layers },
  { name: 'projects', decides: 'what those folders say, and whether they are trusted', contribute: projects },
  { name: 'tools', decides: 'which tools a hook sees that asks for them', contribute: tools },
  { name: 'strict', decides: 'whether only a clean answer lets a call pass', contribute: strict },
  { name: 'network', decides: 'which hosts scripts reach', contribute: network },
  { name: 'trust', decides: 'which layers are without their capabilities', contribute: trust },
  { name: 'environment', decides: 'which variables programs and models get', contribute: environment },
  { name: 'tape', decides: 'how much is recorded, and signed by which key', contribute: tape },
  { name: 'approvals', decides: 'how people are asked', contribute: approvals },
  { name: 'hooks', decides: 'by the hooks of every layer', contribute: hooks },
  { name: 'packs', decides: 'by the rules of packs that a layer uses', contribute: packs },
  { name: 'sources', decides: 'which results are untrusted or confidential', contribute: sources },
  { name: 'strictness', decides: 'what a failure of a hook means', contribute: strictness },
  {
    name: 'data',
    decides: 'which tables hooks read, and waits for those that are fetched',
    contribute: data,
  },
  { name: 'contents', decides: 'what a hook sees that asks for the policy', contribute: contents },
  { name: 'no policy', decides: 'that gates block where no policy was found', contribute: noPolicy },
  { name: 'version', decides: 'that gates block where a layer requires a newer engine', contribute: version },
  { name: 'sandbox', decides: 'what stands around programs; gates block without it', contribute: sandbox },
  { name: 'floor', decides: 'that catastrophic commands are refused', contribute: floor },
  {
    name: 'protected paths',
    decides: 'that nothing of Harness is changed or read',
    contribute: protectedPaths,
  },
  {
    name: 'hidden text',
    decides: 'what becomes of text in results that a person does not see',
    contribute: hiddenText,
  },
  { name: 'fleet', decides: 'whether a stale policy of a fleet asks or blocks', contribute: fleet },
  {
    name: 'permissions',
    decides: 'by the permission tables, the strictest answer counts',
    contribute: permissions,
  },
  { name: 'scopes', decides: 'by the scopes of the actor, if a table says so', contribute: scopes },
  { name: 'exit policy', decides: 'when an agent may stop', contribute: exitPolicy },
];

/** A policy before the first row. */
export function opening(request: OpenRequest): Opening {
  return {
    ...request,
    found: [],
    layers: [],
    readsTools: false,
    tools: [],
    settings: {
      strict: false,
      exitMode: NO_SETTINGS.exitMode,
      allowedDomains: [],
      untrusted: [],
      environment: environmentRules([]),
      tape: tapeSettings([]),
      asking: askingSettings([]),
      sources: null,
      sandbox: null,
      hiddenText: hiddenTextSetting([]),
    },
    strictRank: null,
    packs: NO_PACKS,
    guarded: new Protected(() => ({ folders: [], files: [] })),
    hooks: [],
    problems: [],
  };
}

function added(
  before: Opening,
  { hooks = [], problems = [] }: { readonly hooks?: readonly Hook[]; readonly problems?: readonly Problem[] },
): Pick<Opening, 'hooks' | 'problems'> {
  return { hooks: [...before.hooks, ...hooks], problems: [...before.problems, ...problems] };
}

function set(before: Opening, settings: Partial<PolicySettings>): Pick<Opening, 'settings'> {
  return { settings: { ...before.settings, ...settings } };
}

function layers(before: Opening): Partial<Opening> {
  const { dir, places, options } = before;
  if (options.kept !== undefined) return { found: options.kept };
  const { layers: found, problems } = findLayers(dir, places);
  return { found, ...added(before, { problems }) };
}

async function projects({ found, host, places, switches, options }: Opening): Promise<Partial<Opening>> {
  const { coverage = false, shared } = options;
  const readers = readersFor(options, switches);
  const vouch = vouchFor(options.trust, { host, places });
  const loaded: LoadedLayer[] = [];
  // From the highest down: what a layer shares, those below it may load.
  for (const layer of found) {
    const above = loaded.findLast(({ project }) => project.library !== null)?.project.library ?? null;
    const load = () => loadLayer(layer, readers, vouch, { above, coverage });
    loaded.push(await (shared?.get(layer, load) ?? load()));
  }
  return { layers: loaded };
}

function readersFor(
  { check, coverage = false }: PolicyOptions,
  switches: Pick<Host, 'env'>,
): readonly ProjectReader[] {
  return PROJECT_READERS.map((reader) => {
    if (reader.name === 'profile') return profileReaderWith(switches);
    if (reader === libraryReader && check !== undefined) return libraryReaderWith(check);
    if (reader !== markdownReader) return reader;
    // Who looks into scripts looks at tests as well.
    return coverage || check !== undefined
      ? markdownReaderWith({ coverage, ...(check !== undefined && { check }) })
      : decidingReader;
  });
}

const decidingReader = markdownReaderWith({ lateTests: true });

function tools({ layers }: Opening): Partial<Opening> {
  return toolsOf(layers);
}

/** In one layer it makes the whole policy strict, and warnings of files errors. */
function strict(before: Opening): Partial<Opening> {
  const { layers } = before;
  const strictRank = layers.find(({ project }) => project.settings.strict)?.rank ?? null;
  const problems = [
    ...layers.flatMap((layer) => problemsOf(layer, strictRank !== null)),
    ...emptyPolicy(layers),
  ];
  return { strictRank, ...set(before, { strict: strictRank !== null }), ...added(before, { problems }) };
}

function problemsOf({ name, project }: LoadedLayer, strict: boolean): Problem[] {
  return project.problems
    .filter((problem) => !isEmptyProblem(problem))
    .map((problem) => ({ ...(strict ? errorIfStrict(problem) : problem), layer: name }));
}

function emptyPolicy(layers: readonly LoadedLayer[]): Problem[] {
  if (layers.length === 0 || layers.some(guards)) return [];
  return layers.flatMap(({ project }) => project.problems.filter(isEmptyProblem)).slice(0, 1);
}

function isEmptyProblem({ code }: Problem): boolean {
  return code === 'PROJECT_EMPTY';
}

function network(before: Opening): Partial<Opening> {
  return set(before, { allowedDomains: domainsOf(before.layers) });
}

function trust(before: Opening): Partial<Opening> {
  const untrusted = before.layers.filter((layer) => !isTrusted(layer)).map(({ name }) => name);
  return set(before, { untrusted });
}

function environment(before: Opening): Partial<Opening> {
  const { layers } = before;
  return {
    ...set(before, { environment: environmentRules(layers) }),
    ...added(before, { problems: environmentProblems(layers) }),
  };
}

function tape(before: Opening): Partial<Opening> {
  const { layers } = before;
  return {
    ...set(before, { tape: tapeSettings(layers) }),
    ...added(before, { problems: tapeProblems(layers) }),
  };
}

function approvals(before: Opening): Partial<Opening> {
  const { layers } = before;
  return {
    ...set(before, { asking: askingSettings(layers) }),
    ...added(before, { problems: askingProblems(layers) }),
  };
}

function hooks(before: Opening): Partial<Opening> {
  const { layers } = before;
  const hooks = layers.flatMap((layer) => withLayer(layer, layers));
  return added(before, { hooks, problems: observedLayers(layers) });
}

async function packs(before: Opening): Promise<Partial<Opening>> {
  const packs = await packsOf(before.layers);
  return { packs, ...added(before, packs) };
}

/** Where nothing asks for the origin of a value, no ledger is made. */
function sources(before: Opening): Partial<Opening> {
  const written = before.layers.flatMap(({ project }) => project.settings.sources);
  const isAsked = before.packs.packs.some(({ pack }) => pack.index.looksAt.flow);
  return set(before, { sources: written.length > 0 || isAsked ? written : null });
}

function strictness(before: Opening): Partial<Opening> {
  const { hooks, problems } = applyStrict(before.hooks, before.strictRank);
  return { ...added(before, { problems }), hooks };
}

async function data(before: Opening): Promise<Partial<Opening>> {
  const { layers, strictRank } = before;
  const { hooks, problems } = await withTables(before.hooks, layers, strictRank);
  return { ...added(before, { problems: [...problems, ...replacedData(layers)] }), hooks };
}

function contents({ hooks, tools }: Opening): Partial<Opening> {
  return { hooks: withContents(hooks, tools) };
}

/** Without a policy nothing was decided by anybody, and that must not look like an allow. */
function noPolicy(before: Opening): Partial<Opening> {
  const { dir, layers, allowEmpty, problems } = before;
  if (layers.length > 0 || allowEmpty) return {};
  return added(before, { hooks: standIns(dir, missingPolicy(dir, problems), 'no_policy') });
}

function version(before: Opening): Partial<Opening> {
  const outdated = unmetVersion(before.layers.flatMap(({ project }) => project.settings.requires));
  if (outdated === null) return {};
  return added(before, { hooks: standIns(before.dir, outdated, 'outdated_engine'), problems: [outdated] });
}

async function sandbox(before: Opening): Promise<Partial<Opening>> {
  const { dir, host, layers, startsNothing } = before;
  const settings = set(before, { sandbox: sandboxSettings(layers) });
  const missing = startsNothing ? null : await sandboxUnavailable(settings.settings, host, dir);
  const problems = sandboxProblems(layers);
  if (missing === null) return { ...settings, ...added(before, { problems }) };
  const hooks = standIns(dir, missing, 'no_sandbox');
  return { ...settings, ...added(before, { hooks, problems: [...problems, missing] }) };
}

/** The sandbox that is asked for and cannot be made here: nothing may run without it. */
async function sandboxUnavailable(
  { sandbox }: PolicySettings,
  host: Host,
  dir: string,
): Promise<Problem | null> {
  if (sandbox === null) return null;
  const problem = sandboxProblem(await findSandbox(host, dir), sandbox);
  return problem === null ? null : missingSandbox(problem);
}

function floor(before: Opening): Partial<Opening> {
  return added(before, { hooks: [floorHook(before.dir)] });
}

function protectedPaths(before: Opening): Partial<Opening> {
  const { dir, layers, places, settings, switches } = before;
  const late = before.options.oneCall === true;
  const guarded = new Protected(() => guardedPaths({ dir, layers, places, host: switches }), { late });
  const keys = [settings.asking.key, settings.tape.key];
  const secret = new Protected(() => secretPaths(keys, switches), { late });
  const user = { home: homeFolder(switches), path: switches.env('PATH') };
  const hook = protectedHook({ guarded, secret }, dir, user);
  return { guarded, ...added(before, { hooks: [hook] }) };
}

function hiddenText(before: Opening): Partial<Opening> {
  const mode = hiddenTextSetting(before.layers);
  const hooks = mode === 'pass' ? [] : [hiddenTextHook(mode)];
  return {
    ...set(before, { hiddenText: mode }),
    ...added(before, { hooks, problems: hiddenTextProblems(before.layers) }),
  };
}

function fleet(before: Opening): Partial<Opening> {
  const { managed, user } = before.places.fleet ?? NO_FLEET;
  const hooks = [managed, user].flatMap((place) => {
    const policy = place === null ? null : readFleetPolicy(place);
    const dir = policy === null ? null : join(place!.folder, policy.unpacked);
    const layer = before.layers.find((each) => each.kind === 'fleet' && each.dir === dir);
    if (layer === undefined || policy!.whenStale === 'keep' || policy!.maxAgeMs === null) return [];
    const { name, rank } = layer;
    return [staleHook(place!, policy!.whenStale, () => before.host.now(), { name, rank })];
  });
  return added(before, { hooks });
}

async function permissions(before: Opening): Promise<Partial<Opening>> {
  const tables = await permissionsOf(before.layers);
  return added(before, {
    hooks: tables.map(({ hook }) => hook),
    problems: tables.flatMap(({ problems }) => problems),
  });
}

function scopes(before: Opening): Partial<Opening> {
  return added(before, { hooks: enforcedScopes(before.layers) });
}

function exitPolicy(before: Opening): Partial<Opening> {
  const modes = before.layers.map(({ project }) => project.settings.exitMode);
  const exitMode = modes.find((mode) => mode !== NO_SETTINGS.exitMode) ?? NO_SETTINGS.exitMode;
  return { ...set(before, { exitMode }), ...added(before, { hooks: exitPolicyHooks(exitMode) }) };
}

/** One hook on every gate, which blocks with the problem as its reason. */
function standIns(dir: string, problem: Problem, name: string): Hook[] {
  return unreadableProject(dir, problem).hooks.map((hook) => ({ ...hook, name }));
}

/** A policy folder that was found and refused is named: `harness init` would not help there. */
export function missingPolicy(dir: string, problems: readonly Problem[]): Problem {
  const refused = problems.filter(({ code }) => code === 'LAYER_REFUSED').map(({ message }) => message);
  const nowhere = `No policy in ${resolve(dir)} or its parents`;
  const message =
    refused.length === 0 ? `${nowhere}. Run \`harness init\`.` : `${nowhere}: ${refused.join('; ')}.`;
  return { severity: 'error', code: 'POLICY_MISSING', message, position: null };
}
