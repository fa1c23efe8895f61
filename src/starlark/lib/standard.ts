/**
 * The modules beyond the language, all at once, for hosts that want to hand out every one of them.
 */
import type { Value } from '../values/value.ts';
import { JSON_MODULE } from './json.ts';
import { MATH_MODULE } from './math.ts';
import { RE_MODULE } from './re.ts';
import { STRUCT } from './struct-builtin.ts';
import { makeTimeModule } from './time.ts';

/** `json`, `math`, `re`, `struct` and `time`; `now` gives milliseconds since 1970 and may have a fraction. */
export function standardModules({ now }: { readonly now: () => number }): Map<string, Value> {
  return new Map<string, Value>([
    ['json', JSON_MODULE],
    ['math', MATH_MODULE],
    ['re', RE_MODULE],
    ['struct', STRUCT],
    ['time', makeTimeModule(() => nanoseconds(now()))],
  ]);
}

/** In two parts: a whole number of nanoseconds since 1970 is more than a double can hold. */
function nanoseconds(milliseconds: number): bigint {
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((milliseconds - whole) * 1e6));
}
