/**
 * A tool as the loop sees it, whether it was written as a Markdown artifact, in TypeScript, or lives in an MCP server.
 */

import type { Json, JsonObject } from '../base/index.ts';
import type { LogLevel, RunState } from '../engine/index.ts';
import type { Host, RequestedSandbox } from '../machine/index.ts';

/** What must not be changed, see policy/protected.ts. */
export interface PathGuard {
  /** The guarded place that a path leads to, or null. */
  readonly reach: (path: string, cwd: string) => string | null;
  /** A guarded place inside of a folder, or null. */
  readonly below: (path: string, cwd: string) => string | null;
  /** Whether an open file is a guarded one, whatever it is called. */
  readonly holds: (file: { readonly dev: bigint; readonly ino: bigint; readonly nlink: bigint }) => boolean;
}

export interface ToolContext {
  readonly host: Host;
  readonly run: RunState;
  /** Absolute path of the folder tools may touch. */
  readonly workspace: string;
  /** What tools may not change there; absent if nothing is guarded. */
  readonly guard?: PathGuard;
  /** Fires on abort and when the tool's time is up. */
  readonly signal: AbortSignal;
  readonly log: (level: LogLevel, message: string) => void;
  /** Dispatches a custom event; a block throws. */
  readonly emit: (event: string, payload: Json) => Promise<Json>;
  /** Every writer of the loop says so; `file.edited` fires at the next turn boundary. */
  readonly fileEdited: (path: string, metadata?: JsonObject) => void;
  /** Absent where no session runs the tool. */
  readonly agent?: ToolAgent;
}

/** The agent a tool works for. Everything it does goes through the hooks. */
export interface ToolAgent {
  /** Rejects with a `DelegationError`. */
  readonly delegate: (request: Json) => Promise<{ readonly text: string }>;
  /** The result as a model would read it; `error: …` where there is none. */
  readonly callTool: (name: string, args: JsonObject) => Promise<string>;
  /** Adds to the agent itself; rejects where that is refused or blocked. */
  readonly register: (kind: 'tool' | 'hook' | 'agent', spec: JsonObject) => Promise<void>;
}

export interface Tool {
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** JSON Schema of the arguments, `type: object`. */
  readonly parameters: JsonObject;
  /** 0 or absent: the session's limit applies. */
  readonly timeoutMs?: number;
  /** What it takes to call it, all of them; see `permissions: {scopes: enforce}`. */
  readonly scopes?: readonly string[];
  /** What programs it starts run in, tighter than what is in force. Holds for `exec` and `context.host.run`. */
  readonly sandbox?: RequestedSandbox;
  /** Where it came from: a path, `<code>`, or the MCP server's name. */
  readonly source: string;
  /** Anything it throws becomes an error result for the model. */
  run(args: JsonObject, context: ToolContext): Promise<Json> | Json;
}
