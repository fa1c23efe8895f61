/**
 * Payload shapes as data. From one description come the TypeScript type, the JSON Schema and the check of a payload
 * that arrived from outside, so that the three cannot drift apart.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';

export type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'any';

/** One value of a payload. `T` is only there for the type checker. */
export interface Field<T = unknown, Required extends boolean = boolean> {
  readonly kind: Kind;
  readonly doc: string;
  readonly required: Required;
  readonly fields?: Fields;
  readonly items?: Field;
  readonly enum?: readonly string[];
  /** Null is as good as a value. */
  readonly nullable?: boolean;
  readonly type?: T;
}

export type Fields = Readonly<Record<string, Field>>;

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]['required'] extends true ? K : never }[keyof F];

export type TypeOf<F> = F extends Field<infer T> ? T : never;

/** The object type of a set of fields; other keys are always allowed beside them. */
export type ObjectOf<F extends Fields> = { readonly [K in RequiredKeys<F>]: TypeOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: TypeOf<F[K]>;
} & { readonly [key: string]: unknown };

export const text = (doc: string): Field<string, true> => ({ kind: 'string', doc, required: true });
export const integer = (doc: string): Field<number, true> => ({ kind: 'integer', doc, required: true });
export const number = (doc: string): Field<number, true> => ({ kind: 'number', doc, required: true });
export const flag = (doc: string): Field<boolean, true> => ({ kind: 'boolean', doc, required: true });
export const anything = (doc: string): Field<Json, true> => ({ kind: 'any', doc, required: true });
export const dict = (doc: string): Field<JsonObject, true> => ({ kind: 'object', doc, required: true });

export const oneOf = <const V extends readonly string[]>(doc: string, values: V): Field<V[number], true> => ({
  kind: 'string',
  doc,
  required: true,
  enum: values,
});

export const record = <const F extends Fields>(doc: string, fields: F): Field<ObjectOf<F>, true> => ({
  kind: 'object',
  doc,
  required: true,
  fields,
});

export const list = <T>(doc: string, items: Field<T>): Field<readonly T[], true> => ({
  kind: 'array',
  doc,
  required: true,
  items,
});

export const optional = <T>(field: Field<T>): Field<T, false> => ({ ...field, required: false });
export const nullable = <T, R extends boolean>(field: Field<T, R>): Field<T | null, R> => ({
  ...field,
  nullable: true,
});

/** The JSON Schema of a field. Unknown keys are allowed: hosts may always say more. */
export function fieldSchema(field: Field): JsonObject {
  const type = field.kind === 'any' ? undefined : field.nullable ? [field.kind, 'null'] : field.kind;
  const schema: Record<string, Json> = type === undefined ? {} : { type };
  if (field.doc !== '') schema.description = field.doc;
  if (field.enum) schema.enum = field.nullable ? [...field.enum, null] : field.enum;
  if (field.items) schema.items = fieldSchema(field.items);
  if (field.fields) {
    const entries = Object.entries(field.fields);
    schema.properties = Object.fromEntries(entries.map(([name, inner]) => [name, fieldSchema(inner)]));
    const required = entries.filter(([, inner]) => inner.required).map(([name]) => name);
    if (required.length > 0) schema.required = required;
  }
  return schema;
}

/** What is wrong with a value, one sentence a place; empty when nothing is. */
export function checkField(field: Field, value: unknown, path: string): string[] {
  if (value === undefined) return field.required ? [`${path} is missing (want ${wanted(field)})`] : [];
  if (value === null && field.nullable) return [];
  if (!isOfKind(field.kind, value)) return [`${path} is ${kindOf(value)} (want ${wanted(field)})`];
  if (field.enum && !field.enum.includes(value as string)) {
    return [`${path} is ${JSON.stringify(value)} (want ${wanted(field)})`];
  }
  const problems: string[] = [];
  if (field.fields && isJsonObject(value)) {
    for (const [name, inner] of Object.entries(field.fields)) {
      const held = Object.hasOwn(value, name) ? value[name] : undefined;
      problems.push(...checkField(inner, held, `${path}.${name}`));
    }
  }
  if (field.items && Array.isArray(value)) {
    const items = field.items;
    value.forEach((item, at) => {
      problems.push(...checkField(items, item, `${path}[${at}]`));
    });
  }
  return problems;
}

const TESTS: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
  any: () => true,
};

function isOfKind(kind: Kind, value: unknown): boolean {
  return TESTS[kind](value);
}

function wanted(field: Field): string {
  const name = field.enum ? field.enum.map((value) => JSON.stringify(value)).join(' or ') : field.kind;
  return field.nullable ? `${name} or null` : name;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
