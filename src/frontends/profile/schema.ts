/**
 * The five actions of agent.json and every key of each, in one table. Reading, the JSON Schema and the hints for misspelt
 * keys all come from here.
 */
import { either, type Fields, list, map, oneOf, optional, record, texts } from '../../base/index.ts';
import { milliseconds, nonBlankText } from '../settings/schema.ts';
import { BUCKETS } from './buckets.ts';

interface ActionSpec {
  readonly doc: string;
  /** It only watches: whatever happens to it, the operation goes on. */
  readonly observes: boolean;
  readonly fields: Fields;
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

export const ACTIONS = {
  log: {
    doc: 'Logs one line of names and sizes, never what somebody wrote.',
    observes: true,
    fields: {
      action: oneOf('', ['log']),
      level: optional(oneOf('How loud.', ['info', 'warn', 'error']), 'info'),
    },
  },
  webhook: {
    doc: 'Posts the event as JSON.',
    observes: true,
    fields: {
      action: oneOf('', ['webhook']),
      url: nonBlankText('Where to: https, or http on this machine.'),
    },
  },
  save_json: {
    doc: 'Appends the event to a file, one line of JSON each.',
    observes: true,
    fields: {
      action: oneOf('', ['save_json']),
      path: nonBlankText('The file, relative to the folder agent.json is in.'),
    },
  },
  approve: {
    doc: 'Waits for a person to say yes.',
    observes: false,
    fields: {
      action: oneOf('', ['approve']),
      tools: optional(texts('The tools to ask about, as globs; `.` stands for `.` or `_`.'), 'every tool'),
    },
  },
  command: {
    doc: 'Runs a command that allows or blocks.',
    observes: false,
    fields: {
      action: oneOf('', ['command']),
      command: nonBlankText('A line for the shell.'),
      timeoutMs: optional(milliseconds('Milliseconds the command may take.', 100), String(COMMAND_MS)),
    },
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;

export type ActionName = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

/** A person is only asked about a tool call. */
const actionsAt = (event: string) =>
  ACTION_NAMES.filter((action) => action !== 'approve' || event === BUCKETS.onToolCall!.event);

const buckets = Object.entries(BUCKETS).map(([name, { event, doc }]) => {
  const forms = actionsAt(event).map((action) => map(ACTIONS[action].doc, ACTIONS[action].fields));
  return [name, optional(list(doc, either('', ...forms)))] as const;
});

/** The whole file, for editors. The rest of a profile is described elsewhere. */
export const PROFILE_FILE = record('', {
  hooks: optional(map('What happens at each moment of a run, in order.', Object.fromEntries(buckets))),
});
