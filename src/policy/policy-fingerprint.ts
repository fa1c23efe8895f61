/**
 * The fingerprint of an open policy: as long as it stays the same, opening the policy again would give the same. It covers every
 * file the policy was read from and every place that could add to it, by stat. A fingerprint is taken before the policy is read, so
 * that a change in between shows in the next one.
 */
import { join } from 'node:path';
import { PROJECT_READERS, policyPath, TOOLS_FOLDER } from '../frontends/index.ts';
import { type Host, homeFolder } from '../machine/index.ts';
import { FoundPaths, joinName } from './found-paths.ts';
import type { Policy } from './policy.ts';
import { AGENT_HOOK_FILES, CLIENT_FILES, movedFiles } from './protected.ts';
import { SESSIONS, stateFolder } from './state-folder.ts';
import { TRUST_FOLDER } from './trust/records.ts';

/** Of the files of the policy. */
export function policyFingerprint(policy: Watched): string {
  const found = new FoundPaths();
  findFiles(policy, found);
  return String(found);
}

function findFiles(policy: Watched, found: FoundPaths): void {
  const { layers, places, packs, fleetFiles } = policy;
  const paths = [
    ...fleetFiles,
    ...places.flatMap((dir) => found.thoseIn(dir, watchedIn(policy, dir))),
    ...layers.flatMap(({ dir, project }) => project.files.map((file) => joinName(dir, file))),
    ...packs.sources,
  ];
  for (const path of paths)
    if (found.isFolder(path)) for (const name of found.names(path)) found.file(joinName(path, name));
}

type Watched = Pick<Policy, 'readsTools' | 'layers' | 'packs' | 'places' | 'wholePlaces' | 'fleetFiles'>;

/**
 * Everything some front end reads in a folder. In one that is all policy also without `.harness` around it; in a project `lib` and
 * `data` are the project's own. Tools count where a hook asks for them.
 */
export function watchedIn({ readsTools, wholePlaces }: Watched, dir: string): readonly string[] {
  const lists = readsTools ? WATCHED.withTools : WATCHED.alone;
  return wholePlaces.includes(dir) ? lists.whole : lists.project;
}

function watchLists(project: readonly string[]) {
  return { project, whole: [...new Set([...project, ...project.map((path) => policyPath(path, '.'))])] };
}

const READ = PROJECT_READERS.flatMap((reader) => reader.watches);
const WATCHED = { alone: watchLists(READ), withTools: watchLists([...READ, TOOLS_FOLDER]) };

/**
 * What Harness counts and stores there for itself changes from call to call, and no policy is read from it. Of the fleet's folder, which
 * its agent writes to all the time, the files that count are named one by one.
 */
const COUNTS = ['run', SESSIONS, 'fleet'];

const POLICY_FOLDER = ['.harness'];
const NAMING_FILES = [...AGENT_HOOK_FILES, ...CLIENT_FILES];

/**
 * The same with what stands beside the policy: who may write in its folders, the programs it runs and who vouched for them, what
 * agents have registered, what Harness stores for the user. For somebody who compares at every call.
 */
export function fullFingerprint(policy: Policy, host: Host): FoundPaths {
  const found = new FoundPaths();
  findFiles(policy, found);
  for (const place of policy.places) found.thoseIn(place, POLICY_FOLDER);
  const home = homeFolder(host);
  const state = stateFolder(host);
  const { trustFolder } = policy;
  const files = [
    ...[...policy.places, ...(home === null ? [] : [home])].flatMap((root) =>
      found.thoseIn(root, NAMING_FILES),
    ),
    ...movedFiles(NAMING_FILES, host).map(({ path }) => path),
    ...(state === null ? [] : pathsIn(state, found).filter(([name]) => !COUNTS.includes(name))).map(
      ([, path]) => path,
    ),
    ...programsOf(policy),
    ...(trustFolder === null
      ? []
      : pathsIn(joinName(trustFolder.folder, TRUST_FOLDER), found).map(([, path]) => path)),
  ];
  for (const path of files) found.file(path, true);
  return found;
}

function pathsIn(folder: string, found: FoundPaths): (readonly [name: string, path: string])[] {
  return found.names(folder).map((name) => [name, joinName(folder, name)]);
}

function programsOf({ layers }: Policy): string[] {
  const capabilities = layers.flatMap(({ project }) => project.capabilities);
  return [
    ...new Set(capabilities.flatMap(({ root, files }) => Object.keys(files).map((file) => join(root, file)))),
  ];
}
