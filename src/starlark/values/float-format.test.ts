import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatExponent, formatFixed, formatFloat } from './float-format.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('float text', () => {
  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [123, '123.0'],
    [1.1, '1.1'],
    [100000, '100000.0'],
    [1e6, '1e+06'],
    [1.2e12, '1.2e+12'],
    [1e17, '1e+17'],
    [1.23e45, '1.23e+45'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1.5e-7, '-1.5e-07'],
    [100 / 7, '14.285714285714286'],
    [5e-324, '5e-324'],
    [Infinity, '+inf'],
    [-Infinity, '-inf'],
    [NaN, 'nan'],
  ])('str(%s) is %s', (value, text) => {
    expect(formatFloat(value)).toBe(text);
  });

  it('reads back as the same float, and never looks like an int', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const text = formatFloat(value);
        expect(Object.is(Number(text), value)).toBe(true);
        expect(text).toMatch(/[.e]/);
      }),
    );
  });

  it.each([
    [0, '0.000000', '0.000000e+00'],
    [-0, '-0.000000', '-0.000000e+00'],
    [123, '123.000000', '1.230000e+02'],
    [1.23e45, '1229999999999999973814869011019624571608236032.000000', '1.230000e+45'],
    [-1.23e-45, '-0.000000', '-1.230000e-45'],
    [2 ** 53, '9007199254740992.000000', '9.007199e+15'],
    [NaN, 'nan', 'nan'],
    [-Infinity, '-inf', '-inf'],
  ])('%%f and %%e of %s', (value, fixed, exponent) => {
    expect(formatFixed(value)).toBe(fixed);
    expect(formatExponent(value)).toBe(exponent);
  });

  it('rounds an exact tie to the even digit', () => {
    expect(formatFixed(1 / 128)).toBe('0.007812');
    expect(formatFixed(3 / 128)).toBe('0.023438');
    expect(formatExponent(10000005)).toBe('1.000000e+07');
    expect(formatExponent(10000015)).toBe('1.000002e+07');
  });

  it('keeps %f within half a unit of the sixth digit', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        expect(Math.abs(Number(formatFixed(value)) - value)).toBeLessThanOrEqual(5.1e-7);
      }),
    );
  });
});
