/** A value as far as a page can show it: long texts and lists are cut, with how much there was in their place. */
import { head, type Json } from '../base/index.ts';
import { thousands } from '../terminal/index.ts';

const MOST_TEXT = 8000;
const MOST_ITEMS = 200;
const MOST_DEPTH = 40;
/** Characters of all texts together. */
const MOST_ALL = 200_000;

export function bounded(value: Json): Json {
  let left = MOST_ALL;
  const text = (whole: string): string => {
    const room = Math.max(0, Math.min(MOST_TEXT, left));
    left -= Math.min(whole.length, room);
    return whole.length <= room
      ? whole
      : `${head(whole, room)}… (${thousands(whole.length)} characters in all)`;
  };
  const visit = (each: Json, depth: number): Json => {
    if (typeof each === 'string') return text(each);
    if (typeof each !== 'object' || each === null) return each;
    if (depth >= MOST_DEPTH) return '… (deeper than is shown)';
    left -= 8;
    if (isList(each)) {
      const shown = each.slice(0, left > 0 ? MOST_ITEMS : 0).map((item) => visit(item, depth + 1));
      return shown.length < each.length ? [...shown, `… (${thousands(each.length)} items in all)`] : shown;
    }
    const keys = Object.keys(each);
    const shown = keys
      .slice(0, left > 0 ? MOST_ITEMS : 0)
      .map((key) => [text(key), visit(each[key]!, depth + 1)] as const);
    const rest =
      shown.length < keys.length ? [['…', `(${thousands(keys.length)} keys in all)`] as const] : [];
    return Object.fromEntries([...shown, ...rest]);
  };
  return visit(value, 0);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
