/**
 * The five actions of agent.json and every key of each, in one table. Reading, the JSON Schema and the hints for misspelt
 * keys all come from here.
 */
import type { SettingsField } from '../settings/schema.ts';

export type ActionName = 'log' | 'webhook' | 'save_json' | 'approve' | 'command';

export interface ActionSpec {
  readonly doc: string;
  /** It only watches: whatever happens to it, the operation goes on. */
  readonly observes: boolean;
  /** Beside `action`. */
  readonly fields: readonly SettingsField[];
}

/** An endpoint gets a little less than the hook, so that its slowness is reported as what it is. */
export const WEBHOOK_REQUEST_MS = 3500;
export const WEBHOOK_HOOK_MS = 4500;
export const SAVE_MS = 5000;
export const LOG_MS = 1000;
export const COMMAND_MS = 5000;

/** How long a person may take to answer, unless `security.hitlTimeoutMs` says otherwise. */
export const APPROVAL_WINDOW_MS = 30 * 60 * 1000;
/** What the channel gets on top to say that nobody answered. */
export const APPROVAL_GRACE_MS = 60 * 1000;

export const ACTION_FIELD: SettingsField = {
  name: 'action',
  shape: { kind: 'choice', of: ['log', 'webhook', 'save_json', 'approve', 'command'] },
  required: true,
  doc: 'What the hook does.',
};

export const ACTIONS: Readonly<Record<ActionName, ActionSpec>> = {
  log: {
    doc: 'Logs one line of names and sizes, never what somebody wrote.',
    observes: true,
    fields: [
      {
        name: 'level',
        shape: { kind: 'choice', of: ['info', 'warn', 'error'] },
        doc: 'How loud. Left out: info.',
      },
    ],
  },
  webhook: {
    doc: 'Posts the event as JSON.',
    observes: true,
    fields: [
      {
        name: 'url',
        shape: { kind: 'text' },
        required: true,
        doc: 'Where to: https, or http on this machine.',
      },
    ],
  },
  save_json: {
    doc: 'Appends the event to a file, one line of JSON each.',
    observes: true,
    fields: [
      {
        name: 'path',
        shape: { kind: 'text' },
        required: true,
        doc: 'The file, relative to the folder agent.json is in.',
      },
    ],
  },
  approve: {
    doc: 'Waits for a person to say yes.',
    observes: false,
    fields: [
      {
        name: 'tools',
        shape: { kind: 'texts' },
        doc: 'The tools to ask about, as globs; `.` stands for `.` or `_`. Left out: every tool.',
      },
    ],
  },
  command: {
    doc: 'Runs a command that allows or blocks.',
    observes: false,
    fields: [
      { name: 'command', shape: { kind: 'text' }, required: true, doc: 'A line for the shell.' },
      {
        name: 'timeoutMs',
        shape: {
          kind: 'number',
          unit: 'milliseconds',
          odd: (value) => (value < 100 ? `${value} ms is less than most programs need to start` : null),
        },
        doc: `Milliseconds the command may take. Left out: ${COMMAND_MS}.`,
      },
    ],
  },
};

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];
