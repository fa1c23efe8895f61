import { describe, expect, it } from 'vitest';
import type { Fields } from '../base/shape/field.ts';
import { CATALOG } from '../engine/catalog.ts';
import { BUNDLE_FIELDS, HOOK_FIELDS } from '../files/artifact-schema.ts';
import { HARNESS_FIELDS } from '../files/harness-schema.ts';
import { jsonSchemas } from './json-schemas.ts';

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly items?: { readonly anyOf: readonly Schema[] };
  readonly enum?: readonly string[];
}

const schemas = jsonSchemas();
const schema = (name: string) => schemas.get(`${name}.schema.json`) as unknown as Schema;

describe('the JSON Schemas', () => {
  it.each<[string, Fields]>([
    ['hook', HOOK_FIELDS],
    ['harness', HARNESS_FIELDS],
    ['bundle', BUNDLE_FIELDS],
  ])('%s has every field of its table, described', (name, fields) => {
    expect(Object.keys(schema(name).properties)).toEqual(Object.keys(fields));
    for (const property of Object.values(schema(name).properties))
      expect(property.description).toMatch(/\.$/);
  });

  it('demand what the loader demands', () => {
    expect(schema('hook').required).toEqual(['event']);
    expect(schema('bundle').required).toEqual(['schema_version', 'kind', 'name']);
    expect(schema('hook').properties.timeout_ms).toMatchObject({ type: 'integer', minimum: 1 });
    expect(schema('hook').properties.mode).toMatchObject({ enum: ['enforce', 'warn', 'shadow'] });
    expect(schema('hook').properties.event).toMatchObject({
      anyOf: [{ enum: Object.keys(CATALOG) }, { type: 'string', pattern: expect.any(String) }],
    });
    expect(JSON.stringify(schema('harness').properties.hooks)).toContain('"handler"');
  });

  it('agent.json: every moment takes the actions that belong there', () => {
    const buckets = schema('agent').properties.hooks!.properties;
    const actions = (bucket: string) =>
      buckets[bucket]!.items!.anyOf.map((action) => action.properties.action!.enum![0]);
    expect(actions('onToolCall')).toEqual(['log', 'webhook', 'save_json', 'approve', 'command']);
    expect(actions('onError')).toEqual(['log', 'webhook', 'save_json', 'command']);
    const webhook = buckets.onError!.items!.anyOf[1]!;
    expect(webhook).toMatchObject({ required: ['action', 'url'], additionalProperties: false });
  });

  it('settings.json: keys that are not honoured are marked, other programs may add their own', () => {
    const group = schema('settings').properties.hooks!.properties.Stop!.items!.anyOf[1]!;
    expect(group.properties.hooks).toMatchObject({ items: { properties: { async: { deprecated: true } } } });
    expect(schema('settings')).not.toHaveProperty('additionalProperties');
  });

  it('harn.toml: event and handler are required', () => {
    expect(schema('harn')).toMatchObject({
      properties: { hooks: { type: 'array', items: { required: ['event', 'handler'] } } },
    });
  });
});
