/**
 * Sorting by numbers. Where all keys are numbers, short texts, or tuples of those in the same shape, each becomes a rank
 * (or a few), and sorting plain doubles takes the place of a call for every comparison.
 */
import { Tuple } from '../values/list.ts';
import { Float, type Value } from '../values/value.ts';
import { orderByRank } from './radix-sort.ts';

/** The keys, or one position of them, as numbers in the same order; texts, where given, decide between equal ranks. */
interface Column {
  readonly ranks: Float64Array;
  readonly texts: readonly string[] | null;
}

/** Longer texts, and longer tuples, are left to the comparison that charges for what it reads. */
const MAX_TEXT = 64;
const MAX_COLUMNS = 8;

/** The positions of the keys in stable order, or null if the keys are not of a kind that has ranks. */
export function rankOrder(keys: readonly Value[], descending: boolean): Int32Array | null {
  const columns = columnsOf(keys);
  if (columns === null) return null;
  let order: Int32Array = new Int32Array(keys.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  // The last column first: every sort leaves what it finds equal in the order of the columns after it.
  for (const { ranks, texts } of columns.reverse()) {
    if (descending) for (let i = 0; i < ranks.length; i++) ranks[i]! *= -1;
    order = orderByRank(ranks, order);
    if (texts !== null) settleTies(ranks, texts, order, descending ? -1 : 1);
  }
  return order;
}

/** Puts positions of equal rank in the order of their texts. */
function settleTies(ranks: Float64Array, texts: readonly string[], order: Int32Array, sign: number): void {
  const byText = (a: number, b: number): number => orderTexts(texts[a]!, texts[b]!) * sign;
  let start = 0;
  while (start < order.length) {
    const rank = ranks[order[start]!]!;
    let isSorted = true;
    let end = start + 1;
    for (; end < order.length && ranks[order[end]!] === rank; end++) {
      isSorted &&= byText(order[end - 1]!, order[end]!) <= 0;
    }
    if (!isSorted) order.subarray(start, end).sort(byText);
    start = end;
  }
}

/** Of texts without surrogates, where the order of UTF-16 units is that of code points. */
function orderTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
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

const SURROGATES = 0xd800;
/** How many units make a rank, for texts of one byte a unit and for others: as many as a double holds exactly. */
const NARROW = { units: 6, base: 0x101 };
const WIDE = { units: 3, base: 0x10001 };

/** The rank of a text is made of the few units after what all texts begin with. */
function textColumn(values: readonly Value[]): Column | null {
  let longest = 0;
  let greatest = 0;
  for (let i = 0; i < values.length; i++) {
    const text = values[i]!;
    if (typeof text !== 'string' || text.length >= MAX_TEXT) return null;
    if (text.length > longest) longest = text.length;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > greatest) greatest = unit;
    }
  }
  if (greatest >= SURROGATES) return null;
  const texts = values as readonly string[];
  const start = sharedStart(texts);
  const { units, base } = greatest < 0x100 ? NARROW : WIDE;
  const ranks = new Float64Array(texts.length);
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]!;
    let rank = 0;
    // The end of a text counts as 0, less than any unit.
    for (let at = start; at < start + units; at++)
      rank = rank * base + (at < text.length ? text.charCodeAt(at) + 1 : 0);
    ranks[i] = rank;
  }
  return { ranks, texts: longest <= start + units ? null : texts };
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
