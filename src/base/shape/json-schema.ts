/**
 * The JSON Schema (draft 2020-12) of a shape, for editors and for hosts.
 */
import type { JsonObject } from '../json.ts';
import type { Field, Fields } from './field.ts';

/** The schema of a whole file. */
export function schemaDocument(title: string, field: Field): JsonObject {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...jsonSchema(field) };
}

export function jsonSchema(field: Field): JsonObject {
  const { doc, items, fields, min, max, above } = field;
  const description = field.default === undefined ? doc : `${doc} Default: ${field.default}.`;
  return {
    ...(description !== '' && { description }),
    ...typeOf(field),
    ...(field.enum && { enum: field.nullable ? [...field.enum, null] : field.enum }),
    ...(field.blank === false && { minLength: 1 }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(items && { [field.kind === 'array' ? 'items' : 'additionalProperties']: jsonSchema(items) }),
    ...(fields && members(fields, field.otherKeys === 'allowed')),
    ...(field.ignored !== undefined && { deprecated: true }),
  };
}

function typeOf({ kind, nullable, forms, suggests }: Field): JsonObject {
  if (kind === 'any') return {};
  if (kind === 'either') return { anyOf: forms!.map(jsonSchema) };
  if (suggests) return { anyOf: [{ enum: suggests.texts }, { type: kind, pattern: suggests.pattern }] };
  return { type: nullable ? [kind, 'null'] : kind };
}

/** Loaders ignore a key that they do not know; an editor should still show it, which `false` makes it do. */
function members(fields: Fields, open: boolean): JsonObject {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.required).map(([name]) => name);
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, jsonSchema(field)])),
    ...(!open && { additionalProperties: false }),
    ...(required.length > 0 && { required }),
  };
}
