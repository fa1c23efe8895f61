/** Gemini CLI: everything there is about it, for the commands. The launcher loads the adapter alone. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256Hex } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import type { CodingAgent } from '../coding-agent.ts';
import { nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { installer } from './install.ts';
import { live } from './live.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['gemini'],
  packages: ['@google/gemini-cli'],
  otherNames: ['gemini'],
  switches,
  sandbox: {
    writes: ['~/.gemini'],
    reads: [],
    hosts: ['googleapis.com', 'accounts.google.com'],
    variables: ['GEMINI_*', 'GOOGLE_*'],
    note: 'log in before: a browser cannot be opened inside',
  },
  ordinary: {
    run: (command) => nativeCall('run_shell_command', { command, description: 'Ordinary work' }),
    write: ({ absolute }, content) => nativeCall('write_file', { file_path: absolute, content }),
    read: ({ absolute }) => nativeCall('read_file', { file_path: absolute }),
  },
  transcripts: {
    file: /^session-.*\.jsonl?$/,
    spending: /"(?:tokens|sessionId)"/,
    reader: () => import('./transcript.ts'),
    folder: (_env, home) => join(home, '.gemini', 'tmp'),
    isOf: (root, file) => worksIn(file, root),
  },
  live,
};

/** The transcript does not say where it worked; the folder around it does, by a file or by its name. */
function worksIn(file: string, root: string): boolean {
  const project = join(file, '..', '..');
  try {
    return isWithin(readFileSync(join(project, '.project_root'), 'utf8').trim(), root);
  } catch {
    return basename(project) === sha256Hex(root);
  }
}
