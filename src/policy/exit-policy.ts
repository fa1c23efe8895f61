/**
 * `exit_policy: {mode: done_tool}`: an agent is finished when it says so by calling `done`, not when it falls silent. This is
 * the hook that holds it; the tool is in `agent/tools/done-tool.ts`.
 */
import { BUILT_IN, describeThrown, type FrontEnd, failure, type Hook, type Reply } from '../engine/index.ts';

export const DONE_TOOL = 'done';

/** Kept in the values of the turn, so that it is forgotten when the turn ends. */
export const DONE_FLAG = 'exit_policy.done';

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
  priority: 0,
  layer: BUILT_IN,
  source: '<exit_policy>',
  position: 0,
  description: 'An agent may stop only after it has called the done tool.',
  frontEnd,
  origin: 'operator',
  mode: 'enforce',
  onError: 'allow',
  onWhenError: 'skip',
  timeoutMs: 1000,
  condition: null,
  body: (_seen, { run }): Reply => ({
    decision: run.turn.has(DONE_FLAG) ? { action: 'allow' } : { action: 'block', reason: REASON },
  }),
};

/** Whether an agent with this `exit_policy.mode` must say that it is done. */
export function needsDone(mode: string): boolean {
  return mode === 'done_tool' || mode === 'hybrid';
}

export function exitPolicyHooks(mode: string): readonly Hook[] {
  return needsDone(mode) ? [doneGuard] : [];
}
