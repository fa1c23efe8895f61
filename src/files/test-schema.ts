/**
 * How a test is written, in one table: in the front matter of a hook and in `.harness/tests/*.yaml`. Checks, JSON Schemas
 * and reference pages are made from it.
 */
import {
  anything,
  either,
  flag,
  integer,
  list,
  map,
  mapOf,
  oneOf,
  optional,
  type Tree,
  type TypeOf,
  text,
} from '../base/index.ts';
import type { FileReport } from './report.ts';

const ACTIONS = ['allow', 'block', 'modify', 'ask', 'delegate', 'permit', 'unmatched'] as const;

const EXPECT = either(
  'What the policy must say: an action, or a map with more.',
  oneOf('', ACTIONS),
  map('', {
    action: optional(oneOf('The action; `unmatched` if no condition may hold.', ACTIONS)),
    reason: optional(text('Text the reason must contain.')),
    reason_matches: optional(text('RE2 pattern that must be found in the reason.')),
    hook: optional(text('Name of the hook that decides.')),
    payload: optional(anything('Keys the payload must hold afterwards.')),
    payload_is: optional(anything('The whole payload afterwards.')),
    effects: optional(list('Effects that must be there, by the keys given.', map('', {}))),
    golden: optional(text('File beside this one with the whole answer; `--update` writes it.')),
    fails: optional(
      flag('A hook is meant to fail; otherwise a failure fails the case, whatever it led to.'),
      'false',
    ),
    idempotent: optional(flag('False: a rewritten payload may be rewritten again.'), 'true'),
  }),
);

const STEP = {
  event: optional(text('The event; default: that of the case, then that of the file.')),
  payload: optional(anything('The payload.'), 'null'),
  expect: optional(EXPECT, 'anything'),
};

const SETTING = {
  clock: optional(text('Time of the first step, as in 2026-01-01T12:00:00Z.'), '2026-01-01T12:00:00Z'),
  env: optional(mapOf('Variables that scripts may see.', text(''))),
  http: optional(
    list(
      'What addresses answer; all others fail.',
      map('', {
        url: text('The whole address.'),
        method: optional(oneOf('', ['GET', 'POST'])),
        status: optional(integer('', { min: 100, max: 599 }), '200'),
        headers: optional(mapOf('', text(''))),
        body: optional(text('')),
        error: optional(text('It cannot be reached, with this message.')),
      }),
    ),
  ),
  commands: optional(
    list(
      'What the programs of command hooks do; none is started.',
      map('', {
        command: text('Text that the command line contains.'),
        exit: optional(integer('', { min: 0, max: 255 }), '0'),
        stdout: optional(text('')),
        stderr: optional(text('')),
      }),
    ),
  ),
};

const COMMON = {
  name: text('What the case shows.'),
  payload: STEP.payload,
  expect: STEP.expect,
  steps: optional(list('Events in a row, for hooks that remember.', map('', STEP))),
  ...SETTING,
  todo: optional(text('Why it does not pass yet: it is run and shown, and its failure does not count.')),
};

/** A case in the front matter of a hook: that hook answers alone, on its own event. */
export const HOOK_TEST_FIELDS = COMMON;

const CASE = {
  ...COMMON,
  event: STEP.event,
  hook: optional(text('Name of the one hook that answers.'), 'the whole policy'),
};

/** The shape of a file, from which its JSON Schema and its page are made. */
export const TEST_FILE = {
  event: optional(text('The event of every step that names none.'), 'tool.pre'),
  ...SETTING,
  cases: list('The cases.', map('', CASE)),
};

/** A case as its file has it. */
export type WrittenCase = TypeOf<(typeof TEST_FILE)['cases']>[number];

/** The lines on which the steps of a case begin. */
export function stepLines(tree: Tree, report: FileReport): number[] {
  const steps = tree.kind === 'map' ? tree.entries.get('steps')?.value : undefined;
  return steps?.kind === 'list' ? steps.items.map(({ start }) => report.lineOf(start)) : [];
}
