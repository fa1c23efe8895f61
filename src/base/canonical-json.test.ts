import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, canonicalWithOrder, restoreOrder } from './canonical-json.ts';

describe('canonical JSON (RFC 8785)', () => {
  it('sorts keys by UTF-16 code units, as the example of section 3.2.3', () => {
    const data = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(data)))).toEqual(
      expect.arrayContaining(Object.values(data)),
    );
    const keys = [...canonicalJson(data).matchAll(/"([^"]*)":/g)].map((match) => match[1]);
    expect(keys).toEqual(['\\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
  });

  it('writes the example of section 3.2.2', () => {
    const data = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(data)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [-1.7976931348623157e308, '-1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [295147905179352830000, '295147905179352830000'],
    [1e21, '1e+21'],
    [9.999999999999997e22, '9.999999999999997e+22'],
    [0.000001, '0.000001'],
    [333333333.33333325, '333333333.33333325'],
  ])('writes the number %j as appendix B does', (number, text) => {
    expect(canonicalJson(number)).toBe(text);
  });

  it.each([Number.NaN, Infinity, 1n, () => 1, Symbol('x'), [undefined]])('refuses %s', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('refuses a cycle and data nested too deep', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => canonicalJson(cycle)).toThrow('cycle');
    expect(() => canonicalJson(JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`))).toThrow('nested');
  });

  it('leaves undefined keys out and asks toJSON', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonicalJson({ at: { toJSON: () => 'text' } })).toBe('{"at":"text"}');
  });

  it('keeps the halves of surrogate pairs', () => {
    expect(canonicalJson('a\ud800')).toBe('"a\\ud800"');
    expect(JSON.parse(canonicalJson('\udc00x'))).toBe('\udc00x');
  });

  it('is what JSON.stringify writes, whenever keys are sorted already', () => {
    expect(canonicalJson({ a: [1, 'x\n', { b: null }], c: 'é\u2028' })).toBe(
      JSON.stringify({ a: [1, 'x\n', { b: null }], c: 'é\u2028' }),
    );
  });
});

describe('the order of keys', () => {
  it('is told for objects out of order only', () => {
    expect(canonicalWithOrder({ a: 1, b: { d: 1, c: [{ z: 1, y: 2 }] } }).order).toEqual([
      [1, 1, 0],
      [2, 1, 0],
    ]);
    expect(canonicalWithOrder({ a: 1, b: 2 }).order).toEqual([]);
    expect(canonicalWithOrder({ b: 1, gone: undefined, a: 2 }).order).toEqual([[0, 1, 0]]);
  });

  it('can be put back, whatever the data', () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(
      fc.property(json, (made) => {
        const value = JSON.parse(JSON.stringify(made)) as unknown;
        const { text, order } = canonicalWithOrder(value);
        expect(text).toBe(canonicalJson(JSON.parse(text)));
        expect(JSON.stringify(restoreOrder(JSON.parse(text), order))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('can be put back for keys that look like indices, for __proto__ and for many keys', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${(i * 7) % 40}`, i]));
    for (const value of [
      { 9: 1, 10: 2, b: 3, a: 4 },
      JSON.parse('{"b":1,"__proto__":{"y":1,"x":2}}'),
      many,
    ]) {
      const { text, order } = canonicalWithOrder(value);
      expect(JSON.stringify(restoreOrder(JSON.parse(text), order))).toBe(JSON.stringify(value));
    }
  });

  it('that does not fit the data is refused', () => {
    for (const order of [[[0, 0, 0]], [[0, 1]], [[0, 2, 1]]]) {
      expect(() => restoreOrder({ a: 1, b: 2 }, order)).toThrow('does not fit');
    }
  });
});
