/**
 * The retry guard: two hooks that end a sub-agent's attempts at a tool that keeps failing. One counts the failures in a row
 * of each tool, the other blocks the tool that has had its share.
 */
import type { JsonObject } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import { ALLOW, blocking, codeHook } from './code-hook.ts';

export const RETRY_GUARD = '_retry_guard';

/** Kept in the values of the turn, so that a new prompt begins anew. */
const keyOf = (tool: unknown) => `${RETRY_GUARD}.${String(tool)}`;

/** `failures` in a row are borne; 0 gives no hooks, and no limit. */
export function retryGuard(failures: number): readonly Hook[] {
  if (failures === 0) return [];
  return [
    codeHook({
      name: RETRY_GUARD,
      event: 'tool.pre',
      priority: 1,
      description: `Blocks a tool that has failed ${failures} times in a row.`,
      body: (seen, { run }) => {
        const { name } = seen as JsonObject;
        const failed = Number(run.turn.get(keyOf(name)) ?? 0);
        if (failed < failures) return ALLOW;
        return blocking(`tool "${String(name)}" failed ${failed} times in a row; do without it`);
      },
    }),
    codeHook({
      name: RETRY_GUARD,
      event: 'tool.post',
      priority: 1,
      description: 'Counts the failures of each tool in a row.',
      body: (seen, { run }) => {
        const { name, is_error } = seen as JsonObject;
        if (is_error === true) run.turn.set(keyOf(name), Number(run.turn.get(keyOf(name)) ?? 0) + 1);
        else run.turn.delete(keyOf(name));
        return ALLOW;
      },
    }),
  ];
}
