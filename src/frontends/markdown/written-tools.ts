/**
 * The tools of a folder as they are written, for rules about them. Nothing is compiled, and a tool that is broken is there too: a
 * rule must not pass because of a typing mistake.
 */
import { type JsonObject, type MapNode, textAt, toData } from '../../base/index.ts';
import type { Artifact, FolderSnapshot } from '../../files/index.ts';
import { policyPath } from '../project-reader.ts';
import { BUNDLE_FOLDERS } from './bundle.ts';
import { readFolder, readHarnessFiles } from './read-project.ts';

const TOOLS_FOLDER = '.harness/tools';

export interface WrittenTools {
  readonly tools: readonly JsonObject[];
  /** What was read for them and is read for nothing else. */
  readonly files: readonly string[];
}

export function readWrittenTools(snapshot: FolderSnapshot, inside?: string): WrittenTools {
  const files = readFolder(snapshot, policyPath(TOOLS_FOLDER, inside), 'tool');
  const listing = [
    ...readHarnessFiles(snapshot, inside).map(({ artifact }) => artifact),
    ...Object.keys(BUNDLE_FOLDERS).flatMap((folder) =>
      readFolder(snapshot, policyPath(folder, inside), 'bundle'),
    ),
  ];
  const tools = [...files.map(fromFile), ...listing.flatMap(fromList)];
  return { tools, files: files.map(({ path }) => path) };
}

function fromFile({ path, map, body }: Artifact): JsonObject {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  return described(name, path, map, body.trim());
}

function fromList({ path, map }: Artifact): JsonObject[] {
  const list = map?.entries.get('tools')?.value;
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((item) => {
    const name = item.kind === 'map' ? textAt(item, 'name') : undefined;
    if (item.kind !== 'map' || !name) return [];
    return [described(name, path, item, textAt(item, 'description')?.trim() ?? '')];
  });
}

function described(name: string, source: string, map: MapNode | null, body: string): JsonObject {
  return { name, source, front_matter: map === null ? {} : (toData(map) as JsonObject), body };
}
