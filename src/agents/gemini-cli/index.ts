/**
 * Gemini CLI. Its payloads have no call id; a rewritten input is laid over the old one, and the model is told that a hook
 * changed it. Times of its hooks are in milliseconds.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { ADVISORY, eventTable, NOTIFIES, unregisteredEvents } from '../honours.ts';
import { answerer } from './answer.ts';
import { reader, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: { ...ADVISORY, context: true } },
  {
    native: 'BeforeAgent',
    event: 'turn.start',
    honours: { ...ADVISORY, block: true, context: true, message: true },
  },
  {
    native: 'BeforeModel',
    event: 'completion.pre',
    honours: { ...ADVISORY, block: true },
    note: 'A block sends no request, and the turn ends with an empty answer.',
  },
  {
    native: 'BeforeTool',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, modify: true, message: true },
    note: 'Without a person at it, an ask ends the whole run with exit code 0 and no output, so that it becomes a block.',
  },
  {
    native: 'AfterTool',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, modify: true, context: true, message: true },
    note: 'The reason of a deny takes the place of the output; that is also how a result is replaced.',
  },
  { native: 'AfterAgent', event: 'agent.stop', honours: { ...ADVISORY, block: true, message: true } },
  { native: 'SessionEnd', event: 'session.end', honours: ADVISORY },
  {
    native: 'AfterModel',
    event: 'completion.post',
    honours: { ...ADVISORY, block: true },
    leftOut:
      'It fires for each piece of an answer as it arrives. The whole answer is judged at AfterAgent, and each of its calls at BeforeTool.',
  },
  {
    native: 'PreCompress',
    event: 'compact.pre',
    honours: ADVISORY,
    leftOut: 'It fires before every request, whether anything is compacted or not.',
  },
  ...unregisteredEvents(
    'It narrows the tools that a request offers; each call passes BeforeTool.',
    'BeforeToolSelection',
  ),
  { native: 'Notification', event: 'native.notification', honours: ADVISORY, onDemand: NOTIFIES },
];

const TOOLS: readonly ToolRow[] = [
  { native: 'run_shell_command', name: 'run_command', args: { command: 'command', dir_path: 'cwd' } },
  { native: 'read_file', name: 'read_file', args: { file_path: 'path' } },
  { native: 'read_many_files', name: 'read_file', args: { include: 'path' } },
  { native: 'write_file', name: 'write_file', args: { file_path: 'path', content: 'content' } },
  {
    native: 'replace',
    name: 'edit_file',
    args: { file_path: 'path', old_string: 'old', new_string: 'new' },
  },
  { native: 'list_directory', name: 'list_files', args: { dir_path: 'path' } },
  { native: 'glob', name: 'list_files', args: { dir_path: 'path', pattern: 'pattern' } },
  { native: 'grep_search', name: 'search_files', args: { dir_path: 'path', pattern: 'pattern' } },
  { native: 'search_file_content', name: 'search_files', args: { dir_path: 'path', pattern: 'pattern' } },
  { native: 'web_fetch', name: 'fetch_url', args: { url: 'url' } },
  { native: 'google_web_search', name: 'web_search', args: { query: 'query' } },
  { native: 'invoke_agent', name: 'delegate', args: { agent_name: 'agent', prompt: 'prompt' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'gemini-cli',
  title: 'Gemini CLI',
  versions: ['0.61.0'],
  channel: 'command',
  projectVariable: 'GEMINI_PROJECT_DIR',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'No person can be asked in a run without a person: it ends in silence, so that ask becomes a block.',
    'Context reaches the model after a tool ran, not before.',
    'A rewritten call is not silent: the model reads that a hook changed it.',
    'Compaction is not an event: its hook fires before every request, whether anything is compacted or not.',
    'Payloads have no call id: a call and its result are paired by session, tool, input and order.',
    'A hook that hangs or prints something else lets the tool run: the registered line answers in its place. If line and launcher are killed together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
