/** Qwen Code: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['qwen'],
  packages: ['@qwen-code/qwen-code'],
  otherNames: ['qwen'],
  switches,
  sandbox: {
    writes: ['~/.qwen'],
    reads: [],
    hosts: ['aliyuncs.com', 'qwen.ai'],
    variables: ['DASHSCOPE_*', 'OPENAI_*', 'QWEN_*'],
    note: '',
  },
  ordinary: {
    run: (command) => nativeCall('run_shell_command', { command, is_background: false }),
    write: ({ absolute }, content) => nativeCall('write_file', { file_path: absolute, content }),
    read: ({ absolute }) => nativeCall('read_file', { file_path: absolute }),
  },
  live,
};
