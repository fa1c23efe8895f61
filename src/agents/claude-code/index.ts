/** Claude Code: command hooks of its settings. */
import type { Adapter } from '../adapter.ts';
import { eventTable } from '../honours.ts';
import { answer } from './answer.ts';
import { EVENTS } from './events.ts';
import { furtherFolders } from './further-folders.ts';
import { read } from './read.ts';
import { TOOLS } from './tools.ts';

export const adapter: Adapter = {
  agent: 'claude-code',
  title: 'Claude Code',
  versions: ['2.1.325'],
  channel: 'command',
  projectVariable: 'CLAUDE_PROJECT_DIR',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'A prompt cannot be rewritten; it is blocked instead.',
    'The error text of a tool that failed cannot be replaced; a policy that hides it ends the run.',
    'A session cannot be refused at its start.',
  ],
  read,
  furtherFolders,
  answer,
};
