/**
 * GitHub Copilot CLI, by its own (camelCase) names of events. With the PascalCase names, which make it send payloads like
 * Claude Code's, it was seen to ignore added context at every event and to have no way to rewrite a result or a prompt; with
 * its own it honours all of them. Its payloads do not say which event they are: the registered name does.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { ADVISORY, eventTable, NOTIFIES, unregisteredEvents } from '../honours.ts';
import { answerer } from './answer.ts';
import { reader, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'sessionStart', event: 'session.start', honours: { ...ADVISORY, context: true } },
  {
    native: 'userPromptSubmitted',
    event: 'turn.start',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    exitTwo: 'ignored',
    note: 'A prompt cannot be refused, but replaced: a block sends the reason in its place.',
  },
  {
    native: 'preToolUse',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, ask: true, modify: true, context: true },
    note: 'Without a person to ask, it refuses the call and says so.',
  },
  {
    native: 'postToolUse',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    exitTwo: 'ignored',
  },
  {
    native: 'postToolUseFailure',
    event: 'tool.post',
    honours: ADVISORY,
    note: 'Documented; a command that failed was seen as postToolUse.',
  },
  {
    native: 'permissionRequest',
    event: 'permission.asked',
    honours: { ...ADVISORY, block: true },
    note: 'It fires with `--allow-all-tools` too. A permit is answered with silence, so that the prompt of the user stays.',
  },
  {
    native: 'agentStop',
    event: 'agent.stop',
    honours: { ...ADVISORY, block: true },
    note: 'The stop of a sub-agent is judged at subagentStop.',
  },
  {
    native: 'subagentStart',
    event: 'native.subagent_start',
    honours: { ...ADVISORY, context: true },
    note: 'The sub-agent reads the context. It cannot be refused here: `delegation.pre` is decided at the call that starts it.',
  },
  {
    native: 'subagentStop',
    event: 'delegation.post_verify',
    honours: { ...ADVISORY, block: true },
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  { native: 'errorOccurred', event: 'error', honours: ADVISORY },
  { native: 'preCompact', event: 'compact.pre', honours: ADVISORY, note: 'Documented; not seen to fire.' },
  { native: 'sessionEnd', event: 'session.end', honours: ADVISORY },
  { native: 'notification', event: 'native.notification', honours: ADVISORY, onDemand: NOTIFIES },
  ...unregisteredEvents(
    'The prompt passed userPromptSubmitted before Copilot added to it.',
    'userPromptTransformed',
  ),
  ...unregisteredEvents(
    'The call passes preToolUse too, and this one can only add to the request.',
    'preMcpToolCall',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'bash', name: 'run_command', args: { command: 'command' } },
  { native: 'write_bash', name: 'run_command', args: { input: 'command' } },
  { native: 'powershell', name: 'run_command', args: { command: 'command' }, shell: 'powershell' },
  { native: 'view', name: 'read_file', args: { path: 'path' } },
  { native: 'create', name: 'write_file', args: { path: 'path', file_text: 'content' } },
  { native: 'edit', name: 'edit_file', args: { path: 'path', old_str: 'old', new_str: 'new' } },
  { native: 'apply_patch', name: 'edit_file', args: {} },
  { native: 'glob', name: 'list_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'grep', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'rg', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'web_fetch', name: 'fetch_url', args: { url: 'url' } },
  { native: 'web_search', name: 'web_search', args: { query: 'query' } },
  { native: 'task', name: 'delegate', args: { agent_type: 'agent', prompt: 'prompt' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'copilot',
  title: 'GitHub Copilot CLI',
  versions: ['1.0.102'],
  channel: 'command',
  projectVariable: 'COPILOT_PROJECT_DIR',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'A prompt cannot be refused: the model is sent the reason in its place, and answers that.',
    'An exit code of 2 blocks but loses the reason: the answer is always JSON with exit code 0.',
    'Payloads have no call id: a call and its result are paired by session, tool, input and order.',
    'Tools of MCP servers keep the name `server-tool`, since the two parts cannot be separated.',
    'The hooks of a folder that is not trusted are skipped without a word; `install` writes the entry.',
    'A hook that hangs or prints something else lets the tool run: the registered line answers in its place. If line and launcher are stopped together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
