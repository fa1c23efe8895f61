/**
 * Nodes that evaluate all their operands, left to right, and then do something with the values.
 */
import type { Thread } from '../../run/thread.ts';
import type { Expr } from '../../syntax/ast.ts';
import type { Value } from '../../values/value.ts';
import type { Result } from '../runtime.ts';
import { expression } from './expressions.ts';
import type { Context, Frame, Node } from './frame.ts';

/** `at` is where the operation itself is reported. */
export function strict1(
  context: Context,
  a: Expr,
  at: number,
  combine: (thread: Thread, a: Value) => Result,
): Node {
  const first = expression(context, a);
  if (context.analysis.suspends(a)) return strictAsync([first], at, (thread, [x]) => combine(thread, x!));
  return (thread, frame) => {
    const x = first(thread, frame) as Value;
    frame.p = at;
    return combine(thread, x);
  };
}

export function strict2(
  context: Context,
  a: Expr,
  b: Expr,
  at: number,
  combine: (thread: Thread, a: Value, b: Value) => Result,
): Node {
  const first = expression(context, a);
  const second = expression(context, b);
  if (context.analysis.suspends(a) || context.analysis.suspends(b)) {
    return strictAsync([first, second], at, (thread, [x, y]) => combine(thread, x!, y!));
  }
  return (thread, frame) => {
    const x = first(thread, frame) as Value;
    const y = second(thread, frame) as Value;
    frame.p = at;
    return combine(thread, x, y);
  };
}

export function strict(
  context: Context,
  exprs: readonly Expr[],
  at: number,
  combine: (thread: Thread, values: Value[], frame: Frame) => Result,
): Node {
  const nodes = exprs.map((e) => expression(context, e));
  if (exprs.some((e) => context.analysis.suspends(e))) return strictAsync(nodes, at, combine);
  return (thread, frame) => {
    const values: Value[] = [];
    for (const node of nodes) values.push(node(thread, frame) as Value);
    frame.p = at;
    return combine(thread, values, frame);
  };
}

function strictAsync(
  nodes: readonly Node[],
  at: number,
  combine: (thread: Thread, values: Value[], frame: Frame) => Result,
): Node {
  return async (thread, frame) => {
    const values: Value[] = [];
    for (const node of nodes) values.push(await node(thread, frame));
    frame.p = at;
    return combine(thread, values, frame);
  };
}
