/**
 * The state of one call in the closure back end, and what the nodes of its tree are.
 */
import type { SourceFile } from '../../../base/index.ts';
import type { Binding, FunctionScope } from '../../resolve/binding.ts';
import type { Thread } from '../../run/thread.ts';
import type { Budget } from '../../syntax/budget.ts';
import type { Dict } from '../../values/dict.ts';
import type { Cursor, Value } from '../../values/value.ts';
import type { Analysis } from '../analyze.ts';
import type { Coverage } from '../coverage.ts';
import type { Loaded, Result, Runtime } from '../runtime.ts';

export class Frame {
  readonly vars: (Value | undefined)[];
  /** The frame of the function around; null for the top level. */
  readonly up: Frame | null;
  readonly module: ModuleState;
  /** Offset of what is being done: the place an error is reported at. */
  p: number;
  /** What `return` gave. */
  result: Value = null;
  /** Iterations under way, outermost first; made with the first of them. */
  open: (Value | Cursor)[] | null = null;
  /** What the comprehensions under way have so far, outermost first; made with the first of them. */
  collecting: (Value[] | Dict)[] | null = null;

  constructor(size: number, up: Frame | null, module: ModuleState, start: number) {
    const vars: (Value | undefined)[] = [];
    for (let i = 0; i < size; i++) vars.push(undefined);
    this.vars = vars;
    this.up = up;
    this.module = module;
    this.p = start;
  }
}

export interface ModuleState {
  readonly globals: (Value | undefined)[];
  readonly loaded: Loaded;
}

/** An expression. Where `Context.suspends` says so the result may be a promise; the caller awaits it. */
export type Node = (thread: Thread, frame: Frame) => Result;

/** How a statement ended. */
export const NEXT = 0 as const;
export const BREAK = 1 as const;
export const CONTINUE = 2 as const;
export const RETURN = 3 as const;
export type Signal = typeof NEXT | typeof BREAK | typeof CONTINUE | typeof RETURN;
export type Action = (thread: Thread, frame: Frame) => Signal | Promise<Signal>;

/** What translation needs at every node. */
export interface Context {
  readonly source: SourceFile;
  readonly analysis: Analysis;
  readonly coverage: Coverage | null;
  readonly budget: Budget;
  readonly runtime: Runtime;
  /** The scope of the function being translated. */
  readonly scope: FunctionScope;
}

/** Where a variable lives, seen from a function. */
export interface VariableLocation {
  /** Frames to go up, or -1 for a global. */
  readonly hops: number;
  readonly index: number;
}

export function locationOf(context: Context, binding: Binding): VariableLocation {
  if (binding.kind === 'global') return { hops: -1, index: binding.index };
  let hops = 0;
  for (let scope: FunctionScope | null = context.scope; scope !== binding.owner; scope = scope!.parent)
    hops++;
  return { hops, index: binding.index };
}

/** The array a variable is in. */
export function varsAt(frame: Frame, hops: number): (Value | undefined)[] {
  if (hops < 0) return frame.module.globals;
  let at = frame;
  for (let i = 0; i < hops; i++) at = at.up!;
  return at.vars;
}
