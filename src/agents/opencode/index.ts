/**
 * OpenCode. Its hooks run inside its own process: the file in `plugin.ts` hands them to the launcher. A throw before a tool
 * is a refusal that the model reads; arguments and output are changed in place.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { answererOf, inProcessDialect } from '../answers.ts';
import { ADVISORY, eventTable, unregisteredEvents } from '../honours.ts';
import { reader, toolIn, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  {
    native: 'session.created',
    event: 'session.start',
    honours: ADVISORY,
    contextAt: 'chat.message',
    note: 'Its context is read with the first prompt.',
  },
  {
    native: 'chat.message',
    event: 'turn.start',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    note: 'A block ends the run with the reason as an error.',
  },
  {
    native: 'tool.execute.before',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, modify: true },
    note: 'A rewrite also changes what the model reads of its own call.',
  },
  {
    native: 'tool.execute.after',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    note: 'Does not fire for a tool that ends with an error of its own; a command that fails is told.',
  },
  { native: 'session.idle', event: 'agent.stop', honours: ADVISORY, note: 'The end cannot be sent back.' },
  {
    native: 'experimental.session.compacting',
    event: 'compact.pre',
    honours: { ...ADVISORY, context: true },
    note: 'Documented; not seen to fire.',
  },
  { native: 'session.compacted', event: 'compact.post', honours: ADVISORY },
  { native: 'session.error', event: 'error', honours: ADVISORY },
  ...unregisteredEvents('The program never calls it.', 'permission.ask'),
  ...unregisteredEvents(
    'It shapes a request or a text; each prompt, call and result has an event of its own.',
    'chat.params',
    'chat.headers',
    'shell.env',
    'tool.definition',
    'experimental.chat.messages.transform',
    'experimental.chat.system.transform',
    'experimental.text.complete',
    'experimental.compaction.autocontinue',
  ),
  ...unregisteredEvents('The prompt that the command becomes passes chat.message.', 'command.execute.before'),
  ...unregisteredEvents(
    'It is news of the bus, to which nothing can be answered.',
    'command.executed',
    'file.edited',
    'file.watcher.updated',
    'installation.updated',
    'lsp.client.diagnostics',
    'lsp.updated',
    'message.part.removed',
    'message.part.updated',
    'message.removed',
    'message.updated',
    'permission.replied',
    'permission.updated',
    'pty.created',
    'pty.deleted',
    'pty.exited',
    'pty.updated',
    'server.connected',
    'server.instance.disposed',
    'session.deleted',
    'session.diff',
    'session.status',
    'session.updated',
    'todo.updated',
    'tui.command.execute',
    'tui.prompt.append',
    'tui.toast.show',
    'vcs.branch.updated',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'bash', name: 'run_command', args: { command: 'command', workdir: 'cwd' } },
  { native: 'read', name: 'read_file', args: { filePath: 'path' } },
  { native: 'write', name: 'write_file', args: { filePath: 'path', content: 'content' } },
  { native: 'edit', name: 'edit_file', args: { filePath: 'path', oldString: 'old', newString: 'new' } },
  { native: 'apply_patch', name: 'edit_file', args: {} },
  { native: 'patch', name: 'edit_file', args: {} },
  { native: 'list', name: 'list_files', args: { path: 'path' } },
  { native: 'glob', name: 'list_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'grep', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'webfetch', name: 'fetch_url', args: { url: 'url' } },
  { native: 'websearch', name: 'web_search', args: { query: 'query' } },
  { native: 'task', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'opencode',
  title: 'OpenCode',
  versions: ['1.18.33'],
  channel: 'plugin',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'A stop cannot be sent back.',
    'No person can be asked: its hook for permissions is never called, so that ask becomes a block.',
    'Context reaches the model after a tool ran, not before.',
    'The error of a tool that could not run fires no hook; a command that fails does.',
    'Tools of MCP servers keep the name `server_tool`, since the two parts cannot be separated.',
    'A plugin that does not load leaves the agent without a guard: `doctor` looks for its traces.',
  ],
  read: reader(EVENTS, SET),
  answer: answererOf(SET, inProcessDialect(toolIn)),
};
