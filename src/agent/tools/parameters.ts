/**
 * The `parameters` of a tool artifact as a JSON Schema: written as a table of names, or as the schema itself. Both are
 * checked in full, so that what a model is shown is what its calls are held against.
 */
import {
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  type MapNode,
  type Tree,
  toData,
} from '../../base/index.ts';
import { checkArguments } from '../../engine/index.ts';
import { checkFields, describe, PARAMETER_FIELDS, PARAMETER_TYPES, type Scope } from '../../files/index.ts';

export interface Parameters {
  /** `type: object`. */
  readonly schema: JsonObject;
  readonly defaults: JsonObject;
}

export const NO_PARAMETERS: Parameters = { schema: { type: 'object', properties: {} }, defaults: {} };

/** Null after reporting what is wrong. */
export function readParameters(tree: Tree | undefined, scope: Scope): Parameters | null {
  if (tree === undefined) return NO_PARAMETERS;
  if (tree.kind !== 'map') {
    return wrong(
      scope,
      `${scope.path}parameters must be a map of parameters; got ${describe(tree)}`,
      tree.start,
    );
  }
  const before = scope.report.problems.length;
  const read = isSchema(tree) ? readSchema(tree, scope) : readTable(tree, scope);
  return scope.report.failedSince(before) ? null : read;
}

/** A parameter may well be called `type`; then a map stands there, not a word. */
function isSchema(map: MapNode): boolean {
  return map.entries.get('type')?.value.kind === 'scalar';
}

function readTable(map: MapNode, scope: Scope): Parameters {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, { value, keyStart }] of map.entries) {
    const path = `${scope.path}parameters.${name}`;
    if (value.kind !== 'map') {
      wrong(scope, `${path} must be a map such as {type: string}; got ${describe(value)}`, value.start);
      continue;
    }
    const fields = checkFields(value, PARAMETER_FIELDS, { ...scope, path: `${path}.` });
    // Only what the table knows: what it does not know is ignored here as everywhere, and must not reach a provider.
    const { required: demanded, ...schema } = fields.data;
    const nested = fields.get('items') ?? fields.get('properties');
    if (nested !== undefined) checkSchema(schema, path, (message) => wrong(scope, message, nested.start));
    if (demanded === true && schema.default !== undefined) {
      scope.report.warning('TOOL_PARAMETERS', `${path} is required, so its default is never used`, keyStart);
    }
    properties[name] = schema;
    if (demanded === true) required.push(name);
  }
  return finish({ type: 'object', properties, ...(required.length > 0 && { required }) }, map, scope);
}

function readSchema(map: MapNode, scope: Scope): Parameters {
  const schema = toData(map) as JsonObject;
  const type = map.entries.get('type')!.value;
  if (schema.type !== 'object') {
    wrong(scope, `${scope.path}parameters.type must be object; got ${describe(type)}`, type.start);
  }
  checkSchema(schema, `${scope.path}parameters`, (message) => wrong(scope, message, map.start));
  return finish(
    { ...schema, properties: isJsonObject(schema.properties) ? schema.properties : {} },
    map,
    scope,
  );
}

/** What is left out of a call is put in from here, so it must be what a call could have said itself. */
function finish(
  schema: JsonObject & { readonly properties: JsonObject },
  map: MapNode,
  scope: Scope,
): Parameters {
  const given = Object.entries(schema.properties).flatMap(([name, property]) =>
    isJsonObject(property) && property.default !== undefined ? [[name, property.default] as const] : [],
  );
  const defaults: JsonObject = Object.fromEntries(given);
  const checked = checkArguments({ properties: schema.properties }, defaults);
  for (const problem of checked.ok ? [] : checked.problems) {
    wrong(scope, `${scope.path}parameters: the default of ${problem.replace(/^args\./, '')}`, map.start);
  }
  return { schema, defaults };
}

/** Only what would make a schema mean something else than its author thinks; other keywords pass to the model as they are. */
function checkSchema(schema: Json | undefined, path: string, report: (message: string) => void): void {
  if (schema === undefined || typeof schema === 'boolean') return;
  if (!isJsonObject(schema)) {
    report(`${path} must be a JSON Schema, which is a map`);
    return;
  }
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  for (const type of types) {
    if (typeof type === 'string' && (SCHEMA_TYPES as readonly string[]).includes(type)) continue;
    const hint = typeof type === 'string' ? didYouMean(type, SCHEMA_TYPES) : '';
    report(`${path}.type ${JSON.stringify(type)} is none of ${SCHEMA_TYPES.join(', ')}${hint}`);
  }
  const { properties, required, items } = schema;
  if (properties !== undefined && !isJsonObject(properties)) report(`${path}.properties must be a map`);
  const known = isJsonObject(properties) ? properties : {};
  for (const [name, inner] of Object.entries(known)) checkSchema(inner, `${path}.properties.${name}`, report);
  if (items !== undefined) checkSchema(items, `${path}.items`, report);
  if (required === undefined) return;
  if (!Array.isArray(required)) report(`${path}.required must be a list of names`);
  for (const name of Array.isArray(required) ? (required as readonly Json[]) : []) {
    if (typeof name === 'string' && Object.hasOwn(known, name)) continue;
    const hint = typeof name === 'string' ? didYouMean(name, Object.keys(known)) : '';
    report(`${path}.required names ${JSON.stringify(name)}, which is not in properties${hint}`);
  }
}

const SCHEMA_TYPES = [...PARAMETER_TYPES, 'null'] as const;

function wrong({ report, parsing = '' }: Scope, message: string, offset: number): null {
  report.error('TOOL_PARAMETERS', report.inYaml(parsing, message, offset), offset);
  return null;
}
