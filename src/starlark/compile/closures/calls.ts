/**
 * Calls as closures. The callee and, for methods, the existence of the attribute come first, then the arguments.
 */

import type { Thread } from '../../run/thread.ts';
import type { Call, Dot } from '../../syntax/ast.ts';
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
  const { call0, call1, call2, call3, call: callAny } = context.runtime;
  const { names } = args;
  return strict(context, [e.callee, ...args.values], e.openStart, (thread, [fn, ...values]) => {
    if (names !== null) return callAny(thread, fn!, values, names);
    switch (values.length) {
      case 0:
        return call0(thread, fn!);
      case 1:
        return call1(thread, fn!, values[0]!);
      case 2:
        return call2(thread, fn!, values[0]!, values[1]!);
      case 3:
        return call3(thread, fn!, values[0]!, values[1]!, values[2]!);
      default:
        return callAny(thread, fn!, values, null);
    }
  });
}

function spreadCall(context: Context, e: Call, args: CallArguments): Node {
  const { callSpread } = context.runtime;
  const exprs = [e.callee, ...args.values, args.star, args.starStar].filter((part) => part !== null);
  const count = args.values.length;
  return strict(context, exprs, e.openStart, (thread, [fn, ...values]) => {
    const extra = values.slice(count);
    const star = args.star === null ? undefined : extra.shift();
    const starStar = args.starStar === null ? undefined : extra.shift();
    return callSpread(thread, fn!, values.slice(0, count), star, starStar, args.names);
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
    return callMethod(thread, receiver, dot.name, values, names);
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
