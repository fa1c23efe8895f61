/**
 * Looks made of one fixed pattern, for secrets that have a set text before them. The patterns are sticky and their counts
 * bounded, so that each look reads a bounded stretch.
 */
import { isPlaceholder } from './placeholders.ts';
import { NOTHING, type PlaceRule } from './rule.ts';

/** The secret is the last group of the pattern, and ends where the pattern does. */
export function lastGroup(pattern: RegExp, accepts: RegExp = /^/): PlaceRule['look'] {
  return (text, at) => {
    pattern.lastIndex = at;
    const value = pattern.exec(text)?.at(-1);
    if (value === undefined || isPlaceholder(value) || !accepts.test(value)) return NOTHING;
    return [[pattern.lastIndex - value.length, pattern.lastIndex]];
  };
}
