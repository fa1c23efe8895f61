/**
 * Functions written in Starlark: what a back end compiled, together with what is needed to call it in every way the
 * language allows.
 */
import { didYouMean } from '../../base/index.ts';
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { Dict } from './dict.ts';
import { EMPTY_TUPLE, Tuple } from './list.ts';
import { DICT, tupleBytes } from './size.ts';
import { Callable, type PositionalFn, type ReprWriter, StarObject, type Value } from './value.ts';

/** The parameters of a function; one object for all the functions made by one `def`. */
export interface ParameterList {
  /** Ordinary parameters in order: positional ones, then keyword-only ones. */
  readonly names: readonly string[];
  /** How many of them may be given by position. */
  readonly positional: number;
  /** For each of them, whether it has no default. */
  readonly required: readonly boolean[];
  /** `*args` */
  readonly variadic: boolean;
  /** `**kwargs` */
  readonly keywords: boolean;
}

export interface FunctionOptions {
  readonly name: string;
  readonly params: ParameterList;
  /**
   * Gets one argument for each ordinary parameter, undefined where a default is to be taken, then the tuple of `*args`
   * and the dict of `**kwargs` where the function has them.
   */
  readonly direct: PositionalFn;
  /** What it captured, defaults included, for freezing. */
  readonly freeVariables: () => readonly (Value | undefined)[];
  /** Whatever the back end wants to find again: its module, its source. */
  readonly module: object;
}

export class StarFunction extends Callable {
  get type(): 'function' {
    return 'function';
  }
  readonly name: string;
  readonly params: ParameterList;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly direct: PositionalFn;
  readonly module: object;
  private readonly freeVariables: () => readonly (Value | undefined)[];

  constructor({ name, params, direct, freeVariables, module }: FunctionOptions) {
    super();
    this.name = name;
    this.params = params;
    const arity = directArity(params);
    this.minArgs = arity.min;
    this.maxArgs = arity.max;
    this.direct = direct;
    this.freeVariables = freeVariables;
    this.module = module;
  }

  override invoke(thread: Thread, args: Value[], names: readonly string[] | null): Value | Promise<Value> {
    const slots = bindArguments(thread, this.name, this.params, args, names);
    // A slot left undefined takes its default inside.
    return this.direct(thread, ...(slots as Value[]));
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`<function ${this.name}>`);
  }

  override freeze(queue: StarObject[]): void {
    for (const value of this.freeVariables()) if (value instanceof StarObject) queue.push(value);
  }
}

const arities = new WeakMap<ParameterList, { min: number; max: number }>();

/**
 * How many arguments `direct` takes, as in `Callable`. With `*args`, `**kwargs` or a required keyword-only parameter a
 * call must always be bound.
 */
export function directArity(params: ParameterList): { min: number; max: number } {
  let arity = arities.get(params);
  if (arity === undefined) {
    const bound = params.variadic || params.keywords || params.required.includes(true, params.positional);
    const firstDefault = params.required.indexOf(false);
    const min = firstDefault === -1 ? params.positional : Math.min(firstDefault, params.positional);
    arity = { min, max: bound ? -1 : params.positional };
    arities.set(params, arity);
  }
  return arity;
}

/** Distributes the arguments of a call over the parameters; the slots are as `direct` wants them. */
export function bindArguments(
  thread: Thread,
  name: string,
  params: ParameterList,
  args: readonly Value[],
  names: readonly string[] | null,
): (Value | undefined)[] {
  const given = args.length - (names?.length ?? 0);
  const slots: (Value | undefined)[] = [];
  if (given > params.positional && !params.variadic) tooMany(name, params, given, args.length);
  const bound = Math.min(given, params.positional);
  for (let i = 0; i < params.names.length; i++) slots.push(i < bound ? args[i] : undefined);

  if (params.keywords) thread.charge(DICT);
  const rest = params.keywords ? new Dict() : null;
  for (let i = 0; names !== null && i < names.length; i++) {
    const key = names[i]!;
    const value = args[given + i]!;
    const at = params.names.indexOf(key);
    if (at >= 0) {
      if (slots[at] !== undefined) fail(`function ${name} got multiple values for parameter "${key}"`);
      slots[at] = value;
    } else if (rest === null) {
      if (params.names.length === 0 && !params.variadic) tooMany(name, params, given, args.length);
      const hint = didYouMean(key, params.names);
      fail(`function ${name} got an unexpected keyword argument "${key}"${hint}`);
    } else {
      if (rest.has(key)) fail(`function ${name} got multiple values for parameter "${key}"`);
      rest.set(thread, key, value);
    }
  }

  for (let i = bound; i < slots.length; i++) {
    if (slots[i] === undefined && params.required[i] === true) missing(name, params, slots);
  }
  if (params.variadic) {
    const extra = given - bound;
    if (extra > 0) thread.charge(tupleBytes(extra));
    slots.push(extra === 0 ? EMPTY_TUPLE : new Tuple(args.slice(bound, given)));
  }
  if (rest !== null) slots.push(rest);
  return slots;
}

function missing(name: string, params: ParameterList, slots: readonly (Value | undefined)[]): never {
  const names = params.names.filter((_, i) => params.required[i] === true && slots[i] === undefined);
  fail(`function ${name} missing ${count(names.length, 'argument')} (${names.join(', ')})`);
}

function tooMany(name: string, params: ParameterList, given: number, all: number): never {
  if (params.names.length === 0 && !params.keywords) {
    fail(`function ${name} accepts no arguments (${all} given)`);
  }
  const most = params.required.indexOf(false) < params.positional && params.required.includes(false);
  const atMost = most ? 'at most ' : '';
  fail(
    `function ${name} accepts ${atMost}${count(params.positional, 'positional argument')} (${given} given)`,
  );
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
