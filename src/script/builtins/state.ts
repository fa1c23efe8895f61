/**
 * `state`: what a guard remembers for the session, for itself alone or for the hooks of its layer that name the same
 * `state_group`. Tools, hooks that an agent adds and hooks of other layers have no way to it. What is kept is data.
 */
import type { Json } from '../../base/index.ts';
import { guardKey, type RunArea, type Stored } from '../../engine/index.ts';
import {
  builtin,
  Float,
  fail,
  Module,
  type Thread,
  toJson,
  type Value,
  wantNumber,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { type ScriptCall, scriptCallOf } from './reach.ts';

const FLAGS = { pure: false, async: true };

export const STATE = new Module(
  'state',
  new Map<string, Value>([
    [
      'get',
      builtin(
        'state.get',
        'key, default=None',
        (thread, key, otherwise) =>
          on(thread, 'get', key, ({ area, at }) =>
            orScriptError('get', area.get(at), (value) =>
              value === undefined ? otherwise : wrapJson(value, thread),
            ),
          ),
        FLAGS,
      ),
    ],
    [
      'set',
      builtin(
        'state.set',
        'key, value',
        (thread, key, value) => {
          const data = toJson(value, thread) as Json;
          return on(thread, 'set', key, ({ area, at }) =>
            orScriptError('set', area.set(at, data), () => null),
          );
        },
        FLAGS,
      ),
    ],
    [
      'incr',
      builtin(
        'state.incr',
        'key, by=1',
        (thread, key, by) => {
          const given = wantNumber('state.incr', 'by', by);
          const amount = given instanceof Float ? given.value : Number(given);
          return on(thread, 'incr', key, ({ area, at }) =>
            orScriptError('incr', area.incr(at, amount), (sum) => wrapJson(sum, thread)),
          );
        },
        FLAGS,
      ),
    ],
    [
      'once',
      builtin(
        'state.once',
        'key',
        (thread, key) =>
          on(thread, 'once', `once/${wantString('state.once', 'key', key)}`, ({ area, at }) =>
            orScriptError('once', area.incr(at), (count) => count === 1),
          ),
        FLAGS,
      ),
    ],
  ]),
);

interface StateKey {
  readonly area: RunArea;
  readonly at: string;
}

function on(
  thread: Thread,
  method: string,
  key: Value,
  act: (place: StateKey) => Value | Promise<Value>,
): Value | Promise<Value> {
  const name = wantString(`state.${method}`, 'key', key);
  const call = scriptCallOf(thread);
  return act({ area: call.run.guards.session, at: guardKey(`state/${ownerOf(call)}`, name) });
}

/** Whose it is. A length before each part: no name can be chosen so that it reads as another's. */
function ownerOf({ hook }: ScriptCall): string {
  const { layer, source = '', name, stateGroup } = hook;
  const place = layer?.place ?? layer?.name ?? hook.origin ?? 'code';
  const parts = stateGroup === undefined ? [place, source, name] : [place, stateGroup];
  return parts.map((part) => `${part.length}:${part}`).join('/');
}

/** What a store cannot do is an error of the hook, and its `on_error` says what follows. */
function orScriptError<T>(
  method: string,
  stored: Stored<T> | Promise<Stored<T>>,
  then: (value: T) => Value,
): Value | Promise<Value> {
  if (stored instanceof Promise) return stored.then((late) => orScriptError(method, late, then));
  return stored.ok ? then(stored.value) : fail(`state.${method}: ${stored.error.message}`);
}
