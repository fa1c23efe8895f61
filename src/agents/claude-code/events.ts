/** The events of Claude Code, and what it was seen to honour at each of them. */
import type { EventRow, Honours } from '../adapter.ts';

const WATCHED: Honours = { block: false, ask: false, modify: false, context: false, message: true };
const GATE: Honours = { ...WATCHED, block: true };

export const EVENTS = [
  { native: 'SessionStart', event: 'session.start', honours: { ...WATCHED, context: true } },
  {
    native: 'UserPromptSubmit',
    event: 'turn.start',
    honours: { ...GATE, context: true },
    note: 'A prompt cannot be rewritten: it is blocked, and the reason shows the corrected text.',
  },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { block: true, ask: true, modify: true, context: true, message: true },
    note: 'A rewrite carries no approval: the permission prompt of the user stays. Without a person, ask blocks.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { block: true, ask: false, modify: true, context: true, message: true },
    exitTwo: 'told',
    note: 'A block replaces the result by the reason, in the shape of the tool.',
  },
  {
    native: 'PostToolUseFailure',
    event: 'tool.post',
    honours: { ...WATCHED, context: true },
    madeGoodAt: 'PostToolBatch',
    note: 'The text of an error cannot be replaced.',
  },
  {
    native: 'PostToolBatch',
    event: 'tool.post',
    honours: GATE,
    exitTwo: 'told',
    note: 'No result is judged a second time. A block ends the run before the model reads the results.',
  },
  {
    native: 'PermissionRequest',
    event: 'permission.asked',
    honours: GATE,
    note: 'A permit is answered with silence, so that the prompt of the user stays.',
  },
  { native: 'Stop', event: 'agent.stop', honours: GATE },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: GATE,
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  { native: 'PreCompact', event: 'compact.pre', honours: GATE, note: 'Answered with exit code 2.' },
  { native: 'PostCompact', event: 'compact.post', honours: WATCHED },
  { native: 'StopFailure', event: 'error', honours: { ...WATCHED, message: false } },
  { native: 'SessionEnd', event: 'session.end', honours: { ...WATCHED, message: false } },
] as const satisfies readonly EventRow[];
