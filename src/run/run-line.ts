/**
 * One line of `run --json` and `demo --json`, as a shape: the schema in `schemas/` is made from it, and a test holds the lines
 * against it.
 */
import {
  anything,
  integer,
  list,
  map,
  nullable,
  oneOf,
  optional,
  schemaDocument,
  strictMap,
  text,
} from '../base/index.ts';

export const RUN_LINE = strictMap('', {
  type: oneOf('What the line is: an event that fired, or what the hooks made of the one before it.', [
    'event',
    'outcome',
  ]),
  seq: integer('The number of the line, from 1.', { min: 1, max: Number.MAX_SAFE_INTEGER }),
  time: text('When it happened, in UTC as of ISO 8601.'),
  event: optional(text('Of an event: its canonical name.')),
  payload: optional(anything('Of an event: its payload as it fired.')),
  call_id: optional(text('Of an event around a tool call: the id of the call.')),
  agent: optional(text('Of an event in a sub-agent: its name.')),
  outcome: optional(
    map('Of an outcome that was not a plain allow: what `decide --json` prints.', {
      event: text('The event it is about.'),
      action: oneOf('What is to be done.', ['allow', 'permit', 'modify', 'ask', 'delegate', 'block']),
      reason: nullable(text('Why.')),
      hook: nullable(text('Who decided; null if nobody did.')),
      payload: anything('The payload as the hooks left it.'),
      effects: list('What was left behind: reminders, context, log lines, counters.', anything('')),
      trace: list('Every hook that was considered.', anything('')),
    }),
  ),
});

export function runLineSchema() {
  return schemaDocument('A line of harness run --json', RUN_LINE);
}
