/**
 * The tool an agent calls when it is finished, under `exit_policy: {mode: done_tool}`. It sets the flag that the exit
 * policy's hook looks at.
 */
import type { Json } from '../../base/index.ts';
import { DONE_FLAG, DONE_TOOL, needsDone } from '../../policy/index.ts';
import type { Tool } from '../tool.ts';
import { defineTool } from './define-tool.ts';

export const doneTool: Tool = {
  ...defineTool({
    name: DONE_TOOL,
    description: 'Call this once, when everything that was asked for is finished. Until then go on working.',
    parameters: { summary: { type: 'string', description: 'What was done, in a sentence or two.' } },
    run: (_args, { run }): Json => {
      run.turn.set(DONE_FLAG, true);
      return { done: true };
    },
  }),
  source: '<exit_policy>',
};

export function exitTools(mode: string): readonly Tool[] {
  return needsDone(mode) ? [doneTool] : [];
}
