/**
 * What indexing, slicing and repetition of every sequence have in common: which element an index means, which elements
 * a slice means, and how often is too often.
 */
import { fail } from '../run/errors.ts';
import { typeName, type Value } from './value.ts';

/** Elements or characters one repetition may make; the memory limit is usually reached long before. */
const MAX_REPEAT = 2 ** 29 - 24;

/** An index as an offset in [0, length), counting from the end where negative. */
export function checkedIndex(type: string, index: Value, length: number): number {
  if (typeof index === 'number') {
    const at = index < 0 ? index + length : index;
    if (at >= 0 && at < length) return at;
  } else if (typeof index !== 'bigint') {
    fail(`${type} index: got ${typeName(index)}, want int`);
  }
  return outOfRange(type, index, length);
}

export function outOfRange(type: string, index: number | bigint, length: number): never {
  if (length === 0) fail(`index ${index} out of range: empty ${type}`);
  fail(`${type} index ${index} out of range [${-length}:${length - 1}]`);
}

/** Which elements `[low:high:step]` takes: `count` of them from `start` on, `step` apart. */
export interface SliceRange {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** Null stands for a part left out. */
export function sliceRange(low: Value, high: Value, step: Value, length: number): SliceRange {
  const by = step === null ? 1 : clampedInt(step, 'slice step');
  if (by === 0) fail('zero is not a valid slice step');
  const [first, last] = by > 0 ? [0, length] : [-1, length - 1];
  const start = bound(low, 'start index', length, first, last, by > 0 ? first : last);
  const end = bound(high, 'end index', length, first, last, by > 0 ? last : first);
  return { start, step: by, count: Math.max(0, Math.ceil((end - start) / by)) };
}

/** The low and high of a substring search, clamped to [0, length]; low may exceed high. */
export function indices(low: Value, high: Value, length: number): [low: number, high: number] {
  return [
    bound(low, 'start index', length, 0, length, 0),
    bound(high, 'end index', length, 0, length, length),
  ];
}

function bound(index: Value, what: string, length: number, min: number, max: number, absent: number): number {
  if (index === null) return absent;
  const given = clampedInt(index, what);
  return Math.max(min, Math.min(max, given < 0 ? given + length : given));
}

/** Beyond the safe integers every index means the same: past the end. */
function clampedInt(value: Value, what: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value < 0n ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return fail(`invalid ${what}: got ${typeName(value)}, want int`);
}

/** How often to repeat `length` elements, never negative; undefined where `count` is not an int at all. */
export function repeatCount(count: Value, length: number): number | undefined {
  if (typeof count !== 'number' && typeof count !== 'bigint') return undefined;
  if (count <= 0 || length === 0) return 0;
  if (count > 0x7fffffff) fail(`repeat count ${count} too large`);
  const times = Number(count);
  if (times * length > MAX_REPEAT) fail(`excessive repeat (${length} * ${times} elements)`);
  return times;
}

/** Units that are joined at a time: joined one by one, each would leave a node of the engine's behind. */
const BLOCK = 4096;

/** The text of `count` units, each as `unit` says. */
export function textOf(count: number, unit: (i: number) => number): string {
  let out = '';
  for (let start = 0; start < count; start += BLOCK) {
    const units: number[] = [];
    for (let i = start; i < count && i < start + BLOCK; i++) units.push(unit(i));
    out += String.fromCharCode.apply(null, units);
  }
  return out;
}
