/**
 * Qwen Code. It honours a deny and, without a person to ask, turns an ask into one; it ignores every rewrite, of a call as of a
 * result. After each tool result it fires its prompt event again with an empty prompt, which is none.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { ADVISORY, eventTable, NOTIFIES } from '../honours.ts';
import { answerer } from './answer.ts';
import { reader } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: { ...ADVISORY, context: true } },
  { native: 'UserPromptSubmit', event: 'turn.start', honours: { ...ADVISORY, block: true, context: true } },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, ask: true },
    note: 'Arguments cannot be rewritten: the call is blocked with the corrected ones in the reason.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { ...ADVISORY, context: true },
    note: 'A result can be neither replaced nor hidden.',
  },
  {
    native: 'PostToolUseFailure',
    event: 'tool.post',
    honours: ADVISORY,
    note: 'Fires in place of PostToolUse for a tool that failed.',
  },
  { native: 'SubagentStart', event: 'native.subagent_start', honours: ADVISORY },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: { ...ADVISORY, block: true },
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  { native: 'PreCompact', event: 'compact.pre', honours: ADVISORY },
  { native: 'PostCompact', event: 'compact.post', honours: ADVISORY, note: 'Documented; not seen to fire.' },
  { native: 'Stop', event: 'agent.stop', honours: { ...ADVISORY, block: true } },
  { native: 'SessionEnd', event: 'session.end', honours: ADVISORY, note: 'Documented; not seen to fire.' },
  {
    native: 'PermissionRequest',
    event: 'permission.asked',
    honours: { ...ADVISORY, block: true },
    exitTwo: 'ignored',
    leftOut: 'PreToolUse fires for the same call once the user has said yes, and decides.',
  },
  {
    native: 'StopFailure',
    event: 'error',
    honours: ADVISORY,
    leftOut: 'Documented; a run that failed ended without it.',
  },
  { native: 'Notification', event: 'native.notification', honours: ADVISORY, onDemand: NOTIFIES },
];

const TOOLS: readonly ToolRow[] = [
  { native: 'run_shell_command', name: 'run_command', args: { command: 'command', directory: 'cwd' } },
  { native: 'read_file', name: 'read_file', args: { file_path: 'path', absolute_path: 'path' } },
  { native: 'write_file', name: 'write_file', args: { file_path: 'path', content: 'content' } },
  { native: 'edit', name: 'edit_file', args: { file_path: 'path', old_string: 'old', new_string: 'new' } },
  { native: 'notebook_edit', name: 'edit_file', args: { notebook_path: 'path', new_source: 'new' } },
  { native: 'list_directory', name: 'list_files', args: { path: 'path' } },
  { native: 'glob', name: 'list_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'grep_search', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'web_fetch', name: 'fetch_url', args: { url: 'url' } },
  { native: 'web_search', name: 'web_search', args: { query: 'query' } },
  { native: 'agent', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
  { native: 'task', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
];

const SET = { tools: TOOLS, forms: {} };

export const adapter: Adapter = {
  agent: 'qwen-code',
  title: 'Qwen Code',
  versions: ['0.15.10'],
  channel: 'command',
  projectVariable: 'QWEN_PROJECT_DIR',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'A result cannot be redacted or hidden: what a tool printed, the model reads. Guard the call instead.',
    'Arguments cannot be rewritten: the call is blocked, and the model reads what to call instead.',
    'Context reaches the model after a tool ran, not before.',
    'A killed, hanging or missing hook lets the tool run: the registered line answers in its place. If line and launcher are killed together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
