/**
 * A layer with everything that was read from its folder: hooks, settings, and whether its capabilities hold. Policies of
 * one process may share those that stand above all of them.
 */
import type { JsonObject, Problem } from '../base/index.ts';
import { FolderSnapshot } from '../files/index.ts';
import {
  allTests,
  loadProject,
  mergeSettings,
  type Project,
  type ProjectReader,
  readWrittenTools,
  unreadableProject,
} from '../frontends/index.ts';
import type { Library } from '../script/index.ts';
import type { PolicyLayer } from './layers.ts';
import { type FolderTrust, type TrustSource, trustIn } from './trust/trust.ts';

/**
 * Whether capabilities of project folders hold. Absent: as records and `HARNESS_TRUST` say. `all`: the program vouches for the
 * folder itself. `no code`: the host answers for programs and addresses, as in a test, and modules are never loaded. The names
 * of the layers that were not trusted, for a replay.
 */
export type TrustOption = 'all' | 'no code' | { readonly untrusted: readonly string[] };

/** A layer of which a copy of every file is in the folder `copy`. */
export interface CopiedLayer extends PolicyLayer {
  readonly copy: string;
}

/** A layer and what was read from it. */
export interface LoadedLayer extends PolicyLayer {
  readonly project: Project;
  /** Whether its capabilities hold. Found out when first asked for: only then the tools of the folder are looked at. */
  readonly trust: () => FolderTrust;
}

/** Layers that stand above several policies of one process, read once for all of them. */
export class SharedLayers {
  private readonly loaded = new Map<string, Promise<LoadedLayer>>();

  get(layer: PolicyLayer, load: () => Promise<LoadedLayer>): Promise<LoadedLayer> {
    if (layer.kind === 'project') return load();
    const key = `${layer.name}\n${layer.dir}\n${layer.insides.join()}\n${layer.broken ?? ''}`;
    let known = this.loaded.get(key);
    if (known === undefined) this.loaded.set(key, (known = load()));
    return known;
  }

  clear(): void {
    this.loaded.clear();
  }
}

/** The tools of every layer if some hook asks for them: then their files are part of what decides, and of the digest. */
export function toolsOf(layers: readonly LoadedLayer[]): {
  readonly layers: readonly LoadedLayer[];
  readonly readsTools: boolean;
  readonly tools: readonly JsonObject[];
} {
  const readsTools = layers.some(({ project }) => project.hooks.some(({ readsPolicy }) => readsPolicy));
  if (!readsTools) return { layers, readsTools, tools: [] };
  const tools: JsonObject[] = [];
  const complete = layers.map((layer) => {
    const read = layer.insides.map((inside) => readWrittenTools(layer.project.snapshot, inside));
    for (const { tools: found } of read) tools.push(...found.map((tool) => ({ ...tool, layer: layer.name })));
    const files = [...layer.project.files, ...read.flatMap((each) => each.files)];
    return { ...layer, project: { ...layer.project, files } };
  });
  return { layers: complete, readsTools, tools };
}

export type Vouch = (layer: PolicyLayer, project: Project) => FolderTrust;

export function vouchFor(trust: TrustOption | undefined, source: TrustSource): Vouch {
  return (layer, { capabilities, snapshot: read }) => {
    const { dir, kind, name, insides } = layer;
    if (kind !== 'project') return { dir, capabilities, digest: '', by: 'layer', declined: false };
    // A session's copy holds hooks and what they run; tools are those of the folder.
    const snapshot = 'copy' in layer ? new FolderSnapshot(dir) : read;
    const found = trustIn({ snapshot, insides, capabilities }, source);
    if (trust === undefined) return found;
    if (trust === 'no code') return { ...found, by: 'host' };
    const vouched = trust === 'all' || !trust.untrusted.includes(name);
    return { ...found, by: vouched ? 'program' : null };
  };
}

/** Whether what its hooks and settings ask for holds. Folders that ask for nothing are not looked at any further. */
export function isTrusted({ project, trust }: LoadedLayer): boolean {
  return project.capabilities.length === 0 || trust().by !== null;
}

/** Whether anything of it can stop a call: rules of packs and permissions guard as well as hooks. */
export function guards({ project: { hooks, settings } }: LoadedLayer): boolean {
  return hooks.length > 0 || settings.permissions.length > 0 || settings.use.length > 0;
}

export async function loadLayer(
  layer: PolicyLayer | CopiedLayer,
  readers: readonly ProjectReader[],
  vouch: Vouch,
  { above = null, coverage = false }: { readonly above?: Library | null; readonly coverage?: boolean } = {},
): Promise<LoadedLayer> {
  const { insides, broken } = layer;
  const dir = 'copy' in layer ? layer.copy : layer.dir;
  const snapshot = new FolderSnapshot(dir);
  const projects: Project[] = [];
  for (const inside of insides) {
    const next = projects.at(-1)?.library ?? above;
    projects.push(await loadProject(dir, { readers, inside, above: next, coverage, snapshot }));
  }
  // It has been named where it was found.
  if (broken !== undefined) projects.push({ ...unreadableProject(dir, brokenLayer(broken)), problems: [] });
  const project = projects.reduce(bothForms);
  let trust: FolderTrust | null = null;
  return {
    ...layer,
    project,
    trust: () => {
      trust ??= vouch(layer, project);
      return trust;
    },
  };
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
    tests: () => allTests([a.tests, b.tests]),
    capabilities: [...a.capabilities, ...b.capabilities],
    data: new Map([...b.data, ...a.data]),
    schemas: new Map([...b.schemas, ...a.schemas]),
    library: b.library ?? a.library,
  };
}

function brokenLayer(message: string): Problem {
  return { severity: 'error', code: 'LAYER_BROKEN', message, position: null };
}
