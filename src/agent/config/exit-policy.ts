/**
 * `exit_policy: {mode: done_tool}`: an agent is finished when it says so by calling `done`, not when it falls silent. It is
 * a tool and a hook like any other, so the trace shows both.
 */
import type { Json } from '../../base/json.ts';
import { describeThrown, failure } from '../../hooks/failure.ts';
import type { FrontEnd, Hook, Reply } from '../../hooks/hook.ts';
import type { Tool } from '../tool.ts';
import { defineTool } from '../tools/define-tool.ts';

export const DONE_TOOL = 'done';

/** Kept in the values of the turn, so that it is forgotten when the turn ends. */
const FLAG = 'exit_policy.done';

export interface ExitPolicy {
  readonly tools: readonly Tool[];
  readonly hooks: readonly Hook[];
}

export const NATURAL_EXIT: ExitPolicy = { tools: [], hooks: [] };

export const doneTool: Tool = {
  ...defineTool({
    name: DONE_TOOL,
    description: 'Call this once, when everything that was asked for is finished. Until then go on working.',
    parameters: { summary: { type: 'string', description: 'What was done, in a sentence or two.' } },
    run: (_args, { run }): Json => {
      run.turn.set(FLAG, true);
      return { done: true };
    },
  }),
  source: '<exit_policy>',
};

const REASON = `the work is not marked as finished: call the ${DONE_TOOL} tool when it is, or go on`;

const frontEnd: FrontEnd = {
  name: 'exit_policy',
  powers: { modify: false },
  view: (_event, payload) => payload,
  interpret: (returned) => returned as Reply,
  explain: (thrown) => failure('error', describeThrown(thrown)),
};

const doneGuard: Hook = {
  name: 'exit_policy',
  event: 'agent.stop',
  // After the project's own hooks: theirs are the better reasons.
  priority: Number.MAX_SAFE_INTEGER,
  source: '<exit_policy>',
  position: 0,
  description: 'An agent may stop only after it has called the done tool.',
  frontEnd,
  origin: 'project',
  mode: 'enforce',
  onError: 'allow',
  onWhenError: 'skip',
  timeoutMs: 1000,
  condition: null,
  body: (_seen, { run }): Reply => ({
    decision: run.turn.has(FLAG) ? { action: 'allow' } : { action: 'block', reason: REASON },
  }),
};

export function exitPolicy(mode: string): ExitPolicy {
  return mode === 'done_tool' || mode === 'hybrid' ? { tools: [doneTool], hooks: [doneGuard] } : NATURAL_EXIT;
}
