/**
 * The modules beyond the language, all at once, for hosts that want to hand out every one of them.
 */
import type { Value } from '../values/value.ts';
import { JSON_MODULE } from './json.ts';
import { MATH_MODULE } from './math.ts';
import { RE_MODULE } from './re.ts';
import { STRUCT } from './struct-builtin.ts';
import { type Clock, makeTimeModule } from './time.ts';

/** `json`, `math`, `re`, `struct` and `time`; `now` is the clock of `time`, in milliseconds since 1970. */
export function standardModules({ now }: { readonly now: Clock }): Map<string, Value> {
  return new Map<string, Value>([
    ['json', JSON_MODULE],
    ['math', MATH_MODULE],
    ['re', RE_MODULE],
    ['struct', STRUCT],
    ['time', makeTimeModule(now)],
  ]);
}
