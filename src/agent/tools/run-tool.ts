/**
 * Runs the script of a tool: one thread a call, with its limits, ended when the call is. What it returns is JSON data.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import type { ScriptEntry } from '../../script/index.ts';
import { call, StarlarkError, Thread, toJson, type Value, wrapJson } from '../../starlark/index.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { ToolScriptCall } from './script-call.ts';
import { toolLimits } from './tool-limits.ts';

export interface ScriptOptions {
  /** Of the tool. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Hosts the script may reach over HTTP. */
  readonly domains: readonly string[];
  /** For arguments a call leaves out. */
  readonly defaults: JsonObject;
}

export function runnerOf(entry: ScriptEntry, options: ScriptOptions): Tool['run'] {
  return async (args, context) => {
    const thread = new Thread({
      limits: toolLimits(options.timeoutMs),
      host: new ToolScriptCall(options.name, context, options.timeoutMs, options.domains),
      print: (text) => context.log('info', text),
    });
    const stop = () => thread.cancel('the call is over');
    // A call that timed out or was aborted must not go on having effects.
    context.signal.addEventListener('abort', stop, { once: true });
    if (context.signal.aborted) stop();
    try {
      const run = 'shared' in entry ? entry.shared : await freshEntry(entry.fresh, thread);
      const returned = await call(thread, run, [wrapJson({ ...options.defaults, ...args })]);
      return toJson(returned, thread) as Json;
    } catch (thrown) {
      logTraceback(thrown, context);
      throw thrown;
    } finally {
      context.signal.removeEventListener('abort', stop);
    }
  };
}

async function freshEntry(
  program: Extract<ScriptEntry, { fresh: unknown }>['fresh'],
  thread: Thread,
): Promise<Value> {
  const module = await program.run(thread);
  return module.globals.get('run') ?? null;
}

/** The model is told what went wrong; where in the script is for the author. */
function logTraceback(thrown: unknown, context: ToolContext): void {
  if (thrown instanceof StarlarkError && thrown.kind !== 'cancelled') context.log('error', thrown.traceback);
}
