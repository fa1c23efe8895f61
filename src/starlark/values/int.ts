/**
 * Integer arithmetic, exact at any size. Numbers while they are safe, bigints beyond; every bigint operation is charged
 * by the limbs it works on and refused when its result would pass the size limit.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { HOST_INT } from './size.ts';

export type Int = number | bigint;

/** What a bigint weighs beside its limbs. */
const BOX = 16;

/** Shifting further left than this is an error; multiplication still reaches any size within the limit. */
const MAX_SHIFT = 512;

/** The one form every integer has: a number where that is safe. */
export function canonical(value: bigint): Int {
  return value >= MIN_SAFE && value <= MAX_SAFE ? Number(value) : value;
}

function big(value: Int): bigint {
  return typeof value === 'bigint' ? value : BigInt(value);
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = -MAX_SAFE;

/**
 * At least the bits of the absolute value, at most about twice as many: the host does not tell the length of a bigint,
 * and writing it out to count would cost more than the arithmetic. Comparing bigints of different lengths costs nothing.
 */
export function bitLength(value: Int): number {
  if (typeof value === 'number') return 53;
  // Numbers worked on one after another are mostly of a size, so the one found last is tried first.
  return value < under && value >= from ? bits : findBits(value);
}

/** The positive numbers found last, `from` to `under`, and how many bits they have. */
let from = 1n;
let under = 1n << 128n;
let bits = 128;

/** 2 to the 128, 256, 512…, made when first needed. */
const POWERS = [under];

function findBits(value: bigint): number {
  const size = value < 0n ? -value : value;
  from = 1n;
  under = POWERS[0]!;
  bits = 128;
  for (let i = 1; size >= under; i++) {
    bits *= 2;
    from = under;
    under = POWERS[i] ??= 1n << BigInt(bits);
  }
  return bits;
}

function limbs(value: Int): number {
  return (bitLength(value) + 63) >> 6;
}

/** An estimate may exceed the truth by this much: that of a small operand is always 53 bits. */
const SLACK = 64;

/** Charges a result of about `bits` bits, before it is made. Where that seems too many, `exact` has the last word. */
function reserve(thread: Thread, bits: number, exact: () => number = () => bits): void {
  if (bits > thread.limits.intBits + SLACK && exact() > thread.limits.intBits + SLACK) tooLarge(thread);
  thread.charge(BOX + (bits >> 3));
}

/** A result whose estimate is `bits`; near the limit its true size is what counts. */
function checked(thread: Thread, value: bigint, bits: number): bigint {
  if (bits > thread.limits.intBits && exceeds(value, thread.limits.intBits)) tooLarge(thread);
  return value;
}

function exceeds(value: bigint, bits: number): boolean {
  if (ceilingBits !== bits) {
    ceiling = 1n << BigInt(bits);
    floor = -ceiling;
    ceilingBits = bits;
  }
  return value >= ceiling || value <= floor;
}
let ceilingBits = 0;
let ceiling = 1n;
let floor = -1n;

/** Charges a sum, which is hardly longer than its operands, and makes it canonical. */
export function settleInt(thread: Thread, sum: bigint): Int {
  const size = sum < under && sum >= from ? bits : findBits(sum);
  if (size >= 1024) thread.spend(size >> 10);
  thread.charge(BOX + (size >> 3));
  if (size > thread.limits.intBits) checked(thread, sum, size);
  return size === 128 ? canonical(sum) : sum;
}

function exactBits(value: Int): number {
  if (typeof value === 'number') return 53;
  const digits = (value < 0n ? -value : value).toString(16);
  return digits.length * 4 - (Math.clz32(Number.parseInt(digits[0]!, 16)) - 28);
}

function tooLarge(thread: Thread): never {
  throw new StarlarkError('intsize', `integer exceeds the limit of ${thread.limits.intBits} bits`);
}

/** Charges an operation on the bits of its operands. */
function linear(thread: Thread, a: Int, b: Int): void {
  const bits = Math.max(bitLength(a), bitLength(b));
  thread.spend(bits >> 10);
  thread.charge(BOX + (bits >> 3));
}

export function addInts(thread: Thread, a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return settleInt(thread, big(a) + big(b));
}

export function subInts(thread: Thread, a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return settleInt(thread, big(a) - big(b));
}

export function mulInts(thread: Thread, a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    // Adding zero turns -0 into 0.
    const product = a * b + 0;
    if (Number.isSafeInteger(product)) return product;
  }
  // From here on no product is small enough to be a number.
  if (a === 0 || b === 0) return 0;
  const bitsA = bitLength(a);
  const bitsB = bitLength(b);
  thread.spend(((bitsA + 63) >> 6) * ((bitsB + 63) >> 6));
  const bits = bitsA + bitsB;
  if (bits > thread.limits.intBits) reserve(thread, bits, () => exactBits(a) + exactBits(b));
  else thread.charge(BOX + (bits >> 3));
  return checked(thread, big(a) * big(b), bits);
}

/** Rounds towards negative infinity. */
export function floorDivInts(thread: Thread, a: Int, b: Int): Int {
  if (b === 0) fail('floored division by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    // a - remainder is a multiple of b, so this division is exact where a / b might round.
    const remainder = a % b;
    const quotient = (a - remainder) / b + 0;
    return remainder !== 0 && remainder < 0 !== b < 0 ? quotient - 1 : quotient;
  }
  chargeDivision(thread, a, b);
  const x = big(a);
  const y = big(b);
  const quotient = x / y;
  return canonical(x < 0n !== y < 0n && quotient * y !== x ? quotient - 1n : quotient);
}

/** Has the sign of the divisor. */
export function modInts(thread: Thread, a: Int, b: Int): Int {
  if (b === 0) fail('integer modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const remainder = a % b;
    return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder + 0;
  }
  chargeDivision(thread, a, b);
  if (typeof b === 'number') {
    const remainder = Number(big(a) % BigInt(b));
    return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
  }
  const x = big(a);
  const y = b;
  const remainder = x % y;
  return canonical(remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder);
}

function chargeDivision(thread: Thread, a: Int, b: Int): void {
  const bits = bitLength(a);
  thread.spend(((bits + 63) >> 6) * limbs(b));
  thread.charge(BOX + (bits >> 3));
}

/** Bitwise operators work on 32 bits in JavaScript, so numbers outside take the long way. */
function fits32(a: Int, b: Int): boolean {
  return typeof a === 'number' && typeof b === 'number' && (a | 0) === a && (b | 0) === b;
}

export function andInts(thread: Thread, a: Int, b: Int): Int {
  if (fits32(a, b)) return (a as number) & (b as number);
  linear(thread, a, b);
  return canonical(big(a) & big(b));
}

export function orInts(thread: Thread, a: Int, b: Int): Int {
  if (fits32(a, b)) return (a as number) | (b as number);
  linear(thread, a, b);
  return canonical(big(a) | big(b));
}

export function xorInts(thread: Thread, a: Int, b: Int): Int {
  if (fits32(a, b)) return (a as number) ^ (b as number);
  linear(thread, a, b);
  return canonical(big(a) ^ big(b));
}

export function invertInt(thread: Thread, a: Int): Int {
  return subInts(thread, -1, a);
}

export function negateInt(thread: Thread, a: Int): Int {
  // Every number and its negative are safe together; the same holds for canonical bigints.
  if (typeof a === 'number') return 0 - a;
  linear(thread, a, 0);
  return -a;
}

export function shiftLeftInts(thread: Thread, a: Int, count: Int): Int {
  if (count < 0) fail(`negative shift count: ${count}`);
  if (count >= MAX_SHIFT) fail(`shift count too large: ${count}`);
  const by = Number(count);
  if (typeof a === 'number') {
    const shifted = a * 2 ** by;
    if (Number.isSafeInteger(shifted)) return shifted;
  }
  const bits = bitLength(a) + by;
  thread.spend(bits >> 10);
  reserve(thread, bits, () => exactBits(a) + by);
  return checked(thread, big(a) << BigInt(by), bits);
}

/** Arithmetic: fills with the sign. */
export function shiftRightInts(thread: Thread, a: Int, count: Int): Int {
  if (count < 0) fail(`negative shift count: ${count}`);
  if (typeof a === 'number') return count > 53 ? (a < 0 ? -1 : 0) : Math.floor(a / 2 ** Number(count));
  if (count > bitLength(a)) return a < 0n ? -1 : 0;
  linear(thread, a, 0);
  return canonical(a >> BigInt(count));
}

/** The digits of an int; converting a large one takes time in the square of its length. */
export function intText(value: Int, base: number, thread?: Thread): string {
  if (typeof value === 'number') return base === 10 ? `${value}` : value.toString(base);
  const size = limbs(value);
  thread?.spend(size * size);
  thread?.charge(size * 20);
  return value.toString(base);
}

/**
 * The int that a run of digits means. The digits must be valid for the base; a large run is charged before it is
 * converted, and refused where the result would pass the size limit.
 */
export function parseDigits(digits: string, base: number, thread: Thread): Int {
  const bits = Math.ceil(digits.length * Math.log2(base));
  if (bits <= 53) return Number.parseInt(digits, base);
  const size = (bits + 63) >> 6;
  thread.spend(size * size);
  reserve(thread, bits);
  if (base === 10) return canonical(checked(thread, BigInt(digits), bits));
  const prefix = PREFIXES.get(base);
  if (prefix !== undefined) return canonical(checked(thread, BigInt(prefix + digits), bits));
  const chunk = Math.floor(53 / Math.log2(base));
  const factor = BigInt(base) ** BigInt(chunk);
  const first = digits.length % chunk;
  let value = BigInt(first === 0 ? 0 : Number.parseInt(digits.slice(0, first), base));
  for (let at = first; at < digits.length; at += chunk) {
    value = value * factor + BigInt(Number.parseInt(digits.slice(at, at + chunk), base));
  }
  return canonical(checked(thread, value, bits));
}
const PREFIXES: ReadonlyMap<number, string> = new Map([
  [2, '0b'],
  [8, '0o'],
  [16, '0x'],
]);

/** A whole, finite JavaScript number as an int. */
export function intFromNumber(value: number, thread: Thread | null = null): Int {
  if (Number.isSafeInteger(value)) return value + 0;
  thread?.charge(HOST_INT);
  return BigInt(value);
}
