/**
 * Expressions as closures: each gets the thread and the frame and gives the value.
 */
import type { Thread } from '../../run/thread.ts';
import type { BinaryOp, Comprehension, Expr, Ident } from '../../syntax/ast.ts';
import type { Value } from '../../values/value.ts';
import { literalValue } from '../constants.ts';
import { ARITHMETIC, ORDER, UNARY } from '../helpers.ts';
import type { Runtime } from '../runtime.ts';
import { call } from './calls.ts';
import { type Action, type Context, type Frame, locationOf, NEXT, type Node, varsAt } from './frame.ts';
import { functionValue } from './functions.ts';
import { forLoop } from './loops.ts';
import { strict, strict1, strict2 } from './strict.ts';

export function expression(context: Context, e: Expr): Node {
  const { runtime, analysis } = context;
  context.budget.tick();
  switch (e.kind) {
    case 'paren':
      return expression(context, e.inner);
    case 'ident':
      return ident(context, e);
    case 'literal': {
      const value = literalValue(e);
      return () => value;
    }
    case 'list':
    case 'tuple':
      return strict(context, e.items, e.start, runtime[e.kind]);
    case 'dict': {
      const parts = e.entries.flatMap((entry) => [entry.key, entry.value]);
      const offsets = e.entries.map((entry) => entry.start);
      return strict(context, parts, e.start, (thread, values) => runtime.dict(thread, values, offsets));
    }
    case 'comprehension':
      return comprehension(context, e);
    case 'unary': {
      if (e.op === 'not') return strict1(context, e.operand, e.start, (_, x) => !runtime.truth(x));
      return strict1(context, e.operand, e.start, runtime[UNARY[e.op]]);
    }
    case 'binary':
      if (e.op === 'and' || e.op === 'or') return shortCircuit(context, e.op, e.left, e.right);
      return strict2(context, e.left, e.right, e.opStart, withInts(e.op, operator(runtime, e.op)));
    case 'conditional': {
      const test = condition(context, e.condition);
      const then = expression(context, e.then);
      const otherwise = expression(context, e.otherwise);
      if (analysis.suspends(e.condition)) {
        return async (thread, frame) => ((await test(thread, frame)) ? then : otherwise)(thread, frame);
      }
      return (thread, frame) => (test(thread, frame) ? then(thread, frame) : otherwise(thread, frame));
    }
    case 'call':
      return call(context, e);
    case 'index':
      return strict2(context, e.object, e.index, e.openStart, runtime.index);
    case 'slice': {
      const given = [e.low, e.high, e.step];
      const present = given.filter((part) => part !== null);
      // Where in the values each part stands; the object is the first.
      const places = given.map((part) => (part === null ? -1 : present.indexOf(part) + 1));
      return strict(context, [e.object, ...present], e.openStart, (thread, values) => {
        const [low, high, step] = places.map((at) => (at === -1 ? null : values[at]!));
        return runtime.slice(thread, values[0]!, low!, high!, step!);
      });
    }
    case 'dot': {
      const known = analysis.constant(e);
      if (known !== undefined) return () => known;
      return strict1(context, e.object, e.dotStart, (thread, object) =>
        runtime.getAttr(thread, object, e.name),
      );
    }
    case 'lambda':
      return functionValue(context, e.fn);
  }
}

export function ident(context: Context, e: Ident): Node {
  const binding = e.binding!;
  if (binding.kind === 'predeclared' || binding.kind === 'universal') {
    const live = context.analysis.live(e);
    if (live !== null) return (thread) => live.read(thread);
    const known = context.analysis.constant(e)!;
    return () => known;
  }
  const { hops, index } = locationOf(context, binding);
  if (context.analysis.unsafeReads.has(e)) {
    const { unboundGlobal, unboundLocal } = context.runtime;
    const unbound = binding.kind === 'global' ? unboundGlobal : unboundLocal;
    return (_, frame) => {
      const value = varsAt(frame, hops)[index];
      if (value !== undefined) return value;
      frame.p = e.start;
      return unbound(e.name);
    };
  }
  if (hops === 0) return (_, frame) => frame.vars[index]!;
  return (_, frame) => varsAt(frame, hops)[index]!;
}

/** The truth of an expression. */
export function condition(
  context: Context,
  e: Expr,
): (thread: Thread, frame: Frame) => boolean | Promise<boolean> {
  const { truth } = context.runtime;
  const node = expression(context, e);
  if (context.analysis.suspends(e)) return async (thread, frame) => truth(await node(thread, frame));
  return (thread, frame) => {
    const value = node(thread, frame) as Value;
    return value === true || (value !== false && truth(value));
  };
}

function operator(
  runtime: Runtime,
  op: Exclude<BinaryOp, 'and' | 'or'>,
): (thread: Thread, a: Value, b: Value) => Value {
  switch (op) {
    case '==':
      return runtime.equal;
    case '!=':
      return (thread, a, b) => !runtime.equal(thread, a, b);
    case 'in':
      return runtime.isIn;
    case 'not in':
      return (thread, a, b) => !runtime.isIn(thread, a, b);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return runtime[ORDER[op]];
    default:
      return runtime[ARITHMETIC[op]];
  }
}

type Operator = (thread: Thread, a: Value, b: Value) => Value;

/** The commonest operators on the commonest operands, tried before anything else. */
function withInts(op: BinaryOp, otherwise: Operator): Operator {
  switch (op) {
    case '+':
      return (thread, a, b) => {
        const sum = typeof a === 'number' && typeof b === 'number' ? a + b : NaN;
        return Number.isSafeInteger(sum) ? sum : otherwise(thread, a, b);
      };
    case '-':
      return (thread, a, b) => {
        const difference = typeof a === 'number' && typeof b === 'number' ? a - b : NaN;
        return Number.isSafeInteger(difference) ? difference : otherwise(thread, a, b);
      };
    case '<':
      return (thread, a, b) =>
        typeof a === 'number' && typeof b === 'number' ? a < b : otherwise(thread, a, b);
    case '==':
      return (thread, a, b) =>
        typeof a === 'number' && typeof b === 'number' ? a === b : otherwise(thread, a, b);
    default:
      return otherwise;
  }
}

function shortCircuit(context: Context, op: 'and' | 'or', left: Expr, right: Expr): Node {
  const { truth } = context.runtime;
  const first = expression(context, left);
  const second = expression(context, right);
  const stopsAt = op === 'or';
  if (context.analysis.suspends(left)) {
    return async (thread, frame) => {
      const value = await first(thread, frame);
      return truth(value) === stopsAt ? value : second(thread, frame);
    };
  }
  return (thread, frame) => {
    const value = first(thread, frame) as Value;
    return truth(value) === stopsAt ? value : second(thread, frame);
  };
}

function comprehension(context: Context, e: Comprehension): Node {
  const { runtime, analysis } = context;
  const run = clauses(context, e, 0);
  const begin = (thread: Thread, frame: Frame) => {
    frame.p = e.start;
    (frame.collecting ??= []).push(
      e.result === 'list' ? runtime.emptyItems(thread) : runtime.emptyDict(thread),
    );
  };
  const end = (frame: Frame): Value => {
    const collected = frame.collecting!.pop()!;
    return Array.isArray(collected) ? runtime.listOf(collected) : collected;
  };
  if (analysis.suspends(e)) {
    return async (thread, frame) => {
      begin(thread, frame);
      await run(thread, frame);
      return end(frame);
    };
  }
  return (thread, frame) => {
    begin(thread, frame);
    run(thread, frame);
    return end(frame);
  };
}

/** The clauses from one on, with the body innermost. */
function clauses(context: Context, e: Comprehension, at: number): Action {
  const clause = e.clauses[at];
  if (clause === undefined) return collect(context, e);
  const inside = clauses(context, e, at + 1);
  const suspends = context.analysis.suspends(e);
  if (clause.kind === 'forClause')
    return forLoop(context, clause.target, clause.iterable, clause.start, inside, suspends);
  const test = condition(context, clause.condition);
  if (suspends) return async (thread, frame) => ((await test(thread, frame)) ? inside(thread, frame) : NEXT);
  return (thread, frame) => (test(thread, frame) ? inside(thread, frame) : NEXT);
}

/** Puts one element, or one entry, into the innermost comprehension under way. */
function collect(context: Context, e: Comprehension): Action {
  const { push } = context.runtime;
  const [first, second] = (e.key === null ? [e.body] : [e.key, e.body]).map((part) =>
    expression(context, part),
  );
  const put = (thread: Thread, frame: Frame, a: Value, b: Value | undefined): typeof NEXT => {
    frame.p = e.key?.start ?? e.start;
    const into = frame.collecting!.at(-1)!;
    if (Array.isArray(into)) push(thread, into, a);
    else into.set(thread, a, b!);
    return NEXT;
  };
  if (context.analysis.suspends(e)) {
    return async (thread, frame) => {
      const a = await first!(thread, frame);
      return put(thread, frame, a, await second?.(thread, frame));
    };
  }
  return (thread, frame) =>
    put(thread, frame, first!(thread, frame) as Value, second?.(thread, frame) as Value | undefined);
}
