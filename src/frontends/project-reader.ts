/**
 * What a front end's reader gives to project loading: hooks, everything that was wrong, and which hooks are missing
 * because of it. A reader never throws because of a file.
 */
import type { Json, Problem } from '../base/index.ts';
import type { Hook, Mode } from '../engine/index.ts';
import type {
  FolderSnapshot,
  HiddenText,
  TapePayloads,
  WrittenCase,
  WrittenException,
  WrittenPermissions,
  WrittenUse,
} from '../files/index.ts';
import type { WrittenSources } from '../flow/index.ts';
import type { RequestedSandbox } from '../machine/index.ts';
import type { Library } from '../script/index.ts';
import type { Capability } from './capability.ts';
import type { RemoteTable } from './data/remote-table.ts';
import type { HarnessFile } from './markdown/harness-file.ts';

/** A hook that should be there and could not be loaded. Loading puts a stand-in in its place. */
export interface BrokenHook {
  readonly name: string;
  /** Canonical, or null if it could not be read: the stand-in then listens on every gate. */
  readonly event: string | null;
  readonly priority: number;
  readonly mode: Mode;
  readonly source: string;
  readonly position: number;
  readonly frontEnd: string;
  /** Why. */
  readonly problem: Problem;
}

/** A test case in the front matter of a hook: the hook answers alone. */
export interface HookTest {
  readonly hook: string;
  readonly event: string;
  readonly source: string;
  readonly line: number;
  readonly stepLines: readonly number[];
  readonly written: Omit<WrittenCase, 'event' | 'hook'>;
}

export interface ProjectSettings {
  /** Hosts scripts may reach over HTTP, normalised. */
  readonly allowedDomains: readonly string[];
  /** `network.allowed_domains` is written, and so restricts. */
  readonly restrictsNetwork: boolean;
  /** Whatever is not a clean answer blocks, where the event can be blocked. */
  readonly strict: boolean;
  /** `requires`, as written; of two files of one folder both. */
  readonly requires: readonly RequiresInFile[];
  /** `exit_policy.mode`. */
  readonly exitMode: string;
  /** The permission tables that were written; a project may have two files by mistake, and then both count. */
  readonly permissions: readonly PermissionsInFile[];
  /** `environment`, if it is written. */
  readonly environment: WrittenEnvironment | null;
  /** `tape`, if it is written. */
  readonly tape: WrittenTape | null;
  /** `approvals` and `daemon`, if one of them is written. */
  readonly asking: WrittenAsking | null;
  /** `hidden_text`, if it is written. */
  readonly hiddenText: WrittenHiddenText | null;
  /** `sandbox:`, as written; of two files of one folder both. */
  readonly sandboxes: readonly SandboxInFile[];
  /** `sources:`, as written; of two files of one folder both. */
  readonly sources: readonly WrittenSources[];
  /** `use:` and its exceptions, as written. */
  readonly use: readonly UseInFile[];
  /** Its hooks only record what they would have done. */
  readonly observe: boolean;
  /** `data.tables`: tables that are fetched. */
  readonly tables: readonly RemoteTable[];
}

/** How people are asked elsewhere, and whether the daemon is started. Counts in the user's and the managed layer only. */
export interface WrittenAsking {
  readonly file: string;
  readonly line: number;
  readonly webhook: string | null;
  /** As written. */
  readonly key: string | null;
  readonly daemon: 'on-demand' | 'off' | null;
}

export interface WrittenHiddenText {
  readonly file: string;
  readonly line: number;
  readonly mode: HiddenText;
}

export interface WrittenTape {
  readonly file: string;
  readonly line: number;
  readonly payloads: TapePayloads | null;
  readonly sync: boolean;
  /** As written. */
  readonly key: string | null;
}

export interface SandboxInFile {
  readonly file: string;
  readonly line: number;
  /** Null if it cannot be understood: then it is the tightest there is. */
  readonly asked: RequestedSandbox | null;
}

/** What the environment may be used for. Counts in the user's and the managed layer only. */
export interface WrittenEnvironment {
  readonly file: string;
  readonly line: number;
  /** Null: not written. */
  readonly pass: readonly string[] | null;
  readonly name: readonly string[] | null;
}

/** `use:` and `exceptions:` of one file. */
export interface UseInFile {
  readonly file: string;
  readonly line: number;
  /** Null if it cannot be understood: then nobody knows which packs were meant. */
  readonly use: WrittenUse | null;
  readonly exceptions: readonly WrittenException[];
}

export interface PermissionsInFile {
  readonly file: string;
  readonly line: number;
  /** As written; null if it cannot be understood: then nobody can say what it meant to hold back. */
  readonly table: WrittenPermissions | null;
}

export interface RequiresInFile {
  readonly file: string;
  readonly line: number;
  /** Null if it cannot be understood. */
  readonly version: string | null;
}

export const NO_SETTINGS: ProjectSettings = {
  allowedDomains: [],
  restrictsNetwork: false,
  strict: false,
  requires: [],
  exitMode: 'natural',
  permissions: [],
  environment: null,
  tape: null,
  asking: null,
  hiddenText: null,
  sandboxes: [],
  sources: [],
  use: [],
  observe: false,
  tables: [],
};

/** Both sets at once, as for two files of one folder: the stricter of each counts. */
export function mergeSettings(a: ProjectSettings, b: ProjectSettings): ProjectSettings {
  return {
    allowedDomains: [...a.allowedDomains, ...b.allowedDomains],
    restrictsNetwork: a.restrictsNetwork || b.restrictsNetwork,
    strict: a.strict || b.strict,
    requires: [...a.requires, ...b.requires],
    exitMode: a.exitMode === NO_SETTINGS.exitMode ? b.exitMode : a.exitMode,
    permissions: [...a.permissions, ...b.permissions],
    environment: a.environment ?? b.environment,
    tape: a.tape ?? b.tape,
    asking: a.asking ?? b.asking,
    hiddenText: a.hiddenText ?? b.hiddenText,
    sandboxes: [...a.sandboxes, ...b.sandboxes],
    sources: [...a.sources, ...b.sources],
    use: [...a.use, ...b.use],
    observe: a.observe || b.observe,
    tables: [...a.tables, ...b.tables],
  };
}

/** The tests of hooks, and what is wrong with those that could not be read. */
export interface HookTests {
  readonly tests: readonly HookTest[];
  readonly problems: readonly Problem[];
}

export function allTests(read: readonly (() => HookTests)[]): HookTests {
  const all = read.map((each) => each());
  return { tests: all.flatMap(({ tests }) => tests), problems: all.flatMap(({ problems }) => problems) };
}

export interface ReadResult {
  readonly hooks: readonly Hook[];
  readonly broken: readonly BrokenHook[];
  readonly problems: readonly Problem[];
  /** Paths of the files that were looked at, relative to the project, with forward slashes. */
  readonly files: readonly string[];
  readonly tests?: () => HookTests;
  readonly settings?: ProjectSettings;
  /** @internal */
  readonly harness?: readonly HarnessFile[];
  /** What the files ask for beyond the sandbox. */
  readonly capabilities?: readonly Capability[];
  /** Tables for hooks, by name. */
  readonly data?: ReadonlyMap<string, Json>;
  /** Schemas without a data file, by the name of the table: of one that is fetched, or a mistake. */
  readonly schemas?: ReadonlyMap<string, SingleFileSchema>;
}

export interface SingleFileSchema {
  readonly schema: Json;
  /** In the place of the table if none is fetched either. */
  readonly broken: BrokenHook;
}

export interface ProjectReader {
  readonly name: string;
  /** Files and folders, relative to the project, whose change calls for a reload. */
  readonly watches: readonly string[];
  /**
   * `inside` is what stands for `.harness`: `.` for a folder that is all policy, such as the user's; `library` is what
   * scripts may load.
   */
  read(snapshot: FolderSnapshot, inside?: string, library?: Library | null): Promise<ReadResult>;
}

export const POLICY_FOLDER = '.harness';

/** A path under `.harness`, if another folder stands for it. */
export function policyPath(path: string, inside: string = POLICY_FOLDER): string {
  if (!path.startsWith(`${POLICY_FOLDER}/`)) return path;
  const rest = path.slice(POLICY_FOLDER.length + 1);
  return inside === '.' ? rest : `${inside}/${rest}`;
}
