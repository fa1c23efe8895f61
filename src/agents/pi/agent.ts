/** pi: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['pi'],
  packages: ['@mariozechner/pi-coding-agent', '@earendil-works/pi-coding-agent'],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.pi'],
    reads: [],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['PI_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: '',
  },
  ordinary: {
    run: (command) => nativeCall('bash', { command }),
    write: ({ absolute }, content) => nativeCall('write', { path: absolute, content }),
    read: ({ absolute }) => nativeCall('read', { path: absolute }),
  },
  live,
};
