/**
 * Stable sorting of positions by numbers. Many whole numbers go digit by digit, with no comparison at all; the others
 * are merged.
 */

/** A digit of the sort by digits. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Two digits fit into the small ints the engine is quick with. */
const WORD = 2 ** (2 * DIGIT_BITS);
/** Below this, counting digits takes longer than merging. */
const MANY = 512;
const RUN = 6;

/** The positions in `order`, by the number each has in `ranks`; equal ones stay as they are. None may be NaN. */
export function orderByRank(ranks: Float64Array, order: Int32Array): Int32Array {
  const low = ranks.length < MANY ? null : wholeFrom(ranks);
  return low === null ? mergeSort(ranks, order) : digitSort(ranks, low, order);
}

/** The least rank, where all are whole and no two are further apart than doubles can tell; else null. */
function wholeFrom(ranks: Float64Array): number | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < ranks.length; i++) {
    const rank = ranks[i]!;
    if (rank !== Math.floor(rank)) return null;
    if (rank < low) low = rank;
    if (rank > high) high = rank;
  }
  return high - low <= Number.MAX_SAFE_INTEGER ? low : null;
}

/** From the last digit to the first, each pass keeping the order of the one before. */
function digitSort(ranks: Float64Array, low: number, order: Int32Array): Int32Array {
  const { length } = ranks;
  const counts = new Int32Array(DIGITS);
  const words = new Int32Array(length);
  const rest = new Float64Array(length);
  for (let i = 0; i < length; i++) rest[i] = ranks[i]! - low;
  let from = order;
  let to: Int32Array = new Int32Array(length);
  for (let more = true; more; ) {
    more = false;
    let used = 0;
    for (let i = 0; i < length; i++) {
      const value = rest[i]!;
      const above = Math.floor(value / WORD);
      const word = value - above * WORD;
      rest[i] = above;
      words[i] = word;
      used |= word;
      if (above > 0) more = true;
    }
    for (let shift = 0; used >> shift > 0; shift += DIGIT_BITS) {
      pass(words, shift, counts, from, to);
      [from, to] = [to, from];
    }
  }
  return from;
}

function pass(words: Int32Array, shift: number, counts: Int32Array, from: Int32Array, to: Int32Array): void {
  counts.fill(0);
  for (let i = 0; i < words.length; i++) counts[(words[i]! >> shift) & (DIGITS - 1)]!++;
  let start = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
  for (let i = 0; i < from.length; i++) {
    const position = from[i]!;
    to[counts[(words[position]! >> shift) & (DIGITS - 1)]!++] = position;
  }
}

function mergeSort(ranks: Float64Array, positions: Int32Array): Int32Array {
  const { length } = ranks;
  let from: Float64Array = new Float64Array(length);
  let order = positions;
  let other: Float64Array = new Float64Array(length);
  let otherOrder: Int32Array = new Int32Array(length);
  for (let i = 0; i < length; i++) from[i] = ranks[order[i]!]!;
  sortRuns(from, order);
  for (let width = RUN; width < length; width *= 2) {
    for (let low = 0; low < length; low += 2 * width) {
      const middle = Math.min(low + width, length);
      const high = Math.min(low + 2 * width, length);
      let left = low;
      let right = middle;
      for (let out = low; out < high; out++) {
        const takeRight = right < high && (left >= middle || from[right]! < from[left]!);
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
function sortRuns(ranks: Float64Array, order: Int32Array): void {
  for (let low = 0; low < ranks.length; low += RUN) {
    const high = Math.min(low + RUN, ranks.length);
    for (let i = low + 1; i < high; i++) {
      const rank = ranks[i]!;
      const position = order[i]!;
      let at = i;
      for (; at > low && rank < ranks[at - 1]!; at--) {
        ranks[at] = ranks[at - 1]!;
        order[at] = order[at - 1]!;
      }
      ranks[at] = rank;
      order[at] = position;
    }
  }
}
