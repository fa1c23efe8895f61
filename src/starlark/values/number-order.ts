/**
 * The order of numbers: mathematically exact between ints of any size and floats, with NaN above everything.
 */
import { Float } from './value.ts';

export type Numeric = number | bigint | Float;

/** Negative, zero or positive. */
export function orderNumbers(a: Numeric, b: Numeric): number {
  const x = a instanceof Float ? a.value : a;
  const y = b instanceof Float ? b.value : b;
  // JavaScript compares numbers with bigints exactly, so only NaN needs a thought.
  if (x < y) return -1;
  if (x > y) return 1;
  return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
}

export function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}
