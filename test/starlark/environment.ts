/**
 * What test scripts find predeclared: the assertions of the corpus, and the modules a host may hand out.
 */
import {
  attempt,
  call,
  builtin,
  equal,
  fail,
  freeze,
  repr,
  Thread,
  type Value,
} from '../../src/starlark/index.ts';
import { JSON_MODULE } from '../../src/starlark/lib/json.ts';
import { MATH_MODULE } from '../../src/starlark/lib/math.ts';
import { RE_MODULE } from '../../src/starlark/lib/re.ts';
import { STRUCT } from '../../src/starlark/lib/struct-builtin.ts';

/** The corpus's clock stands still at 2020-01-01T00:00:00Z. */
const NOW_NANOSECONDS = 1_577_836_800_000_000_000n;

/**
 * `eq(a, b)` asks for equal values that also print alike, so that ints differ from floats and order counts;
 * `fails(fn, regex)` for an error with that message.
 */
export function assertions(): Map<string, Value> {
  return new Map<string, Value>([
    [
      'eq',
      builtin('eq', 'got, want', (thread, got, want) => {
        if (!equal(thread, got, want) || text(got) !== text(want)) fail(`eq: got ${text(got)}, want ${text(want)}`);
        return null;
      }),
    ],
    [
      'ne',
      builtin('ne', 'a, b', (thread, a, b) => {
        if (equal(thread, a, b)) fail(`ne: both are ${text(a)}`);
        return null;
      }),
    ],
    [
      'true',
      builtin('true', 'value', (_thread, value) => {
        if (value !== true) fail(`true: got ${text(value)}`);
        return null;
      }),
    ],
    [
      'fails',
      builtin('fails', 'fn, pattern', (thread, fn, pattern) => {
        const result = attempt(thread, () => call(thread, fn, []));
        if (result.ok) fail(`fails: no error, want one that matches ${pattern}`);
        const { message } = result.error;
        if (!new RegExp(String(pattern)).test(message)) fail(`fails: got "${message}", want ${pattern}`);
        return null;
      }),
    ],
    [
      'freeze',
      builtin('freeze', 'value', (_thread, value) => {
        freeze(value);
        return value;
      }),
    ],
  ]);
}

export function modules(): Map<string, Value> {
  return new Map<string, Value>([
    ['json', JSON_MODULE],
    ['math', MATH_MODULE],
    ['re', RE_MODULE],
    ['struct', STRUCT],
  ]);
}

/** Printing for a message costs the script nothing. */
function text(value: Value): string {
  return repr(value, new Thread());
}
