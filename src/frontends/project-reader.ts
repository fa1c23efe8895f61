/**
 * What a front end's reader gives to project loading: hooks, everything that was wrong, and which hooks are missing
 * because of it. A reader never throws because of a file.
 */
import type { Problem } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Mode } from '../events/decision.ts';
import type { Hook } from '../hooks/hook.ts';
import type { HarnessFile } from './markdown/harness-file.ts';

/** A hook that should be there and could not be loaded. Loading puts a stand-in in its place. */
export interface BrokenHook {
  readonly name: string;
  /** Canonical, or null where it could not be read: the stand-in then listens on every gate. */
  readonly event: string | null;
  readonly priority: number;
  readonly mode: Mode;
  readonly source: string;
  readonly position: number;
  readonly frontEnd: string;
  /** Why. */
  readonly problem: Problem;
}

/** An inline test case of a hook. */
export interface HookTest {
  readonly hook: string;
  readonly event: string;
  readonly source: string;
  readonly line: number;
  readonly name: string;
  readonly payload: Json;
  readonly expect: { readonly action: string; readonly reason?: string; readonly payload?: Json };
}

export interface ProjectSettings {
  /** Hosts scripts may reach over HTTP, normalised. */
  readonly allowedDomains: readonly string[];
}

export interface ReadResult {
  readonly hooks: readonly Hook[];
  readonly broken: readonly BrokenHook[];
  readonly problems: readonly Problem[];
  /** Paths of the files that were looked at, relative to the project, with forward slashes. */
  readonly files: readonly string[];
  readonly tests?: readonly HookTest[];
  readonly settings?: ProjectSettings;
  readonly harness?: readonly HarnessFile[];
}

export interface ProjectReader {
  readonly name: string;
  /** Files and folders, relative to the project, whose change calls for a reload. */
  readonly watches: readonly string[];
  read(dir: string): Promise<ReadResult>;
}
