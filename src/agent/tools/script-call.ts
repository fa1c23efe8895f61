/**
 * One call of a Markdown tool as its built-ins see it: what hooks' built-ins reach, and the workspace.
 */

import type { Json, JsonObject } from '../../base/index.ts';
import { FIRST_CALLER, type LogLevel, type RunState, type Who } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import { type ScriptCall, scriptCallOf } from '../../script/index.ts';
import { fail, type Thread } from '../../starlark/index.ts';
import type { ToolContext } from '../tool.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import { Workspace } from './workspace.ts';

export class ToolScriptCall implements ScriptCall {
  readonly hook: { readonly name: string };
  readonly context: ToolContext;
  readonly workspace: Workspace;
  readonly timeoutMs: number;
  readonly domains: readonly string[];

  constructor(tool: string, context: ToolContext, timeoutMs: number, domains: readonly string[]) {
    this.hook = { name: tool };
    this.context = context;
    this.workspace = new Workspace(context.workspace, context.guard ?? null);
    this.timeoutMs = timeoutMs > 0 ? timeoutMs : TOOL_LIMITS.longestExecMs;
    this.domains = domains;
  }

  get host(): Host {
    return this.context.host;
  }

  get run(): RunState {
    return this.context.run;
  }

  get who(): Who {
    const { actor = null, caller } = this.context.run.session;
    return { actor, caller: caller ?? FIRST_CALLER };
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  emit(event: string, payload: Json): Promise<Json> {
    return this.context.emit(event, payload);
  }

  readonly callTool = async (name: string, args: JsonObject): Promise<string> => {
    const { agent } = this.context;
    return agent === undefined ? 'error: no session runs this tool' : agent.callTool(name, args);
  };

  log(level: LogLevel, message: string): void {
    this.context.log(level, message);
  }

  /** A tool has no outcome that could carry effects: what it counts is in the run already. */
  effect(): void {}
}

export function toolCallOf(thread: Thread): ToolScriptCall {
  const call = scriptCallOf(thread);
  return call instanceof ToolScriptCall ? call : fail('this built-in belongs to tools');
}
