/**
 * What the check of a script is given and what it gives back. Data alone, so that a reader of files can pass scripts to a
 * check without loading one.
 */
import type { ErrorCode, Position, SourceFile } from '../../base/index.ts';
import type { Value } from '../../starlark/index.ts';
import type { Library } from '../library.ts';

/** A script as its author wrote it, and the place it has in the policy. */
export interface WrittenScript {
  readonly kind: 'handler' | 'condition' | 'tool' | 'library';
  readonly source: SourceFile;
  /** The whole file the script stands in, for comments that accept a finding. */
  readonly file: SourceFile;
  /** The names the script may use beside those of the language. */
  readonly environment: ReadonlyMap<string, Value>;
  /** The function that is called; not for a condition. */
  readonly entry?: string;
  /** Of a hook: the canonical name of its event. */
  readonly event?: string;
  /** What the script may load. */
  readonly library?: Library | null;
  /** Of a hook: its name, so that what is known of the handler can be told from others. */
  readonly hook?: string;
}

/** Something that will not do what its author meant. An error is certain, a warning is likely. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: ErrorCode;
  readonly message: string;
  readonly position: Position;
}

/** A literal that is compared with the name of the tool. Whether there is such a tool is known elsewhere. */
export interface ToolMention {
  readonly tool: string;
  readonly position: Position;
}

export interface CheckedScript {
  readonly findings: readonly Finding[];
  readonly tools: readonly ToolMention[];
  /** The handler answers every call with a block. */
  readonly alwaysBlocks: boolean;
  /** The handler can only allow, block or ask, and changes nothing that another hook reads. */
  readonly onlyRestricts: boolean;
}

/** Given to the reader of files, which knows the scripts; called once a script that compiles. */
export type ScriptCheck = (script: WrittenScript) => readonly Finding[];
