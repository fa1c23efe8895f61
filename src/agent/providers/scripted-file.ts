/**
 * A script for the scripted model, from its YAML. Strict: a key that is not one and a value of another type are errors
 * with their place, so that a story cannot silently tell something else than was written.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Field, Shape } from '../../files/artifact-schema.ts';
import { checkFields, requireFields, type Scope } from '../../files/check-fields.ts';
import { FileReport } from '../../files/report.ts';
import { type MapNode, parseYaml, type Tree, toData } from '../../files/yaml-tree.ts';
import { STOP_REASONS } from '../loop/read-rewritten.ts';
import type { Script } from './scripted.ts';

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly Problem[] };

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

const SCRIPT_FIELDS: readonly Field[] = [
  {
    name: 'prompts',
    shape: { kind: 'list', of: TEXT },
    default: 'none',
    doc: 'What the person says, in order, where nobody else does.',
  },
  {
    name: 'completions',
    shape: { kind: 'list', of: { kind: 'map', fields: COMPLETION_FIELDS } },
    required: true,
    doc: 'One item an attempt, in order.',
  },
];

/** `file` is what problems call it. */
export function parseScript(text: string, file: string): ParsedScript {
  const report = new FileReport(file, text);
  const parsing = `parse script ${file}`;
  const map = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, parsing);
  if (map !== null) checkScript(map, { report, parsing, path: '' });
  // A key that is ignored would change the story, so a warning is as bad as an error here.
  const problems = report.problems.map((problem): Problem => ({ ...problem, severity: 'error' }));
  if (map === null || problems.length > 0) return { ok: false, problems };
  const { prompts, completions } = toData(map) as unknown as Partial<Script>;
  return { ok: true, script: { completions: completions ?? [], ...(prompts && { prompts }) } };
}

function checkScript(map: MapNode, scope: Scope): void {
  const fields = checkFields(map, SCRIPT_FIELDS, scope);
  requireFields(fields, SCRIPT_FIELDS, scope);
  (fields.list('completions')?.items ?? []).forEach((item, place) => {
    checkItem(item, { ...scope, path: `completions[${place}]` });
  });
}

/** What the table of fields has no word for. */
function checkItem(item: Tree, { report, parsing, path }: Scope): void {
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
}
