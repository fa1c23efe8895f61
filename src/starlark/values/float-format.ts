/**
 * Floats as text, on plain JavaScript numbers: the shortest form that reads back as the same float (`str`, `%g`), and
 * the six-digit forms of `%e` and `%f`, rounded half to even.
 */

const PRECISION = 6;
/** Outside these decimal exponents the compact form is written with an exponent: `1e+06`, `1e-05`. */
const COMPACT_MIN = -4;
const COMPACT_MAX = 6;

/** `str(x)` and `%g`: as few digits as possible, always with a point or an exponent, so that it never looks like an int. */
export function formatFloat(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const size = Math.abs(value);
  // Here the host writes the same digits, without an exponent.
  if (size >= 10 ** COMPACT_MIN && size < 10 ** COMPACT_MAX)
    return Number.isInteger(value) ? `${value}.0` : `${value}`;
  const [digits, exponent] = shortest(size);
  const sign = isNegative(value) ? '-' : '';
  if (exponent < COMPACT_MIN || exponent >= COMPACT_MAX) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${exponentText(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** `%f`. */
export function formatFixed(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const size = Math.abs(value);
  const sign = isNegative(value) ? '-' : '';
  // From 2^53 on a float is a whole number, and `toFixed` would turn to exponents at 1e21.
  if (size >= 2 ** 53) return `${sign}${BigInt(size)}.${'0'.repeat(PRECISION)}`;
  return sign + roundTie(size.toFixed(PRECISION), size.toFixed(PRECISION + 1), size.toFixed(TIE_DIGITS));
}

/** `%e`. */
export function formatExponent(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const size = Math.abs(value);
  const [rounded, exponent] = split(size.toExponential(PRECISION));
  const [longer] = split(size.toExponential(PRECISION + 1));
  const [exact] = split(size.toExponential(TIE_DIGITS));
  return `${isNegative(value) ? '-' : ''}${roundTie(rounded, longer, exact)}e${exponentText(exponent)}`;
}

/** More digits than any exact tie between two six-digit decimals can need. */
const TIE_DIGITS = 60;

/**
 * JavaScript rounds an exact tie up; the convention here is to the even digit. `rounded` stands unless the value is
 * exactly `longer`, ends in 5, and the digit before that is even: then the answer is `longer` cut short.
 */
function roundTie(rounded: string, longer: string, exact: string): string {
  if (!longer.endsWith('5') || /[^0]/.test(exact.slice(longer.length))) return rounded;
  const before = longer.charCodeAt(longer.length - 2);
  return before % 2 === 0 ? longer.slice(0, -1) : rounded;
}

/** The significant digits, without trailing zeros, and the decimal exponent of the first. */
function shortest(size: number): [digits: string, exponent: number] {
  const [mantissa, exponent] = split(size.toExponential());
  return [mantissa.replace('.', ''), exponent];
}

function split(text: string): [mantissa: string, exponent: number] {
  const at = text.indexOf('e');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}

function exponentText(exponent: number): string {
  return (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(2, '0');
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? '+inf' : '-inf';
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}
