/**
 * What the layers of a policy put into its chain: their own hooks, as far as they are trusted, and those made of their packs,
 * permission tables and scopes.
 */

import { type Json, type Problem, sha256Hex } from '../base/index.ts';
import { type Hook, type HookLayer, layerOf } from '../engine/index.ts';
import { intersectDomains, realPathOrSame } from '../machine/index.ts';
import { scopesHook } from './built-in.ts';
import { isTrusted, type LoadedLayer } from './loaded-layer.ts';
import type { PackParts } from './packs.ts';
import type { ReadTable } from './permissions/table-hooks.ts';
import { distrusted, pinnedToDigest, withoutModule } from './trust/distrust.ts';
import type { Voucher } from './trust/trust.ts';

/** What scripts of the last of these layers may reach: its own list, less what a layer above does not list. */
export function domainsOf(layers: readonly LoadedLayer[]): readonly string[] {
  const lists = layers
    .filter(({ project }) => project.settings.restrictsNetwork)
    .map((layer) => (isTrusted(layer) ? layer.project.settings.allowedDomains : []));
  return lists.length === 0 ? [] : lists.reduce(intersectDomains);
}

interface HooksBelow {
  readonly above: readonly LoadedLayer[];
  readonly hooks: readonly Hook[];
}

/** Of layers that many policies stand under: a tenant has no copies of them. Whom a project trusts may change. */
const hooksByLayer = new WeakMap<LoadedLayer, HooksBelow>();

export function withLayer(loaded: LoadedLayer, layers: readonly LoadedLayer[]): readonly Hook[] {
  const above = layers.filter(({ rank }) => rank <= loaded.rank);
  const known = hooksByLayer.get(loaded);
  if (known?.above.length === above.length && known.above.every((layer, at) => layer === above[at]))
    return known.hooks;
  const hooks = hooksOf(loaded, above);
  if (loaded.kind !== 'project') hooksByLayer.set(loaded, { above, hooks });
  return hooks;
}

function hooksOf(loaded: LoadedLayer, above: readonly LoadedLayer[]): readonly Hook[] {
  const { name, rank, project } = loaded;
  const layer: HookLayer = {
    name,
    rank,
    place: placeOf(loaded),
    data: dataOf(above),
    remote: new Set(above.flatMap(remoteNames)),
    allowedDomains: domainsOf(above),
  };
  const by = project.capabilities.length === 0 ? 'no capabilities' : loaded.trust().by;
  const observed = project.settings.observe;
  return project.hooks.map((hook) => {
    const trusted = asTrusted(hook, by);
    return { ...(observed ? onlyRecorded(trusted) : trusted), layer };
  });
}

/** A person who vouched by digest vouched for those files, and is held to them; others for whatever the folder holds. */
function asTrusted(hook: Hook, by: Voucher): Hook {
  if (by === null) return distrusted(hook);
  if (by === 'host') return withoutModule(hook);
  return by === 'record' || by === 'digest' ? pinnedToDigest(hook) : hook;
}

/** A table of a higher layer is not replaced by one of a lower: a rule that reads it means what it meant above. */
function dataOf(layers: readonly LoadedLayer[]): ReadonlyMap<string, Json> {
  const data = new Map<string, Json>();
  const remote = new Set<string>();
  for (const layer of layers) {
    for (const [name, table] of layer.project.data)
      if (!data.has(name) && !remote.has(name)) data.set(name, table);
    for (const name of remoteNames(layer)) remote.add(name);
  }
  return data;
}

function remoteNames({ project }: LoadedLayer): string[] {
  return project.settings.tables.map(({ name }) => name);
}

/** Those of tables from elsewhere, which wait for them. What it takes is loaded only if some layer has one. */
export async function withTables(
  hooks: readonly Hook[],
  layers: readonly LoadedLayer[],
  strictRank: number | null,
): Promise<{ readonly hooks: readonly Hook[]; readonly problems: readonly Problem[] }> {
  if (layers.every(({ project }) => project.settings.tables.length === 0)) return { hooks, problems: [] };
  const { withRemoteTables } = await import('./tables/table-hooks.ts');
  const domains = (rank: number) => domainsOf(layers.filter((layer) => layer.rank <= rank));
  return withRemoteTables(hooks, layers, domains, strictRank);
}

export function replacedData(layers: readonly LoadedLayer[]): Problem[] {
  const known = new Set<string>();
  return layers.flatMap((loaded) => {
    const { name: layer, project } = loaded;
    const names = new Set([...project.data.keys(), ...remoteNames(loaded)]);
    const twice = [...names].filter((name) => known.has(name));
    for (const name of names) known.add(name);
    return twice.map((name): Problem => {
      const message = `the table "${name}" of layer ${layer} is not read: a higher layer has one`;
      return { severity: 'error', code: 'CONFIG_INVALID', message, position: null };
    });
  });
}

/** Projects of one user share a store, and each counts for itself; the user's own limits hold in all of them. */
function placeOf({ kind, name, dir }: LoadedLayer): string {
  return kind === 'project' ? `${name}@${sha256Hex(realPathOrSame(dir)).slice(0, 16)}` : name;
}

/** Observed: what it would have done is in the trace, and nothing is stopped. */
function onlyRecorded(hook: Hook): Hook {
  return { ...hook, mode: 'shadow', statedMode: hook.mode };
}

export const NO_PACKS: PackParts = { hooks: [], problems: [], packs: [], exceptions: [], sources: [] };

/** Rules are loaded only if some layer uses a pack. */
export async function packsOf(layers: readonly LoadedLayer[]): Promise<PackParts> {
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
export async function permissionsOf(layers: readonly LoadedLayer[]): Promise<readonly ReadTable[]> {
  if (layers.every(({ project }) => project.settings.permissions.length === 0)) return [];
  const { tableHooks } = await import('./permissions/table-hooks.ts');
  return layers.flatMap(({ name, rank, project }, place) =>
    tableHooks(project.settings.permissions, { name, rank }, place),
  );
}

/** In one layer it holds for the whole policy, and a table that cannot be understood may have said it. */
export function enforcedScopes(layers: readonly LoadedLayer[]): Hook[] {
  const tables = layers.flatMap(({ project }) => project.settings.permissions);
  const [first] = tables.filter(({ table }) => table === null || table.scopes === 'enforce');
  return first === undefined ? [] : [scopesHook(first.file, 100 + tables.length)];
}

/** Said before anything runs: a folder that only records looks like one that guards. */
export function observedLayers(layers: readonly LoadedLayer[]): Problem[] {
  return layers
    .filter(({ project }) => project.settings.observe)
    .map(({ name }) => ({
      severity: 'warning',
      code: 'GUARD_MAY_BE_OFF',
      message: `the hooks and packs of layer ${name} only record: harness.md says \`observe: true\``,
      position: null,
    }));
}
