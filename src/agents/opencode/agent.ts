/** OpenCode: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['opencode'],
  packages: ['opencode-ai'],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode', '~/.cache/opencode'],
    reads: ['~/.opencode'],
    hosts: ['models.dev', 'opencode.ai', 'anthropic.com', 'openai.com'],
    variables: ['OPENCODE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: 'packages that it installs when it starts have to be there before, or `registry.npmjs.org` be listed',
  },
  ordinary: {
    run: (command) => nativeCall('bash', { command, description: 'Ordinary work' }),
    write: ({ absolute }, content) => nativeCall('write', { filePath: absolute, content }),
    read: ({ absolute }) => nativeCall('read', { filePath: absolute }),
  },
  live,
};
