/**
 * Every key of a hook in settings.json, in one table for each of its two forms. Reading, the JSON Schema and the hints
 * for misspelt keys all come from here.
 */
import {
  anything,
  dict,
  either,
  list,
  map,
  number,
  oneOf,
  optional,
  record,
  text,
  texts,
} from '../../base/index.ts';
import { SETTINGS_EVENTS } from './events.ts';

export const PATH_TIMEOUT_MS = 5000;
export const COMMAND_TIMEOUT_S = 60;

/** A text that says something. */
export const nonBlankText = (doc: string) => text(doc, { blank: false });

/** `few`: less than this was probably meant in another unit. */
export const milliseconds = (doc: string, few = 0) =>
  number(doc, {
    above: 0,
    wanted: 'milliseconds above 0',
    odd: (value) => (value < few ? `${value} ms is less than most programs need to start` : null),
  });

export const ON_ERROR = oneOf('What a failure of the hook means.', ['block', 'allow', 'throw']);

export const MODE = optional(
  oneOf('How much the word of the hook counts.', ['enforce', 'warn', 'shadow']),
  'enforce',
);

const MATCHER =
  'When the hook runs: an object whose conditions must all hold, or a string of alternatives (`Edit|Write`) or a regular expression.';
const matcher = (doc: string) => optional(either(doc, text(''), dict('')), 'always');

/** `{"path": …}` */
export const ENTRY_FIELDS = {
  path: nonBlankText('The script to run, relative to the project.'),
  timeout: optional(milliseconds('Milliseconds the script may take.', 100), String(PATH_TIMEOUT_MS)),
  matcher: matcher(MATCHER),
  on_error: optional(ON_ERROR, 'allow'),
  mode: MODE,
};

const unused = (why: string) => optional(anything('Not used here.', { ignored: why }));

/** `{"type": "command", "command": …}` */
export const HANDLER_FIELDS = {
  type: optional(oneOf('Always `command`.', ['command'])),
  command: nonBlankText('A line for the shell.'),
  args: optional(texts('Arguments; with them `command` is a program and no shell is involved.')),
  timeout: optional(
    number('Seconds the command may take.', {
      above: 0,
      wanted: 'seconds above 0',
      odd: (value) =>
        value >= 1000 ? `${value} seconds is a long time: this timeout is not in milliseconds` : null,
    }),
    String(COMMAND_TIMEOUT_S),
  ),
  on_error: optional(ON_ERROR, 'allow'),
  onFailure: optional(oneOf('Another way to write `on_error`.', ['block', 'continue'])),
  mode: MODE,
  statusMessage: unused(''),
  description: optional(nonBlankText('What the hook does, for `harness hooks`.')),
  name: unused(''),
  async: unused('the hook is waited for'),
  asyncRewake: unused('the hook is waited for'),
  once: unused('the hook runs each time'),
  if: unused('the hook runs whenever its matcher holds'),
  shell: unused('commands run with /bin/sh'),
};

/** `{"matcher": …, "hooks": […]}`; the commands in it are checked one by one. */
export const GROUP_FIELDS = {
  matcher: matcher(`${MATCHER} An empty string or \`*\` matches everything.`),
  hooks: list('The commands to run.', anything(''), { wanted: 'a list of commands' }),
};

/** Kinds of hooks that other programs have and this one does not run. */
export const FOREIGN_TYPES: readonly string[] = ['http', 'prompt', 'agent', 'mcp_tool'];

const GROUP = { ...GROUP_FIELDS, hooks: list(GROUP_FIELDS.hooks.doc, map('', HANDLER_FIELDS)) };
const ENTRIES = optional(list('', either('', map('', ENTRY_FIELDS), map('', GROUP))));

/** The whole file, for editors. Other programs keep their own settings in it. */
export const SETTINGS_FILE = record('', {
  hooks: optional(
    map(
      'The hooks of each event, in the order they run.',
      Object.fromEntries(SETTINGS_EVENTS.map(({ name }) => [name, ENTRIES])),
    ),
  ),
});
