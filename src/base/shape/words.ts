/**
 * What a shape wants, in words: the half of "want X, got Y" that comes from the description.
 */
import { didYouMean } from '../spelling.ts';
import type { Path } from '../tree.ts';
import { isOfKind } from './check.ts';
import type { Field } from './field.ts';

/** `hooks[2].when` */
export function pathText(path: Path): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}

/** `map` is what the reader's format calls an object. */
export function expectationOf(field: Field, value: unknown, map = 'an object'): string {
  if (field.wanted !== undefined) return field.wanted;
  if (!isOfKind(field, value)) return nameOf(field, map);
  if (field.enum !== undefined) return `one of ${field.enum.join(', ')}`;
  return typeof value === 'number' ? `from ${field.min} to ${field.max}` : 'a string that is not blank';
}

/** What to do instead, or the nearest choice, in brackets; empty if nothing is known. */
export function hintFor(field: Field, value: unknown): string {
  if (!isOfKind(field, value)) return field.hint === undefined ? '' : ` (${field.hint})`;
  return typeof value === 'string' ? didYouMean(value, field.enum ?? []) : '';
}

const NAMES = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  any: 'anything',
} as const;

function nameOf({ kind, forms }: Field, map: string): string {
  if (kind === 'either') return forms!.map((form) => nameOf(form, map)).join(' or ');
  return kind === 'object' ? map : NAMES[kind];
}
