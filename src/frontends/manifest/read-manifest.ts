/**
 * Reads the `[[hooks]]` of a harn.toml. Each entry becomes a hook or, where it cannot be understood, a stand-in; one bad
 * entry never keeps the others from loading.
 */
import type { Tree } from '../../base/index.ts';
import { describe, type FolderSnapshot, JSON_FILE, readTomlTree } from '../../files/index.ts';
import type { Library } from '../../script/index.ts';
import { HookFile } from '../hook-file.ts';
import type { ReadResult } from '../project-reader.ts';
import { readEntry } from './entry.ts';
import { FRONT_END_NAME } from './manifest-front-end.ts';
import { Modules } from './modules.ts';

export async function readManifest(
  snapshot: FolderSnapshot,
  path: string,
  library: Library | null,
): Promise<ReadResult> {
  const file = new HookFile(snapshot, path, FRONT_END_NAME);
  const modules = new Modules(snapshot, library);
  await readHooks(file, modules);
  const reports = [file.report, ...modules.reports];
  return {
    hooks: file.hooks,
    broken: file.broken,
    problems: reports.flatMap(({ problems }) => problems),
    files: reports.map(({ source }) => source.name),
    capabilities: file.capabilities,
  };
}

async function readHooks(file: HookFile, modules: Modules): Promise<void> {
  const { report, text } = file;
  if (text === null) return;
  const tree = readTomlTree(text);
  if (!tree.ok) {
    file.standIn(report.at('TOML_INVALID', `not TOML: ${tree.message}`, tree));
    return;
  }
  const hooks = tree.root.entries.get('hooks')?.value;
  if (hooks === undefined) file.lookForSlips(tree.root);
  else if (hooks.kind !== 'list') {
    const got = hooks.kind === 'map' ? 'one table' : describe(hooks, JSON_FILE);
    const message = `hooks: wanted a list of tables, each headed [[hooks]], got ${got}`;
    file.standIn(report.error('FIELD_TYPE', message, hooks.start));
  } else
    for (const [index, node] of hooks.items.entries()) await readHook(node, `hooks[${index}]`, file, modules);
}

async function readHook(node: Tree, path: string, file: HookFile, modules: Modules): Promise<void> {
  const { report } = file;
  if (node.kind !== 'map') {
    const message = `${path}: wanted a table, got ${describe(node, JSON_FILE)}`;
    file.standIn(report.error('FIELD_TYPE', message, node.start), { name: path });
    return;
  }
  const before = report.problems.length;
  const read = await readEntry(node, { file, report, path, modules });
  if (read.kind === 'hook') file.hooks.push(read.hook);
  else if (read.kind === 'broken') {
    const { event, name, problem = report.firstError(before) } = read;
    file.standIn(problem, { event, name });
  }
}
