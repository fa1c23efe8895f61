/** Where two JSON values differ, by path. */
import { isJsonObject, type Json, sameJson } from './json.ts';

export interface JsonDifference {
  /** `effects[0].message`; empty for the whole. */
  readonly path: string;
  /** Absent where there is nothing on that side. */
  readonly left?: Json;
  readonly right?: Json;
}

export interface DifferenceOptions {
  /** Goes into lists item by item; without, a list that differs is one difference. */
  readonly lists?: boolean;
  /** At most this many. */
  readonly limit?: number;
  /** True of a value on the left: it fits whatever stands on the right. */
  readonly fitsAll?: (left: Json | undefined) => boolean;
}

/** In the order of the keys on the left, then of those only on the right. Data nested 512 levels at most: this recurses. */
export function jsonDifferences(
  left: Json | undefined,
  right: Json | undefined,
  options: DifferenceOptions = {},
): JsonDifference[] {
  const found: JsonDifference[] = [];
  collect('', left, right, options, found);
  return found;
}

function collect(
  path: string,
  left: Json | undefined,
  right: Json | undefined,
  options: DifferenceOptions,
  found: JsonDifference[],
): void {
  if (found.length >= (options.limit ?? Number.POSITIVE_INFINITY) || left === right) return;
  if (options.fitsAll?.(left) === true) return;
  if (isJsonObject(left) && isJsonObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
      collect(path === '' ? key : `${path}.${key}`, own(left, key), own(right, key), options, found);
  } else if (options.lists === true && Array.isArray(left) && Array.isArray(right)) {
    for (let at = 0; at < Math.max(left.length, right.length); at++)
      collect(`${path}[${at}]`, left[at] as Json, right[at] as Json, options, found);
  } else if (!sameJson(left, right)) {
    found.push({ path, ...(left !== undefined && { left }), ...(right !== undefined && { right }) });
  }
}

function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
