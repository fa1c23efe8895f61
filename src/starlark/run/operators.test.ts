import { describe, expect, it } from 'vitest';
import { Dict } from '../values/dict.ts';
import { List, Tuple } from '../values/list.ts';
import { repr } from '../values/repr.ts';
import { type ArithmeticOperator, Float, StarObject, type Value } from '../values/value.ts';
import {
  add,
  addInPlace,
  bitAnd,
  bitOr,
  bitXor,
  div,
  floorDiv,
  index,
  invert,
  isIn,
  mod,
  mul,
  negate,
  orInPlace,
  plus,
  setIndex,
  shiftLeft,
  sub,
  truth,
} from './operators.ts';
import { Thread } from './thread.ts';

const thread = new Thread();
const float = (value: number): Float => new Float(value);
const list = (...items: Value[]): List => new List(items);

describe('arithmetic operators', () => {
  it.each([
    [add, 1, 2, '3'],
    [add, 1, float(2), '3.0'],
    [add, 'a', 'b', '"ab"'],
    [add, list(1), list(2), '[1, 2]'],
    [add, new Tuple([1]), new Tuple([2]), '(1, 2)'],
    [sub, float(5.5), 7, '-1.5'],
    [mul, 'ab', 3, '"ababab"'],
    [mul, 2, list(1), '[1, 1]'],
    [mul, new Tuple([1, 2]), 2, '(1, 2, 1, 2)'],
    [mul, 'ab', -1, '""'],
    [mul, 2 ** 52, 4, '18014398509481984'],
    [div, 5, 4, '1.25'],
    [div, 4, 2, '2.0'],
    [floorDiv, 100, float(-7), '-15.0'],
    [floorDiv, 1, float(-Infinity), '-0.0'],
    [floorDiv, -7, 2, '-4'],
    [mod, float(100), float(-7), '-5.0'],
    [mod, -7, 2, '1'],
    [bitAnd, 0xff00ff00ff, 0xff, '255'],
    [bitOr, 2 ** 40, 1, '1099511627777'],
    [bitXor, -1, 2 ** 40, '-1099511627777'],
    [shiftLeft, 1, 62, '4611686018427387904'],
  ] as [typeof add, Value, Value, string][])('compute case %#', (op, a, b, result) => {
    expect(repr(op(thread, a, b))).toBe(result);
  });

  it.each([
    [add, 'a', 1, 'unknown binary op: string + int'],
    [add, list(), new Tuple([]), 'unknown binary op: list + tuple'],
    [add, true, 1, 'unknown binary op: bool + int'],
    [add, null, null, 'unknown binary op: NoneType + NoneType'],
    [sub, 'a', 'b', 'unknown binary op: string - string'],
    [mul, 'a', float(2), 'unknown binary op: string * float'],
    [bitOr, 1, float(2), 'unknown binary op: int | float'],
    [bitOr, new Dict(), list(), 'unknown binary op: dict | list'],
    [div, 1, 0, 'floating-point division by zero'],
    [floorDiv, float(1), 0, 'floored division by zero'],
    [mod, 1, float(0), 'floating-point modulo by zero'],
    [add, 2n ** 2000n, float(1), 'int too large to convert to float'],
    [mul, 'a', 10 ** 12, 'repeat count 1000000000000 too large'],
  ] as [typeof add, Value, Value, string][])('refuse case %#', (op, a, b, message) => {
    expect(() => op(thread, a, b)).toThrow(message);
  });

  it('have unary forms', () => {
    expect(negate(thread, 2n ** 60n)).toBe(-(2n ** 60n));
    expect(repr(negate(thread, float(0)))).toBe('-0.0');
    expect(plus(thread, 5)).toBe(5);
    expect(invert(thread, -1)).toBe(0);
    expect(() => negate(thread, 'x')).toThrow('unknown unary op: -string');
    expect(() => invert(thread, float(1))).toThrow('unknown unary op: ~float');
    expect(() => plus(thread, true)).toThrow('unknown unary op: +bool');
  });

  it('charge strings before making them', () => {
    const limited = new Thread({ limits: { memory: 1000 } });
    expect(() => mul(limited, 'ab', 600)).toThrow('memory limit');
    expect(() => mul(thread, 'ab', 2 ** 29)).toThrow('excessive repeat');
    const growing = new Thread({ limits: { memory: 1 << 20 } });
    const grow = (): void => {
      let text: Value = 'x';
      for (;;) text = add(growing, text, text);
    };
    expect(grow).toThrow('memory limit');
  });
});

describe('augmented assignment', () => {
  it('grows a list in place by any iterable', () => {
    const own = list(1);
    expect(addInPlace(thread, own, list(2))).toBe(own);
    addInPlace(thread, own, new Tuple([3]));
    addInPlace(thread, own, Dict.of(thread, [['k', 1]]));
    addInPlace(thread, own, own);
    expect(repr(own)).toBe('[1, 2, 3, "k", 1, 2, 3, "k"]');
    expect(() => addInPlace(thread, own, 5)).toThrow('unknown binary op: list + int');
    expect(() => addInPlace(thread, own, 'abc')).toThrow('unknown binary op: list + string');
    own.frozen = true;
    expect(() => addInPlace(thread, own, list())).toThrow('cannot apply += to frozen list');
  });

  it('makes a new value of everything that cannot change', () => {
    expect(addInPlace(thread, 1, 2)).toBe(3);
    const tuple = new Tuple([1]);
    expect(addInPlace(thread, tuple, tuple)).not.toBe(tuple);
    expect(orInPlace(thread, 4, 1)).toBe(5);
  });
});

describe('membership and indexing', () => {
  it('look for substrings, keys and elements', () => {
    expect(isIn(thread, 'nan', 'banana')).toBe(true);
    expect(isIn(thread, 'a', Dict.of(thread, [['a', 1]]))).toBe(true);
    expect(() => isIn(thread, 3, 'foo')).toThrow("'in <string>' requires string as left operand, not int");
    expect(() => isIn(thread, 3, 4)).toThrow('unknown binary op: int in int');
    expect(() => isIn(thread, list(), new Dict())).toThrow('unhashable type: list');
  });

  it('read and write dict entries', () => {
    const dict = new Dict();
    setIndex(thread, dict, 'a', null);
    expect(index(thread, dict, 'a')).toBe(null);
    expect(() => index(thread, dict, 'b')).toThrow('key "b" not in dict');
    expect(() => setIndex(thread, dict, list(), 1)).toThrow('unhashable type: list');
    expect(() => setIndex(thread, null, 0, 1)).toThrow('NoneType value does not support item assignment');
  });
});

describe('truth', () => {
  it('is false for what is empty or zero, and for nothing else', () => {
    for (const value of [null, false, 0, '', float(0), float(-0), list(), new Tuple([]), new Dict()]) {
      expect(truth(value)).toBe(false);
    }
    for (const value of [true, 1, 2n ** 60n, ' ', float(Number.NaN), list(null), new Tuple([0])]) {
      expect(truth(value)).toBe(true);
    }
  });
});

describe('a host type', () => {
  class Money extends StarObject {
    readonly type = 'money';
    readonly cents: number;
    constructor(cents: number) {
      super();
      this.cents = cents;
    }
    override writeRepr(): void {}
    override binary(
      _thread: Thread,
      op: ArithmeticOperator,
      other: Value,
      reversed: boolean,
    ): Value | undefined {
      return op === '*' && typeof other === 'number'
        ? new Money(this.cents * other + Number(reversed))
        : undefined;
    }
  }

  it('takes part in operators from either side', () => {
    expect((mul(thread, new Money(5), 2) as Money).cents).toBe(10);
    expect((mul(thread, 2, new Money(5)) as Money).cents).toBe(11);
    expect(() => add(thread, new Money(5), 2)).toThrow('unknown binary op: money + int');
  });
});
