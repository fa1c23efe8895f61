/**
 * Holds a value against its shape and says what is wrong, as data: the path, what is described there and what stands
 * there. Places in a file and sentences for people are made from that by those who know the file and the people.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Path } from '../tree.ts';
import { Budget } from './budget.ts';
import type { Field, Kind } from './field.ts';

export interface Fault {
  readonly kind:
    | 'missing'
    | 'wrong'
    /** The check gave up here: what follows may be anything. */
    | 'too complex'
    /** A key that the object does not have; `field` is the object's. */
    | 'unknown'
    /** Allowed, and probably a mistake. */
    | 'odd'
    | 'ignored';
  /** From the value that was checked to what is wrong. */
  readonly path: Path;
  readonly field: Field;
  readonly value: unknown;
}

const ERRORS: ReadonlySet<Fault['kind']> = new Set(['missing', 'wrong', 'too complex'] as const);

/** Whether a value with this fault cannot be used. */
export const isError = ({ kind, field }: Fault): boolean =>
  ERRORS.has(kind) || (kind === 'unknown' && field.otherKeys === 'refused');

/** As many values as a file may have. */
const MOST_VALUES = 100_000;

interface Check {
  readonly faults: Fault[];
  readonly path: (string | number)[];
  readonly budget: Budget;
  readonly emptyIsAbsent: boolean;
}

/** `emptyIsAbsent`: a key with nothing behind it counts as no key, as in YAML. */
export function check(field: Field, value: unknown, { emptyIsAbsent = false } = {}): readonly Fault[] {
  const run: Check = { faults: [], path: [], budget: new Budget(MOST_VALUES), emptyIsAbsent };
  visit(run, field, value);
  return run.faults;
}

function visit(run: Check, field: Field, value: unknown): void {
  if (run.budget.spent || (value === null && field.nullable)) return;
  const fault = run.budget.spend() ? faultOf(field, value) : 'too complex';
  if (fault !== null) say(run, fault, field, value);
  if (field.ignored !== undefined || (fault ?? 'odd') !== 'odd') return;
  const form = formOf(field, value);
  if (form !== field) visit(run, form, value);
  else if (isJsonObject(value)) visitMembers(run, field, value);
  else if (Array.isArray(value) && field.items !== undefined) {
    for (const [at, item] of value.entries()) checkChild(run, at, field.items, item);
  }
}

function faultOf(field: Field, value: unknown): Fault['kind'] | null {
  if (field.ignored !== undefined) return field.ignored === '' ? null : 'ignored';
  if (!fits(field, value)) return 'wrong';
  return typeof value === 'number' && (field.odd?.(value) ?? null) !== null ? 'odd' : null;
}

function visitMembers(run: Check, field: Field, value: JsonObject): void {
  const { fields = {}, items } = field;
  const isOpen = field.otherKeys === 'allowed' || (field.fields ?? items) === undefined;
  // A payload may hold any number of keys that are none of ours.
  const names = isOpen
    ? Object.keys(fields).filter((name) => Object.hasOwn(value, name))
    : Object.keys(value);
  for (const name of names) {
    const held = value[name];
    const inner = Object.hasOwn(fields, name) ? fields[name] : items;
    if (inner === undefined) say(run, 'unknown', field, held, name);
    else if (inner === items || held !== null || !run.emptyIsAbsent) checkChild(run, name, inner, held);
  }
  for (const [name, inner] of Object.entries(fields)) {
    if (!inner.required) continue;
    const held = Object.hasOwn(value, name) ? value[name] : undefined;
    const empty = held === undefined || (run.emptyIsAbsent && (held === null || held === ''));
    if (empty) say(run, 'missing', inner, held, name);
  }
}

function checkChild(run: Check, part: string | number, field: Field, value: unknown): void {
  run.path.push(part);
  visit(run, field, value);
  run.path.pop();
}

function say({ faults, path }: Check, kind: Fault['kind'], field: Field, value: unknown, key?: string): void {
  faults.push({ kind, path: key === undefined ? [...path] : [...path, key], field, value });
}

/** A value that fits, without unknown keys and those with nothing behind them: exactly what its type says. */
export function withoutUnknownKeys(field: Field, value: Json): Json {
  const { items, fields } = formOf(field, value);
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item) => withoutUnknownKeys(items, item));
  if (!isJsonObject(value) || (fields ?? items) === undefined) return value;
  const kept = Object.entries(value).flatMap(([name, held]) => {
    const inner = fields === undefined ? items : Object.hasOwn(fields, name) ? fields[name] : undefined;
    const absent = inner === undefined || (held === null && inner.kind !== 'any' && !inner.nullable);
    return absent ? [] : [[name, withoutUnknownKeys(inner, held)] as const];
  });
  return Object.fromEntries(kept);
}

const TESTS: Readonly<Record<Exclude<Kind, 'either'>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
  any: () => true,
};

export function isOfKind(field: Field, value: unknown): boolean {
  if (field.kind === 'either') return field.forms!.some((form) => isOfKind(form, value));
  return TESTS[field.kind](value);
}

function formOf(field: Field, value: unknown): Field {
  return field.forms?.find((form) => isOfKind(form, value)) ?? field;
}

function fits(field: Field, value: unknown): boolean {
  if (!isOfKind(field, value)) return false;
  if (typeof value === 'string') {
    return (field.blank !== false || value.trim() !== '') && (field.enum?.includes(value) ?? true);
  }
  const { min = -Infinity, max = Infinity, above = -Infinity } = field;
  return typeof value !== 'number' || (value >= min && value <= max && value > above);
}
