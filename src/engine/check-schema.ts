/**
 * Whether a JSON Schema says what can be checked: a keyword that is misspelt, unknown or malformed checks nothing, and its author
 * would not know. For schemas that a policy relies on; those of tools go to the model as well, and may say more.
 */
import { compileRegex, didYouMean, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { followReference } from './check-arguments.ts';

type SchemaCheck = (wanted: Json, path: string, root: JsonObject) => string | null;

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];

const isNumber: SchemaCheck = (wanted) => (typeof wanted === 'number' ? null : 'want a number');
const isSchema: SchemaCheck = (wanted, path, root) => schemaFault(wanted, root, path);
const areSchemas: SchemaCheck = (wanted, path, root) => {
  const inner = Array.isArray(wanted)
    ? (wanted as readonly Json[])
    : isJsonObject(wanted)
      ? Object.entries(wanted)
      : null;
  if (inner === null) return 'want schemas';
  for (const [at, each] of inner.entries()) {
    const [name, schema] = Array.isArray(wanted) ? [at, each as Json] : (each as [string, Json]);
    const fault = schemaFault(schema, root, `${path}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
};
const isText: SchemaCheck = (wanted) => (typeof wanted === 'string' ? null : 'want a text');
const isAnything: SchemaCheck = () => null;

/** One row a keyword that is checked, and those that say nothing of a value. */
const KEYWORDS: Readonly<Record<string, SchemaCheck>> = {
  type(wanted) {
    const wrong = [wanted].flat().find((type) => !TYPES.includes(type as string));
    return wrong === undefined ? null : `${JSON.stringify(wrong)} is none of ${TYPES.join(', ')}`;
  },
  enum: (wanted) => (Array.isArray(wanted) ? null : 'want a list'),
  const: isAnything,
  required: (wanted) =>
    Array.isArray(wanted) && wanted.every((name) => typeof name === 'string') ? null : 'want a list of names',
  properties: (wanted, ...rest) => (isJsonObject(wanted) ? areSchemas(wanted, ...rest) : 'want a map'),
  additionalProperties: isSchema,
  items: isSchema,
  minItems: isNumber,
  maxItems: isNumber,
  minLength: isNumber,
  maxLength: isNumber,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  pattern(wanted) {
    const read = typeof wanted === 'string' ? compileRegex(wanted) : null;
    return read?.ok ? null : 'want an RE2 pattern';
  },
  allOf: areSchemas,
  anyOf: areSchemas,
  oneOf: areSchemas,
  $ref: (wanted, _path, root) =>
    typeof wanted === 'string' && followReference(root, wanted) !== undefined
      ? null
      : `there is no ${JSON.stringify(wanted)} in this schema`,
  $defs: areSchemas,
  definitions: areSchemas,
  $schema: isText,
  $id: isText,
  $comment: isText,
  title: isText,
  description: isText,
  examples: isAnything,
  default: isAnything,
};

/** The first thing that is wrong with it; null if all of it can be checked. Nothing deeper than the text of a file can be. */
export function schemaFault(schema: Json, root: JsonObject, path = 'the schema'): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isJsonObject(schema)) return `${path}: want a JSON Schema`;
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (!Object.hasOwn(KEYWORDS, keyword))
      return `${path}: ${keyword} is not checked${didYouMean(keyword, Object.keys(KEYWORDS))}`;
    const fault = KEYWORDS[keyword]!(wanted, `${path}.${keyword}`, root);
    if (fault !== null) return fault.startsWith('the schema') ? fault : `${path}.${keyword}: ${fault}`;
  }
  return null;
}
