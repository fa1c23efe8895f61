/**
 * The `math` module: floating-point functions over ints and floats, with the corner cases of IEEE 754.
 */
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { makeFloat, toDouble, truncate } from '../values/float.ts';
import { isNumeric } from '../values/number-order.ts';
import { Module } from '../values/struct.ts';
import { Float, typeName, type Value } from '../values/value.ts';

type Unary = (x: number) => number;
type Binary = (x: number, y: number) => number;

const DEGREES_PER_RADIAN = 180 / Math.PI;

const UNARY: Readonly<Record<string, Unary>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cos: Math.cos,
  cosh: Math.cosh,
  degrees: (x) => x * DEGREES_PER_RADIAN,
  exp: Math.exp,
  fabs: Math.abs,
  gamma,
  radians: (x) => x / DEGREES_PER_RADIAN,
  round: roundAwayFromZero,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
};

const BINARY: Readonly<Record<string, Binary>> = {
  atan2: Math.atan2,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  hypot: Math.hypot,
  mod: (x, y) => x % y,
  pow: power,
  remainder,
};

const INTEGER: Readonly<Record<string, Unary>> = { ceil: Math.ceil, floor: Math.floor };

function makeMembers(): Map<string, Value> {
  const members = new Map<string, Value>([
    ['e', new Float(Math.E)],
    ['pi', new Float(Math.PI)],
    ['log', builtin('math.log', 'x, base=None, /', log)],
  ]);
  for (const [name, compute] of Object.entries(UNARY)) {
    const full = `math.${name}`;
    members.set(
      name,
      builtin(full, 'x, /', (thread, x) => makeFloat(thread, compute(wantNumber(full, 'x', x)))),
    );
  }
  for (const [name, compute] of Object.entries(BINARY)) {
    const full = `math.${name}`;
    members.set(
      name,
      builtin(full, 'x, y, /', (thread, x, y) => {
        return makeFloat(thread, compute(wantNumber(full, 'x', x), wantNumber(full, 'y', y)));
      }),
    );
  }
  for (const [name, compute] of Object.entries(INTEGER)) {
    const full = `math.${name}`;
    members.set(
      name,
      builtin(full, 'x, /', (thread, x) => toInteger(thread, full, compute, x)),
    );
  }
  return members;
}

function wantNumber(fn: string, parameter: string, value: Value): number {
  if (isNumeric(value)) return toDouble(value);
  fail(`${fn}: for parameter ${parameter}: got ${typeName(value)}, want float or int`);
}

function toInteger(thread: Thread, fn: string, compute: Unary, value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return truncate(thread, compute(wantNumber(fn, 'x', value)));
}

function log(thread: Thread, x: Value, base: Value): Value {
  const numerator = Math.log(wantNumber('math.log', 'x', x));
  if (base === null) return makeFloat(thread, numerator);
  const denominator = Math.log(wantNumber('math.log', 'base', base));
  if (denominator === 0) fail('math.log: division by zero');
  return makeFloat(thread, numerator / denominator);
}

function roundAwayFromZero(x: number): number {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

/** As IEEE 754 has it, where JavaScript says NaN: one to any power is one, and so is minus one to an infinite power. */
function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && Math.abs(y) === Infinity)) return 1;
  return x ** y;
}

/** x - n*y with n the integer nearest x/y, ties to even. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const size = Math.abs(y);
  // x modulo 2y first: the quotient left over is at most 1, so whether it is odd can be seen.
  let rest = Math.abs(size <= Number.MAX_VALUE / 2 ? x % (size * 2) : x);
  const half = size / 2;
  if (rest > half) {
    rest -= size;
    if (rest >= half) rest -= size;
  }
  // A zero keeps the sign of x, also where x is a zero itself.
  return x < 0 || Object.is(x, -0) ? -rest : rest;
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function gamma(x: number): number {
  if (Number.isInteger(x)) {
    if (x === 0) return 1 / x;
    if (x < 0) return Number.NaN;
    if (x > 171) return Infinity;
    let product = 1;
    for (let i = 2; i < x; i++) product *= i;
    return product;
  }
  if (!Number.isFinite(x)) return x === Infinity ? x : Number.NaN;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return Infinity;
  const z = x - 1;
  const t = z + LANCZOS.length - 1.5;
  const sum = LANCZOS.reduce((total, weight, i) => (i === 0 ? weight : total + weight / (z + i)), 0);
  // The power is split in two: whole it would overflow before the exponential brings it back.
  const root = t ** ((z + 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * root * Math.exp(-t) * root * sum;
}

export const MATH_MODULE = new Module('math', makeMembers());
