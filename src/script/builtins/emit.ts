/**
 * `emit` and `events.emit`: fires a `custom.*` event through the same chain and returns its final payload. A block comes
 * back as an error with its reason.
 */

import type { Json } from '../../base/index.ts';
import {
  builtin,
  fail,
  Module,
  StarlarkError,
  type Thread,
  toJson,
  type Value,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

const FLAGS = { pure: false, async: true };

/** Steps an event costs its emitter: enough to have the clock looked at each time, since whole chains may run behind it. */
const EMIT_STEPS = 10_001;

const emitAs =
  (name: string) =>
  (thread: Thread, event: Value, payload: Value): Value | Promise<Value> => {
    const target = wantString(name, 'event', event);
    const call = scriptCallOf(thread);
    thread.spend(EMIT_STEPS);
    const sent = toJson(payload, thread) as Json;
    try {
      const final = call.emit(target, sent);
      return final instanceof Promise
        ? final.then(wrapJson, (thrown) => raise(name, thrown))
        : wrapJson(final);
    } catch (thrown) {
      return raise(name, thrown);
    }
  };

function raise(name: string, thrown: unknown): never {
  if (thrown instanceof StarlarkError) throw thrown;
  return fail(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
}

export const EMIT = builtin('emit', 'event, payload=None', emitAs('emit'), FLAGS);

export const EVENTS = new Module(
  'events',
  new Map<string, Value>([
    ['emit', builtin('events.emit', 'event, payload=None', emitAs('events.emit'), FLAGS)],
  ]),
);
