/** Claude Code: everything there is about it, for the commands. The launcher loads the adapter alone. */
import { join } from 'node:path';
import type { CodingAgent } from '../coding-agent.ts';
import { workedIn } from '../import/transcripts-in.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { claudeHome, installer } from './install.ts';
import { live } from './live.ts';
import { ownSessions } from './own-sessions.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['claude'],
  packages: ['@anthropic-ai/claude-code', '@anthropic-ai/claude-code-linux-x64'],
  otherNames: ['claude'],
  switches,
  sandbox: {
    writes: ['~/.claude', '~/.claude.json', '~/.cache/claude', '~/.cache/claude-cli-nodejs'],
    reads: ['~/.local/share/claude', '~/.local/bin/claude'],
    hosts: ['anthropic.com', 'claude.ai', 'claude.com'],
    variables: ['ANTHROPIC_*', 'CLAUDE_*', 'DISABLE_*'],
    // It renews itself into a folder that is read-only here.
    env: { DISABLE_AUTOUPDATER: '1' },
    note: '`~/.claude.json` is held by its name: it cannot be replaced by renaming',
  },
  ordinary: {
    run: (command) => nativeCall('Bash', { command, description: 'Ordinary work' }),
    write: ({ absolute }, content) => nativeCall('Write', { file_path: absolute, content }),
    read: ({ absolute }) => nativeCall('Read', { file_path: absolute }),
  },
  transcripts: {
    file: /\.jsonl$/,
    spending: /"usage":/,
    reader: () => import('./transcript.ts'),
    folder: (env, home) => join(claudeHome({ env, home }), 'projects'),
    isOf: workedIn,
    ownSessions,
  },
  live,
};
