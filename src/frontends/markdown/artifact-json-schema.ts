/**
 * JSON Schemas of the artifacts' frontmatter, made from the table of fields, so that editors complete and check them.
 */
import type { JsonObject } from '../../base/json.ts';
import {
  AGENT_FIELDS,
  BUNDLE_FIELDS,
  type Field,
  HARNESS_FIELDS,
  HOOK_FIELDS,
  type Shape,
  TOOL_FIELDS,
} from '../../files/artifact-schema.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** File name in `schemas/` and what goes into it. */
export function jsonSchemas(events: readonly string[]): ReadonlyMap<string, JsonObject> {
  const schema = (title: string, fields: readonly Field[]): JsonObject => ({
    $schema: DRAFT,
    title,
    ...ofFields(fields, events),
  });
  return new Map([
    ['hook.schema.json', schema('Harness hook artifact', HOOK_FIELDS)],
    ['tool.schema.json', schema('Harness tool artifact', TOOL_FIELDS)],
    ['sub-agent.schema.json', schema('Harness sub-agent artifact', AGENT_FIELDS)],
    ['harness.schema.json', schema('harness.md frontmatter', HARNESS_FIELDS)],
    ['bundle.schema.json', schema('Harness bundle artifact', BUNDLE_FIELDS)],
  ]);
}

function ofFields(fields: readonly Field[], events: readonly string[]): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const field of fields) {
    const kept = field.default === undefined ? '' : ` Default: ${field.default}.`;
    const shape = field.name === 'event' ? eventSchema(events) : ofShape(field.shape, events);
    properties[field.name] = { description: field.doc + kept, ...shape };
  }
  const required = fields.filter((field) => field.required).map((field) => field.name);
  // Unknown keys are ignored by the loader; an editor should still show them, which `false` makes it do.
  return {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

/** The catalog for completion, and the two open families. */
function eventSchema(events: readonly string[]): JsonObject {
  return { anyOf: [{ enum: [...events] }, { type: 'string', pattern: '^(custom\\.[a-z0-9_]+|meta\\..+)$' }] };
}

function ofShape(shape: Shape, events: readonly string[]): JsonObject {
  switch (shape.kind) {
    case 'data':
      return {};
    case 'text':
      return shape.oneOf === undefined ? { type: 'string' } : { enum: [...shape.oneOf] };
    case 'integer':
    case 'number':
      return { type: shape.kind, minimum: shape.min, maximum: shape.max };
    case 'boolean':
      return { type: 'boolean' };
    case 'record':
      return { type: 'object', additionalProperties: ofShape(shape.of, events) };
    case 'list':
      return { type: 'array', items: ofShape(shape.of, events) };
    case 'map':
      return ofFields(shape.fields, events);
    case 'either':
      return { anyOf: shape.shapes.map((one) => ofShape(one, events)) };
  }
}
