import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import type { Float } from '../values/value.ts';

const number = (text: string): number => (evaluate(text) as Float).value;

describe('the math module', () => {
  it.each([
    [
      'math.ceil(0.4), math.ceil(-0.5), math.floor(-0.5), math.ceil(3), math.floor(1e20)',
      '(1, 0, -1, 3, 100000000000000000000)',
    ],
    [
      'math.round(0.5), math.round(-0.5), math.round(2.5), math.round(-0.4), math.round(1)',
      '(1.0, -1.0, 3.0, -0.0, 1.0)',
    ],
    ['math.mod(5, 3), math.mod(-5, 3), math.mod(1.0, float("inf"))', '(2.0, -2.0, 1.0)'],
    [
      'math.remainder(3, 5), math.remainder(5, 2), math.remainder(7, 2), math.remainder(-3, 5)',
      '(-2.0, 1.0, -1.0, 2.0)',
    ],
    [
      'math.remainder(1, 0), math.remainder(2, float("inf")), math.remainder(1e308, 1.7e308)',
      '(nan, 2.0, -6.999999999999999e+307)',
    ],
    [
      'math.pow(5, 3), math.pow(1, float("nan")), math.pow(-1, float("inf")), math.pow(0, 0)',
      '(125.0, 1.0, 1.0, 1.0)',
    ],
    ['math.copysign(3.2, -1), math.copysign(-1, 0.0), math.copysign(1, -0.0)', '(-3.2, 1.0, -1.0)'],
    ['math.log(10, 10), math.log(0), math.log(-1), math.log(math.e)', '(1.0, -inf, nan, 1.0)'],
    [
      'math.gamma(1), math.gamma(5), math.gamma(0), math.gamma(-1), math.gamma(172)',
      '(1.0, 24.0, +inf, nan, +inf)',
    ],
    ['math.sqrt(-4), math.hypot(3, 4), math.fabs(-2), math.exp(0)', '(nan, 5.0, 2.0, 1.0)'],
    [
      'type(math.ceil(0.5)), type(math.round(0.5)), dir(math)[:3]',
      '("int", "float", ["acos", "acosh", "asin"])',
    ],
    [
      'math.remainder(-0.0, 1e308), math.remainder(-0.0, 3), math.remainder(-6, 3), math.remainder(0.0, -1e308)',
      '(-0.0, -0.0, -0.0, 0.0)',
    ],
    ['math.degrees(1), math.radians(1)', '(57.29577951308232, 0.017453292519943295)'],
  ])('%s', (text, wanted) => {
    expect(show(`(${text})`)).toBe(wanted);
  });

  it('gamma is right to many digits between the integers', () => {
    expect(number('math.gamma(0.5)')).toBeCloseTo(Math.sqrt(Math.PI), 12);
    expect(number('math.gamma(-1.5)')).toBeCloseTo((4 / 3) * Math.sqrt(Math.PI), 12);
    expect(number('math.gamma(170.5)') / 5.5e305).toBeGreaterThan(0);
    expect(number('math.gamma(10.1)') / 454760.7514415855).toBeCloseTo(1, 12);
  });

  it.each([
    ['math.ceil("0")', 'math.ceil: for parameter x: got string, want float or int'],
    ['math.ceil(float("inf"))', 'cannot convert float infinity to integer'],
    ['math.floor(float("nan"))', 'cannot convert float NaN to integer'],
    ['math.pow(1, "0")', 'math.pow: for parameter y: got string, want float or int'],
    ['math.sqrt(True)', 'math.sqrt: for parameter x: got bool, want float or int'],
    ['math.log(2, 1)', 'math.log: division by zero'],
    ['math.sqrt(int("9" * 400))', 'int too large to convert to float'],
    ['math.squirt(1)', 'math has no .squirt field or method (did you mean .sqrt?)'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });
});
