/**
 * Calls as closures. The callee and, for methods, the existence of the attribute come first, then the
 * arguments.
 */

import type { Thread } from '../../run/thread.ts';
import type { Call, Dot, Expr } from '../../syntax/ast.ts';
import type { Value } from '../../values/value.ts';
import { argumentsOf, type CallArguments } from '../arguments.ts';
import type { Result } from '../runtime.ts';
import { stripParens } from '../walk.ts';
import { expression } from './expressions.ts';
import type { Context, Frame, Node } from './frame.ts';
import { strict } from './strict.ts';

export function call(context: Context, e: Call): Node {
  const args = argumentsOf(e);
  const dot = stripParens(e.callee);
  const spreads = args.star !== null || args.starStar !== null;
  if (spreads) return spreadCall(context, e, args);
  if (dot.kind === 'dot' && context.analysis.constant(dot) === undefined)
    return methodCall(context, e, dot, args);
  return plainCall(context, e, args);
}

function plainCall(context: Context, e: Call, args: CallArguments): Node {
  const { call: callAny } = context.runtime;
  const { names, values } = args;
  const at = e.openStart;
  const suspends = [e.callee, ...values].some((part) => context.analysis.suspends(part));
  if (names === null && !suspends && values.length <= 2) return shortCall(context, e.callee, values, at);
  return strict(context, [e.callee, ...values], at, (thread, [fn, ...rest]) =>
    callAny(thread, at, fn!, rest, names),
  );
}

/** A call of up to two plain arguments that never awaits: nearly all of them. */
function shortCall(context: Context, callee: Expr, values: readonly Expr[], at: number): Node {
  const { call0, call1, call2 } = context.runtime;
  const target = expression(context, callee);
  const [first, second] = values.map((value) => expression(context, value));
  if (first === undefined) {
    return (thread, frame) => {
      const fn = target(thread, frame) as Value;
      frame.p = at;
      return call0(thread, at, fn);
    };
  }
  if (second === undefined) {
    return (thread, frame) => {
      const fn = target(thread, frame) as Value;
      const a = first(thread, frame) as Value;
      frame.p = at;
      return call1(thread, at, fn, a);
    };
  }
  return (thread, frame) => {
    const fn = target(thread, frame) as Value;
    const a = first(thread, frame) as Value;
    const b = second(thread, frame) as Value;
    frame.p = at;
    return call2(thread, at, fn, a, b);
  };
}

function spreadCall(context: Context, e: Call, args: CallArguments): Node {
  const { callSpread } = context.runtime;
  const exprs = [e.callee, ...args.values, args.star, args.starStar].filter((part) => part !== null);
  const count = args.values.length;
  return strict(context, exprs, e.openStart, (thread, [fn, ...values]) => {
    const extra = values.slice(count);
    const star = args.star === null ? undefined : extra.shift();
    const starStar = args.starStar === null ? undefined : extra.shift();
    return callSpread(thread, e.openStart, fn!, values.slice(0, count), star, starStar, args.names);
  });
}

function methodCall(context: Context, e: Call, dot: Dot, args: CallArguments): Node {
  const { callMethod, needAttr } = context.runtime;
  const { names } = args;
  const object = expression(context, dot.object);
  const nodes = args.values.map((arg) => expression(context, arg));
  const check = (thread: Thread, frame: Frame, receiver: Value) => {
    frame.p = dot.dotStart;
    needAttr(thread, receiver, dot.name);
  };
  const finish = (thread: Thread, frame: Frame, receiver: Value, values: Value[]): Result => {
    frame.p = e.openStart;
    return callMethod(thread, e.openStart, receiver, dot.name, values, names);
  };
  if ([dot.object, ...args.values].some((part) => context.analysis.suspends(part))) {
    return async (thread, frame) => {
      const receiver = await object(thread, frame);
      check(thread, frame, receiver);
      const values: Value[] = [];
      for (const node of nodes) values.push(await node(thread, frame));
      return finish(thread, frame, receiver, values);
    };
  }
  return (thread, frame) => {
    const receiver = object(thread, frame) as Value;
    check(thread, frame, receiver);
    const values: Value[] = [];
    for (const node of nodes) values.push(node(thread, frame) as Value);
    return finish(thread, frame, receiver, values);
  };
}
