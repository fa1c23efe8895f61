/**
 * Float arithmetic and the roads between ints and floats. Operands may be ints; one too large for a double is an error,
 * never an infinity. Every float is a box, and charged as one.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { type Int, intFromNumber } from './int.ts';
import type { Numeric } from './number-order.ts';
import { FLOAT } from './size.ts';
import { Float } from './value.ts';

export { formatExponent, formatFixed, formatFloat } from './float-format.ts';

/** A new float, charged. */
export function makeFloat(thread: Thread, value: number): Float {
  thread.charge(FLOAT);
  return new Float(value);
}

/** The double an operand stands for. */
export function toDouble(value: Numeric): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return value;
  const double = Number(value);
  if (!Number.isFinite(double)) fail('int too large to convert to float');
  return double;
}

/** Rounds towards zero. */
export function truncate(thread: Thread, value: number): Int {
  if (Number.isNaN(value)) fail('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) fail('cannot convert float infinity to integer');
  return intFromNumber(Math.trunc(value), thread);
}

export function addFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  return makeFloat(thread, toDouble(a) + toDouble(b));
}

export function subFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  return makeFloat(thread, toDouble(a) - toDouble(b));
}

export function mulFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  return makeFloat(thread, toDouble(a) * toDouble(b));
}

/** `/`, which yields a float even of two ints. */
export function divFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floating-point division by zero');
  return makeFloat(thread, x / y);
}

export function floorDivFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floored division by zero');
  return makeFloat(thread, Math.floor(x / y));
}

/** Has the sign of the divisor. */
export function modFloats(thread: Thread, a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floating-point modulo by zero');
  const remainder = x % y;
  return makeFloat(thread, remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder);
}
