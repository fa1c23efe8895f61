/** The events of Codex, what it was seen to honour at each of them, and which are registered. */
import type { EventRow } from '../adapter.ts';
import { ADVISORY } from '../honours.ts';

export const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: { ...ADVISORY, context: true } },
  { native: 'UserPromptSubmit', event: 'turn.start', honours: { ...ADVISORY, block: true, context: true } },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    note: 'It runs the tool if a hook asks. A rewritten call counts as approved: it takes an input with an allow only. A patch cannot be rewritten: it is blocked with the corrected arguments.',
  },
  {
    native: 'PermissionRequest',
    event: 'permission.asked',
    honours: { ...ADVISORY, block: true },
    note: 'A permit is answered with silence, so that the prompt of the user stays. It does not fire in `codex exec`, which asks nobody.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    note: 'The reason of a block takes the place of the output; that is also how a result is replaced.',
  },
  {
    native: 'SubagentStart',
    event: 'native.subagent_start',
    honours: { ...ADVISORY, context: true },
    note: 'The sub-agent reads the context. It cannot be refused here: `delegation.pre` is decided at the call that starts it.',
  },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: { ...ADVISORY, block: true },
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  {
    native: 'PreCompact',
    event: 'compact.pre',
    honours: ADVISORY,
    note: 'Codex cannot skip a compaction: what its hooks can do is to end the run, and that is not done.',
  },
  { native: 'PostCompact', event: 'compact.post', honours: ADVISORY },
  { native: 'Stop', event: 'agent.stop', honours: { ...ADVISORY, block: true } },
  { native: 'SessionEnd', event: 'session.end', honours: ADVISORY },
  {
    native: 'Interrupt',
    event: 'native.interrupt',
    honours: ADVISORY,
    leftOut:
      'The user interrupted a turn: there is nothing to decide, and SessionEnd or the next prompt follows.',
  },
];
