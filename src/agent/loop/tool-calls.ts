/**
 * The tool calls of one completion: side by side, each with its own chain, and their results in the order of the calls.
 */
import type { ToolCall } from '../message.ts';
import type { Scope } from './state.ts';
import { type Finished, runToolCall } from './tool-call.ts';

export type { Finished } from './tool-call.ts';

/** Every call has its result, whatever happened to it; an aborted run too leaves no call unanswered. */
export async function runToolCalls(
  scope: Scope,
  calls: readonly ToolCall[],
  offered: ReadonlySet<string>,
): Promise<Finished[]> {
  const finished: Finished[] = [];
  const places = calls.keys();
  const worker = async () => {
    for (const place of places) finished[place] = await runToolCall(scope, calls[place]!, offered);
  };
  const workers = Math.min(calls.length, Math.floor(scope.state.config.limits.parallelTools) || 1);
  await Promise.all(Array.from({ length: workers }, worker));
  return finished;
}
