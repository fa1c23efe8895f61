/**
 * Holds a YAML map against a table of fields: wrong types, ranges and choices are errors, unknown keys are warnings with
 * the nearest known name. What remains can be read without further checks.
 */
import { didYouMean } from '../base/spelling.ts';
import type { Field, Shape } from './artifact-schema.ts';
import type { FileReport } from './report.ts';
import { describe, type ListNode, type MapNode, type ScalarNode, type Tree } from './yaml-tree.ts';

export interface Scope {
  readonly report: FileReport;
  /** Begins every message: `parse hook command_guard.md`. */
  readonly parsing: string;
  /** Where the map stands in the file: `` at the top, `hooks[2].` in a list. */
  readonly path: string;
}

/** The valid fields of a map. A field that is absent, empty or wrong reads as undefined. */
export class Fields {
  private readonly values: ReadonlyMap<string, Tree>;
  readonly map: MapNode;

  constructor(map: MapNode, values: ReadonlyMap<string, Tree>) {
    this.map = map;
    this.values = values;
  }

  get(name: string): Tree | undefined {
    return this.values.get(name);
  }

  scalar(name: string): ScalarNode | undefined {
    const tree = this.values.get(name);
    return tree?.kind === 'scalar' ? tree : undefined;
  }

  text(name: string): string | undefined {
    const value = this.scalar(name)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.scalar(name)?.value;
    return typeof value === 'number' ? value : undefined;
  }

  list(name: string): ListNode | undefined {
    const tree = this.values.get(name);
    return tree?.kind === 'list' ? tree : undefined;
  }

  texts(name: string): string[] {
    const items = this.list(name)?.items ?? [];
    return items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''));
  }

  /** Where the field's key stands, or the map where there is none. */
  offset(name: string): number {
    return this.map.entries.get(name)?.keyStart ?? this.map.start;
  }
}

/** Keys that look as if they meant something here, and why they do not. */
export type Misplaced = Readonly<Record<string, string>>;

export function checkFields(
  map: MapNode,
  fields: readonly Field[],
  scope: Scope,
  misplaced: Misplaced = {},
): Fields {
  const values = new Map<string, Tree>();
  const known = new Map(fields.map((field) => [field.name, field]));
  for (const [name, entry] of map.entries) {
    const field = known.get(name);
    if (field === undefined) {
      const why = Object.hasOwn(misplaced, name)
        ? misplaced[name]
        : `unknown field ${scope.path}${name} is ignored${didYouMean(name, known.keys())}`;
      scope.report.warning('FIELD_UNKNOWN', String(why), entry.keyStart);
      continue;
    }
    // `when:` with nothing after it is the same as no `when`.
    if (entry.value.kind === 'scalar' && entry.value.value === null) continue;
    if (checkShape(entry.value, field.shape, scope, scope.path + name)) values.set(name, entry.value);
  }
  return new Fields(map, values);
}

/** Reports required fields that are missing or empty; those with texts of their own are checked by their owner. */
export function requireFields(fields: Fields, table: readonly Field[], scope: Scope): void {
  for (const { name, required } of table) {
    if (!required || (fields.map.entries.has(name) && !isEmpty(fields.map.entries.get(name)!.value)))
      continue;
    mistake(scope, 'FIELD_MISSING', `${scope.path}${name} is required`, fields.offset(name));
  }
}

function isEmpty(tree: Tree): boolean {
  return tree.kind === 'scalar' && (tree.value === null || tree.value === '');
}

function checkShape(tree: Tree, shape: Shape, scope: Scope, path: string): boolean {
  switch (shape.kind) {
    case 'data':
      return true;
    case 'text':
      return checkText(tree, shape, scope, path);
    case 'integer':
    case 'number':
      return checkNumber(tree, shape, scope, path);
    case 'boolean':
      if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return true;
      return wrongType(scope, path, tree, shape);
    case 'record':
      if (tree.kind !== 'map') return wrongType(scope, path, tree, shape);
      return [...tree.entries]
        .map(([name, entry]) => checkShape(entry.value, shape.of, scope, `${path}.${name}`))
        .every(Boolean);
    case 'list':
      if (tree.kind !== 'list') return wrongType(scope, path, tree, shape);
      return tree.items.map((item, i) => checkShape(item, shape.of, scope, `${path}[${i}]`)).every(Boolean);
    case 'map': {
      if (tree.kind !== 'map') return wrongType(scope, path, tree, shape);
      const errors = scope.report.problems.length;
      const inner = { ...scope, path: `${path}.` };
      requireFields(checkFields(tree, shape.fields, inner), shape.fields, inner);
      return !scope.report.problems.slice(errors).some((problem) => problem.severity === 'error');
    }
    case 'either': {
      const [first, second] = shape.shapes;
      return checkShape(
        tree,
        (tree.kind === 'scalar') === (first.kind === 'text') ? first : second,
        scope,
        path,
      );
    }
  }
}

function checkText(tree: Tree, shape: Shape & { kind: 'text' }, scope: Scope, path: string): boolean {
  if (tree.kind !== 'scalar' || typeof tree.value !== 'string') return wrongType(scope, path, tree, shape);
  if (shape.oneOf === undefined || shape.oneOf.includes(tree.value)) return true;
  const hint = didYouMean(tree.value, shape.oneOf);
  const wanted = shape.oneOf.join(', ');
  return mistake(
    scope,
    'FIELD_TYPE',
    `${path} must be one of ${wanted}; got ${describe(tree)}${hint}`,
    tree.start,
  );
}

type Numeric = Shape & { kind: 'integer' | 'number' };

function checkNumber(tree: Tree, shape: Numeric, scope: Scope, path: string): boolean {
  const value = tree.kind === 'scalar' ? tree.value : null;
  const right = typeof value === 'number' && (shape.kind === 'number' || Number.isInteger(value));
  if (!right) return wrongType(scope, path, tree, shape);
  if (value >= shape.min && value <= shape.max) return true;
  const wanted = `from ${shape.min} to ${shape.max}`;
  return mistake(scope, 'FIELD_TYPE', `${path} must be ${wanted}; got ${describe(tree)}`, tree.start);
}

const NAMES: Readonly<Record<Exclude<Shape['kind'], 'either'>, string>> = {
  text: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  map: 'a map',
  record: 'a map',
  data: 'anything',
};

function nameOf(shape: Shape): string {
  return shape.kind === 'either' ? shape.shapes.map(nameOf).join(' or ') : NAMES[shape.kind];
}

function wrongType(scope: Scope, path: string, tree: Tree, shape: Shape): false {
  const hint = shape.kind === 'text' && shape.hint !== undefined ? ` (${shape.hint})` : '';
  const message = `${path} must be ${nameOf(shape)}; got ${describe(tree)}${hint}`;
  return mistake(scope, 'FIELD_TYPE', message, tree.start);
}

function mistake(scope: Scope, code: 'FIELD_TYPE' | 'FIELD_MISSING', message: string, offset: number): false {
  const line = scope.report.lineOf(offset);
  scope.report.error(code, `${scope.parsing}: yaml: line ${line}: ${message}`, offset);
  return false;
}
