import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../manifest/json-schema.ts';
import { profileSchema } from './json-schema.ts';

describe('the JSON Schemas for agent.json and harn.toml', () => {
  it('agent.json: every moment takes the actions that belong there', () => {
    const { hooks } = (profileSchema() as never as Record<'properties', Record<'hooks', never>>).properties;
    const buckets = (hooks as { properties: Record<string, { items: { anyOf: Action[] } }> }).properties;
    const actions = (bucket: string) =>
      buckets[bucket]!.items.anyOf.map((action) => action.properties.action!.const);
    expect(actions('onToolCall')).toEqual(['log', 'webhook', 'save_json', 'approve', 'command']);
    expect(actions('onError')).toEqual(['log', 'webhook', 'save_json', 'command']);
    const webhook = buckets.onError!.items.anyOf[1]!;
    expect(webhook).toMatchObject({ required: ['action', 'url'], additionalProperties: false });
  });

  it('harn.toml: event and handler are required', () => {
    expect(manifestSchema()).toMatchObject({
      properties: { hooks: { type: 'array', items: { required: ['event', 'handler'] } } },
    });
  });
});

interface Action {
  readonly properties: Readonly<Record<string, { readonly const?: string }>>;
}
