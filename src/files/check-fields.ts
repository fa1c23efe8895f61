/**
 * Holds a map of a file against its table of fields: every mistake goes into the file's report with its place, unknown keys
 * as warnings with the nearest known name. What remains can be read without further checks.
 */
import {
  check,
  type ErrorCode,
  type Fault,
  type Fields as FieldTable,
  isError,
  isNothing,
  type ListNode,
  type MapEntry,
  type MapNode,
  map as mapShape,
  type ObjectOf,
  type ScalarNode,
  type Tree,
  toData,
  withoutUnknownKeys,
} from '../base/index.ts';
import { type Dialect, faultText, YAML } from './dialect.ts';
import type { FileReport } from './report.ts';

export interface Scope {
  readonly report: FileReport;
  /** Begins every error: `parse hook command_guard.md`. */
  readonly parsing?: string;
  /** Where the map stands in the file: `` at the top, `hooks[2].` in a list. */
  readonly path: string;
  readonly dialect?: Dialect;
}

/** Keys that look as if they meant something here, and why they do not. */
export type Misplaced = Readonly<Record<string, string>>;

/** More than a person reads; and finding a column takes a walk along the line. */
const MOST_REPORTED = 100;

/** The valid fields of a map. A field that is absent, empty or wrong reads as undefined. */
export class Fields<F extends FieldTable = FieldTable> {
  readonly map: MapNode;
  /** Something in it is wrong, so it cannot be what its author meant. */
  broken = false;
  private readonly table: F;
  private readonly values: ReadonlyMap<string, Tree>;
  private readonly report: FileReport;
  private plain: Partial<ObjectOf<F>> | undefined;

  constructor(map: MapNode, table: F, values: ReadonlyMap<string, Tree>, report: FileReport) {
    this.map = map;
    this.table = table;
    this.values = values;
    this.report = report;
  }

  /** What the fields say, without places. */
  get data(): Partial<ObjectOf<F>> {
    this.plain ??= Object.fromEntries(
      [...this.values].map(([name, tree]) => [name, withoutUnknownKeys(this.table[name]!, toData(tree))]),
    ) as Partial<ObjectOf<F>>;
    return this.plain;
  }

  get(name: keyof F & string): Tree | undefined {
    return this.values.get(name);
  }

  scalar(name: keyof F & string): ScalarNode | undefined {
    const tree = this.values.get(name);
    return tree?.kind === 'scalar' ? tree : undefined;
  }

  list(name: keyof F & string): ListNode | undefined {
    const tree = this.values.get(name);
    return tree?.kind === 'list' ? tree : undefined;
  }

  /** Where the field's key stands, or the map if there is none. */
  offset(name: keyof F & string): number {
    return this.map.entries.get(name)?.keyStart ?? this.map.start;
  }

  wrong(code: ErrorCode, message: string, offset: number): void {
    this.broken = true;
    this.report.error(code, message, offset);
  }
}

export function checkFields<F extends FieldTable>(
  map: MapNode,
  table: F,
  { report, parsing, path, dialect = YAML }: Scope,
  misplaced: Misplaced = {},
): Fields<F> {
  const faults = check(mapShape('', table), toData(map), dialect);
  const errors = faults.filter(isError);
  const wrong = new Set(errors.map((fault) => fault.path[0]));
  // A check that gave up has not looked at the rest.
  const whole = !errors.some(({ kind }) => kind === 'too complex');
  const isRight = ([name, { value }]: readonly [string, { readonly value: Tree }]) =>
    whole && Object.hasOwn(table, name) && !wrong.has(name) && !(dialect.emptyIsAbsent && isNothing(value));
  const values = [...map.entries].filter(isRight).map(([name, { value }]) => [name, value] as const);
  const fields = new Fields(map, table, new Map(values), report);

  for (const { key, keyStart } of map.repeated) {
    const where = path.replace(/\.$/, '');
    fields.wrong('FIELD_REPEATED', `${where}: ${JSON.stringify(key)} is written twice`, keyStart);
  }
  for (const { fault, code, message, offset } of placed(faults, map, { path, dialect })) {
    const name = String(fault.path[0]);
    if (!isError(fault)) {
      const why = fault.path.length === 1 && Object.hasOwn(misplaced, name) ? misplaced[name]! : message;
      report.warning(code, why, offset);
    } else if (parsing === undefined) fields.wrong(code, message, offset);
    else fields.wrong(code, report.inYaml(parsing, message, offset), offset);
  }
  return fields;
}

/** A fault with what to say and where. */
export interface PlacedFault {
  readonly fault: Fault;
  readonly code: ErrorCode;
  readonly message: string;
  readonly offset: number;
}

/** The faults of a value that was read from `map`; of very many, the first errors and the first warnings. */
export function placed(
  faults: readonly Fault[],
  map: MapNode,
  { path = '', dialect = YAML }: Partial<Scope> = {},
): PlacedFault[] {
  return firstOf(faults).map((fault) => ({
    fault,
    ...faultText(fault, path, dialect),
    offset: placeOf(map, fault),
  }));
}

/** As many errors and as many warnings as are worth reporting. */
function firstOf(faults: readonly Fault[]): readonly Fault[] {
  const errors = faults.filter(isError).slice(0, MOST_REPORTED);
  const warnings = faults.filter((fault) => !isError(fault)).slice(0, MOST_REPORTED);
  return faults.length > MOST_REPORTED ? [...errors, ...warnings] : faults;
}

/** The value; of a key that is unknown or has nothing behind it, the key; of one that is not there, the map around. */
function placeOf(map: MapNode, { kind, path }: Fault): number {
  let node: Tree = map;
  let keyStart = map.start;
  for (const part of path) {
    const entry: MapEntry | undefined = node.kind === 'map' ? node.entries.get(String(part)) : undefined;
    const next: Tree | undefined = node.kind === 'list' ? node.items[part as number] : entry?.value;
    if (next === undefined) return node.start;
    keyStart = entry?.keyStart ?? next.start;
    node = next;
  }
  return kind === 'unknown' || kind === 'missing' ? keyStart : node.start;
}
