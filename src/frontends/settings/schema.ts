/**
 * Every key of a hook in settings.json, in one table for each of its two forms. Reading, the JSON Schema and the hints
 * for misspelt keys all come from here.
 */

export type Shape =
  /** `blank`: may be empty. */
  | { readonly kind: 'text'; readonly blank?: boolean }
  | { readonly kind: 'texts' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  /** `unit` is what the number counts; `odd` tells a number that was meant in another unit. */
  | { readonly kind: 'number'; readonly unit: string; readonly odd: (value: number) => string | null }
  | { readonly kind: 'matcher' }
  | { readonly kind: 'handlers' }
  /** Written for another program; `why` says what it means here. */
  | { readonly kind: 'ignored'; readonly why: string };

export interface SettingsField {
  readonly name: string;
  readonly shape: Shape;
  readonly required?: boolean;
  readonly doc: string;
}

export const PATH_TIMEOUT_MS = 5000;
export const COMMAND_TIMEOUT_S = 60;

const MATCHER: SettingsField = {
  name: 'matcher',
  shape: { kind: 'matcher' },
  doc: 'When the hook runs: an object whose conditions must all hold, or a string of alternatives (`Edit|Write`) or a regular expression. Left out: always.',
};

const ON_ERROR: SettingsField = {
  name: 'on_error',
  shape: { kind: 'choice', of: ['block', 'allow', 'throw'] },
  doc: 'What a failure of the hook means. Left out: allow.',
};

const MODE: SettingsField = {
  name: 'mode',
  shape: { kind: 'choice', of: ['enforce', 'warn', 'shadow'] },
  doc: 'How much the word of the hook counts. Left out: enforce.',
};

/** `{"path": …}` */
export const ENTRY_FIELDS: readonly SettingsField[] = [
  {
    name: 'path',
    shape: { kind: 'text' },
    required: true,
    doc: 'The script to run, relative to the project.',
  },
  {
    name: 'timeout',
    shape: {
      kind: 'number',
      unit: 'milliseconds',
      odd: (value) => (value < 100 ? `${value} ms is less than most programs need to start` : null),
    },
    doc: `Milliseconds the script may take. Left out: ${PATH_TIMEOUT_MS}.`,
  },
  MATCHER,
  ON_ERROR,
  MODE,
];

/** `{"matcher": …, "hooks": […]}` */
export const GROUP_FIELDS: readonly SettingsField[] = [
  { ...MATCHER, doc: `${MATCHER.doc} An empty string or \`*\` matches everything.` },
  { name: 'hooks', shape: { kind: 'handlers' }, required: true, doc: 'The commands to run.' },
];

/** `{"type": "command", "command": …}` */
export const HANDLER_FIELDS: readonly SettingsField[] = [
  { name: 'type', shape: { kind: 'choice', of: ['command'] }, doc: 'Always `command`.' },
  { name: 'command', shape: { kind: 'text' }, required: true, doc: 'A line for the shell.' },
  {
    name: 'args',
    shape: { kind: 'texts' },
    doc: 'Arguments; with them `command` is a program and no shell is involved.',
  },
  {
    name: 'timeout',
    shape: {
      kind: 'number',
      unit: 'seconds',
      odd: (value) =>
        value >= 1000 ? `${value} seconds is a long time: this timeout is not in milliseconds` : null,
    },
    doc: `Seconds the command may take. Left out: ${COMMAND_TIMEOUT_S}.`,
  },
  ON_ERROR,
  {
    name: 'onFailure',
    shape: { kind: 'choice', of: ['block', 'continue'] },
    doc: 'Another way to write `on_error`.',
  },
  MODE,
  { name: 'statusMessage', shape: { kind: 'ignored', why: '' }, doc: 'Not used here.' },
  { name: 'description', shape: { kind: 'text' }, doc: 'What the hook does, for `harness hooks`.' },
  { name: 'name', shape: { kind: 'ignored', why: '' }, doc: 'Not used here.' },
  { name: 'async', shape: { kind: 'ignored', why: 'the hook is waited for' }, doc: 'Not used here.' },
  { name: 'asyncRewake', shape: { kind: 'ignored', why: 'the hook is waited for' }, doc: 'Not used here.' },
  { name: 'once', shape: { kind: 'ignored', why: 'the hook runs each time' }, doc: 'Not used here.' },
  {
    name: 'if',
    shape: { kind: 'ignored', why: 'the hook runs whenever its matcher holds' },
    doc: 'Not used here.',
  },
  { name: 'shell', shape: { kind: 'ignored', why: 'commands run with /bin/sh' }, doc: 'Not used here.' },
];

/** Kinds of hooks that other programs have and this one does not run. */
export const FOREIGN_TYPES: readonly string[] = ['http', 'prompt', 'agent', 'mcp_tool'];
