/**
 * The JSON Schema of the `[[hooks]]` of harn.toml, made from the table the reader uses; editors check TOML with it too.
 */
import type { JsonObject } from '../../base/json.ts';
import { ofFields } from '../settings/json-schema.ts';
import { HOOK_FIELDS } from './schema.ts';

export function manifestSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Hooks in harn.toml',
    type: 'object',
    // The rest of a manifest is described elsewhere.
    additionalProperties: true,
    properties: {
      hooks: {
        description: 'Handlers of events, in the order they run.',
        type: 'array',
        items: ofFields(HOOK_FIELDS),
      },
    },
  };
}
