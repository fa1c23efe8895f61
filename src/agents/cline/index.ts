/**
 * Cline CLI. Its hooks are executable files named after the event; it reads JSON only, never an exit code, and a cancelled call
 * ends the whole run. One call runs a list of commands: each is judged.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { ADVISORY, eventTable, unregisteredEvents } from '../honours.ts';
import { answerer } from './answer.ts';
import { reader, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  {
    native: 'TaskStart',
    event: 'session.start',
    honours: ADVISORY,
    contextAt: 'PreToolUse',
    note: 'Its context is read with the first call of a tool: nothing before that takes any.',
  },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { ...ADVISORY, block: true, modify: true, context: true },
    exitTwo: 'ignored',
    note: 'A block ends the run: the person reads the reason, the model does not. It runs the tool if a hook asks.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { ...ADVISORY, block: true, context: true },
    exitTwo: 'ignored',
    note: 'A block ends the run before the model reads the result, and so does a result that would be rewritten.',
  },
  { native: 'TaskComplete', event: 'agent.stop', honours: ADVISORY, note: 'The end cannot be sent back.' },
  { native: 'TaskError', event: 'error', honours: ADVISORY, note: 'Documented; not seen to fire.' },
  {
    native: 'SessionShutdown',
    event: 'session.end',
    honours: ADVISORY,
    note: 'Seen on a cancelled run only.',
  },
  {
    native: 'UserPromptSubmit',
    event: 'turn.start',
    honours: ADVISORY,
    leftOut: 'It was not called in a run without a person, and TaskStart, which is, carries the prompt.',
  },
  {
    native: 'PreCompact',
    event: 'compact.pre',
    honours: ADVISORY,
    leftOut: 'Its file is looked for and never called.',
  },
  ...unregisteredEvents('TaskStart or the next call follows, and nothing can be answered.', 'TaskResume'),
  ...unregisteredEvents(
    'The user cancelled: there is nothing to decide, and SessionShutdown follows.',
    'TaskCancel',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'run_commands', name: 'run_command', args: { commands: 'command' } },
  { native: 'read_files', name: 'read_file', args: { files: 'path' } },
  { native: 'editor', name: 'edit_file', args: { path: 'path', old_text: 'old', new_text: 'new' } },
  { native: 'apply_patch', name: 'edit_file', args: {} },
  { native: 'search_codebase', name: 'search_files', args: { queries: 'pattern' } },
  { native: 'fetch_web_content', name: 'fetch_url', args: { requests: 'url' } },
  { native: 'spawn_agent', name: 'delegate', args: { task: 'prompt' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'cline',
  title: 'Cline CLI',
  versions: ['3.0.65'],
  channel: 'file',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'A prompt cannot be refused or added to: its hook is not called in a run without a person.',
    'A stop cannot be sent back.',
    'No person can be asked: an answer `review` lets the tool run, so that ask becomes a block.',
    'A blocked call ends the run, and the model does not read the reason. Without a person it is printed nowhere: it is on the tape.',
    'A result cannot be rewritten: a redaction ends the run before the model reads it.',
    'A killed, hanging or missing hook lets the tool run: the registered file answers in its place. If file and launcher are killed together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
