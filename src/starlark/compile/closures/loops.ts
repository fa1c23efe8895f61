/**
 * `for`, in statements and comprehensions, and the assignment to targets, as closures.
 */
import type { Thread } from '../../run/thread.ts';
import type { Expr, Target } from '../../syntax/ast.ts';
import { ItemsCursor } from '../../values/list.ts';
import type { Cursor, Value } from '../../values/value.ts';
import type { Runtime } from '../runtime.ts';
import { expression } from './expressions.ts';
import { type Action, BREAK, type Context, type Frame, locationOf, NEXT, RETURN, varsAt } from './frame.ts';

/** A loop; `suspends` where its iterable, its target or `inside` may have to be awaited. */
export function forLoop(
  context: Context,
  target: Target,
  iterable: Expr,
  at: number,
  inside: Action,
  suspends: boolean,
): Action {
  const { close } = context.runtime;
  const source = expression(context, iterable);
  const store = assignment(context, target, at);
  if (suspends) {
    return async (thread, frame) => {
      const elements = open(context.runtime, thread, frame, await source(thread, frame), at);
      for (let item = elements.next(); item !== undefined; item = elements.next()) {
        countStep(thread, frame, at);
        await store(thread, frame, item);
        const signal = await inside(thread, frame);
        if (signal === BREAK) break;
        if (signal === RETURN) return RETURN;
      }
      close(frame.open!.pop()!);
      return NEXT;
    };
  }
  return (thread, frame) => {
    const elements = open(context.runtime, thread, frame, source(thread, frame) as Value, at);
    for (let item = elements.next(); item !== undefined; item = elements.next()) {
      countStep(thread, frame, at);
      store(thread, frame, item);
      const signal = inside(thread, frame);
      if (signal === BREAK) break;
      // To leave the function closes what is open.
      if (signal === RETURN) return RETURN;
    }
    close(frame.open!.pop()!);
    return NEXT;
  };
}

export function countStep(thread: Thread, frame: Frame, at: number): void {
  if (++thread.steps > thread.checkpoint) {
    frame.p = at;
    thread.check();
  }
}

function open(
  runtime: Runtime,
  thread: Thread,
  frame: Frame,
  value: Value,
  at: number,
): Pick<Cursor, 'next'> {
  frame.p = at;
  const items = runtime.lockItems(thread, value);
  if (items === null) {
    const cursor = runtime.iterate(thread, value);
    (frame.open ??= []).push(cursor);
    return cursor;
  }
  (frame.open ??= []).push(value);
  return new ItemsCursor(items);
}

/** Closes everything a function leaves open, innermost first. */
export function closeAll(runtime: Runtime, frame: Frame): void {
  const left = frame.open;
  while (left !== null && left.length > 0) runtime.close(left.pop()!);
}

export type Store = (thread: Thread, frame: Frame, value: Value) => void | Promise<void>;

/** Assigns a value; what the target evaluates is evaluated then. `at` is where unpacking is reported. */
export function assignment(context: Context, target: Target, at: number): Store {
  const { runtime, analysis } = context;
  switch (target.kind) {
    case 'paren':
      return assignment(context, target.inner as Target, at);
    case 'ident': {
      const { hops, index } = locationOf(context, target.binding!);
      if (hops === 0) {
        return (_, frame, value) => {
          frame.vars[index] = value;
        };
      }
      return (_, frame, value) => {
        varsAt(frame, hops)[index] = value;
      };
    }
    case 'index': {
      const object = expression(context, target.object);
      const key = expression(context, target.index);
      const store = (thread: Thread, frame: Frame, to: Value, where: Value, value: Value) => {
        frame.p = target.openStart;
        runtime.setIndex(thread, to, where, value);
      };
      if (analysis.suspends(target)) {
        return async (thread, frame, value) => {
          const to = await object(thread, frame);
          store(thread, frame, to, await key(thread, frame), value);
        };
      }
      return (thread, frame, value) =>
        store(thread, frame, object(thread, frame) as Value, key(thread, frame) as Value, value);
    }
    case 'dot': {
      const object = expression(context, target.object);
      const store = (thread: Thread, frame: Frame, to: Value, value: Value) => {
        frame.p = target.dotStart;
        runtime.setAttr(thread, to, target.name, value);
      };
      if (analysis.suspends(target)) {
        return async (thread, frame, value) => store(thread, frame, await object(thread, frame), value);
      }
      return (thread, frame, value) => store(thread, frame, object(thread, frame) as Value, value);
    }
    default: {
      const stores = target.items.map((item) => assignment(context, item as Target, at));
      const parts = (thread: Thread, frame: Frame, value: Value): Value[] => {
        frame.p = at;
        // A copy: assigning to one target may change the list the others come from.
        return [...runtime.unpack(thread, value, stores.length)];
      };
      if (analysis.suspends(target)) {
        return async (thread, frame, value) => {
          const values = parts(thread, frame, value);
          for (const [i, store] of stores.entries()) await store(thread, frame, values[i]!);
        };
      }
      return (thread, frame, value) => {
        const values = parts(thread, frame, value);
        for (let i = 0; i < stores.length; i++) stores[i]!(thread, frame, values[i]!);
      };
    }
  }
}
