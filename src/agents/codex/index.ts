/**
 * Codex CLI. Its hooks see every shell-like tool as `Bash` and every edit as `apply_patch`. An answer with one unknown key is
 * thrown away and the tool runs, so that nothing is added to what is known to be read.
 */
import type { Adapter, ToolRow } from '../adapter.ts';
import { eventTable } from '../honours.ts';
import { answerer } from './answer.ts';
import { EVENTS } from './events.ts';
import { reader, toolSet } from './read.ts';

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
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'No person can be asked: an answer `ask` lets the tool run, so that ask becomes a block.',
    'What is typed into a program that already runs (`write_stdin`) fires no hook: guard the programs that are started.',
    'A patch that is applied by a command (`apply_patch` in the shell) is judged before, but its result fires no hook.',
    'A result is replaced only by text, and its hooks are not told whether a command failed.',
    'Hooks that the user did not trust are skipped without a word; `install` writes the trust entry.',
    'A killed, hanging or missing hook lets the tool run: the registered line answers in its place. If line and launcher are killed together, the tool runs; `harness sandbox` bounds what it can do then.',
  ],
  read: reader(EVENTS, SET),
  answer: answerer(SET),
};
