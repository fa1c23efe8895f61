/**
 * Codex CLI. Its hooks see every shell-like tool as `Bash` and every edit as `apply_patch`. An answer with one unknown key is
 * thrown away and the tool runs, so that nothing is added to what is known to be read.
 */
import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { WATCHED } from '../honours.ts';
import { answerer } from './answer.ts';
import { reader, toolSet } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: { ...WATCHED, context: true } },
  { native: 'UserPromptSubmit', event: 'turn.start', honours: { ...WATCHED, block: true, context: true } },
  {
    native: 'PreToolUse',
    event: 'tool.pre',
    honours: { ...WATCHED, block: true, modify: true, context: true },
    note: 'It runs the tool if a hook asks. A rewritten call counts as approved: it takes an input with an allow only. A patch cannot be rewritten: it is blocked with the corrected arguments.',
  },
  {
    native: 'PostToolUse',
    event: 'tool.post',
    honours: { ...WATCHED, block: true, modify: true, context: true },
    note: 'The reason of a block takes the place of the output; that is also how a result is replaced.',
  },
  {
    native: 'SubagentStop',
    event: 'delegation.post_verify',
    honours: { ...WATCHED, block: true },
    note: 'A block sends the sub-agent back to work with the reason.',
  },
  { native: 'Stop', event: 'agent.stop', honours: { ...WATCHED, block: true } },
  { native: 'SessionEnd', event: 'session.end', honours: WATCHED },
];

const TOOLS: readonly ToolRow[] = [
  { native: 'Bash', name: 'run_command', args: { command: 'command', workdir: 'cwd' } },
  { native: 'exec_command', name: 'run_command', args: { cmd: 'command', workdir: 'cwd' } },
  { native: 'shell', name: 'run_command', args: { command: 'command', workdir: 'cwd' } },
  { native: 'shell_command', name: 'run_command', args: { command: 'command', workdir: 'cwd' } },
  { native: 'local_shell', name: 'run_command', args: { command: 'command', working_directory: 'cwd' } },
  { native: 'write_stdin', name: 'run_command', args: { chars: 'command' } },
  { native: 'apply_patch', name: 'edit_file', args: {} },
  { native: 'view_image', name: 'read_file', args: { path: 'path' } },
  { native: 'web_search', name: 'web_search', args: { query: 'query' } },
  { native: 'spawn_agent', name: 'delegate', args: { message: 'prompt', agent_type: 'agent' } },
];

const SET = toolSet(TOOLS);

export const adapter: Adapter = {
  agent: 'codex',
  title: 'Codex CLI',
  versions: ['0.166.0'],
  channel: 'command',
  events: EVENTS,
  tools: TOOLS,
  cannot: [
    'Nobody can be asked: an answer `ask` lets the tool run, so that ask becomes a block.',
    'What is typed into a program that already runs (`write_stdin`) fires no hook: guard the programs that are started.',
    'A patch that is applied by a command (`apply_patch` in the shell) is judged before, but its result fires no hook.',
    'A result is replaced only by text, and its hooks are not told whether a command failed.',
    'Hooks that the user did not trust are skipped without a word; `install` writes the trust entry.',
    'A killed, hanging or missing hook lets the tool run: the registered line answers in its place. If line and launcher are killed together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
