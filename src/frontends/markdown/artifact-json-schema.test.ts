import { describe, expect, it } from 'vitest';
import { BUNDLE_FIELDS, type Field, HARNESS_FIELDS, HOOK_FIELDS } from '../../files/artifact-schema.ts';
import { jsonSchemas } from './artifact-json-schema.ts';

interface Schema {
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly required?: readonly string[];
}

const schemas = jsonSchemas(['tool.pre', 'tool.post']);
const schema = (name: string) => schemas.get(name) as unknown as Schema;

describe('the JSON Schemas', () => {
  it.each<[string, readonly Field[]]>([
    ['hook.schema.json', HOOK_FIELDS],
    ['harness.schema.json', HARNESS_FIELDS],
    ['bundle.schema.json', BUNDLE_FIELDS],
  ])('%s has every field of its table, described', (name, fields) => {
    expect(Object.keys(schema(name).properties)).toEqual(fields.map((field) => field.name));
    for (const property of Object.values(schema(name).properties))
      expect(property.description).toMatch(/\.$/);
  });

  it('demand what the loader demands', () => {
    expect(schema('hook.schema.json').required).toEqual(['event']);
    expect(schema('bundle.schema.json').required).toEqual(['schema_version', 'kind', 'name']);
    expect(schema('hook.schema.json').properties.timeout_ms).toMatchObject({ type: 'integer', minimum: 1 });
    expect(schema('hook.schema.json').properties.mode).toMatchObject({ enum: ['enforce', 'warn', 'shadow'] });
    expect(schema('hook.schema.json').properties.event).toMatchObject({
      anyOf: [{ enum: ['tool.pre', 'tool.post'] }, { type: 'string' }],
    });
    expect(JSON.stringify(schema('harness.schema.json').properties.hooks)).toContain('"handler"');
  });
});
