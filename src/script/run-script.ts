/**
 * Runs compiled scripts: one thread a call, with the limits of the hook, ended when the call is.
 */
import { isPromise } from '../base/index.ts';
import type { Body, Condition, HookCall } from '../engine/index.ts';
import {
  asStarlarkError,
  Callable,
  type ExpressionProgram,
  fail,
  invokeCallable,
  type Module,
  type Program,
  Thread,
  truth,
  type Value,
} from '../starlark/index.ts';
import { scriptCallOf } from './builtins/reach.ts';
import { limitsFor } from './script-limits.ts';

/** The function of a script that is called, and how. */
export interface EntryPoint {
  readonly name: string;
  readonly call: (thread: Thread, entry: Callable, call: HookCall, seen: unknown) => Value | Promise<Value>;
}

/** For a script whose top level is pure: its module is shared, frozen, by all calls. */
export function bodyOf(handle: Callable, entry: EntryPoint = HANDLE): Body {
  const threads = new SpareThread();
  return (seen, call) => {
    const thread = threads.take(call);
    let result: Value | Promise<Value>;
    try {
      result = entry.call(thread, handle, call, seen);
    } catch (error) {
      call.steps = thread.steps;
      throw asStarlarkError(error);
    }
    if (isPromise(result)) return finishLater(thread, call, result);
    call.steps = thread.steps;
    threads.give(thread);
    return result;
  };
}

/** For a script whose top level does something: it is run anew for each call. */
export function freshBodyOf(program: Program, entry: EntryPoint = HANDLE): Body {
  const threads = new SpareThread();
  return (seen, call) => {
    const thread = threads.take(call);
    const handleOf = (module: Module) => {
      const handle = module.globals.get(entry.name);
      if (!(handle instanceof Callable)) return fail(`the script defines no function ${entry.name}`);
      return entry.call(thread, handle, call, seen);
    };
    let result: Value | Promise<Value>;
    try {
      const module = program.run(thread);
      result = module instanceof Promise ? module.then(handleOf) : handleOf(module);
    } catch (error) {
      call.steps = thread.steps;
      throw asStarlarkError(error);
    }
    if (result instanceof Promise) return finishLater(thread, call, result);
    call.steps = thread.steps;
    return result;
  };
}

/** `handle(event, payload)` of a Markdown hook. */
const HANDLE: EntryPoint = {
  name: 'handle',
  call: (thread, handle, call, seen) =>
    handle.minArgs <= 2 && handle.maxArgs >= 2
      ? handle.direct(thread, call.hook.writtenEvent ?? call.event, seen as Value)
      : invokeCallable(thread, handle, [call.hook.writtenEvent ?? call.event, seen as Value], null),
};

/** A store at hand answers within these turns of the queue: no clock can end a call in between, and no signal is made for it. */
const SOON = 8;

async function finishLater(thread: Thread, call: HookCall, result: Promise<Value>): Promise<Value> {
  let over = false;
  const end = () => {
    over = true;
  };
  result.then(end, end);
  for (let turn = 0; turn < SOON && !over; turn++) await null;
  const stop = () => thread.cancel('the call is over');
  // A call that timed out or was aborted must not go on having effects.
  const signal = over ? null : call.signal;
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await result;
  } catch (error) {
    throw asStarlarkError(error);
  } finally {
    call.steps = thread.steps;
    signal?.removeEventListener('abort', stop);
  }
}

/** A condition has no effects and never waits. */
export function testOf(program: ExpressionProgram): Condition['test'] {
  const threads = new SpareThread();
  return (seen, call) => {
    const thread = threads.take(call);
    const value = program.evaluate(thread, [call.hook.writtenEvent ?? call.event, seen as Value]);
    if (value instanceof Promise) return value.then(truth);
    threads.give(thread);
    return truth(value);
  };
}

/** An expression that chooses a word. It has no effects and never waits; the call it is asked about may be over. */
export function choiceOf(program: ExpressionProgram): (seen: unknown, call: HookCall) => unknown {
  return (seen, call) =>
    program.evaluate(newThread(call), [call.hook.writtenEvent ?? call.event, seen as Value]);
}

/**
 * The thread of one script. Making one costs more than many a hook does, so a thread whose run ended well serves the
 * next call; one that failed, or may still be running, is left behind.
 */
class SpareThread {
  private spare: Thread | null = null;

  take(call: HookCall): Thread {
    const thread = this.spare;
    if (thread === null || thread.limits.time !== call.timeoutMs) return newThread(call);
    // Gone while in use: a hook's own event may be fired while it runs.
    this.spare = null;
    thread.restart(call);
    return thread;
  }

  give(thread: Thread): void {
    // The call, and the payload behind it, must not live until the next one.
    thread.host = null;
    this.spare = thread;
  }
}

function newThread(call: HookCall): Thread {
  const thread: Thread = new Thread({
    limits: limitsFor(call.timeoutMs),
    host: call,
    print: (text) => scriptCallOf(thread).log('info', text),
  });
  return thread;
}
