/** Cline: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

/** What its payloads call the event whose file it runs. */
const HOOK_NAMES: Readonly<Record<string, string>> = {
  TaskStart: 'agent_start',
  PreToolUse: 'tool_call',
  PostToolUse: 'tool_result',
  TaskComplete: 'agent_end',
  TaskError: 'agent_error',
  SessionShutdown: 'session_shutdown',
};

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['cline'],
  packages: ['cline'],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.cline'],
    reads: [],
    hosts: ['cline.bot', 'anthropic.com', 'openai.com'],
    variables: ['CLINE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: '',
  },
  ordinary: {
    run: (command) => nativeCall('run_commands', { commands: [command] }),
    write: ({ absolute }, content) => nativeCall('editor', { path: absolute, new_text: content }),
    read: ({ absolute }) =>
      nativeCall('read_files', { files: [{ path: absolute, start_line: null, end_line: null }] }),
  },
  live,
  canary: ({ native }) => ({ hookName: HOOK_NAMES[native] ?? native }),
};
