/**
 * The policy around a file that is being edited, read with what the editor holds in the place of what is saved. The same look as
 * `harness validate`; nothing of the folder is run but its sandboxed scripts.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Json, Problem } from '../base/index.ts';
import { Engine, eventSpec } from '../engine/index.ts';
import { DEFAULT_CLOCK, frozenHost, openPolicy, type Policy } from '../policy/index.ts';
import { lastPayload, sampleOf, validateFolder } from '../project/index.ts';
import { exported, type Library } from '../script/index.ts';

/** The folder whose policy a file belongs to; null for a file of none. */
export function folderOf(path: string): string | null {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (folder.split(sep).at(-1) === '.harness') return dirname(folder);
    if (existsSync(join(folder, '.harness')) || existsSync(join(folder, 'harness.md'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

export interface FolderReport {
  /** By absolute path. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  readonly tools: readonly string[];
  readonly library: Library | null;
  /** A file named by a layer, as an absolute path. */
  readonly at: (file: string) => string;
}

export async function inspectFolder(folder: string): Promise<FolderReport> {
  const { policy, agent, problems } = await validateFolder(folder);
  const at = placesOf(policy);
  const found = new Map<string, Problem[]>();
  for (const problem of problems) {
    if (problem.position === null) continue;
    const path = at(problem.position.file);
    found.set(path, [...(found.get(path) ?? []), problem]);
  }
  const library = policy.layers.findLast(({ project }) => project.library !== null)?.project.library ?? null;
  return { problems: found, tools: agent.tools.map(({ name }) => name), library, at };
}

function placesOf({ layers, root }: Policy): (file: string) => string {
  const folders = [root, ...layers.map(({ dir }) => dir).reverse()];
  return (file) => join(folders.find((dir) => existsSync(join(dir, file))) ?? root, file);
}

/** Scripts elsewhere that load a name of a library: to rename it there alone would break them. */
export function isLoadedElsewhere(library: Library | null, name: string, texts: readonly string[]): boolean {
  const known = [...(library?.files.keys() ?? [])].some((file) => {
    const loaded = library!.own(file);
    return loaded.ok && exported(loaded.module.globals).includes(name);
  });
  return known && texts.some((text) => new RegExp(`load\\([^)]*"${name}"`).test(text));
}

export interface Decided {
  readonly action: string;
  readonly reason: string | null;
  readonly hook: string | null;
  /** Where the payload comes from, as a sentence. */
  readonly from: string;
  readonly payload: Json;
}

/** What the hooks of one file say, as they stand in the editor, to the newest recorded payload of an event. */
export async function decideLast(folder: string, path: string, event: string): Promise<Decided> {
  const policy = await openPolicy(folder, { trust: 'no code', allowEmpty: true });
  const recorded = lastPayload([join(folder, '.harness', 'runs')], event);
  const spec = eventSpec(event);
  const payload = recorded?.payload ?? (spec === undefined ? null : sampleOf(spec.payload));
  const from =
    recorded === null
      ? 'nothing of this event is recorded here: a payload made up from the catalog'
      : `entry ${recorded.seq} of ${recorded.tape}`;
  const file = relative(folder, path).split(sep).join('/');
  const hooks = policy.hooks.filter((hook) => hook.source === file && hook.event === event);
  const world = { clock: DEFAULT_CLOCK, http: [], commands: [], env: {} };
  const still = { name: '', source: '', dir: '', line: 0, hook: null, steps: [], todo: null, ...world };
  const engine = new Engine({
    hooks,
    host: frozenHost(still),
    run: policy.newRun(),
    canAsk: true,
    canDelegate: true,
  });
  const { action, reason, hook } = await engine.decide(event, payload);
  return { action, reason, hook, from, payload };
}
