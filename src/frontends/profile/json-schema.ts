/**
 * The JSON Schema of the `hooks` of agent.json, made from the tables the reader uses, so that editors complete and check
 * the file.
 */
import type { JsonObject } from '../../base/json.ts';
import { ofFields } from '../settings/json-schema.ts';
import { BUCKETS } from './buckets.ts';
import { ACTION_NAMES, ACTIONS } from './schema.ts';

export function profileSchema(): JsonObject {
  const buckets = Object.entries(BUCKETS).map(([name, { event, doc }]) => {
    const items = { anyOf: ACTION_NAMES.filter((action) => fits(action, event)).map(ofAction) };
    return [name, { description: doc, type: 'array', items }] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Hooks in agent.json',
    type: 'object',
    // The rest of a profile is described elsewhere.
    additionalProperties: true,
    properties: {
      hooks: {
        description: 'What happens at each moment of a run, in order.',
        type: 'object',
        properties: Object.fromEntries(buckets),
        additionalProperties: false,
      },
    },
  };
}

function fits(action: (typeof ACTION_NAMES)[number], event: string): boolean {
  return action !== 'approve' || event === BUCKETS.onToolCall!.event;
}

function ofAction(action: (typeof ACTION_NAMES)[number]): JsonObject {
  const { doc, fields } = ACTIONS[action];
  const { properties, required, ...rest } = ofFields(fields) as {
    properties: JsonObject;
    required: readonly string[];
  };
  return {
    description: doc,
    ...rest,
    properties: { action: { const: action }, ...properties },
    required: ['action', ...required],
  };
}
