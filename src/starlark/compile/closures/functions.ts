/**
 * Functions as closures: entry, exit and unwinding around a body, and the making of function values.
 */
import type { Thread } from '../../run/thread.ts';
import type { FunctionNode, Stmt } from '../../syntax/ast.ts';
import type { PositionalFn, Value } from '../../values/value.ts';
import type { FunctionInfo } from '../analyze.ts';
import { parameterIdents } from '../arguments.ts';
import { type Code, codeOf } from '../code.ts';
import type { Result } from '../runtime.ts';
import { defaultsOf } from '../walk.ts';
import { type Context, Frame, locationOf, type ModuleState, type Node, varsAt } from './frame.ts';
import { closeAll } from './loops.ts';
import { block } from './statements.ts';
import { strict } from './strict.ts';

/** The value of a `def` or `lambda`. */
export function functionValue(context: Context, fn: FunctionNode): Node {
  const info = context.analysis.functions.get(fn)!;
  const code = codeOf(info, context.source);
  const body = functionBody(context, fn, info, code);
  const free = fn.scope!.free.map((binding) => locationOf(context, binding));
  const make = (thread: Thread, frame: Frame, defaults: readonly Value[]) =>
    context.runtime.makeFunction(
      thread,
      code,
      (caller, ...args) => body(caller, frame, frame.module, defaults, args),
      () => [...defaults, ...free.map(({ hops, index }) => varsAt(frame, hops)[index])],
    );
  const defaults = defaultsOf(fn).map((param) => param.default!);
  return strict(context, defaults, fn.start, (thread, values, frame) => make(thread, frame, values));
}

type FunctionBody = (
  thread: Thread,
  up: Frame | null,
  module: ModuleState,
  defaults: readonly Value[],
  args: readonly (Value | undefined)[],
) => Result;

function functionBody(around: Context, fn: FunctionNode, info: FunctionInfo, code: Code): FunctionBody {
  const scope = fn.scope!;
  const context: Context = { ...around, scope };
  const params = parameterIdents(fn).map((ident) => ident.binding!.index);
  const defaulted = defaultsOf(fn).map((param) => param.ident!.binding!.index);
  const run = guarded(context, fn.body, info, code);
  return (thread, up, module, defaults, args) => {
    const frame = new Frame(scope.locals.length, up, module, fn.start);
    const { vars } = frame;
    for (let i = 0; i < params.length; i++) vars[params[i]!] = args[i];
    for (let i = 0; i < defaulted.length; i++) {
      if (vars[defaulted[i]!] === undefined) vars[defaulted[i]!] = defaults[i];
    }
    const done = run(thread, frame);
    return done instanceof Promise ? done.then(() => frame.result) : frame.result;
  };
}

/** A body between entry and unwinding, the same as the JavaScript back end writes around each function. */
export function guarded(
  context: Context,
  stmts: readonly Stmt[],
  info: FunctionInfo,
  code: Code,
): (thread: Thread, frame: Frame) => void | Promise<void> {
  const { runtime } = context;
  const body = block(context, stmts);
  const enter = (thread: Thread) => {
    if (++thread.depth > thread.maxDepth) thread.tooDeep();
    if (++thread.steps > thread.checkpoint) thread.check();
    if (info.checksEntry && thread.depth > 1) runtime.refuseRecursion(thread, code);
    if (info.tracked) thread.stack[thread.depth] = code;
    if (info.frameBytes > 0) thread.charge(info.frameBytes);
  };
  const leave = (thread: Thread, frame: Frame) => {
    closeAll(runtime, frame);
    if (info.frameBytes > 0) {
      // A function made here keeps the frame, which should then hold its variables and no more.
      frame.open = null;
      frame.collecting = null;
    }
    thread.depth--;
  };
  const fail = (error: unknown, thread: Thread, frame: Frame): never => {
    leave(thread, frame);
    throw runtime.unwind(error, code, frame.p);
  };
  if (info.suspends) {
    return async (thread, frame) => {
      try {
        enter(thread);
        await body(thread, frame);
      } catch (error) {
        fail(error, thread, frame);
      }
      leave(thread, frame);
    };
  }
  return (thread, frame) => {
    try {
      enter(thread);
      body(thread, frame);
    } catch (error) {
      fail(error, thread, frame);
    }
    leave(thread, frame);
  };
}

/** A function that stands alone. */
export function standaloneFunction(context: Context, fn: FunctionNode): PositionalFn {
  const info = context.analysis.functions.get(fn)!;
  const body = functionBody(context, fn, info, codeOf(info, context.source));
  const module: ModuleState = { globals: [], loaded: new Map() };
  return (thread, ...args) => body(thread, null, module, [], args);
}
