/**
 * What a shell holds while it runs: variables, functions, arguments, the folder. A subshell or a branch works on a layer over
 * the state it came from; branches are joined again by keeping every value that any of them may have left.
 */
import { MOST_ALTERNATIVES, MOST_BODIES } from '../bounds.ts';
import { anyOf, type Field, sameValue, UNTAINTED, unknown, type Value } from '../known/values.ts';
import type { Node } from '../syntax/tree.ts';

export interface Variable {
  readonly value: Value;
  /** The words of an array. */
  readonly list: readonly Field[] | null;
  readonly exported: boolean;
  /** `readonly`: a later assignment may fail. */
  readonly frozen: boolean;
  /** False after `unset`; null if it may be either. */
  readonly set: boolean | null;
}

/** What a name may run. `sure` if it is a function for certain. */
export interface Bodies {
  readonly nodes: readonly Node[];
  readonly sure: boolean;
  /** There are others, which are not followed. */
  readonly more?: true;
}

export class State {
  readonly parent: State | null;
  /** Every value a variable was ever given, in whatever layer: for code that runs later. */
  readonly ever: Map<string, Value[]>;
  /** Another process: only exported variables surely reach it. */
  readonly process: boolean;
  variables: Map<string, Variable> | null = null;
  functions: Map<string, Bodies> | null = null;
  cwd: string | null;
  cwdCertain: boolean;
  /** The folder that the command was given: its name is a name, whatever stands in it. */
  readonly given: string;
  /** A `break`, `continue` or `return` may have skipped what follows. */
  weak = false;
  /** Null if they are not known. */
  args: readonly Field[] | null;

  constructor(parent: State | null, process: boolean, cwd: string | null, certain: boolean) {
    this.parent = parent;
    this.process = process;
    this.cwd = cwd;
    this.cwdCertain = certain;
    this.given = parent?.given ?? cwd ?? '';
    this.args = parent === null ? null : parent.args;
    this.ever = parent === null ? new Map() : parent.ever;
  }

  /** A layer for a subshell, a branch, or another process. */
  fork(process = false): State {
    return new State(this, process, this.cwd, this.cwdCertain);
  }

  get(name: string): Variable | undefined {
    let outside = false;
    for (let state: State | null = this; state !== null; state = state.parent) {
      const found = state.variables?.get(name);
      if (found !== undefined) return outside && !found.exported ? maybe(name, found) : found;
      outside ||= state.process;
      // Every shell begins with its own.
      if (outside && name === 'IFS') return undefined;
    }
    return undefined;
  }

  set(name: string, variable: Variable): void {
    this.variables ??= new Map();
    this.variables.set(name, this.weak ? joined(name, [this.get(name), variable]) : variable);
    const value = variable.list === null ? variable.value : unknown(`\${${name}}`);
    const before = this.ever.get(name);
    if (before === undefined) this.ever.set(name, [value]);
    else if (
      before.length <= MOST_ALTERNATIVES &&
      !before.some((each) => each.from === value.from && sameValue(each, value))
    )
      before.push(value);
  }

  enter(cwd: string | null, certain: boolean): void {
    this.cwd = this.weak && cwd !== this.cwd ? null : cwd;
    this.cwdCertain = certain && !this.weak;
  }

  give(args: readonly Field[] | null): void {
    this.args = this.weak ? null : args;
  }

  /** Whatever is known of variables and functions may have changed: a file that nobody has read was run here. */
  forget(): void {
    for (let state: State | null = this; state !== null; state = state.parent) {
      for (const [name, held] of state.variables ?? []) {
        this.set(name, { ...held, value: unknown(`\${${name}}`), list: null });
      }
      for (const [name, held] of state.functions ?? []) this.define(name, { ...held, sure: false });
    }
    this.enter(null, false);
    this.give(null);
  }

  /** From here on commands up to `boundary` may be skipped: what they set only may be set. */
  jump(boundary: State | null): void {
    for (let state: State | null = this; state !== null; state = state.parent) {
      state.weak = true;
      if (state === boundary) break;
    }
  }

  bodies(name: string): Bodies | undefined {
    let outside = false;
    for (let state: State | null = this; state !== null; state = state.parent) {
      const found = state.functions?.get(name);
      // Whether a function reaches another process depends on `export -f`.
      if (found !== undefined) return outside ? { ...found, sure: false } : found;
      outside ||= state.process;
    }
    return undefined;
  }

  define(name: string, bodies: Bodies): void {
    this.functions ??= new Map();
    const before = this.weak ? this.bodies(name) : undefined;
    const nodes = before === undefined ? bodies.nodes : [...new Set([...before.nodes, ...bodies.nodes])];
    const more = bodies.more === true || before?.more === true || nodes.length > MOST_BODIES;
    this.functions.set(name, {
      nodes: more ? nodes.slice(0, MOST_BODIES) : nodes,
      sure: bodies.sure && !this.weak,
      ...(more && { more }),
    });
  }
}

/**
 * Variables as they may be when nobody knows when: any value they ever had. Two of which nobody knows anything are nobody's
 * output.
 */
export function stateAtUnknownTime(ever: State['ever']): State {
  const state = new State(null, false, null, false);
  for (const [name, values] of ever) {
    const value = anyOf(values, `\${${name}}`);
    const unsure = values.filter(({ alts }) => alts.some(({ known }) => !known)).length;
    state.set(name, variable(unsure > 1 ? { ...value, from: UNTAINTED } : value));
  }
  return state;
}

/** In another process it holds this if it was exported before, and otherwise whatever the environment says. */
function maybe(name: string, variable: Variable): Variable {
  const other = unknown(`\${${name}}`);
  return { ...variable, list: null, value: anyOf([variable.value, other], `\${${name}}`) };
}

/** The plain variable with this value. */
export function variable(value: Value, before?: Variable): Variable {
  return {
    value,
    list: null,
    exported: before?.exported ?? false,
    frozen: before?.frozen ?? false,
    set: true,
  };
}

/**
 * Takes over what the layers may have left. `ran` if one of them ran for certain. With `widen`, what differs is no longer
 * known at all: a loop that goes on changing a value comes to an end. True if anything changed.
 */
export function join(base: State, layers: readonly State[], ran: boolean, widen = false): boolean {
  let changed = false;
  const names = new Set(layers.flatMap((layer) => [...(layer.variables?.keys() ?? [])]));
  for (const name of names) {
    const before = base.get(name);
    const held = layers.map((layer) => layer.variables?.get(name) ?? before);
    if (!ran) held.push(before);
    const after = joined(name, held);
    if (before !== undefined && (sameVariable(before, after) || (widen && coversAll(before)))) continue;
    changed = true;
    base.set(
      name,
      widen ? { ...after, value: { ...unknown(`\${${name}}`), numeric: after.value.numeric } } : after,
    );
  }
  const functions = new Set(layers.flatMap((layer) => [...(layer.functions?.keys() ?? [])]));
  for (const name of functions) {
    const before = base.bodies(name);
    const held = layers.map((layer) => layer.functions?.get(name) ?? before);
    if (!ran) held.push(before);
    const nodes = [...new Set(held.flatMap((each) => each?.nodes ?? []))];
    const sure = held.every((each) => each?.sure === true);
    if (before !== undefined && nodes.length === before.nodes.length && sure === before.sure) continue;
    const more = held.some((each) => each?.more === true);
    if (more && before?.more === true) continue;
    changed = true;
    base.define(name, { nodes, sure, ...(more && { more }) });
  }
  return joinPlaces(base, layers, ran) || changed;
}

function joinPlaces(base: State, layers: readonly State[], sure: boolean): boolean {
  const folders = layers.map((layer) => layer.cwd);
  const args = layers.map((layer) => layer.args);
  if (!sure) {
    folders.push(base.cwd);
    args.push(base.args);
  }
  const cwd = folders.every((each) => each === folders[0]) ? folders[0]! : null;
  const certain = cwd !== null && layers.every((layer) => layer.cwdCertain) && (sure || base.cwdCertain);
  const first = args.every((each) => each === args[0]) ? args[0]! : null;
  const changed = cwd !== base.cwd || first !== base.args || certain !== base.cwdCertain;
  base.cwd = cwd;
  base.cwdCertain = certain;
  base.args = first;
  return changed;
}

function joined(name: string, held: readonly (Variable | undefined)[]): Variable {
  const label = `\${${name}}`;
  const [first] = held;
  if (first !== undefined && held.every((each) => each === first)) return first;
  // A variable that only some ways set has the value of the environment otherwise.
  const values = held.map((each) => each?.value ?? unknown(label));
  const value = anyOf(values, label);
  const lists = held.some((each) => each?.list != null);
  const sets = held.map((each) => (each === undefined ? true : each.set));
  return {
    value: lists ? { alts: unknown(label).alts, numeric: value.numeric, from: UNTAINTED } : value,
    list: null,
    exported: held.every((each) => each?.exported === true),
    frozen: held.some((each) => each?.frozen === true),
    set: sets.every((set) => set === sets[0]) ? sets[0]! : null,
  };
}

/** It may be anything already. */
function coversAll({ value, list, exported, frozen }: Variable): boolean {
  return (
    list === null &&
    !exported &&
    !frozen &&
    value.alts.length === 1 &&
    !value.alts[0]!.known &&
    !value.numeric
  );
}

function sameVariable(a: Variable, b: Variable): boolean {
  return (
    a.list === b.list &&
    a.exported === b.exported &&
    a.frozen === b.frozen &&
    a.set === b.set &&
    sameValue(a.value, b.value)
  );
}
