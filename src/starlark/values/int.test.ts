import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Thread } from '../run/thread.ts';
import {
  addInts,
  andInts,
  canonical,
  floorDivInts,
  type Int,
  intText,
  invertInt,
  modInts,
  mulInts,
  negateInt,
  orInts,
  parseDigits,
  shiftLeftInts,
  shiftRightInts,
  subInts,
  xorInts,
} from './int.ts';

/** Small, around the edge of the safe integers, and large. */
const anyInt: fc.Arbitrary<Int> = fc
  .oneof(
    fc.bigInt({ min: -20n, max: 20n }),
    fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }),
    fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
    fc.bigInt({ min: -(2n ** 53n) - 9n, max: -(2n ** 53n) + 9n }),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
  )
  .map(canonical);

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

describe('int arithmetic', () => {
  const thread = new Thread();
  const OPERATIONS: [string, (t: Thread, a: Int, b: Int) => Int, (a: bigint, b: bigint) => bigint][] = [
    ['+', addInts, (a, b) => a + b],
    ['-', subInts, (a, b) => a - b],
    ['*', mulInts, (a, b) => a * b],
    ['&', andInts, (a, b) => a & b],
    ['|', orInts, (a, b) => a | b],
    ['^', xorInts, (a, b) => a ^ b],
  ];

  it.each(OPERATIONS)('is exact at any size for %s, and its results are canonical', (_op, ours, exact) => {
    fc.assert(
      fc.property(anyInt, anyInt, (a, b) => {
        expect(ours(thread, a, b)).toBe(canonical(exact(BigInt(a), BigInt(b))));
      }),
    );
  });

  it('rounds // down and gives % the sign of the divisor', () => {
    fc.assert(
      fc.property(anyInt, anyInt, (a, b) => {
        fc.pre(b !== 0);
        const quotient = floorDiv(BigInt(a), BigInt(b));
        expect(floorDivInts(thread, a, b)).toBe(canonical(quotient));
        expect(modInts(thread, a, b)).toBe(canonical(BigInt(a) - quotient * BigInt(b)));
      }),
    );
  });

  it('shifts arithmetically, by any count to the right', () => {
    fc.assert(
      fc.property(anyInt, fc.integer({ min: 0, max: 511 }), (a, by) => {
        expect(shiftLeftInts(thread, a, by)).toBe(canonical(BigInt(a) << BigInt(by)));
        expect(shiftRightInts(thread, a, by)).toBe(canonical(BigInt(a) >> BigInt(by)));
      }),
    );
    expect(shiftRightInts(thread, -5, 10n ** 30n)).toBe(-1);
    expect(shiftRightInts(thread, 10n ** 30n, 10n ** 30n)).toBe(0);
  });

  it('never yields -0', () => {
    for (const result of [
      mulInts(thread, 0, -3),
      floorDivInts(thread, 0, -3),
      modInts(thread, -6, 3),
      negateInt(thread, 0),
      subInts(thread, 0, 0),
      shiftLeftInts(thread, 0, 3),
    ]) {
      expect(Object.is(result, 0)).toBe(true);
    }
  });

  it('negates and inverts', () => {
    fc.assert(
      fc.property(anyInt, (a) => {
        expect(negateInt(thread, a)).toBe(canonical(-BigInt(a)));
        expect(invertInt(thread, a)).toBe(canonical(~BigInt(a)));
      }),
    );
  });

  it('refuses to divide by zero and to shift by a negative or huge count', () => {
    expect(() => floorDivInts(thread, 1, 0)).toThrow('division by zero');
    expect(() => floorDivInts(thread, 2n ** 70n, 0)).toThrow('division by zero');
    expect(() => modInts(thread, 1, 0)).toThrow('modulo by zero');
    expect(() => shiftLeftInts(thread, 2, -1)).toThrow('negative shift count: -1');
    expect(() => shiftRightInts(thread, 2, -1)).toThrow('negative shift count: -1');
    expect(() => shiftLeftInts(thread, 1, 512)).toThrow('shift count too large: 512');
  });
});

describe('int text', () => {
  it('round-trips through the digits of every base', () => {
    const thread = new Thread();
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), fc.integer({ min: 2, max: 36 }), (value, base) => {
        expect(parseDigits(intText(canonical(value), base, thread), base, thread)).toBe(canonical(value));
      }),
    );
  });
});

describe('int limits', () => {
  it('stop repeated squaring long before it becomes slow', () => {
    const thread = new Thread({ limits: { intBits: 1 << 16 } });
    const square = (): void => {
      let x: Int = 3;
      for (let i = 0; i < 40; i++) x = mulInts(thread, x, x);
    };
    expect(square).toThrow(expect.objectContaining({ kind: 'intsize' }));
  });

  it('hold for addition and shifting too', () => {
    const thread = new Thread({ limits: { intBits: 128 } });
    const largest = 2n ** 128n - 1n;
    const tooLarge = expect.objectContaining({ kind: 'intsize' });
    expect(addInts(thread, 2n ** 127n, 2n ** 127n - 1n)).toBe(largest);
    expect(mulInts(thread, largest, -1)).toBe(-largest);
    expect(() => addInts(thread, largest, 1)).toThrow(tooLarge);
    expect(() => mulInts(thread, 2n ** 64n, 2n ** 64n)).toThrow(tooLarge);
    expect(shiftLeftInts(thread, 1, 127)).toBe(2n ** 127n);
    expect(() => shiftLeftInts(thread, 1, 128)).toThrow(tooLarge);
    expect(() => shiftLeftInts(thread, 1, 500)).toThrow(tooLarge);
    expect(() => parseDigits('9'.repeat(40), 10, thread)).toThrow(tooLarge);
  });

  it('charge multiplication, division and conversion by the square of the length', () => {
    const big = 2n ** 64_000n;
    for (const work of [
      (thread: Thread) => mulInts(thread, big, big),
      (thread: Thread) => floorDivInts(thread, big * big, big),
      (thread: Thread) => intText(big, 10, thread),
      (thread: Thread) => parseDigits('9'.repeat(20_000), 10, thread),
    ]) {
      const thread = new Thread();
      work(thread);
      expect(thread.steps).toBeGreaterThan(900_000);
      expect(() => work(new Thread({ limits: { steps: 1000 } }))).toThrow('step limit');
    }
  });
});
