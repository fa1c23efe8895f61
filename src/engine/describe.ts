/**
 * What the catalog says, for people and for machines: the rows of the reference pages, the JSON Schema of a payload,
 * and what is wrong with a payload that came from outside.
 */
import {
  check,
  type Fault,
  type Field,
  HarnessError,
  isOfKind,
  type Json,
  type JsonObject,
  quote,
  schemaDocument,
} from '../base/index.ts';
import {
  type Authority,
  CATALOG,
  type CatalogName,
  type EventSpec,
  eventSpec,
  FAMILIES,
  type Honours,
} from './catalog.ts';
import { aliasesOf, resolveEvent } from './resolve.ts';

export interface EventDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly fires: string;
  readonly authority: Authority;
  readonly honours: Honours;
  readonly onBlock: string;
  readonly identity: readonly string[];
  readonly index: string | null;
  readonly payload: Field;
}

/** Every event in the order of the catalog, the two families last. */
export function describeEvents(): EventDescription[] {
  const events = Object.keys(CATALOG).map((name) => describe(name, CATALOG[name as CatalogName]));
  const families = Object.entries(FAMILIES).map(([name, spec]) => describe(name, spec));
  return [...events, ...families];
}

/** JSON Schema (draft 2020-12) of the payload of a canonical event. */
export function eventSchema(name: string): JsonObject {
  return schemaDocument(name, requireEvent(name).payload);
}

const SAMPLES: Record<Field['kind'], Json> = {
  string: 'text',
  integer: 1,
  number: 0.5,
  boolean: false,
  object: {},
  array: [],
  any: 'text',
  either: 'text',
};

/** The smallest payload that is right. */
export function samplePayload(field: Field): Json {
  if (field.nullable) return null;
  if (field.enum !== undefined) return field.enum[0] ?? null;
  if (field.fields === undefined) return SAMPLES[field.kind];
  const required = Object.entries(field.fields).filter(([, inner]) => inner.required);
  return Object.fromEntries(required.map(([name, inner]) => [name, samplePayload(inner)]));
}

/** What is wrong with a payload, by path; unknown keys are never wrong. */
export function checkPayload(event: string, payload: unknown): string[] {
  return check(requireEvent(event).payload, payload)
    .slice(0, MOST_PROBLEMS)
    .map((fault) => faultText(fault, 'payload'));
}

/** More than anybody can put right at once. */
const MOST_PROBLEMS = 100;

/** `payload.args is array (want object)`: the words of JSON, since that is what hosts and hooks send. `root` is what was checked. */
export function faultText({ kind, path, field, value }: Fault, root: string): string {
  const at = path.reduce((text, part) => text + (typeof part === 'number' ? `[${part}]` : `.${part}`), root);
  if (kind === 'too complex') return `${root} is too complex: more values than can be checked, up to ${at}`;
  const names = field.enum?.map((name) => JSON.stringify(name)).join(' or ') ?? field.kind;
  const got = typeof value === 'string' && isOfKind(field, value) ? quote(value) : typeName(value);
  return `${at} is ${kind === 'missing' ? 'missing' : got} (want ${names}${field.nullable ? ' or null' : ''})`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The row of an event. A name that is not canonical is a mistake of the program, and throws. */
export function requireEvent(name: string): EventSpec {
  const spec = eventSpec(name);
  if (spec !== undefined) return spec;
  const resolved = resolveEvent(name);
  const why = resolved.ok
    ? `event "${name}" is not canonical: use "${resolved.event}"`
    : resolved.message + resolved.hint;
  throw new HarnessError('EVENT_UNKNOWN', why);
}

function describe(name: string, spec: EventSpec): EventDescription {
  const { fires, authority, honours, onBlock, identity, index, payload } = spec;
  const aliases = name in CATALOG ? aliasesOf(name as CatalogName) : spec.aliases;
  return { name, aliases, fires, authority, honours, onBlock, identity, index, payload };
}
