/**
 * Shapes of data, as data. From one description come the TypeScript type, the check of a value, the JSON Schema and the
 * table in the reference, so that the four cannot drift apart.
 */
import type { Json, JsonObject } from '../json.ts';

export type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'any' | 'either';

/** One value. `T` is only there for the type checker. */
export interface Field<T = unknown, Required extends boolean = boolean> extends Rules {
  readonly kind: Kind;
  readonly doc: string;
  readonly required: Required;
  /** What holds if it is left out, in words for the reference. */
  readonly default?: string;
  /** Null is as good as a value. */
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  /** Of an array its elements; of an object what stands under keys of the author's own. */
  readonly items?: Field;
  /** Of an object, its keys. */
  readonly fields?: Fields;
  /** What other keys of an object are; default: ignored, with a warning. */
  readonly otherKeys?: 'allowed' | 'refused';
  /** Of `either`: the forms it may have. The check tells them apart by their kinds alone. */
  readonly forms?: readonly Field[];
  readonly type?: T;
}

/** What else a value must be, and how to talk about it. */
export interface Rules {
  readonly min?: number;
  readonly max?: number;
  /** The number must be larger than this. */
  readonly above?: number;
  /** `false`: a text of white space alone is wrong. */
  readonly blank?: false;
  /** Words for what is wanted, if the kind alone does not say it. */
  readonly wanted?: string;
  /** What to do instead, for those who wrote another kind. */
  readonly hint?: string;
  /** A warning for a number that is allowed and probably a mistake; null for any other. */
  readonly odd?: (value: number) => string | null;
  /** The value has no effect: why, or empty if that needs no warning. */
  readonly ignored?: string;
  /** For editors: texts to complete, and the pattern of others that are right too. */
  readonly suggests?: { readonly texts: readonly string[]; readonly pattern: string };
}

export type Fields = Readonly<Record<string, Field>>;

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]['required'] extends true ? K : never }[keyof F];

export type TypeOf<F> = F extends Field<infer T> ? T : never;

/** The object type of a set of fields. */
export type ObjectOf<F extends Fields> = { readonly [K in RequiredKeys<F>]: TypeOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: TypeOf<F[K]>;
};

const field = <T>(
  kind: Kind,
  doc: string,
  more?: Omit<Partial<Field>, 'required' | 'type'>,
): Field<T, true> => ({
  kind,
  doc,
  required: true,
  ...more,
});

export const text = (doc: string, rules?: Rules) => field<string>('string', doc, rules);
export const integer = (doc: string, rules?: Rules) => field<number>('integer', doc, rules);
export const number = (doc: string, rules?: Rules) => field<number>('number', doc, rules);
export const flag = (doc: string) => field<boolean>('boolean', doc);
export const anything = (doc: string, rules?: Rules) => field<Json>('any', doc, rules);
export const dict = (doc: string) => field<JsonObject>('object', doc);

export const oneOf = <const V extends readonly string[]>(doc: string, values: V) =>
  field<V[number]>('string', doc, { enum: values });

/** An object with these keys, and whatever else a host may say. The type has the keys alone, so that a misspelt one shows. */
export const record = <const F extends Fields>(doc: string, fields: F) =>
  field<ObjectOf<F>>('object', doc, { fields, otherKeys: 'allowed' });

/** An object with these keys; others are ignored, with a warning. */
export const map = <const F extends Fields>(doc: string, fields: F) =>
  field<ObjectOf<F>>('object', doc, { fields });

/** An object with these keys; another one is an error, because it may be a guard with its name misspelt. */
export const strictMap = <const F extends Fields>(doc: string, fields: F) =>
  field<ObjectOf<F>>('object', doc, { fields, otherKeys: 'refused' });

/** An object whose keys are names of the author's own. */
export const mapOf = <T>(doc: string, items: Field<T>) =>
  field<Readonly<Record<string, T>>>('object', doc, { items });

export const list = <T>(doc: string, items: Field<T>, rules?: Rules) =>
  field<readonly T[]>('array', doc, { items, ...rules });

export const texts = (doc: string) => list(doc, text(''));

export const either = <const F extends readonly Field[]>(doc: string, ...forms: F) =>
  field<TypeOf<F[number]>>('either', doc, { forms });

/** `missing` is what holds without it, in words. */
export const optional = <T>(given: Field<T>, missing?: string): Field<T, false> => ({
  ...given,
  required: false,
  ...(missing !== undefined && { default: missing }),
});

export const nullable = <T, R extends boolean>(given: Field<T, R>): Field<T | null, R> => ({
  ...given,
  nullable: true,
});

/** The same value described for another place. */
export const described = <F extends Field>(given: F, doc: string): F => ({ ...given, doc });
