/**
 * The tools of a folder whose scripts start programs or reach the network. Their scripts are Starlark, so what they use is
 * seen without running them: a script that does not name `exec` or `http` cannot reach either.
 */
import { type MapNode, textAt } from '../../base/index.ts';
import type { Artifact, FolderSnapshot } from '../../files/index.ts';
import type { Capability } from '../capability.ts';
import { policyPath } from '../project-reader.ts';
import { BUNDLE_FOLDERS } from './bundle.ts';
import { readFolder, readHarnessFiles } from './read-project.ts';

export const TOOLS_FOLDER = '.harness/tools';

const REACHES: Readonly<Record<string, string>> = {
  exec: 'starts programs',
  http: 'reaches the network',
};

export function toolCapabilities(
  snapshot: FolderSnapshot,
  insides: readonly string[] = ['.harness'],
): Capability[] {
  const { dir } = snapshot;
  return insides.flatMap((inside) => {
    const listed = [
      ...readHarnessFiles(snapshot, inside).map(({ artifact }) => artifact),
      ...Object.keys(BUNDLE_FOLDERS).flatMap((folder) =>
        readFolder(snapshot, policyPath(folder, inside), 'bundle'),
      ),
    ];
    return [
      ...readFolder(snapshot, policyPath(TOOLS_FOLDER, inside), 'tool').flatMap((file) => inFile(dir, file)),
      ...listed.flatMap((file) => inList(dir, file)),
    ];
  });
}

function inFile(dir: string, artifact: Artifact): Capability[] {
  const name = artifact.path.slice(artifact.path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  return artifact.map === null ? [] : capabilityOf(dir, name, artifact.map, artifact);
}

function inList(dir: string, artifact: Artifact): Capability[] {
  const list = artifact.map?.entries.get('tools')?.value;
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((item) =>
    item.kind === 'map' ? capabilityOf(dir, textAt(item, 'name') ?? '', item, artifact) : [],
  );
}

function capabilityOf(dir: string, name: string, map: MapNode, { path, report }: Artifact): Capability[] {
  const script = textAt(map, 'script') ?? '';
  const reaches = Object.keys(REACHES).filter((word) => usesName(script, word));
  if (reaches.length === 0) return [];
  const does = reaches.map((word) => REACHES[word]).join(' and ');
  const source = `${path}:${report.lineOf(map.start)}`;
  // The programs stand in the script, so the script is what is agreed to.
  return [{ kind: 'tool', name, what: `${name} ${does}`, source, root: dir, files: {}, text: script }];
}

/** As a name of its own: `exec.run`, `x = exec`, not `execute`. A comment that says it costs one question too many. */
function usesName(script: string, word: string): boolean {
  for (let at = script.indexOf(word); at !== -1; at = script.indexOf(word, at + 1)) {
    const [before, after] = [script[at - 1] ?? ' ', script[at + word.length] ?? ' '];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
