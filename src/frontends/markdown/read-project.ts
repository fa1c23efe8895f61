/**
 * The reader of everything written in Markdown: `harness.md`, `.harness/hooks/*.md` and the bundle folders. One broken
 * file never keeps the others from loading.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../base/errors.ts';
import { resolveEvent } from '../../events/resolve.ts';
import { type Artifact, loadArtifact } from '../../files/artifact.ts';
import { codeOf, dangles, isAbsent, reason } from '../../files/read-file.ts';
import { FileReport } from '../../files/report.ts';
import type { Hook } from '../../hooks/hook.ts';
import {
  type BrokenHook,
  type HookTest,
  mergeSettings,
  NO_SETTINGS,
  POLICY_FOLDER,
  type ProjectReader,
  policyPath,
  type ReadResult,
} from '../project-reader.ts';
import { type BuildOptions, type Built, buildHook } from './build-hook.ts';
import { BUNDLE_FOLDERS, type Bundle, checkDependencies, readBundle } from './bundle.ts';
import type { Draft } from './draft.ts';
import { HARNESS_PATHS, type HarnessFile, readHarnessFile } from './harness-file.ts';
import { harnessPowers } from './harness-powers.ts';
import { fileDraft } from './hook-from-text.ts';
import type { KeptHook } from './kept-hook.ts';
import { fromKept, isSame, type KeptSource, keepSource, type Paths } from './kept-project.ts';
import { findUnreadFiles, isArtifactName } from './unread-files.ts';

export { isAbsent };

const HOOKS_FOLDER = '.harness/hooks';

export function markdownReaderWith(options: BuildOptions): ProjectReader {
  return {
    name: 'markdown',
    watches: [...HARNESS_PATHS, HOOKS_FOLDER, ...Object.keys(BUNDLE_FOLDERS)],
    read: (dir, inside, library = null) => readMarkdownProject(dir, inside, { ...options, library }),
  };
}

export const markdownReader: ProjectReader = markdownReaderWith({});

async function readMarkdownProject(
  dir: string,
  inside: string | undefined,
  options: BuildOptions,
): Promise<ReadResult> {
  const kept = options.kept?.find(dir, inside ?? POLICY_FOLDER) ?? null;
  if (kept !== null && isSame(dir, kept, pathsIn(dir, inside))) {
    const read = fromKept(dir, kept);
    const unread = findUnreadFiles(dir, policyFolders(inside), inside);
    return unread.length === 0 ? read : { ...read, problems: [...read.problems, ...unread] };
  }
  const harness = readHarnessFiles(dir, inside);
  const hooksFolder = policyPath(HOOKS_FOLDER, inside);
  const files = readFolder(dir, hooksFolder, 'hook');
  const bundles: Bundle[] = [];
  for (const [folder, kind] of Object.entries(BUNDLE_FOLDERS)) {
    for (const artifact of readFolder(dir, policyPath(folder, inside), 'bundle'))
      bundles.push(readBundle(artifact, kind));
  }
  checkDependencies(bundles);

  const inline = harness.flatMap((file) => file.drafts);
  const drafts = [...place(inline, files.map(fileDraft)), ...bundles.flatMap((bundle) => bundle.drafts)];
  checkNames(drafts);
  const built: Built[] = [];
  for (const [index, draft] of drafts.entries()) built.push(await buildHook(draft, index, options));

  const artifacts = [
    ...harness.map((file) => file.artifact),
    ...files,
    ...bundles.map((bundle) => bundle.artifact),
  ];
  const problems = artifacts.flatMap((artifact): Problem[] => artifact.report.problems);
  const settings = harness.map((file) => file.settings).reduce(mergeSettings, NO_SETTINGS);
  const powers = harness.flatMap((file) => harnessPowers(dir, file));
  const tests = built.flatMap(({ tests }): readonly HookTest[] => tests);
  const whole = bundles.length === 0 && inline.length === 0 && powers.length === 0;
  if (whole && !problems.some(({ severity }) => severity === 'error')) {
    options.kept?.offer(dir, inside ?? POLICY_FOLDER, () => {
      const hooks = built.map(({ keep }) => keep?.() ?? null);
      const sources = artifacts.map(({ path, report }) => keepSource(dir, path, report.source.text));
      if (hooks.includes(null) || sources.includes(null)) return null;
      return {
        sources: sources as KeptSource[],
        harness: harness.length,
        hooks: hooks as KeptHook[],
        problems,
        tests,
        settings,
      };
    });
  }
  return {
    hooks: built.flatMap(({ hook }): Hook[] => (hook === undefined ? [] : [hook])),
    broken: built.flatMap(({ broken }): BrokenHook[] => (broken === undefined ? [] : [broken])),
    problems: [...problems, ...findUnreadFiles(dir, policyFolders(inside), inside)],
    files: artifacts.map((artifact) => artifact.path),
    tests,
    settings,
    harness,
    powers,
  };
}

/** What would be read now; null if a folder cannot be. */
function pathsIn(dir: string, inside: string | undefined): Paths | null {
  const hooks: string[] = [];
  for (const folder of policyFolders(inside)) {
    const names = namesIn(dir, folder);
    if (typeof names === 'string') return null;
    hooks.push(...names.map((name) => `${folder}/${name}`));
  }
  return { harness: harnessPathsIn(dir, inside), hooks };
}

function harnessPathsIn(dir: string, inside: string | undefined): string[] {
  return [...new Set(HARNESS_PATHS.map((each) => policyPath(each, inside)))].filter(
    (path) => !isAbsent(join(dir, path)),
  );
}

/** The folders whose Markdown files are read. */
function policyFolders(inside: string | undefined): string[] {
  return [HOOKS_FOLDER, ...Object.keys(BUNDLE_FOLDERS)].map((folder) => policyPath(folder, inside));
}

export function readHarnessFiles(dir: string, inside?: string): HarnessFile[] {
  const found: HarnessFile[] = [];
  for (const path of harnessPathsIn(dir, inside)) {
    found.push(readHarnessFile(loadArtifact(dir, path, '', { plainTextIsFine: true })));
  }
  const [, second] = found;
  if (second !== undefined) {
    const message = `both ${HARNESS_PATHS.join(' and ')} exist: keep one (until then both are in force)`;
    second.artifact.report.error('HOOK_DUPLICATE', message, 0);
  }
  return found;
}

/** The `*.md` directly in a folder, in the order of their names. A missing folder is an empty one. */
export function readFolder(dir: string, folder: string, noun: string): Artifact[] {
  const names = namesIn(dir, folder);
  if (typeof names === 'string') return [unreadableFolder(folder, names)];
  return names.map((name) => loadArtifact(dir, `${folder}/${name}`, noun));
}

/** Why the folder cannot be read, if it is there and cannot. */
function namesIn(dir: string, folder: string): string[] | string {
  try {
    return readdirSync(join(dir, folder)).filter(isArtifactName).sort(byCodeUnit);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') return reason(thrown);
    return dangles(dir, folder) ? 'it is behind a link to nowhere' : [];
  }
}

function unreadableFolder(folder: string, why: string): Artifact {
  const report = new FileReport(folder, '');
  report.error('FILE_UNREADABLE', `the folder ${folder} cannot be read: ${why}`, 0);
  return { path: folder, parsing: `read ${folder}`, report, map: null, body: '' };
}

/** Inline hooks first; a file of the same name takes the place of the inline one, the others follow. */
function place(inline: readonly Draft[], files: readonly Draft[]): Draft[] {
  const byName = new Map(files.map((draft) => [draft.name, draft]));
  const replaced = new Set<Draft>();
  const slots = inline.map((draft) => {
    const file = draft.kind === 'inline' ? byName.get(draft.name) : undefined;
    if (file === undefined) return draft;
    replaced.add(file);
    // Meant as another version of the same guard. On another event it is another guard, and this one is gone.
    if (eventOf(draft) !== eventOf(file)) {
      const message = `hook ${JSON.stringify(draft.name)} is not in force: ${file.artifact.path} takes its place on another event`;
      draft.artifact.report.warning('HOOK_DUPLICATE', message, draft.map?.start ?? 0);
    }
    return file;
  });
  // Two inline hooks of one name give way to one file, once.
  return [...new Set(slots), ...files.filter((file) => !replaced.has(file))];
}

function eventOf({ map }: Draft): string | null {
  const node = map?.entries.get('event')?.value;
  const resolved = node?.kind === 'scalar' ? resolveEvent(String(node.value)) : null;
  return resolved?.ok === true ? resolved.event : null;
}

/** Two hooks a trace could not tell apart. Both stay in force, so the mistake costs clarity and never protection. */
function checkNames(drafts: readonly Draft[]): void {
  const seen = new Map<string, Draft>();
  for (const draft of drafts) {
    const before = seen.get(draft.name);
    seen.set(draft.name, draft);
    // Within one file the list has been checked, and bundles may well bring a name that is taken.
    if (before === undefined || before.artifact === draft.artifact || draft.map === null) continue;
    const { report } = draft.artifact;
    const message = `a hook named ${JSON.stringify(draft.name)} is also in ${before.artifact.path}`;
    if (draft.kind === 'bundle') report.warning('HOOK_DUPLICATE', message, draft.map.start);
    else report.error('HOOK_DUPLICATE', message, draft.map.start);
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
