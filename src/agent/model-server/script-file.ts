/**
 * Reads the YAML of a script for the model server: what `harness run --script` takes, with the keys of the server. As strict:
 * a key or a value that would be ignored is an error with its place.
 */
import {
  either,
  flag,
  integer,
  type JsonObject,
  list,
  map,
  oneOf,
  optional,
  text,
} from '../../base/index.ts';
import {
  type ParsedScript,
  parseExtendedScript,
  type SayProblem,
  type ScriptExtension,
} from '../providers/scripted-file.ts';
import type { ServerCompletion, ServerScript } from './script.ts';
import { SIDE_RULES } from './side-requests.ts';

const oneOrMore = (doc: string) => optional(either(doc, text(''), list('', text(''))));
const count = (doc: string) => integer(doc, { min: 0, max: Number.MAX_SAFE_INTEGER });

export const CONDITION_FIELDS = {
  latest: oneOrMore('In a user message or tool result since the last answer.'),
  tool_result: oneOrMore('In a tool result since the last answer.'),
  prompt: oneOrMore('In any user message of the conversation.'),
  system: oneOrMore('In the system prompt.'),
  model: oneOrMore('In the name of the model.'),
  tool: oneOrMore('The name of a tool that is offered.'),
  tools: optional(oneOf('Whether tools are offered.', ['none', 'some'])),
  max_tokens: optional(count('The largest number of tokens that the request allows.')),
};

const SIDE = map('', {
  name: text('What the record calls it.'),
  when: map('The requests it is about.', CONDITION_FIELDS),
  text: optional(text('What they are answered with.'), 'ok'),
});

const BUILT_IN = oneOf(
  '',
  SIDE_RULES.map(({ name }) => name),
);

const EXTENSION: ScriptExtension = {
  fields: {
    side: optional(list('Requests that take no item.', either('', BUILT_IN, SIDE)), 'the built-in rules'),
  },
  itemFields: {
    match: optional(text('Text since the last answer; short for `when: {latest: …}`.')),
    when: optional(map('The requests the item answers.', CONDITION_FIELDS), 'any request'),
    raw: optional(list('Instead: the texts of the body.', text(''))),
    hang: optional(flag('Instead: no answer comes.'), 'false'),
    cut_after: optional(count('Break the connection after this number of events.')),
  },
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
