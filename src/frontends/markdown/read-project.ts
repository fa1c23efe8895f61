/**
 * The reader of everything written in Markdown: `harness.md`, `.harness/hooks/*.md` and the bundle folders. One broken
 * file never keeps the others from loading.
 */
import { join } from 'node:path';
import type { Problem } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import {
  type Artifact,
  type ArtifactOptions,
  codeOf,
  dangles,
  FileReport,
  type FolderSnapshot,
  isAbsent,
  loadArtifact,
  reason,
} from '../../files/index.ts';
import { inTurns } from '../../machine/index.ts';
import {
  allTests,
  type BrokenHook,
  mergeSettings,
  NO_SETTINGS,
  type ProjectReader,
  policyPath,
  type ReadResult,
} from '../project-reader.ts';
import { type BuildOptions, type BuiltHook, buildHook } from './build-hook.ts';
import { BUNDLE_FOLDERS, type Bundle, checkDependencies, readBundle } from './bundle.ts';
import type { Draft } from './draft.ts';
import { harnessCapabilities } from './harness-capabilities.ts';
import { HARNESS_PATHS, type HarnessFile, readHarnessFile } from './harness-file.ts';
import { fileDraft } from './hook-from-text.ts';
import { findUnreadFiles, isArtifactName } from './unread-files.ts';

export { isAbsent };

const HOOKS_FOLDER = '.harness/hooks';

export function markdownReaderWith(options: BuildOptions): ProjectReader {
  return {
    name: 'markdown',
    watches: [...HARNESS_PATHS, HOOKS_FOLDER, ...Object.keys(BUNDLE_FOLDERS)],
    read: (snapshot, inside, library = null) =>
      readMarkdownProject(snapshot, inside, { ...options, library }),
  };
}

export const markdownReader: ProjectReader = markdownReaderWith({});

async function readMarkdownProject(
  snapshot: FolderSnapshot,
  inside: string | undefined,
  options: BuildOptions,
): Promise<ReadResult> {
  const harness = readHarnessFiles(snapshot, inside);
  const hooksFolder = policyPath(HOOKS_FOLDER, inside);
  const files: Artifact[] = [];
  const late = options.lateTests === true ? { late: 'tests' } : {};
  for await (const artifact of inTurns(artifactsIn(snapshot, hooksFolder, 'hook', late)))
    files.push(artifact);
  const bundles: Bundle[] = [];
  for (const [folder, kind] of Object.entries(BUNDLE_FOLDERS)) {
    for (const artifact of readFolder(snapshot, policyPath(folder, inside), 'bundle'))
      bundles.push(readBundle(artifact, kind));
  }
  checkDependencies(bundles);

  const inline = harness.flatMap((file) => file.drafts);
  const drafts = [...inline, ...files.map(fileDraft), ...bundles.flatMap((bundle) => bundle.drafts)];
  checkNames(drafts);
  const built: BuiltHook[] = [];
  for await (const [index, draft] of inTurns(drafts.entries()))
    built.push(await buildHook(draft, index, options));

  const artifacts = [
    ...harness.map((file) => file.artifact),
    ...files,
    ...bundles.map((bundle) => bundle.artifact),
  ];
  const problems = artifacts.flatMap((artifact): Problem[] => artifact.report.problems);
  const settings = harness.map((file) => file.settings).reduce(mergeSettings, NO_SETTINGS);
  const capabilities = harness.flatMap((file) => harnessCapabilities(snapshot, file));
  const tests = () => allTests(built.map((each) => each.tests));
  return {
    hooks: built.flatMap(({ hook }): Hook[] => (hook === undefined ? [] : [hook])),
    broken: built.flatMap(({ broken }): BrokenHook[] => (broken === undefined ? [] : [broken])),
    problems: [...problems, ...findUnreadFiles(snapshot.dir, policyFolders(inside), inside)],
    files: artifacts.map((artifact) => artifact.path),
    tests,
    settings,
    harness,
    capabilities,
  };
}

/** The folders whose Markdown files are read. */
function policyFolders(inside: string | undefined): string[] {
  return [HOOKS_FOLDER, ...Object.keys(BUNDLE_FOLDERS)].map((folder) => policyPath(folder, inside));
}

export function readHarnessFiles(snapshot: FolderSnapshot, inside?: string): HarnessFile[] {
  const found: HarnessFile[] = [];
  for (const path of new Set(HARNESS_PATHS.map((each) => policyPath(each, inside)))) {
    if (!isAbsent(join(snapshot.dir, path)))
      found.push(readHarnessFile(loadArtifact(snapshot, path, '', { plainTextIsFine: true })));
  }
  const [, second] = found;
  if (second !== undefined) {
    const message = `both ${HARNESS_PATHS.join(' and ')} exist: keep one (until then both are in force)`;
    second.artifact.report.error('HOOK_DUPLICATE', message, 0);
  }
  return found;
}

/** The `*.md` directly in a folder, in the order of their names. A missing folder is an empty one. */
export function readFolder(snapshot: FolderSnapshot, folder: string, noun: string): Artifact[] {
  return [...artifactsIn(snapshot, folder, noun)];
}

/** Each is read when its turn comes. */
function* artifactsIn(
  snapshot: FolderSnapshot,
  folder: string,
  noun: string,
  options: Omit<ArtifactOptions, 'noun'> = {},
): Generator<Artifact> {
  const names = namesIn(snapshot, folder);
  if (typeof names === 'string') yield unreadableFolder(folder, names);
  else for (const name of names) yield loadArtifact(snapshot, `${folder}/${name}`, noun, options);
}

/** Why the folder cannot be read, if it is there and cannot. */
function namesIn(snapshot: FolderSnapshot, folder: string): string[] | string {
  const listing = snapshot.list(folder);
  if (listing.ok) return listing.names.filter(isArtifactName);
  if (codeOf(listing.thrown) !== 'ENOENT') return reason(listing.thrown);
  return dangles(snapshot.dir, folder) ? 'it is behind a link to nowhere' : [];
}

function unreadableFolder(folder: string, why: string): Artifact {
  const report = new FileReport(folder, '');
  report.error('FILE_UNREADABLE', `the folder ${folder} cannot be read: ${why}`, 0);
  return { path: folder, parsing: `read ${folder}`, report, map: null, body: '' };
}

/** Two hooks of one name in two files. Both stay in force, so the mistake costs clarity and never protection. */
function checkNames(drafts: readonly Draft[]): void {
  const seen = new Map<string, Draft>();
  for (const draft of drafts) {
    const before = seen.get(draft.name);
    seen.set(draft.name, draft);
    // Within one file the list has been checked.
    if (before === undefined || before.artifact === draft.artifact || draft.map === null) continue;
    const place = `${before.artifact.path}:${before.artifact.report.lineOf(before.map?.start ?? 0)}`;
    const message = `a hook named ${JSON.stringify(draft.name)} is also in ${place}; both are in force`;
    const { report } = draft.artifact;
    // A second harness.md is a mistake as a whole.
    if (draft.kind === 'inline') report.error('HOOK_DUPLICATE', message, draft.map.start);
    else report.warning('HOOK_DUPLICATE', message, draft.map.start);
  }
}
