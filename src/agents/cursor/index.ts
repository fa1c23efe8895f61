/**
 * Cursor (editor and its command line). Written from its documentation: no version of it has been run against this table, so
 * that nothing here is more than what Cursor says of itself.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { ADVISORY, eventTable, unregisteredEvents } from '../honours.ts';
import { deleting } from '../tool-forms.ts';
import { answerer } from './answer.ts';
import { reader } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'sessionStart', event: 'session.start', honours: { ...ADVISORY, context: true } },
  {
    native: 'beforeSubmitPrompt',
    event: 'turn.start',
    honours: { ...ADVISORY, block: true, message: true },
    note: 'Reported not to fire in a run without a person.',
  },
  {
    native: 'preToolUse',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, modify: true, message: true },
    note: 'Whether an ask is enforced here is not certain, so that it becomes a block.',
  },
  {
    native: 'postToolUse',
    event: 'tool.post',
    honours: { ...ADVISORY, context: true },
    note: 'Only results of MCP tools could be replaced; others can be neither replaced nor hidden.',
  },
  { native: 'postToolUseFailure', event: 'tool.post', honours: ADVISORY },
  {
    native: 'stop',
    event: 'agent.stop',
    honours: { ...ADVISORY, block: true },
    note: 'The reason is submitted as a follow-up message, as often as its own limit allows.',
  },
  { native: 'preCompact', event: 'compact.pre', honours: ADVISORY },
  { native: 'sessionEnd', event: 'session.end', honours: ADVISORY },
  ...unregisteredEvents(
    'For the same call preToolUse or postToolUse fires.',
    'beforeShellExecution',
    'beforeMCPExecution',
    'beforeReadFile',
    'afterShellExecution',
    'afterMCPExecution',
    'afterFileEdit',
  ),
  ...unregisteredEvents(
    'It was not run: a file that names an event which a version does not know is dropped whole.',
    'subagentStart',
    'subagentStop',
    'workspaceOpen',
  ),
  ...unregisteredEvents(
    'It is about completion at the cursor, not about the agent.',
    'beforeTabFileRead',
    'afterTabFileEdit',
  ),
  ...unregisteredEvents(
    'It is a text of the model as it is shown.',
    'afterAgentResponse',
    'afterAgentThought',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'Shell', name: 'run_command', args: { command: 'command', working_directory: 'cwd' } },
  { native: 'Read', name: 'read_file', args: { file_path: 'path', target_file: 'path' } },
  {
    native: 'Write',
    name: 'write_file',
    args: { file_path: 'path', content: 'content', contents: 'content' },
  },
  { native: 'Delete', name: 'edit_file', args: { file_path: 'path' } },
  { native: 'Grep', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'Task', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
];

const SET = { tools: TOOLS, forms: { Delete: deleting(TOOLS, 'Delete') } };

export const adapter: Adapter = {
  agent: 'cursor',
  title: 'Cursor',
  versions: [],
  channel: 'command',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'It was not run: everything said of it is what its documentation says.',
    'Results of its own tools can be neither redacted nor hidden: guard the call instead.',
    'Tools of MCP servers are named `MCP:tool`, without their server.',
    'It also runs the hooks of Claude Code: a call that both report is judged once.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
