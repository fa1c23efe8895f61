/**
 * Statements as closures: each gets the thread and the frame and says how it ended.
 */
import type { Thread } from '../../run/thread.ts';
import type { Assign, AugAssign, Expr, If, Load, Stmt, While } from '../../syntax/ast.ts';
import type { Value } from '../../values/value.ts';
import { blocksOf, expressionsOf } from '../analyze.ts';
import { augmentedHelper } from '../helpers.ts';
import { parallelParts } from '../walk.ts';
import { condition, expression, ident } from './expressions.ts';
import {
  type Action,
  BREAK,
  CONTINUE,
  type Context,
  type Frame,
  locationOf,
  NEXT,
  type Node,
  RETURN,
  varsAt,
} from './frame.ts';
import { functionValue } from './functions.ts';
import { assignment, countStep, forLoop, type Store } from './loops.ts';

export function block(context: Context, stmts: readonly Stmt[]): Action {
  const actions = stmts.map((stmt) => counted(context, stmt));
  if (stmts.some((stmt) => suspends(context, stmt))) {
    return async (thread, frame) => {
      for (const action of actions) {
        const signal = await action(thread, frame);
        if (signal !== NEXT) return signal;
      }
      return NEXT;
    };
  }
  if (actions.length === 1) return actions[0]!;
  return (thread, frame) => {
    for (let i = 0; i < actions.length; i++) {
      const signal = actions[i]!(thread, frame);
      if (signal !== NEXT) return signal;
    }
    return NEXT;
  };
}

/** Whether running a statement may have to await. */
function suspends(context: Context, stmt: Stmt): boolean {
  // Asked of every statement by all the blocks around it, so nearly always it had better be quick.
  if (!context.analysis.async) return false;
  let answer = cachedAnswers.get(stmt);
  if (answer === undefined) {
    answer =
      expressionsOf(stmt).some((e) => context.analysis.suspends(e)) ||
      blocksOf(stmt).some((stmts) => stmts.some((inner) => suspends(context, inner)));
    cachedAnswers.set(stmt, answer);
  }
  return answer;
}

const cachedAnswers = new WeakMap<Stmt, boolean>();

function counted(context: Context, stmt: Stmt): Action {
  const action = statement(context, stmt);
  const { coverage } = context;
  if (coverage === null) return action;
  const slot = coverage.slot(stmt);
  return (thread, frame) => {
    coverage.counts[slot]!++;
    return action(thread, frame);
  };
}

function statement(context: Context, stmt: Stmt): Action {
  switch (stmt.kind) {
    case 'expr':
      return evaluate(context, [stmt.value], () => NEXT);
    case 'assign':
      return assign(context, stmt);
    case 'augAssign':
      return augmented(context, stmt);
    case 'def':
      return storing(
        functionValue(context, stmt.fn),
        assignment(context, stmt.ident, stmt.start),
        suspends(context, stmt),
      );
    case 'if':
      return conditional(context, stmt);
    case 'for':
      return forLoop(
        context,
        stmt.target,
        stmt.iterable,
        stmt.start,
        block(context, stmt.body),
        suspends(context, stmt),
      );
    case 'while':
      return loop(context, stmt);
    case 'return':
      return evaluate(context, stmt.value === null ? [] : [stmt.value], (_, frame, [value]) => {
        frame.result = value ?? null;
        return RETURN;
      });
    case 'break':
      return () => BREAK;
    case 'continue':
      return () => CONTINUE;
    case 'pass':
      return () => NEXT;
    case 'load':
      return load(context, stmt);
  }
}

/** Evaluates some expressions in order, then acts. */
function evaluate(
  context: Context,
  exprs: readonly Expr[],
  act: (thread: Thread, frame: Frame, values: Value[]) => Awaited<ReturnType<Action>>,
): Action {
  const nodes = exprs.map((e) => expression(context, e));
  if (exprs.some((e) => context.analysis.suspends(e))) {
    return async (thread, frame) => {
      const values: Value[] = [];
      for (const node of nodes) values.push(await node(thread, frame));
      return act(thread, frame, values);
    };
  }
  return (thread, frame) => {
    const values: Value[] = [];
    for (const node of nodes) values.push(node(thread, frame) as Value);
    return act(thread, frame, values);
  };
}

function storing(node: Node, store: Store, awaits: boolean): Action {
  if (awaits) {
    return async (thread, frame) => {
      await store(thread, frame, await node(thread, frame));
      return NEXT;
    };
  }
  return (thread, frame) => {
    store(thread, frame, node(thread, frame) as Value);
    return NEXT;
  };
}

function assign(context: Context, stmt: Assign): Action {
  const parts = parallelParts(stmt);
  if (parts === null) {
    const store = assignment(context, stmt.target, stmt.opStart);
    return storing(expression(context, stmt.value), store, suspends(context, stmt));
  }
  const nodes = parts.values.map((e) => expression(context, e));
  const stores = parts.targets.map((target) => assignment(context, target, stmt.opStart));
  if (suspends(context, stmt)) {
    return async (thread, frame) => {
      const values: Value[] = [];
      for (const node of nodes) values.push(await node(thread, frame));
      for (const [i, store] of stores.entries()) await store(thread, frame, values[i]!);
      return NEXT;
    };
  }
  return (thread, frame) => {
    const values: Value[] = [];
    for (const node of nodes) values.push(node(thread, frame) as Value);
    for (let i = 0; i < stores.length; i++) stores[i]!(thread, frame, values[i]!);
    return NEXT;
  };
}

/** The target is evaluated once, and first. */
function augmented(context: Context, stmt: AugAssign): Action {
  const { runtime } = context;
  const { target } = stmt;
  const combine = runtime[augmentedHelper(stmt.op)];
  const apply = (thread: Thread, frame: Frame, current: Value, value: Value): Value => {
    frame.p = stmt.opStart;
    return combine(thread, current, value);
  };
  const right = expression(context, stmt.value);
  if (target.kind === 'ident') {
    const read = ident(context, target);
    const { hops, index } = locationOf(context, target.binding!);
    const finish = (thread: Thread, frame: Frame, current: Value, value: Value) => {
      varsAt(frame, hops)[index] = apply(thread, frame, current, value);
      return NEXT;
    };
    return pair(read, right, suspends(context, stmt), finish);
  }
  const object = expression(context, target.object);
  if (target.kind === 'dot') {
    const readAttr = (thread: Thread, frame: Frame, to: Value) => {
      frame.p = target.dotStart;
      return runtime.getAttr(thread, to, target.name);
    };
    const writeAttr = (thread: Thread, frame: Frame, to: Value, value: Value) => {
      frame.p = target.dotStart;
      runtime.setAttr(thread, to, target.name, value);
      return NEXT;
    };
    if (suspends(context, stmt)) {
      return async (thread, frame) => {
        const to = await object(thread, frame);
        const current = readAttr(thread, frame, to);
        return writeAttr(thread, frame, to, apply(thread, frame, current, await right(thread, frame)));
      };
    }
    return (thread, frame) => {
      const to = object(thread, frame) as Value;
      const current = readAttr(thread, frame, to);
      return writeAttr(thread, frame, to, apply(thread, frame, current, right(thread, frame) as Value));
    };
  }
  const key = expression(context, target.index);
  const readItem = (thread: Thread, frame: Frame, to: Value, at: Value) => {
    frame.p = target.openStart;
    return runtime.index(thread, to, at);
  };
  const writeItem = (thread: Thread, frame: Frame, to: Value, at: Value, value: Value) => {
    frame.p = target.openStart;
    runtime.setIndex(thread, to, at, value);
    return NEXT;
  };
  if (suspends(context, stmt)) {
    return async (thread, frame) => {
      const to = await object(thread, frame);
      const at = await key(thread, frame);
      const current = readItem(thread, frame, to, at);
      return writeItem(thread, frame, to, at, apply(thread, frame, current, await right(thread, frame)));
    };
  }
  return (thread, frame) => {
    const to = object(thread, frame) as Value;
    const at = key(thread, frame) as Value;
    const current = readItem(thread, frame, to, at);
    return writeItem(thread, frame, to, at, apply(thread, frame, current, right(thread, frame) as Value));
  };
}

function pair(
  first: Node,
  second: Node,
  awaits: boolean,
  finish: (thread: Thread, frame: Frame, a: Value, b: Value) => typeof NEXT,
): Action {
  if (awaits) {
    return async (thread, frame) => {
      const a = await first(thread, frame);
      return finish(thread, frame, a, await second(thread, frame));
    };
  }
  return (thread, frame) => {
    const a = first(thread, frame) as Value;
    return finish(thread, frame, a, second(thread, frame) as Value);
  };
}

function conditional(context: Context, stmt: If): Action {
  const test = condition(context, stmt.condition);
  const then = block(context, stmt.then);
  const otherwise = block(context, stmt.otherwise);
  if (context.analysis.suspends(stmt.condition)) {
    return async (thread, frame) => ((await test(thread, frame)) ? then : otherwise)(thread, frame);
  }
  return (thread, frame) => (test(thread, frame) ? then(thread, frame) : otherwise(thread, frame));
}

function loop(context: Context, stmt: While): Action {
  const test = condition(context, stmt.condition);
  const body = block(context, stmt.body);
  if (suspends(context, stmt)) {
    return async (thread, frame) => {
      while (await test(thread, frame)) {
        countStep(thread, frame, stmt.start);
        const signal = await body(thread, frame);
        if (signal === BREAK) break;
        if (signal === RETURN) return RETURN;
      }
      return NEXT;
    };
  }
  return (thread, frame) => {
    while (test(thread, frame)) {
      countStep(thread, frame, stmt.start);
      const signal = body(thread, frame);
      if (signal === BREAK) break;
      if (signal === RETURN) return RETURN;
    }
    return NEXT;
  };
}

function load(context: Context, stmt: Load): Action {
  const { loaded } = context.runtime;
  const stores = stmt.bindings.map((binding) => ({
    binding,
    store: assignment(context, binding.ident, binding.start),
  }));
  return (thread, frame) => {
    for (const { binding, store } of stores) {
      frame.p = binding.start;
      store(thread, frame, loaded(frame.module.loaded, stmt.module, binding.from));
    }
    return NEXT;
  };
}
