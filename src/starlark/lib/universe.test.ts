import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import { call } from '../run/call.ts';
import { builtin } from '../run/signature.ts';
import { Thread } from '../run/thread.ts';
import { List } from '../values/list.ts';
import { repr } from '../values/repr.ts';
import { attrNames } from './attributes.ts';
import { UNIVERSE } from './universe.ts';

describe('the universe', () => {
  it('is what the specification lists, with chr and ord', () => {
    const names =
      'None True False abs all any bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list ' +
      'max min ord print range repr reversed set sorted str tuple type zip';
    expect([...UNIVERSE.keys()].sort()).toEqual(names.split(' ').sort());
  });

  it.each([
    ['abs(-2), abs(-2.5), abs(-(1 << 70))', '(2, 2.5, 1180591620717411303424)'],
    ['all([]), all([1, ""]), any([]), any([0, "x"])', '(True, False, False, True)'],
    ['bool(), bool([]), bool(0.0), bool("x")', '(False, False, False, True)'],
    ['bytes("aЙ😀"), bytes([65, 255]), bytes(b"x"), bytes("😀"[:1])', 'b"aЙ😀" b"A\\xff" b"x" b"\ufffd"'],
    ['chr(65), chr(0x1F63F), chr(0xD800)', '("A", "😿", "\ufffd")'],
    ['ord("A"), ord("😿"), ord("😿"[1:]), ord(b"a")', '(65, 128575, 65533, 97)'],
    [
      'dict(), dict([(1, 2)], x=3), dict({1: 2}), dict((["a", 2],), a=4)',
      '({}, {1: 2, "x": 3}, {1: 2}, {"a": 4})',
    ],
    ['enumerate(["a"], 9007199254740991), enumerate({"k": 1})', '([(9007199254740991, "a")], [(0, "k")])'],
    ['enumerate([0, 1], 9007199254740991)[1][0]', '9007199254740992'],
    ['hash(""), hash("hello"), hash("Hello, 世界!"), hash(b"a")', '(0, 99162322, 417292677, 3826002220)'],
    ['len("😀"), len([1]), len({}), len(range(5)), len(b"ab"), len(set([1]))', '(2, 1, 0, 5, 2, 1)'],
    ['list(), list((1, 2)), list({"a": 1}), list(range(3))', '([], [1, 2], ["a"], [0, 1, 2])'],
    [
      'range(3), range(1, 3), range(1, 9, 3), list(range(3, 0, -1))',
      '(range(3), range(1, 3), range(1, 9, 3), [3, 2, 1])',
    ],
    [
      'repr("a"), str("a"), str(["a"]), str(b"a\\xff"), str(1.0)',
      '("\\"a\\"", "a", "[\\"a\\"]", "a\ufffd", "1.0")',
    ],
    ['reversed([1, 2]), reversed(range(3)), reversed({"a": 1, "b": 2})', '([2, 1], [2, 1, 0], ["b", "a"])'],
    ['set(), set([3, 1, 1.0])', '(set([]), set([3, 1]))'],
    ['tuple(), tuple([1]), tuple("ab".elems())', '((), (1,), ("a", "b"))'],
    [
      'type(None), type(1), type(1.0), type(len), type([].append)',
      '("NoneType", "int", "float", "builtin_function_or_method", "builtin_function_or_method")',
    ],
    ['zip(), zip([1, 2], "abc".elems()), zip([])', '([], [(1, "a"), (2, "b")], [])'],
    ['hasattr("", "find"), hasattr("", "constructor"), getattr("", "x", 1)', '(True, False, 1)'],
    ['getattr("banana", "split")("a"), getattr([], "append", None) != None', '(["b", "n", "n", ""], True)'],
    ['str("".find), str(len)', '("<built-in method find of string value>", "<built-in function len>")'],
    ['dir([])[:3], dir(1), dir(None)', '(["append", "clear", "extend"], [], [])'],
  ])('%s', (text, wanted) => {
    const shown = show(`(${text})`);
    expect(text.startsWith('bytes') ? shown.slice(1, -1).replaceAll(', ', ' ') : shown).toBe(wanted);
  });

  it.each([
    ['abs("0")', 'abs: for parameter x: got string, want int or float'],
    ['all("abc")', 'all: for parameter iterable: got string, want iterable'],
    ['bytes(1)', 'bytes: got int, want string, bytes, or iterable of ints'],
    ['bytes([300])', 'bytes: at index 0, 300 out of range (want value in unsigned 8-bit range)'],
    ['bytes([b"a"])', 'bytes: at index 0, got bytes, want int'],
    ['chr(-1)', 'chr: Unicode code point -1 out of range (<0)'],
    ['chr(0x110000)', 'chr: Unicode code point U+110000 out of range (>0x10FFFF)'],
    ['chr("a")', 'chr: for parameter i: got string, want int'],
    ['ord("")', 'ord: string encodes 0 Unicode code points, want 1'],
    ['ord("abc")', 'ord: string encodes 3 Unicode code points, want 1'],
    ['ord(b"ab")', 'ord: bytes has length 2, want 1'],
    ['ord(1)', 'ord: got int, want string or bytes'],
    ['fail()', 'fail: '],
    ['fail(1, "x", [2], sep="/")', 'fail: 1/x/[2]'],
    ['hash(1)', 'hash: got int, want string or bytes'],
    ['len(1)', 'len: value of type int has no len'],
    ['list("abc")', 'list: for parameter iterable: got string, want iterable'],
    ['range(1, 2, 0)', 'range: step argument must not be zero'],
    ['range(1.0)', 'range: for parameter start: got float, want int'],
    ['set([[]])', 'unhashable type: list'],
    ['set(1, 2, 3)', 'set: got 3 arguments, want at most 1'],
    ['zip([1], 2)', 'zip: argument #2 is not iterable: int'],
    ['getattr("", "fin")', 'string has no .fin field or method (did you mean .find?)'],
    ['"".starts_with', 'string has no .starts_with field or method (did you mean .startswith?)'],
    ['(1).real', 'int has no .real field or method'],
    ['struct(alpha=1).alpah', 'struct has no .alpah attribute (did you mean .alpha?)'],
    ['print(sep=1)', 'print: for parameter sep: got int, want string'],
    ['len(x=1)', 'len: unexpected keyword arguments'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('print writes one line to the thread and is the only built-in with an effect', () => {
    const lines: string[] = [];
    const thread = new Thread({ print: (line) => lines.push(line) });
    evaluate('[print(1, "a", ["b"]), print(), print("a", "b", sep="")]', {}, thread);
    expect(lines).toEqual(['1 a ["b"]', '', 'ab']);
    const impure = [...UNIVERSE].filter(
      ([, value]) => value !== null && (value as { pure?: boolean }).pure === false,
    );
    expect(impure.map(([name]) => name)).toEqual(['print']);
  });

  it('leaves nothing locked, whatever was iterated and however it ended', () => {
    const x = new List([3, 'a', 1]);
    const attempts = [
      'sorted(x)',
      'min(x)',
      'bytes(x)',
      'zip(x, 1)',
      'all(x)',
      'any(x)',
      'dict(x)',
      'set([x])',
      'max(x)',
    ];
    for (const text of [
      ...attempts,
      '{}.update(x)',
      '",".join(x)',
      'set().union(x, 1)',
      'json.encode([x, len])',
    ]) {
      failure(text, { x });
      expect([text, x.locks]).toEqual([text, 0]);
    }
  });
});

describe('int and float', () => {
  it.each([
    ['int("0b1", 16), int("0b1", 2), int("0B1", 0), int("0x11", 16), int("0o17", 0)', '(177, 1, 1, 17, 15)'],
    ['int("az", 36), int("AF", 16), int("-0x12", 0), int("+7"), int("00")', '(395, 175, -18, 7, 0)'],
    [
      'int("-0"), int(-0.5), int(True), int(1e20), int(-1e20)',
      '(0, 0, 1, 100000000000000000000, -100000000000000000000)',
    ],
    ['int("123456789012345678901234567890")', '123456789012345678901234567890'],
    ['int("zzzzzzzzzzzzzzzzzzzzzzzzz", 36) == 36 * int("z" * 24, 36) + 35', 'True'],
    ['int("0" * 100000 + "7")', '7'],
    [
      'float(), float(1), float(True), float("1.5e3"), float(".5"), float("5.")',
      '(0.0, 1.0, 1.0, 1500.0, 0.5, 5.0)',
    ],
    ['float("+InFiniTy"), float("-inf"), float("NaN"), float("-0")', '(+inf, -inf, nan, -0.0)'],
    ['float(1 << 60)', '1.152921504606847e+18'],
  ])('%s', (text, wanted) => {
    expect(
      show(
        text.includes(', ') && !text.startsWith('int("1') && !text.startsWith('int("z') ? `(${text})` : text,
      ),
    ).toBe(wanted);
  });

  it.each([
    ['int("0x12")', 'int: invalid literal with base 10: 0x12'],
    ['int("")', 'int: invalid literal with base 10: '],
    ['int("-")', 'int: invalid literal with base 10: -'],
    ['int("--4")', 'int: invalid literal with base 10: --4'],
    ['int("1_000")', 'int: invalid literal with base 10: 1_000'],
    ['int(" 1")', 'int: invalid literal with base 10:  1'],
    ['int("٣")', 'int: invalid literal with base 10: ٣'],
    ['int("0123", 0)', 'int: invalid literal with base 0: 0123'],
    ['int("0x", 16)', 'int: invalid literal with base 16: 0x'],
    ['int("12", 2)', 'int: invalid literal with base 2: 12'],
    ['int("1", 1)', 'int: base must be an integer >= 2 && <= 36'],
    ['int("1", "x")', 'int: for parameter base: got string, want int'],
    ['int(1, 10)', "int: can't convert non-string with explicit base"],
    ['int(None)', 'int: cannot convert NoneType to int'],
    ['int(float("nan"))', 'cannot convert float NaN to integer'],
    ['float("1.2.3")', 'float: invalid float literal: 1.2.3'],
    ['float("")', 'float: empty string'],
    ['float("0x10")', 'float: invalid float literal: 0x10'],
    ['float("1e1000")', 'float: floating-point number too large'],
    ['float(None)', 'float: got NoneType, want number or string'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });
});

describe('sorted, min and max', () => {
  it.each([
    ['sorted([3, 1, 2])', '[1, 2, 3]'],
    ['sorted([3, 1.5, 1 << 70, 2])', '[1.5, 2, 3, 1180591620717411303424]'],
    ['sorted([2, float("nan"), float("inf"), 1])', '[1, 2, +inf, nan]'],
    ['sorted(["b", "a", "ab"], reverse=True)', '["b", "ab", "a"]'],
    ['sorted(["\\uffff", "😀", "a"])', '["a", "\\uffff", "😀"]'],
    ['sorted([(1, "b"), (0, "z"), (1, "a")])', '[(0, "z"), (1, "a"), (1, "b")]'],
    ['sorted(["two", "three", "four"], key=len)', '["two", "four", "three"]'],
    ['sorted(["two", "three", "four", "one"], key=len, reverse=True)', '["three", "four", "two", "one"]'],
    ['sorted([3, 1], key=None)', '[1, 3]'],
    ['sorted({"b": 1, "a": 2}), sorted([])', '(["a", "b"], [])'],
    ['sorted([1, 1.0, 1], reverse=True)', '[1, 1.0, 1]'],
    ['min(5, -2, 1), max([5, 7]), min("two", "three", "four"), max("ab".elems())', '(-2, 7, "four", "b")'],
    ['max("two", "three", "four", key=len), min(["bb", "a", "c"], key=len)', '("three", "a")'],
    ['max([1, 1.0]), min([1.0, 1])', '(1, 1.0)'],
  ])('%s', (text, wanted) => {
    expect(show(wanted.startsWith('(') ? `(${text})` : text)).toBe(wanted);
  });

  it.each([
    ['sorted(1)', 'sorted: for parameter iterable: got int, want iterable'],
    ['sorted([1, 2, None, 3])', 'int < NoneType not implemented'],
    ['sorted([1, "one"])', 'string < int not implemented'],
    ['sorted([1], reverse=1)', 'sorted: for parameter reverse: got int, want bool'],
    ['sorted([1], key=1)', 'sorted: for parameter key: got int, want callable'],
    ['sorted([1], kye=1)', 'sorted: unexpected keyword argument "kye" (did you mean key?)'],
    ['min()', 'min requires at least one positional argument'],
    ['min(1)', 'min: int value is not iterable'],
    ['max([])', 'max: argument is an empty sequence'],
    ['max([1, "a"])', 'string < int not implemented'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('min and max lock what they choose from while a key function runs, sorted works on a copy', () => {
    const text = (name: string) => `[x, ${name}(x, key = lambda e: x.append(e) or e)]`;
    for (const name of ['min', 'max']) {
      expect(failure(text(name), { x: evaluate('[1, 2]') })).toBe('cannot append to list during iteration');
      const x = evaluate('[1, 2]');
      expect(failure(`${name}(x, key = lambda e: fail("stop"))`, { x })).toBe('fail: stop');
      expect(show('[x.append(3), x][1]', { x })).toBe('[1, 2, 3]');
    }
    expect(show(text('sorted'), { x: evaluate('[2, 1]') })).toBe('[[2, 1, 2, 1], [1, 2]]');
  });

  it('wait for a key function that awaits, one element at a time', async () => {
    const order: string[] = [];
    const key = builtin(
      'key',
      'x',
      async (_thread, x) => {
        order.push(`${repr(x)}?`);
        await Promise.resolve();
        order.push(`${repr(x)}!`);
        return x;
      },
      { async: true },
    );
    const items = new List([3, 1, 2]);
    const kwargs = new Map([['key', key]]);
    expect(repr(await call(new Thread(), UNIVERSE.get('sorted')!, [items], kwargs))).toBe('[1, 2, 3]');
    expect(repr(await call(new Thread(), UNIVERSE.get('max')!, [items], kwargs))).toBe('3');
    expect(order.slice(0, 6)).toEqual(['3?', '3!', '1?', '1!', '2?', '2!']);
  });

  it('agree with a plain stable sort on many lists', () => {
    let seed = 3;
    const random = (): number => (seed = (Math.imul(seed, 48271) >>> 0) % 2147483647);
    for (let i = 0; i < 60; i++) {
      const list = Array.from({ length: random() % 40 }, () => random() % 12);
      const pairs = `[(x % 5, i) for i, x in enumerate(${JSON.stringify(list)})]`;
      const wanted = list.map((x, at) => [x % 5, at] as const).sort((a, b) => b[0] - a[0]);
      expect(show(`sorted(${pairs}, key=lambda p: p[0], reverse=True)`)).toBe(
        `[${wanted.map(([x, at]) => `(${x}, ${at})`).join(', ')}]`,
      );
    }
  });
});

describe('attributes', () => {
  it('come from the tables alone', () => {
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'length',
      'prototype',
      'items',
      'valueOf',
      'at',
    ]) {
      for (const value of ['""', '[]', 'b""', 'set()', '1', 'None', 'len', '(1,)', 'range(3)', '1.0']) {
        expect([value, name, show(`hasattr(${value}, "${name}")`)]).toEqual([value, name, 'False']);
      }
    }
    expect(attrNames('')).toContain('removesuffix');
    expect(attrNames('')).toHaveLength(35);
  });
});
