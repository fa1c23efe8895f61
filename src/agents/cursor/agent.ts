/** Cursor: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['cursor-agent', 'agent'],
  packages: [],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.cursor', '~/.config/cursor'],
    reads: ['~/.local/share/cursor-agent', '~/.local/bin/cursor-agent'],
    hosts: ['cursor.com', 'cursor.sh'],
    variables: ['CURSOR_*'],
    note: '',
  },
  ordinary: {
    run: (command) => nativeCall('Shell', { command }),
    write: ({ absolute }, content) => nativeCall('Write', { file_path: absolute, contents: content }),
    read: ({ absolute }) => nativeCall('Read', { file_path: absolute }),
  },
};
