/**
 * A small value that follows a JSON Schema, for side requests that want structured answers. Agents check little more than
 * types, required keys and choices, so that is what it honours.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { listOf, numberOf, objectOf, stringOf } from './model-request.ts';

/** A schema may refer to itself; below this the value is null. */
const MAX_DEPTH = 16;
const MOST_ITEMS = 8;
/** In all: required keys that each hold required keys multiply. */
const MOST_VALUES = 1000;

const TEXT = 'ok';

export function sampleOf(schema: JsonObject): Json {
  let left = MOST_VALUES;
  return sample(schema, 0);

  function sample(given: Json | undefined, depth: number): Json {
    if (left-- <= 0 || depth > MAX_DEPTH) return null;
    const one = resolved(objectOf(given), schema);
    if (one.const !== undefined) return one.const;
    const choice = listOf(one.enum)[0];
    if (choice !== undefined) return choice;
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const [first] = listOf(one[key]);
      if (first !== undefined) return sample(first, depth + 1);
    }
    switch (typeOf(one)) {
      case 'object': {
        const properties = objectOf(one.properties);
        const entries: [string, Json][] = [];
        for (const key of listOf(one.required).map(stringOf)) {
          if (left <= 0) break;
          entries.push([key, sample(properties[key], depth + 1)]);
        }
        return Object.fromEntries(entries);
      }
      case 'array': {
        const length = Math.min(MOST_ITEMS, Math.max(0, numberOf(one.minItems) ?? 0));
        return Array.from({ length }, () => sample(one.items, depth + 1));
      }
      case 'integer':
      case 'number':
        return numberOf(one.minimum) ?? 0;
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return TEXT;
    }
  }
}

/** The first of several types; Gemini writes them in capitals. */
function typeOf(schema: JsonObject): string {
  const type = stringOf(schema.type) || stringOf(listOf(schema.type)[0]);
  return type === '' && isJsonObject(schema.properties) ? 'object' : type.toLowerCase();
}

/** One step of a reference into the schema itself: `#`, or a path such as `#/$defs/item`. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const path = stringOf(schema.$ref);
  if (path === '#') return root;
  if (!path.startsWith('#/')) return schema;
  return path
    .slice(2)
    .split('/')
    .reduce<JsonObject>((at, key) => objectOf(Object.hasOwn(at, key) ? at[key] : undefined), root);
}
