/**
 * `metrics`: counters and gauges of the run, shared by all its hooks. Every change is also an effect of the call.
 */
import {
  builtin,
  Float,
  fail,
  Module,
  type Thread,
  type Value,
  wantNumber,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { SCRIPT_LIMITS } from '../script-limits.ts';
import { scriptCallOf } from './reach.ts';

const IMPURE = { pure: false };

export const METRICS = new Module(
  'metrics',
  new Map<string, Value>([
    [
      'incr',
      builtin('metrics.incr', 'name, by=1', (thread, name, by) => change(thread, 'incr', name, 'by', by), {
        pure: false,
        direct: incr,
      }),
    ],
    [
      'set',
      builtin(
        'metrics.set',
        'name, value',
        (thread, name, value) => change(thread, 'set', name, 'value', value),
        IMPURE,
      ),
    ],
    [
      'get',
      builtin(
        'metrics.get',
        'name, default=0',
        (thread, name, otherwise) => {
          const held = scriptCallOf(thread).run.metrics.get(wantString('metrics.get', 'name', name));
          return held === undefined ? otherwise : wrapJson(held);
        },
        IMPURE,
      ),
    ],
    [
      'reset',
      builtin(
        'metrics.reset',
        'name=None',
        (thread, name) => {
          const { metrics } = scriptCallOf(thread).run;
          if (name === null) metrics.clear();
          else metrics.delete(wantString('metrics.reset', 'name', name));
          return null;
        },
        IMPURE,
      ),
    ],
    [
      'snapshot',
      builtin(
        'metrics.snapshot',
        '',
        (thread) => {
          const { metrics } = scriptCallOf(thread).run;
          thread.spend(metrics.size);
          thread.charge(32 + 48 * metrics.size);
          return wrapJson(Object.fromEntries(metrics));
        },
        IMPURE,
      ),
    ],
  ]),
);

/** Guards count on every call. */
function incr(thread: Thread, name: Value | undefined, by: Value = 1): Value {
  thread.impureCalls++;
  return change(thread, 'incr', name!, 'by', by);
}

const FUNCTION_NAMES = { incr: 'metrics.incr', set: 'metrics.set' } as const;

function change(thread: Thread, op: 'incr' | 'set', name: Value, param: string, amount: Value): Value {
  const fn = FUNCTION_NAMES[op];
  const key = wantString(fn, 'name', name);
  const by = wantNumber(fn, param, amount);
  const value = by instanceof Float ? by.value : Number(by);
  const call = scriptCallOf(thread);
  const { metrics } = call.run;
  const held = metrics.get(key);
  if (held === undefined && metrics.size >= SCRIPT_LIMITS.metricNames) {
    fail(`${fn}: more than ${SCRIPT_LIMITS.metricNames} different names`);
  }
  const next = op === 'incr' ? (held ?? 0) + value : value;
  if (!Number.isFinite(next)) fail(`${fn}: for parameter ${param}: the result is not a finite number`);
  metrics.set(key, next);
  call.effect({ kind: 'metric', hook: call.hook.name, name: key, op, value });
  // Counts are ints nearly always.
  return Number.isSafeInteger(next) ? next + 0 : wrapJson(next);
}
