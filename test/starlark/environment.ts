/**
 * What test scripts find predeclared: the assertions of the corpus, and the modules a host may hand out.
 */
import {
  attempt,
  builtin,
  call,
  equal,
  fail,
  freeze,
  repr,
  Thread,
  type Value,
} from '../../src/exports/starlark.ts';
import { standardModules } from '../../src/starlark/lib/standard.ts';

/** The corpus's clock stands still at 2020-01-01T00:00:00Z. */
const NOW_MILLISECONDS = 1_577_836_800_000;

/**
 * `eq(a, b)` asks for equal values that also print alike, so that ints differ from floats and order counts;
 * `fails(fn, regex)` for an error with that message.
 */
export function assertions(): Map<string, Value> {
  return new Map<string, Value>([
    [
      'eq',
      builtin('eq', 'got, want', (thread, got, want) => {
        if (!equal(thread, got, want) || text(got) !== text(want))
          fail(`eq: got ${text(got)}, want ${text(want)}`);
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
  return standardModules({ now: () => NOW_MILLISECONDS });
}

/** Printing for a message costs the script nothing. */
function text(value: Value): string {
  return repr(value, new Thread());
}
