/**
 * The words an editor may offer or explain, all of them from the tables that checks and reference pages are made of: events, fields
 * of front matter, keys of payloads, built-ins.
 */

import { TOOL_BUILTINS } from '../agent/index.ts';
import type { Field, Fields } from '../base/index.ts';
import { aliasesOf, CATALOG, eventSpec, resolveEvent } from '../engine/index.ts';
import { AGENT_FIELDS, BUNDLE_FIELDS, HARNESS_FIELDS, HOOK_FIELDS, TOOL_FIELDS } from '../files/index.ts';
import { BUILTIN_DOCS, CONDITION_ENVIRONMENT, HOOK_BUILTINS, LIBRARY_ENVIRONMENT } from '../script/index.ts';
import { Builtin, Module, UNIVERSE, type Value } from '../starlark/index.ts';
import type { Region } from './regions.ts';

export interface Word {
  readonly name: string;
  readonly detail: string;
  readonly doc: string;
}

/** The fields of an artifact, by the folder it stands in. */
export function fieldsFor(path: string): Fields {
  const folder = path.split('/').at(-2) ?? '';
  if (path.endsWith('harness.md')) return HARNESS_FIELDS;
  return Object.hasOwn(BY_FOLDER, folder) ? BY_FOLDER[folder]! : HOOK_FIELDS;
}

const BY_FOLDER: Readonly<Record<string, Fields>> = {
  hooks: HOOK_FIELDS,
  tools: TOOL_FIELDS,
  agents: AGENT_FIELDS,
  plugins: BUNDLE_FIELDS,
  builtins: BUNDLE_FIELDS,
  overrides: BUNDLE_FIELDS,
};

/** The field at the end of a path of keys; what stands in lists is looked at as one of its items. */
export function fieldAt(fields: Fields, path: readonly string[]): Field | null {
  let within: Fields | undefined = fields;
  let found: Field | null = null;
  for (const key of path) {
    found = within !== undefined && Object.hasOwn(within, key) ? within[key]! : null;
    if (found === null) return null;
    within = fieldsInside(found);
  }
  return found;
}

/** The keys of what a field holds. */
export function fieldsInside(field: Field): Fields | undefined {
  if (field.kind === 'either') return field.forms?.map(fieldsInside).find((each) => each !== undefined);
  if (field.kind === 'array') return field.items === undefined ? undefined : fieldsInside(field.items);
  return field.fields;
}

export function fieldWord(name: string, field: Field): Word {
  const absent = field.default === undefined ? '' : `\n\nDefault: ${field.default}.`;
  const words = enumOf(field);
  const allowed = words.length === 0 ? '' : `\n\nOne of ${words.map((word) => `\`${word}\``).join(', ')}.`;
  const need = field.required ? 'required' : 'optional';
  return { name, detail: `${field.kind}, ${need}`, doc: `${field.doc}${allowed}${absent}`.trim() };
}

export function enumOf(field: Field): readonly string[] {
  if (field.kind === 'boolean') return ['true', 'false'];
  return field.enum ?? field.forms?.flatMap(enumOf) ?? [];
}

export function eventWord(written: string): Word | null {
  const resolved = resolveEvent(written);
  const spec = resolved.ok ? eventSpec(resolved.event) : undefined;
  if (!resolved.ok || spec === undefined) return null;
  const also = spec.aliases.length === 0 ? '' : `\n\nAlso written ${spec.aliases.join(', ')}.`;
  const doc = `${spec.fires}\n\nA block: ${spec.onBlock}${also}`;
  return { name: written, detail: `${resolved.event}, ${spec.authority}`, doc };
}

export function eventNames(): string[] {
  const names = Object.keys(CATALOG) as (keyof typeof CATALOG)[];
  return [...names, ...names.flatMap((name) => aliasesOf(name))];
}

/** The keys of a payload, or of something in it. */
export function payloadField(event: string | null, path: readonly string[]): Field | null {
  const payload = event === null ? undefined : eventSpec(event)?.payload;
  if (payload === undefined) return null;
  return path.length === 0 ? payload : fieldAt(payload.fields ?? {}, path);
}

export function environmentOf({ kind, field }: Region, path: string): ReadonlyMap<string, Value> {
  if (kind === 'library') return LIBRARY_ENVIRONMENT;
  if (kind === 'condition') return CONDITION_ENVIRONMENT;
  const isTool = path.split('/').at(-2) === 'tools' || field === 'verify';
  return isTool ? TOOL_BUILTINS : HOOK_BUILTINS;
}

const DOCUMENTED: ReadonlyMap<string, Word> = new Map(
  BUILTIN_DOCS.map(({ name, signature, doc }) => [name, { name, detail: signature, doc }]),
);

/** A name, or `module.name`, of the environment or of the language. */
export function builtinWord(name: string, environment: ReadonlyMap<string, Value>): Word | null {
  const [first = '', ...members] = name.split('.');
  let value = environment.has(first) ? environment.get(first) : UNIVERSE.get(first);
  for (const member of members) value = memberOf(value, member);
  if (value === undefined) return null;
  const documented = environment.has(first) ? DOCUMENTED.get(name) : undefined;
  if (documented !== undefined) return documented;
  const signature = value instanceof Builtin ? `${name}(${value.signature.text})` : name;
  const has = value instanceof Module ? `Has ${value.attrNames().join(', ')}.` : '';
  return { name, detail: signature, doc: has };
}

export function membersOf(name: string, environment: ReadonlyMap<string, Value>): string[] {
  const value = environment.get(name);
  if (value instanceof Module || value instanceof Builtin) return [...value.attrNames()];
  return [];
}

function memberOf(value: Value | undefined, name: string): Value | undefined {
  if (!(value instanceof Module || value instanceof Builtin)) return undefined;
  return value.attr(name, null);
}

export function topLevelNames(environment: ReadonlyMap<string, Value>): string[] {
  return [...environment.keys(), ...UNIVERSE.keys()];
}
