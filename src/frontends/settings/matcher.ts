/**
 * Matchers: the object form, where every condition must hold, and the string form, with alternatives or a regular
 * expression. A matcher that could never hold is refused, since the guard behind it would silently never run.
 */

import {
  compileRegex,
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  kindOf,
  type MapNode,
  toData,
} from '../../base/index.ts';
import { bothNames, type Condition, type HookCall, namesTool } from '../../engine/index.ts';
import { BASE_FIELDS, type SettingsEvent } from './events.ts';
import { indexedNames, namesOfTool } from './tool-names.ts';

export type Matcher =
  /** Null: matches always. */
  | {
      readonly ok: true;
      readonly condition: Condition | null;
      /** The tools it names, as it spells them. */
      readonly tools?: readonly string[];
      readonly warning?: string;
    }
  | { readonly ok: false; readonly message: string; readonly offset?: number };

/** The canonical key behind a field, where chains are indexed by it. */
const INDEXED: Readonly<Record<string, string>> = { tool_name: 'name' };

/** `{"tool_name": "Bash"}`: equality with a field of what the hook sees; inside an object, of the keys it names. */
export function objectMatcher(node: MapNode, row: SettingsEvent): Matcher {
  const known = [...BASE_FIELDS, ...Object.keys(row.sees)];
  for (const entry of node.entries.values()) {
    if (!known.includes(entry.key)) {
      const hint = didYouMean(entry.key, known);
      const message = `${row.name} has no field ${JSON.stringify(entry.key)}${hint}: fields are ${known.join(', ')}`;
      return { ok: false, message, offset: entry.keyStart };
    }
    // Every field but the tool's own data is a string, and equals nothing else.
    const isData = entry.key === 'tool_input' || entry.key === 'tool_response';
    if (!isData && !(entry.value.kind === 'scalar' && typeof entry.value.value === 'string')) {
      const message = `${entry.key} is a string and never equals ${kindOf(toData(entry.value))}`;
      return { ok: false, message, offset: entry.value.start };
    }
    const name =
      entry.key === 'tool_name' && entry.value.kind === 'scalar' ? String(entry.value.value) : 'any';
    if (/^$|[|*?,^$()[\]{}\s]/.test(name)) {
      const message = `${JSON.stringify(name)} is the name of no tool, and it must be equal: make an entry for each tool`;
      return { ok: false, message, offset: entry.value.start };
    }
  }
  const wanted = toData(node) as JsonObject;
  const keys = Object.keys(wanted);
  if (keys.length === 0) return { ok: true, condition: null };
  const condition: Condition = {
    text: keys.map((name) => `${name} = ${JSON.stringify(wanted[name])}`).join(' and '),
    test: (seen, call) => {
      const { tool_name: tool, ...rest } = wanted;
      const isTool = tool === undefined || isNamed(seen, 'tool_name', call, String(tool));
      return isTool && matchesValue(rest, seen as Json);
    },
    ...(typeof wanted.tool_name === 'string' && indexed('tool_name', [wanted.tool_name])),
  };
  return {
    ok: true,
    condition,
    ...(wanted.tool_name !== undefined && { tools: [String(wanted.tool_name)] }),
  };
}

/** Exact alternatives where it is made of names and bars, an expression found anywhere in the value otherwise. */
const NAME_ALTERNATIVES = /^[\w-]+(\s*[|,]\s*[\w-]+)*$/;

/** What people write who mean something else than an expression. As one it would be valid, and never match. */
const NO_EXPRESSIONS: readonly { readonly form: RegExp; readonly says: string }[] = [
  {
    form: /^[A-Za-z_][\w-]*\((?:[^|]*|.*[:\s/].*)\)$/,
    says: 'a matcher is compared with the name of the tool alone: what its input must hold is for the hook to judge',
  },
  { form: /^\/.*\/[a-z]*$/, says: 'an expression is written without slashes' },
  { form: /^(?:!|not\s)/i, says: 'a matcher cannot be negated: let the hook look at the name' },
  { form: /["'`\s]/, says: 'no tool has a quote or a space in its name' },
];

export async function stringMatcher(written: string, row: SettingsEvent): Promise<Matcher> {
  const text = written.trim();
  if (text === '' || text === '*') return { ok: true, condition: null };
  const { matched } = row;
  if (matched === null) {
    const warning = `${row.name} has nothing to match: the matcher ${JSON.stringify(text)} is ignored and the hooks always run`;
    return { ok: true, condition: null, warning };
  }
  if (NAME_ALTERNATIVES.test(text)) {
    const names = text.split(/\s*[|,]\s*/);
    const test: Condition['test'] = (seen, call) => names.some((name) => isNamed(seen, matched, call, name));
    const described = `${matched} is ${names.join(' or ')}`;
    return {
      ok: true,
      condition: { text: described, test, mayRaise: () => false, ...indexed(matched, names) },
      ...(matched === 'tool_name' && { tools: names }),
    };
  }
  const mistaken = matched === 'tool_name' ? NO_EXPRESSIONS.find(({ form }) => form.test(text)) : undefined;
  if (mistaken !== undefined) {
    return { ok: false, message: `${JSON.stringify(text)} matches nothing: ${mistaken.says}` };
  }
  // Loaded only for files that have one.
  const compiled = compileRegex(text);
  if (!compiled.ok) return { ok: false, message: `matcher ${JSON.stringify(text)}: ${compiled.message}` };
  const test: Condition['test'] = (seen, call) =>
    [...valuesOf(seen, matched), ...ofCall(matched, call)].some(
      (value) => typeof value === 'string' && compiled.test(value),
    );
  return {
    ok: true,
    condition: { text: `${matched} =~ ${JSON.stringify(text)}`, test, mayRaise: () => false },
  };
}

function indexed(field: string, values: readonly string[]): Pick<Condition, 'indexable'> {
  const key = INDEXED[field];
  return key === undefined ? {} : { indexable: { key, values: indexedNames(values) } };
}

function isNamed(seen: unknown, field: string, { toolNames }: Called, name: string): boolean {
  if (valuesOf(seen, field).includes(name)) return true;
  return field === 'tool_name' && toolNames != null && namesTool(toolNames, name);
}

type Called = Pick<HookCall, 'toolNames'>;

function ofCall(field: string, { toolNames }: Called): readonly string[] {
  return field === 'tool_name' && toolNames != null ? bothNames(toolNames) : [];
}

/** A tool has several names, and a matcher that names one of them means it. */
function valuesOf(seen: unknown, field: string): readonly (Json | undefined)[] {
  const value = fieldOf(seen, field);
  return field === 'tool_name' && typeof value === 'string' ? namesOfTool(value) : [value];
}

function fieldOf(seen: unknown, name: string): Json | undefined {
  return isJsonObject(seen) && Object.hasOwn(seen, name) ? seen[name] : undefined;
}

/** Objects by the keys the matcher names, everything else as a whole. */
function matchesValue(wanted: Json, seen: Json | undefined): boolean {
  if (isJsonObject(wanted)) {
    if (!isJsonObject(seen)) return false;
    return Object.keys(wanted).every(
      (name) => Object.hasOwn(seen, name) && matchesValue(wanted[name]!, seen[name]),
    );
  }
  if (!Array.isArray(wanted)) return wanted === seen;
  if (!Array.isArray(seen) || seen.length !== wanted.length) return false;
  return wanted.every((item: Json, at) => matchesValue(item, seen[at]));
}
