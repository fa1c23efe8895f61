/** The events of Claude Code, what it was seen to honour at each of them, and which are registered. */
import type { EventRow, Honours } from '../adapter.ts';
import { NOTIFIES } from '../honours.ts';

const WATCHED: Honours = { block: false, ask: false, modify: false, context: false, message: true };
const GATE: Honours = { ...WATCHED, block: true };
const SILENT: Honours = { ...WATCHED, message: false };

const TOO_NEW = 'Version 2.1.197, the oldest tried, does not know it.';
/** Its tools are switched off in a run without a person. */
const UNSEEN = 'Documented; not seen to fire.';
const HAS_GATE = 'The call of the tool behind it passes PreToolUse.';

export const EVENTS = [
  { native: 'SessionStart', event: 'session.start', honours: { ...WATCHED, context: true } },
  {
    native: 'UserPromptSubmit',
    event: 'turn.start',
    honours: { ...GATE, context: true },
    note: 'A prompt cannot be rewritten: it is blocked, and the reason shows the corrected text.',
  },
  {
    native: 'UserPromptExpansion',
    event: 'native.user_prompt_expansion',
    honours: { ...GATE, context: true },
    note: 'A command, skill or prompt of an MCP server that the user typed. UserPromptSubmit fires for the same prompt, so that `turn.start` is decided there, once.',
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
  {
    native: 'Elicitation',
    event: 'native.elicitation',
    honours: GATE,
    note: 'An MCP server asks the user. A block declines before the user sees the question.',
  },
  {
    native: 'ElicitationResult',
    event: 'native.elicitation_result',
    honours: GATE,
    note: 'What the user answered. A block sends the server a decline instead.',
  },
  {
    native: 'ConfigChange',
    event: 'native.config_change',
    honours: GATE,
    note: 'A settings file changed while the session runs. A block keeps the settings of the session as they were; managed settings cannot be held back.',
  },
  { native: 'Stop', event: 'agent.stop', honours: GATE },
  {
    native: 'SubagentStart',
    event: 'native.subagent_start',
    honours: { ...WATCHED, context: true },
    note: 'The sub-agent reads the context. It cannot be refused here: `delegation.pre` is decided at the call that starts it.',
  },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: GATE,
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  { native: 'PreCompact', event: 'compact.pre', honours: GATE, note: 'Answered with exit code 2.' },
  { native: 'PostCompact', event: 'compact.post', honours: WATCHED },
  { native: 'StopFailure', event: 'error', honours: SILENT },
  { native: 'SessionEnd', event: 'session.end', honours: SILENT },
  {
    native: 'Notification',
    event: 'native.notification',
    honours: { ...WATCHED, context: true },
    onDemand: NOTIFIES,
  },
  {
    native: 'PermissionDenied',
    event: 'native.permission_denied',
    honours: WATCHED,
    onDemand: 'The agent itself refused the call; an answer could only have it tried again.',
  },
  {
    native: 'Setup',
    event: 'native.setup',
    honours: { ...WATCHED, context: true },
    onDemand: 'It fires for `--init` and `--maintenance` only, and SessionStart follows.',
  },
  {
    native: 'InstructionsLoaded',
    event: 'native.instructions_loaded',
    honours: SILENT,
    onDemand: 'It fires for each file of instructions, and nothing can be answered.',
  },
  {
    native: 'CwdChanged',
    event: 'native.cwd_changed',
    honours: SILENT,
    onDemand: 'Every payload says the folder.',
  },
  {
    native: 'FileChanged',
    event: 'native.file_changed',
    honours: SILENT,
    leftOut: 'It fires only for paths that a hook asked to watch.',
  },
  { native: 'DirectoryAdded', event: 'native.directory_added', honours: SILENT, leftOut: TOO_NEW },
  {
    native: 'PreModelSwitch',
    event: 'native.pre_model_switch',
    honours: GATE,
    leftOut: TOO_NEW,
  },
  {
    native: 'PostModelSwitch',
    event: 'native.post_model_switch',
    honours: { ...WATCHED, context: true },
    leftOut: TOO_NEW,
  },
  {
    native: 'TaskCreated',
    event: 'native.task_created',
    honours: GATE,
    onDemand: HAS_GATE,
    note: UNSEEN,
  },
  {
    native: 'TaskCompleted',
    event: 'native.task_completed',
    honours: GATE,
    onDemand: HAS_GATE,
    note: UNSEEN,
  },
  {
    native: 'TeammateIdle',
    event: 'native.teammate_idle',
    honours: GATE,
    note: UNSEEN,
    onDemand:
      'It fires in teams of agents only, which are off unless the user switches them on; their calls pass PreToolUse.',
  },
  {
    native: 'MessageDisplay',
    event: 'native.message_display',
    honours: SILENT,
    onDemand: 'It fires for each piece of text on the screen, and changes only what the user sees.',
  },
  {
    native: 'WorktreeCreate',
    event: 'native.worktree_create',
    honours: SILENT,
    leftOut: 'A hook must make the worktree and return its path: one that says nothing makes it fail.',
  },
  {
    native: 'WorktreeRemove',
    event: 'native.worktree_remove',
    honours: SILENT,
    leftOut: 'A hook takes the place of the agent’s own removal.',
  },
] as const satisfies readonly EventRow[];
