/**
 * The tool calls of one completion: side by side, each with its own chain. Their results and the files they wrote come in the order
 * of the calls.
 */
import type { ToolCall } from '../message.ts';
import type { FileEdit } from './file-edits.ts';
import type { Scope } from './state.ts';
import { type FinishedCall, runToolCall } from './tool-call.ts';

export type { FinishedCall } from './tool-call.ts';

/** Every call has its result, whatever happened to it; an aborted run too leaves no call unanswered. */
export async function runToolCalls(
  scope: Scope,
  calls: readonly ToolCall[],
  offered: ReadonlySet<string>,
): Promise<FinishedCall[]> {
  const { config, edited } = scope.state;
  const finished: FinishedCall[] = [];
  const edits: FileEdit[][] = calls.map(() => []);
  let joined = false;
  const places = calls.keys();
  const worker = async () => {
    for (const place of places) {
      // A tool may report a write after its call is over.
      const queueEdit = (edit: FileEdit) => void (joined ? edited : edits[place]!).push(edit);
      finished[place] = await runToolCall({ ...scope, queueEdit }, calls[place]!, offered);
    }
  };
  const workers = Math.min(calls.length, Math.floor(config.limits.parallelTools) || 1);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    joined = true;
    edited.push(...edits.flat());
  }
  return finished;
}
