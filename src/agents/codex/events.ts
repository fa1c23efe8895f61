/** The events of Codex, what it was seen to honour at each of them, and which are registered. */
import type { EventRow } from '../adapter.ts';
import { WATCHED } from '../honours.ts';

export const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: { ...WATCHED, context: true } },
  { native: 'UserPromptSubmit', event: 'turn.start', honours: { ...WATCHED, block: true, context: true } },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { ...WATCHED, block: true, modify: true, context: true },
    note: 'It runs the tool if a hook asks. A rewritten call counts as approved: it takes an input with an allow only. A patch cannot be rewritten: it is blocked with the corrected arguments.',
  },
  {
    native: 'PermissionRequest',
    event: 'permission.asked',
    honours: { ...WATCHED, block: true },
    note: 'A permit is answered with silence, so that the prompt of the user stays. It does not fire in `codex exec`, which asks nobody.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { ...WATCHED, block: true, modify: true, context: true },
    note: 'The reason of a block takes the place of the output; that is also how a result is replaced.',
  },
  {
    native: 'SubagentStart',
    event: 'native.subagent_start',
    honours: { ...WATCHED, context: true },
    note: 'The sub-agent reads the context. It cannot be refused here: `delegation.pre` is decided at the call that starts it.',
  },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: { ...WATCHED, block: true },
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  {
    native: 'PreCompact',
    event: 'compact.pre',
    honours: WATCHED,
    note: 'Codex cannot skip a compaction: what its hooks can do is to end the run, and that is not done.',
  },
  { native: 'PostCompact', event: 'compact.post', honours: WATCHED },
  { native: 'Stop', event: 'agent.stop', honours: { ...WATCHED, block: true } },
  { native: 'SessionEnd', event: 'session.end', honours: WATCHED },
  {
    native: 'Interrupt',
    event: 'native.interrupt',
    honours: WATCHED,
    leftOut:
      'The user interrupted a turn: there is nothing to decide, and SessionEnd or the next prompt follows.',
  },
];
