/**
 * The JSON Schema of the `hooks` of settings.json, made from the tables the reader uses, so that editors complete and
 * check the file.
 */
import type { JsonObject } from '../../base/json.ts';
import { SETTINGS_EVENTS } from './events.ts';
import { ENTRY_FIELDS, GROUP_FIELDS, HANDLER_FIELDS, type SettingsField, type Shape } from './schema.ts';

export function settingsSchema(): JsonObject {
  const entry = { anyOf: [ofFields(ENTRY_FIELDS), ofFields(GROUP_FIELDS)] };
  const events = SETTINGS_EVENTS.map(({ name }) => [name, { type: 'array', items: entry }] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Hooks in .harness/settings.json',
    type: 'object',
    // Other programs keep their own settings in such a file.
    additionalProperties: true,
    properties: {
      hooks: {
        description: 'The hooks of each event, in the order they run.',
        type: 'object',
        properties: Object.fromEntries(events),
        additionalProperties: false,
      },
    },
  };
}

export function ofFields(fields: readonly SettingsField[]): JsonObject {
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, doc, shape }) => [name, { description: doc, ...ofShape(shape) }]),
    ),
    required,
    additionalProperties: false,
  };
}

function ofShape(shape: Shape): JsonObject {
  switch (shape.kind) {
    case 'text':
      return shape.blank === true ? { type: 'string' } : { type: 'string', minLength: 1 };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'choice':
      return { enum: [...shape.of] };
    case 'number':
      return { type: 'number', exclusiveMinimum: 0 };
    case 'matcher':
      return { anyOf: [{ type: 'string' }, { type: 'object' }] };
    case 'handlers':
      return { type: 'array', items: ofFields(HANDLER_FIELDS) };
    case 'ignored':
      return {};
  }
}
