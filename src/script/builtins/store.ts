/**
 * `cache` and `ctx`: values kept for the run and for the turn, shared by hooks and tools. They hold data, not objects: what
 * is put in is copied, what comes out is frozen.
 */

import type { Json } from '../../base/index.ts';
import { builtin, fail, Module, toJson, type Value, wantString, wrapJson } from '../../starlark/index.ts';
import { SCRIPT_LIMITS } from '../script-limits.ts';
import { type ScriptCall, scriptCallOf } from './reach.ts';

const IMPURE = { pure: false };

export const CACHE = storeModule('cache', (call) => call.run.cache);
export const CTX = storeModule('ctx', (call) => call.run.turn, [
  [
    'snapshot',
    builtin(
      'ctx.snapshot',
      '',
      (thread) => {
        const { turn } = scriptCallOf(thread).run;
        thread.spend(turn.size);
        thread.charge(32 + 48 * turn.size);
        return wrapJson(Object.fromEntries(turn));
      },
      IMPURE,
    ),
  ],
]);

function storeModule(
  name: string,
  storeOf: (call: ScriptCall) => Map<string, Json>,
  more: readonly (readonly [string, Value])[] = [],
): Module {
  const key = (method: string, value: Value) => wantString(`${name}.${method}`, 'key', value);
  return new Module(
    name,
    new Map<string, Value>([
      [
        'get',
        builtin(
          `${name}.get`,
          'key, default=None',
          (thread, k, otherwise) => {
            const held = storeOf(scriptCallOf(thread)).get(key('get', k));
            return held === undefined ? otherwise : wrapJson(held);
          },
          IMPURE,
        ),
      ],
      [
        'set',
        builtin(
          `${name}.set`,
          'key, value',
          (thread, k, value) => {
            const store = storeOf(scriptCallOf(thread));
            const at = key('set', k);
            if (!store.has(at) && store.size >= SCRIPT_LIMITS.storedKeys) {
              fail(`${name}.set: more than ${SCRIPT_LIMITS.storedKeys} keys`);
            }
            store.set(at, toJson(value, thread) as Json);
            return null;
          },
          IMPURE,
        ),
      ],
      [
        'has',
        builtin(
          `${name}.has`,
          'key',
          (thread, k) => storeOf(scriptCallOf(thread)).has(key('has', k)),
          IMPURE,
        ),
      ],
      [
        'delete',
        builtin(
          `${name}.delete`,
          'key',
          (thread, k) => storeOf(scriptCallOf(thread)).delete(key('delete', k)),
          IMPURE,
        ),
      ],
      [
        'clear',
        builtin(
          `${name}.clear`,
          '',
          (thread) => {
            storeOf(scriptCallOf(thread)).clear();
            return null;
          },
          IMPURE,
        ),
      ],
      ...more,
    ]),
  );
}
