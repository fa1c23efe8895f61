/** Codex CLI: everything there is about it, for the commands. The launcher loads the adapter alone. */
import { join } from 'node:path';
import type { CodingAgent } from '../coding-agent.ts';
import { workedIn } from '../import/transcripts-in.ts';
import { CANARY_TEXT, nativeCall } from '../ordinary-calls.ts';
import { adapter } from './index.ts';
import { codexHome, installer } from './install.ts';
import { live } from './live.ts';
import { ownSessions } from './own-sessions.ts';
import { switches } from './switches.ts';

export const agent: CodingAgent = {
  adapter,
  installer,
  programs: ['codex'],
  packages: ['@openai/codex'],
  otherNames: [],
  switches,
  sandbox: {
    writes: ['~/.codex'],
    reads: [],
    hosts: ['openai.com', 'chatgpt.com'],
    variables: ['OPENAI_*', 'CODEX_*'],
    note: 'its own sandbox needs namespaces, which are off inside: `sandbox_mode = "danger-full-access"` leaves that part to ours',
  },
  ordinary: {
    run: (command) => nativeCall('Bash', { command }),
    write: ({ relative }, content) =>
      nativeCall('Bash', { command: `apply_patch <<'EOF'\n${patch(relative, content)}\nEOF\n` }),
    read: ({ relative }) => nativeCall('Bash', { command: `sed -n '1,200p' ${relative}` }),
  },
  transcripts: {
    file: /^rollout-.*\.jsonl$/,
    spending: /"(?:token_count|turn_context|session_meta)"/,
    reader: () => import('./transcript.ts'),
    folder: (env, home) => join(codexHome({ env, home }), 'sessions'),
    isOf: workedIn,
    ownSessions,
  },
  live,
  canary: () => ({ tool_response: CANARY_TEXT }),
};

function patch(path: string, content: string): string {
  return ['*** Begin Patch', `*** Add File: ${path}`, `+${content}`, '*** End Patch'].join('\n');
}
