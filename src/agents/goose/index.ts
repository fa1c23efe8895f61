/**
 * Goose. Its hooks only watch: whatever they answer, however they end, the tool runs. It is installed to observe, never to
 * guard.
 */

import type { Adapter, EventRow, ToolRow } from '../adapter.ts';
import { SILENCE } from '../answers.ts';
import { ADVISORY, eventTable, unregisteredEvents } from '../honours.ts';
import { reader } from './read.ts';

const EVENTS: readonly EventRow[] = [
  { native: 'SessionStart', event: 'session.start', honours: ADVISORY },
  { native: 'UserPromptSubmit', event: 'turn.start', honours: ADVISORY },
  { native: 'PreToolUse', event: 'tool.pre', honours: ADVISORY },
  { native: 'PostToolUse', event: 'tool.post', honours: ADVISORY, note: 'Without what the tool printed.' },
  { native: 'PostToolUseFailure', event: 'tool.post', honours: ADVISORY },
  { native: 'SessionEnd', event: 'session.end', honours: ADVISORY },
  ...unregisteredEvents(
    'PreToolUse or PostToolUse fires for the same call.',
    'BeforeReadFile',
    'AfterFileEdit',
    'BeforeShellExecution',
    'AfterShellExecution',
  ),
];

const TOOLS: readonly ToolRow[] = [
  { native: 'shell', name: 'run_command', args: { command: 'command' } },
  { native: 'developer__shell', name: 'run_command', args: { command: 'command' } },
  { native: 'write', name: 'write_file', args: { path: 'path', content: 'content' } },
  { native: 'edit', name: 'edit_file', args: { path: 'path', before: 'old', after: 'new' } },
  { native: 'read', name: 'read_file', args: { path: 'path' } },
  { native: 'tree', name: 'list_files', args: { path: 'path' } },
];

export const adapter: Adapter = {
  agent: 'goose',
  title: 'Goose',
  versions: ['0.20.1'],
  channel: 'command',
  observeOnly: 'it runs every tool call, whatever a hook answers and however it ends',
  ...eventTable(EVENTS),
  tools: TOOLS,
  cannot: [
    'Nothing can be blocked, asked, rewritten or added: its hooks are called and their answers ignored.',
    'What a tool printed is not in its payloads, and there is no event for a stop.',
    'Payloads have no call id: a call and its result are paired by session, tool, input and order.',
    'The package `@aaif/goose` 0.20.1 holds Goose 1.34.0. Goose 1.38 documents a block; no package of it was there to be run.',
  ],
  read: reader(EVENTS, { tools: TOOLS, forms: {} }),
  answer: () => SILENCE,
};
