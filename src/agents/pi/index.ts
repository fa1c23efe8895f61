/**
 * pi. Its hooks run inside its own process: the file in `extension.ts` hands them to the launcher. An error before a tool is a
 * refusal.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { answererOf, inProcessDialect } from '../answers.ts';
import { ADVISORY, eventTable, unregisteredEvents } from '../honours.ts';
import { reader, toolIn, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  {
    native: 'session_start',
    event: 'session.start',
    honours: ADVISORY,
    contextAt: 'input',
    note: 'Its context is read with the first prompt.',
  },
  {
    native: 'input',
    event: 'turn.start',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    note: 'A block drops the prompt; the person reads the reason if the agent has a screen.',
  },
  { native: 'tool_call', event: 'tool.pre', honours: { ...ADVISORY, block: true, modify: true } },
  {
    native: 'tool_result',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
  },
  {
    native: 'turn_end',
    event: 'agent.stop',
    honours: { ...ADVISORY, block: true },
    note: 'A turn without tool results is the end; a block sends the reason as a follow-up message.',
  },
  {
    native: 'session_before_compact',
    event: 'compact.pre',
    honours: { ...ADVISORY, block: true },
  },
  { native: 'session_compact', event: 'compact.post', honours: ADVISORY },
  { native: 'session_shutdown', event: 'session.end', honours: ADVISORY },
  ...unregisteredEvents(
    'The file that is placed listens to it for itself: to add context, and to wait for a stop that was sent back.',
    'before_agent_start',
    'agent_end',
    'turn_start',
  ),
  ...unregisteredEvents(
    'The same moment is tool_call or tool_result.',
    'tool_execution_start',
    'tool_execution_end',
  ),
  ...unregisteredEvents(
    'It fires for each piece of an answer, a result or a message.',
    'message_start',
    'message_update',
    'message_end',
    'tool_execution_update',
  ),
  ...unregisteredEvents(
    'It is the request or the answer of the model; each prompt, call and result has an event of its own.',
    'context',
    'before_provider_request',
    'after_provider_response',
    'agent_start',
  ),
  ...unregisteredEvents('What a user runs with `!` is not a call of the agent.', 'user_bash'),
  ...unregisteredEvents(
    'The user moves between sessions, models or files of the agent itself.',
    'resources_discover',
    'session_before_switch',
    'session_before_fork',
    'session_before_tree',
    'session_tree',
    'model_select',
    'thinking_level_select',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'bash', name: 'run_command', args: { command: 'command' } },
  { native: 'read', name: 'read_file', args: { path: 'path' } },
  { native: 'write', name: 'write_file', args: { path: 'path', content: 'content' } },
  { native: 'edit', name: 'edit_file', args: { path: 'path', oldText: 'old', newText: 'new' } },
  { native: 'ls', name: 'list_files', args: { path: 'path' } },
  { native: 'find', name: 'list_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'grep', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'pi',
  title: 'pi',
  versions: ['0.73.1'],
  channel: 'plugin',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'No person is asked: without a screen it cannot, so that ask becomes a block.',
    'Context reaches the model after a tool ran, not before.',
    'What a user runs with `!` is not a call of the agent, and is not judged.',
    'Without a screen it prints the answer it wanted to stop with; what follows a stop that was sent back is in its session, and in `--mode json`.',
    'An extension that does not load leaves the agent without a guard: `doctor` looks for its traces.',
  ],
  read: reader(EVENTS, SET),
  answer: answererOf(SET, inProcessDialect(toolIn)),
};
