/** Copilot CLI: everything there is about it, for the commands. The launcher loads the adapter alone. */
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['copilot'],
  packages: ['@github/copilot'],
  otherNames: ['copilot-cli', 'github-copilot'],
  switches,
  sandbox: {
    writes: ['~/.copilot', '~/.config/github-copilot'],
    reads: [],
    hosts: ['githubcopilot.com', 'api.github.com', 'github.com'],
    variables: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    note: 'start it once outside before: `config.json`, which says whose hooks it trusts, is read-only inside; the keyring of a desktop is not there: use `GH_TOKEN`; it unpacks itself anew at each start',
  },
  ordinary: {
    run: (command) => nativeCall('bash', { command, description: 'Ordinary work' }),
    write: ({ absolute }, content) => nativeCall('create', { path: absolute, file_text: content }),
    read: ({ absolute }) => nativeCall('view', { path: absolute }),
  },
  live,
};
