/**
 * Float arithmetic and the roads between ints and floats. Operands may be ints; one too large for a double is an error,
 * never an infinity.
 */
import { fail } from '../run/errors.ts';
import { type Int, intFromNumber } from './int.ts';
import type { Numeric } from './number-order.ts';
import { Float } from './value.ts';

export { formatExponent, formatFixed, formatFloat } from './float-format.ts';

/** The double an operand stands for. */
export function toDouble(value: Numeric): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return value;
  const double = Number(value);
  if (!Number.isFinite(double)) fail('int too large to convert to float');
  return double;
}

/** Rounds towards zero. */
export function truncate(value: number): Int {
  if (Number.isNaN(value)) fail('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) fail('cannot convert float infinity to integer');
  return intFromNumber(Math.trunc(value));
}

export function addFloats(a: Numeric, b: Numeric): Float {
  return new Float(toDouble(a) + toDouble(b));
}

export function subFloats(a: Numeric, b: Numeric): Float {
  return new Float(toDouble(a) - toDouble(b));
}

export function mulFloats(a: Numeric, b: Numeric): Float {
  return new Float(toDouble(a) * toDouble(b));
}

/** `/`, which yields a float even of two ints. */
export function divFloats(a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floating-point division by zero');
  return new Float(x / y);
}

export function floorDivFloats(a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floored division by zero');
  return new Float(Math.floor(x / y));
}

/** Has the sign of the divisor. */
export function modFloats(a: Numeric, b: Numeric): Float {
  const x = toDouble(a);
  const y = toDouble(b);
  if (y === 0) fail('floating-point modulo by zero');
  const remainder = x % y;
  return new Float(remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder);
}
