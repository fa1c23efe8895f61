/**
 * Loads everything a project says about hooks, from all its front ends, into one list. A hook that could not be loaded
 * is there as a stand-in that fails, so that no guard is silently off.
 */
import { statSync } from 'node:fs';
import type { Json, Problem } from '../base/index.ts';
import { type Hook, withContents } from '../engine/index.ts';
import { FolderSnapshot } from '../files/index.ts';
import type { Library } from '../script/index.ts';
import { brokenHook } from './broken-hook.ts';
import type { Capability } from './capability.ts';
import { dataReader } from './data/data-reader.ts';
import { libraryReader, readLibrary } from './library/library-reader.ts';
import { manifestReader } from './manifest/manifest-reader.ts';
import type { HarnessFile } from './markdown/harness-file.ts';
import { markdownReader } from './markdown/read-project.ts';
import { readWrittenTools } from './markdown/written-tools.ts';
import { patternsReader } from './patterns/patterns-reader.ts';
import { profileReader } from './profile/profile-reader.ts';
import {
  allTests,
  type HookTests,
  mergeSettings,
  NO_SETTINGS,
  type ProjectReader,
  type ProjectSettings,
  type ReadResult,
} from './project-reader.ts';
import { settingsReader } from './settings/settings-reader.ts';

export interface Project {
  readonly dir: string;
  /** In the order they were loaded; the pipeline sorts them. Stand-ins included. */
  readonly hooks: readonly Hook[];
  /** Sorted by place. */
  readonly problems: readonly Problem[];
  readonly settings: ProjectSettings;
  /** `harness.md`, checked; two if both its places hold one. @internal */
  readonly harness: readonly HarnessFile[];
  readonly files: readonly string[];
  /** Those files as they were read, and their digests. */
  readonly snapshot: FolderSnapshot;
  /** Of its hooks; read when they are first asked for. */
  readonly tests: () => HookTests;
  /** What its hooks and settings ask for beyond the sandbox; those of its tools are listed by `toolCapabilities`. */
  readonly capabilities: readonly Capability[];
  /** Tables for hooks, by name. */
  readonly data: ReadonlyMap<string, Json>;
  /** Schemas of tables that are fetched, by name. */
  readonly schemas: ReadonlyMap<string, Json>;
  /** What its scripts may load; null for a folder that cannot be read. @internal */
  readonly library: Library | null;
}

/** The front ends a project is read by. */
export const PROJECT_READERS: readonly ProjectReader[] = [
  markdownReader,
  settingsReader,
  profileReader,
  manifestReader,
  patternsReader,
  dataReader,
  libraryReader,
];

export interface LoadOptions {
  readonly readers?: readonly ProjectReader[];
  /** What stands for `.harness` in this folder. */
  readonly inside?: string;
  /** The library of the layer above. */
  readonly above?: Library | null;
  /** Count which lines of libraries run. */
  readonly coverage?: boolean;
  /** Of this folder, if some of it has been read already. */
  readonly snapshot?: FolderSnapshot;
}

export async function loadProject(
  dir: string,
  {
    readers = PROJECT_READERS,
    inside,
    above = null,
    coverage = false,
    snapshot = new FolderSnapshot(dir),
  }: LoadOptions = {},
): Promise<Project> {
  if (!isFolder(dir)) return missingProject(dir);
  const library = readLibrary(snapshot, inside, { above, coverage });
  const results = await Promise.all(readers.map((reader) => readWith(reader, snapshot, inside, library)));
  const settings = results.map((result) => result.settings ?? NO_SETTINGS).reduce(mergeSettings, NO_SETTINGS);
  const schemas = new Map(results.flatMap((result) => [...(result.schemas ?? [])]));
  const unused = [...schemas].filter(([name]) => !settings.tables.some((table) => table.name === name));
  const lone = unused.map(([, { broken }]) => broken);
  const problems = [...results.flatMap((result) => result.problems), ...lone.map(({ problem }) => problem)];
  const hooks = [
    ...results.flatMap((result) => [...result.hooks, ...result.broken.flatMap(brokenHook)]),
    ...lone.flatMap(brokenHook),
  ];
  if (hooks.length === 0) problems.push(emptyProject(readers));
  const tools = hooks.some(({ readsPolicy }) => readsPolicy) ? readWrittenTools(snapshot, inside).tools : [];
  return {
    dir,
    hooks: withContents(hooks, tools),
    problems: problems.sort(byPlace),
    settings,
    harness: results.flatMap((result) => result.harness ?? []),
    files: results.flatMap((result) => result.files),
    snapshot,
    tests: () => allTests(results.flatMap(({ tests }) => tests ?? [])),
    capabilities: results.flatMap((result) => result.capabilities ?? []),
    data: new Map(results.flatMap((result) => [...(result.data ?? [])])),
    schemas: new Map([...schemas].map(([name, { schema }]) => [name, schema])),
    library,
  };
}

/** A reader that breaks takes its guards with it, so it counts as one that could not be loaded. */
async function readWith(
  reader: ProjectReader,
  snapshot: FolderSnapshot,
  inside: string | undefined,
  library: Library,
): Promise<ReadResult> {
  try {
    return await reader.read(snapshot, inside, library);
  } catch (thrown) {
    const problem: Problem = {
      severity: 'error',
      code: 'FILE_UNREADABLE',
      message: `the ${reader.name} files of the project cannot be read: ${(thrown as Error).message}`,
      position: null,
    };
    const broken = {
      name: reader.name,
      event: null,
      priority: 0,
      mode: 'enforce',
      source: '.',
      position: 0,
    } as const;
    return {
      hooks: [],
      broken: [{ ...broken, frontEnd: reader.name, problem }],
      problems: [problem],
      files: [],
    };
  }
}

function isFolder(dir: string): boolean {
  try {
    return statSync(dir).isDirectory();
  } catch {
    return false;
  }
}

/** A mistyped folder must not read as a project without rules. */
function missingProject(dir: string): Project {
  return unreadableProject(dir, {
    severity: 'error',
    code: 'FILE_UNREADABLE',
    message: `the project folder ${dir} does not exist or cannot be read`,
    position: null,
  });
}

/** A folder nobody could look into: what it may guard is blocked. */
export function unreadableProject(dir: string, problem: Problem): Project {
  const broken = {
    name: 'project',
    event: null,
    priority: 0,
    mode: 'enforce',
    source: '.',
    position: 0,
  } as const;
  return {
    dir,
    hooks: brokenHook({ ...broken, frontEnd: 'project', problem }),
    problems: [problem],
    settings: NO_SETTINGS,
    harness: [],
    files: [],
    snapshot: new FolderSnapshot(dir),
    tests: () => allTests([]),
    capabilities: [],
    data: new Map(),
    schemas: new Map(),
    library: null,
  };
}

function emptyProject(readers: readonly ProjectReader[]): Problem {
  const looked = readers.flatMap((reader) => reader.watches).join(', ');
  const message = `no hooks found: every event is allowed (looked at ${looked})`;
  return { severity: 'warning', code: 'PROJECT_EMPTY', message, position: null };
}

export function byPlace(a: Problem, b: Problem): number {
  const one = a.position;
  const two = b.position;
  if (one === null || two === null) return (one === null ? 1 : 0) - (two === null ? 1 : 0);
  if (one.file !== two.file) return one.file < two.file ? -1 : 1;
  return one.line - two.line || one.col - two.col;
}
