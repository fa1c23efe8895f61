/**
 * Reads the YAML of a script for the model server: what `harness run --script` takes, with the keys of the server. As strict:
 * a key or a value that would be ignored is an error with its place.
 */
import type { JsonObject } from '../../base/json.ts';
import {
  type ParsedScript,
  parseExtendedScript,
  type SayProblem,
  type ScriptExtension,
  type ScriptField,
} from '../providers/scripted-file.ts';
import type { ServerCompletion, ServerScript } from './script.ts';
import { SIDE_RULES } from './side-requests.ts';

type Shape = ScriptField['shape'];

const TEXT: Shape = { kind: 'text' };
const TEXTS: Shape = { kind: 'either', shapes: [TEXT, { kind: 'list', of: TEXT }] };
const COUNT: Shape = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER };

export const CONDITION_FIELDS: readonly ScriptField[] = [
  { name: 'latest', shape: TEXTS, doc: 'In a user message or tool result since the last answer.' },
  { name: 'tool_result', shape: TEXTS, doc: 'In a tool result since the last answer.' },
  { name: 'prompt', shape: TEXTS, doc: 'In any user message of the conversation.' },
  { name: 'system', shape: TEXTS, doc: 'In the system prompt.' },
  { name: 'model', shape: TEXTS, doc: 'In the name of the model.' },
  { name: 'tool', shape: TEXTS, doc: 'The name of a tool that is offered.' },
  { name: 'tools', shape: { kind: 'text', oneOf: ['none', 'some'] }, doc: 'Whether tools are offered.' },
  { name: 'max_tokens', shape: COUNT, doc: 'The request allows at most so many.' },
];

const WHEN: Shape = { kind: 'map', fields: CONDITION_FIELDS };

const SIDE_FIELDS: readonly ScriptField[] = [
  { name: 'name', shape: TEXT, required: true, doc: 'What the record calls it.' },
  { name: 'when', shape: WHEN, required: true, doc: 'The requests it is about.' },
  { name: 'text', shape: TEXT, default: 'ok', doc: 'What they are answered with.' },
];

const BUILT_IN: Shape = { kind: 'text', oneOf: SIDE_RULES.map(({ name }) => name) };

const EXTENSION: ScriptExtension = {
  fields: [
    {
      name: 'side',
      shape: {
        kind: 'list',
        of: { kind: 'either', shapes: [BUILT_IN, { kind: 'map', fields: SIDE_FIELDS }] },
      },
      default: 'the built-in rules',
      doc: 'Requests that take no item.',
    },
  ],
  itemFields: [
    { name: 'match', shape: TEXT, doc: 'Text since the last answer; short for `when: {latest: …}`.' },
    { name: 'when', shape: WHEN, default: 'any request', doc: 'The requests the item answers.' },
    { name: 'raw', shape: { kind: 'list', of: TEXT }, doc: 'Instead: the texts of the body.' },
    { name: 'hang', shape: { kind: 'boolean' }, default: 'false', doc: 'Instead: no answer comes.' },
    { name: 'cut_after', shape: COUNT, doc: 'Break the connection after so many events.' },
    { name: 'pace_ms', shape: COUNT, default: '0', doc: 'Wait between two events.' },
  ],
  checkItem,
};

/** Keys that say how an attempt ends; an item has one of them. */
const ANSWERS = ['text', 'tool_calls', 'stop_reason', 'usage'];
const EXCLUDES: Readonly<Record<string, readonly string[]>> = {
  raw: [...ANSWERS, 'error'],
  hang: [...ANSWERS, 'error', 'cut_after'],
  error: ['cut_after', 'pace_ms'],
};

/** `file` is what problems call it. */
export function parseServerScript(text: string, file: string): ParsedScript<ServerScript> {
  const parsed = parseExtendedScript<ServerScript>(text, file, EXTENSION);
  if (!parsed.ok) return parsed;
  const completions = parsed.script.completions.map(withoutEmptyKeys);
  return { ok: true, script: { ...parsed.script, completions } };
}

function checkItem(item: JsonObject, say: SayProblem): void {
  for (const [key, others] of Object.entries(EXCLUDES)) {
    if (item[key] === undefined || item[key] === null || item[key] === false) continue;
    for (const other of others) {
      if (item[other] !== undefined) say(` has ${key} and ${other}: give one of them`, other);
    }
  }
  const { error } = item as ServerCompletion;
  // A client waits for another status after one below 200.
  if (error?.status !== undefined && error.status < 200) {
    say(`.error.status must be from 200 to 599; got the number ${error.status}`, 'error');
  }
}

/** A key with nothing after it is the same as no key. */
function withoutEmptyKeys(item: ServerCompletion): ServerCompletion {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}
