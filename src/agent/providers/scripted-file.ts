/**
 * A script for the scripted model, from its YAML. Strict: a key that is not one and a value of another type are errors
 * with their place, so that a story cannot silently tell something else than was written.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { checkFields, requireFields, type Scope } from '../../frontends/markdown/check-fields.ts';
import { FileReport } from '../../frontends/markdown/report.ts';
import type { Field, Shape } from '../../frontends/markdown/schema.ts';
import { type MapNode, parseYaml, type Tree, toData } from '../../frontends/markdown/yaml-tree.ts';
import { STOP_REASONS } from '../rewritten.ts';
import type { Script } from './scripted.ts';

export type ParsedScript<S extends Script = Script> =
  | { readonly ok: true; readonly script: S }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export type ScriptField = Field;

/** Says what is wrong with an item, at one of its keys if it names one. */
export type SayProblem = (message: string, key?: string) => void;

/** What another reader of scripts adds to the format: keys of the script and of its items, and its own checks. */
export interface ScriptExtension {
  readonly fields: readonly ScriptField[];
  readonly itemFields: readonly ScriptField[];
  readonly checkItem: (item: JsonObject, say: SayProblem) => void;
}

const TEXT: Shape = { kind: 'text' };
const COUNT: Shape = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER };
const DATA: Shape = { kind: 'data' };

const CALL_FIELDS: readonly Field[] = [
  { name: 'name', shape: TEXT, required: true, doc: 'The tool that is called.' },
  { name: 'args', shape: DATA, default: '{}', doc: 'Its arguments, a map.' },
  { name: 'arguments', shape: TEXT, doc: 'Instead: the arguments as text, also where it is no JSON.' },
  { name: 'id', shape: TEXT, default: 'call_1, call_2, …', doc: 'The id of the call.' },
];

const USAGE_FIELDS: readonly Field[] = [
  { name: 'input_tokens', shape: COUNT, required: true, doc: 'Tokens sent.' },
  { name: 'output_tokens', shape: COUNT, required: true, doc: 'Tokens received.' },
];

const ERROR_FIELDS: readonly Field[] = [
  { name: 'status', shape: { kind: 'integer', min: 100, max: 599 }, required: true, doc: 'The HTTP status.' },
  { name: 'message', shape: TEXT, required: true, doc: 'What the service says.' },
  { name: 'retry_after_ms', shape: COUNT, doc: 'How long it asks to wait.' },
];

/** The fields of one item. */
export const COMPLETION_FIELDS: readonly Field[] = [
  { name: 'text', shape: TEXT, default: 'empty', doc: 'What the model says.' },
  {
    name: 'tool_calls',
    shape: { kind: 'list', of: { kind: 'map', fields: CALL_FIELDS } },
    doc: 'The tools it calls.',
  },
  { name: 'usage', shape: { kind: 'map', fields: USAGE_FIELDS }, default: 'none', doc: 'Tokens spent.' },
  { name: 'stop_reason', shape: { kind: 'text', oneOf: STOP_REASONS }, doc: 'Why it stops.' },
  { name: 'cost_usd', shape: DATA, doc: 'What it costs, a number.' },
  { name: 'delay_ms', shape: COUNT, default: '0', doc: 'How long it takes.' },
  { name: 'error', shape: { kind: 'map', fields: ERROR_FIELDS }, doc: 'Instead: the attempt fails.' },
];

function scriptFields({ fields, itemFields }: ScriptExtension): readonly Field[] {
  return [
    {
      name: 'prompts',
      shape: { kind: 'list', of: TEXT },
      default: 'none',
      doc: 'What the person says, in order, where nobody else does.',
    },
    {
      name: 'completions',
      shape: { kind: 'list', of: { kind: 'map', fields: [...COMPLETION_FIELDS, ...itemFields] } },
      required: true,
      doc: 'One item an attempt, in order.',
    },
    ...fields,
  ];
}

const NO_EXTENSION: ScriptExtension = { fields: [], itemFields: [], checkItem: () => {} };

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
  const table = scriptFields(extension);
  const fields = checkFields(map, table, scope);
  requireFields(fields, table, scope);
  (fields.list('completions')?.items ?? []).forEach((item, place) => {
    checkItem(item, { ...scope, path: `completions[${place}]` }, extension);
  });
}

/** What the table of fields has no word for. */
function checkItem(item: Tree, { report, parsing, path }: Scope, extension: ScriptExtension): void {
  if (item.kind !== 'map') return;
  const say = (message: string, at: number) =>
    report.error('FIELD_TYPE', `${parsing}: yaml: line ${report.lineOf(at)}: ${path}${message}`, at);
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
