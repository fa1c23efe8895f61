/**
 * Sorting by numbers. Where all keys are numbers, short texts, or tuples of those in the same shape, each becomes a rank
 * (or a few), and a merge sort over plain doubles takes the place of a call for every comparison.
 */
import { Tuple } from '../values/list.ts';
import { Float, type Value } from '../values/value.ts';

/** The keys, or one position of them, as numbers in the same order; texts with equal ranks still have to be compared. */
interface Column {
  readonly ranks: Float64Array;
  readonly texts: readonly string[] | null;
}

/** Longer texts, and longer tuples, are left to the comparison that charges for what it reads. */
const MAX_TEXT = 64;
const MAX_COLUMNS = 8;
const RUN = 6;

/** The positions of the keys in stable order, or null where the keys are not of a kind that has ranks. */
export function rankOrder(keys: readonly Value[], descending: boolean): Int32Array | null {
  const columns = columnsOf(keys);
  if (columns === null) return null;
  const sign = descending ? -1 : 1;
  if (descending) for (const { ranks } of columns) for (let i = 0; i < ranks.length; i++) ranks[i]! *= -1;
  const first = columns[0]!;
  const others = columns.slice(1);
  const precedes = (a: number, b: number): boolean => {
    let order = first.texts === null ? 0 : orderTexts(first.texts, a, b);
    for (let i = 0; order === 0 && i < others.length; i++) {
      const { ranks, texts } = others[i]!;
      if (ranks[a] !== ranks[b]) return ranks[a]! < ranks[b]!;
      if (texts !== null) order = orderTexts(texts, a, b);
    }
    return order * sign < 0;
  };
  return mergeSort(first.ranks, first.texts === null && others.length === 0 ? null : precedes);
}

/** Of texts without surrogates, where the order of UTF-16 units is that of code points. */
function orderTexts(texts: readonly string[], a: number, b: number): number {
  const x = texts[a]!;
  const y = texts[b]!;
  return x === y ? 0 : x < y ? -1 : 1;
}

function columnsOf(keys: readonly Value[]): Column[] | null {
  const [sample] = keys;
  if (!(sample instanceof Tuple)) {
    const only = columnOf(keys);
    return only === null ? null : [only];
  }
  const width = sample.length;
  if (width === 0 || width > MAX_COLUMNS) return null;
  if (!keys.every((key) => key instanceof Tuple && key.length === width)) return null;
  const columns: Column[] = [];
  for (let at = 0; at < width; at++) {
    const column = columnOf((keys as readonly Tuple[]).map((key) => key.items[at]!));
    if (column === null) return null;
    columns.push(column);
  }
  return columns;
}

function columnOf(values: readonly Value[]): Column | null {
  return typeof values[0] === 'string' ? textColumn(values) : numberColumn(values);
}

function numberColumn(values: readonly Value[]): Column | null {
  const ranks = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const number = typeof value === 'number' ? value : value instanceof Float ? value.value : Number.NaN;
    // Big ints do not fit, and NaN has a place in the order that comparing numbers does not give it.
    if (Number.isNaN(number)) return null;
    ranks[i] = number;
  }
  return { ranks, texts: null };
}

const BEYOND_LATIN1 = /[^\0-\xff]/;
const BEYOND_SURROGATES = /[\ud800-\uffff]/;

/** The rank of a text is made of the few units after what all texts begin with. */
function textColumn(values: readonly Value[]): Column | null {
  let narrow = true;
  for (const text of values) {
    if (typeof text !== 'string' || text.length >= MAX_TEXT || BEYOND_SURROGATES.test(text)) return null;
    narrow &&= !BEYOND_LATIN1.test(text);
  }
  const texts = values as readonly string[];
  const start = sharedStart(texts);
  const [units, base] = narrow ? [6, 0x100] : [3, 0x10000];
  const ranks = new Float64Array(texts.length);
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]!;
    let rank = 0;
    for (let at = start; at < start + units; at++)
      rank = rank * base + (at < text.length ? text.charCodeAt(at) : 0);
    ranks[i] = rank;
  }
  return { ranks, texts };
}

function sharedStart(texts: readonly string[]): number {
  const first = texts[0]!;
  let shared = first.length;
  for (let i = 1; i < texts.length && shared > 0; i++) {
    const text = texts[i]!;
    let at = 0;
    while (at < shared && text.charCodeAt(at) === first.charCodeAt(at)) at++;
    shared = at;
  }
  return shared;
}

/** Sorts positions by rank, and by `precedes` where ranks are equal; uses up the ranks. */
function mergeSort(ranks: Float64Array, precedes: ((a: number, b: number) => boolean) | null): Int32Array {
  const { length } = ranks;
  let from = ranks;
  let order: Int32Array = new Int32Array(length);
  let other: Float64Array = new Float64Array(length);
  let otherOrder: Int32Array = new Int32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  sortRuns(from, order, precedes);
  for (let width = RUN; width < length; width *= 2) {
    for (let low = 0; low < length; low += 2 * width) {
      const middle = Math.min(low + width, length);
      const high = Math.min(low + 2 * width, length);
      let left = low;
      let right = middle;
      for (let out = low; out < high; out++) {
        const takeRight =
          right < high &&
          (left >= middle ||
            from[right]! < from[left]! ||
            (precedes !== null && from[right] === from[left] && precedes(order[right]!, order[left]!)));
        const taken = takeRight ? right++ : left++;
        other[out] = from[taken]!;
        otherOrder[out] = order[taken]!;
      }
    }
    [from, other] = [other, from];
    [order, otherOrder] = [otherOrder, order];
  }
  return order;
}

/** Insertion sort of each short run. */
function sortRuns(
  ranks: Float64Array,
  order: Int32Array,
  precedes: ((a: number, b: number) => boolean) | null,
): void {
  for (let low = 0; low < ranks.length; low += RUN) {
    const high = Math.min(low + RUN, ranks.length);
    for (let i = low + 1; i < high; i++) {
      const rank = ranks[i]!;
      const position = order[i]!;
      let at = i;
      while (
        at > low &&
        (rank < ranks[at - 1]! ||
          (precedes !== null && rank === ranks[at - 1] && precedes(position, order[at - 1]!)))
      ) {
        ranks[at] = ranks[at - 1]!;
        order[at] = order[at - 1]!;
        at--;
      }
      ranks[at] = rank;
      order[at] = position;
    }
  }
}
