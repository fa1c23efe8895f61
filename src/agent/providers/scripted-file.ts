/**
 * A script for the scripted model, from its YAML. Strict: a key that is not one and a value of another type are errors
 * with their place, so that a story cannot silently tell something else than was written.
 */
import {
  anything,
  type Fields,
  integer,
  type JsonObject,
  type ListNode,
  list,
  type MapNode,
  map,
  oneOf,
  optional,
  type Problem,
  type Tree,
  text,
  texts,
  toData,
} from '../../base/index.ts';
import { checkFields, FileReport, parseYaml, type Scope } from '../../files/index.ts';
import { STOP_REASONS } from '../loop/read-rewritten.ts';
import type { Script } from './scripted.ts';

export type ParsedScript<S extends Script = Script> =
  | { readonly ok: true; readonly script: S }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const count = (doc: string) => integer(doc, { min: 0, max: Number.MAX_SAFE_INTEGER });

/** Says what is wrong with an item, at one of its keys if it names one. */
export type SayProblem = (message: string, key?: string) => void;

/** What another reader of scripts adds to the format: keys of the script and of its items, and its own checks. */
export interface ScriptExtension {
  readonly fields: Fields;
  readonly itemFields: Fields;
  readonly checkItem: (item: JsonObject, say: SayProblem) => void;
}

const CALL = map('', {
  name: text('The tool that is called.'),
  args: optional(anything('Its arguments, a map.'), '{}'),
  arguments: optional(text('Instead: the arguments as text, also where it is no JSON.')),
  id: optional(text('The id of the call.'), 'call_1, call_2, …'),
});

/** The fields of one item. */
export const COMPLETION_FIELDS = {
  text: optional(text('What the model says.'), 'empty'),
  tool_calls: optional(list('The tools it calls.', CALL)),
  usage: optional(
    map('Tokens spent.', { input_tokens: count('Tokens sent.'), output_tokens: count('Tokens received.') }),
    'none',
  ),
  stop_reason: optional(oneOf('Why it stops.', STOP_REASONS)),
  cost_usd: optional(anything('What it costs, a number.')),
  delay_ms: optional(count('How long it takes to begin.'), '0'),
  pace_ms: optional(count('How long each word takes, or each event of a stream.'), '0'),
  error: optional(
    map('Instead: the attempt fails.', {
      status: integer('The HTTP status.', { min: 100, max: 599 }),
      message: text('What the service says.'),
      retry_after_ms: optional(count('How long it asks to wait.')),
    }),
  ),
};

function scriptFields({ fields, itemFields }: ScriptExtension): Fields {
  return {
    prompts: optional(texts('What the person says, in order, where nobody else does.'), 'none'),
    completions: list('One item an attempt, in order.', map('', { ...COMPLETION_FIELDS, ...itemFields })),
    ...fields,
  };
}

const NO_EXTENSION: ScriptExtension = { fields: {}, itemFields: {}, checkItem: () => {} };

/** `file` is what problems call it. */
export function parseScript(text: string, file: string): ParsedScript {
  return parseExtendedScript(text, file, NO_EXTENSION);
}

/** A script with the keys of an extension; `S` is the type its tables describe. */
export function parseExtendedScript<S extends Script>(
  text: string,
  file: string,
  extension: ScriptExtension,
): ParsedScript<S> {
  const report = new FileReport(file, text);
  const parsing = `parse script ${file}`;
  const map = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, parsing);
  if (map !== null) checkScript(map, { report, parsing, path: '' }, extension);
  // A key that is ignored would change the story, so a warning is as bad as an error here.
  const problems = report.problems.map((problem): Problem => ({ ...problem, severity: 'error' }));
  if (map === null || problems.length > 0) return { ok: false, problems };
  // A key with nothing after it is the same as no key.
  const given = Object.entries(toData(map) as JsonObject).filter(([, value]) => value !== null);
  return { ok: true, script: { completions: [], ...Object.fromEntries(given) } as unknown as S };
}

function checkScript(map: MapNode, scope: Scope, extension: ScriptExtension): void {
  const fields = checkFields(map, scriptFields(extension), scope);
  checkCompletions(fields.list('completions'), scope, extension);
}

/** What the table of fields has no word for, in a list of items that stands in any file. */
export function checkCompletions(
  list: ListNode | undefined,
  scope: Scope,
  extension: ScriptExtension = NO_EXTENSION,
): void {
  list?.items.forEach((item, place) => {
    checkItem(item, { ...scope, path: `completions[${place}]` }, extension);
  });
}

function checkItem(item: Tree, { report, parsing = '', path }: Scope, extension: ScriptExtension): void {
  if (item.kind !== 'map') return;
  const say = (message: string, at: number) =>
    report.error('FIELD_TYPE', report.inYaml(parsing, path + message, at), at);
  const data = toData(item) as JsonObject;
  if (item.entries.size === 0) say(' is empty: give it text, tool_calls or error', item.start);
  const beside = data.error === undefined ? [] : ['text', 'tool_calls', 'usage', 'stop_reason'];
  for (const key of beside) {
    const entry = item.entries.get(key);
    if (entry !== undefined) say(` has an error and ${key}: an attempt fails or answers`, entry.keyStart);
  }
  const cost = item.entries.get('cost_usd')?.value;
  if (cost !== undefined && !(typeof data.cost_usd === 'number' && data.cost_usd >= 0)) {
    say('.cost_usd must be a number from 0', cost.start);
  }
  const calls = item.entries.get('tool_calls')?.value;
  (calls?.kind === 'list' ? calls.items : []).forEach((call, place) => {
    if (call.kind !== 'map') return;
    const args = call.entries.get('args');
    const text = call.entries.get('arguments');
    if (args !== undefined && args.value.kind !== 'map')
      say(`.tool_calls[${place}].args must be a map`, args.value.start);
    if (args !== undefined && text !== undefined) {
      say(`.tool_calls[${place}] has args and arguments: give one of them`, text.keyStart);
    }
  });
  extension.checkItem(data, (message, key = '') => {
    say(message, item.entries.get(key)?.keyStart ?? item.start);
  });
}
