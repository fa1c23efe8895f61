/**
 * The list of models, and one of them, in the words of all three services at once: clients read the keys they know and pass
 * over the others. Any name is a model here.
 */
import type { JsonObject } from '../../base/index.ts';

const NAME = 'scripted-model';

export function modelList(isGemini: boolean): JsonObject {
  const one = modelNamed(NAME);
  return {
    object: 'list',
    data: [one],
    has_more: false,
    first_id: NAME,
    last_id: NAME,
    // Another client reads the same key as a list of its own format, which an empty one fits.
    models: isGemini ? [one] : [],
  };
}

export function modelNamed(id: string): JsonObject {
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: 'harness',
    type: 'model',
    display_name: id,
    created_at: '2026-01-01T00:00:00Z',
    name: `models/${id}`,
    displayName: id,
    inputTokenLimit: 1_000_000,
    outputTokenLimit: 64_000,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}
