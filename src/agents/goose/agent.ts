/** Goose: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['goose'],
  packages: ['@aaif/goose'],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'],
    reads: ['~/.local/bin/goose'],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['GOOSE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: 'its hooks observe only: here the walls are all that holds',
  },
  ordinary: {
    run: (command) => nativeCall('shell', { command }),
    write: ({ absolute }, content) => nativeCall('write', { path: absolute, content }),
    // It has no tool that reads a file.
    read: ({ relative }) => nativeCall('shell', { command: `cat ${relative}` }),
  },
  canary: ({ native }) => ({ event: native }),
};
