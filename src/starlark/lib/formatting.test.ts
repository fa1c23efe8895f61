import { describe, expect, it } from 'vitest';
import { failure, show } from '../../../test/support/evaluate.ts';

describe('string % args', () => {
  it.each([
    ['"A %d %x Z" % (123, 456)', '"A 123 1c8 Z"'],
    ['"%(foo)d %(bar)s" % {"foo": 1, "bar": "hi"}', '"1 hi"'],
    ['"A" % {"unused": 1}', '"A"'],
    ['"A" % ()', '"A"'],
    ['"%%d %d" % 1', '"%d 1"'],
    ['"%s %r" % ("hi", "hi")', '"hi \\"hi\\""'],
    ['"%s" % ((1, 2),)', '"(1, 2)"'],
    ['"%s" % [1]', '"[1]"'],
    ['"%s" % None', '"None"'],
    ['"%(__proto__)s" % {"__proto__": 1}', '"1"'],
    ['"%o %X %i" % (-8, 255, -3)', '"-10 FF -3"'],
    ['"%d" % (1 << 100)', '"1267650600228229401496703205376"'],
    ['"%x" % (-(1 << 64))', '"-10000000000000000"'],
    ['"%d %d" % (1.9, -1.9)', '"1 -1"'],
    ['"%e %E" % (12.5, 1e-10)', '"1.250000e+01 1.000000E-10"'],
    ['"%f %F" % (1, -2.5)', '"1.000000 -2.500000"'],
    ['"%g %G" % (1e100, 1e100)', '"1e+100 1E+100"'],
    ['"%G %E %f" % (float("nan"), float("inf"), float("-inf"))', '"nan +inf -inf"'],
    ['"%c%c" % (65, "😀")', '"A😀"'],
    ['"%c" % 0x1F600', '"😀"'],
    ['"%c" % 0xD800', '"\ufffd"'],
  ])('%s is %s', (text, wanted) => {
    expect(show(text)).toBe(wanted);
  });

  it.each([
    ['"%d %d" % 1', 'not enough arguments for format string'],
    ['"%d" % (1, 2)', 'too many arguments for format string'],
    ['"" % 1', 'too many arguments for format string'],
    ['"%(x)s" % (1,)', 'format requires a mapping'],
    ['"%(y)s" % {"x": 1}', 'key not found: y'],
    ['"%(toString)s" % {"x": 1}', 'key not found: toString'],
    ['"%(x" % {"x": 1}', 'incomplete format key'],
    ['"%" % 1', 'incomplete format'],
    ['"%y" % 1', 'unknown conversion %y'],
    ['"%5d" % 1', 'unknown conversion %5'],
    ['"%d" % True', '%d format requires integer: cannot convert bool to int'],
    ['"%d" % float("nan")', '%d format requires integer: cannot convert float NaN to integer'],
    ['"%e" % "1"', '%e format requires float, not string'],
    ['"%c" % "ab"', '%c format requires a single-character string'],
    ['"%c" % -1', '%c format requires a valid Unicode code point, got -1'],
    ['"%c" % 1.0', '%c format requires int or single-character string, not float'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });
});

describe('string.format', () => {
  it.each([
    ['"a{x}b{y}c{}".format(1, x=2, y=3)', '"a2b3c1"'],
    ['"({1}, {0})".format("zero", "one")', '"(one, zero)"'],
    ['"{0!r} {0!s}".format("a")', '"\\"a\\" a"'],
    ['"{{{}}} {{0}} }}".format(42)', '"{42} {0} }"'],
    ['"{012}".format(*range(20))', '"12"'],
    ['"{}".format(None)', '"None"'],
    ['"{x}".format(x=None)', '"None"'],
    ['"{(}".format(**{"(": 2})', '"2"'],
    ['"{__proto__}".format(**{"__proto__": 1})', '"1"'],
    ['"{:}{!s:}".format(1, 2)', '"12"'],
  ])('%s is %s', (text, wanted) => {
    expect(show(text)).toBe(wanted);
  });

  it.each([
    ['"a{z}b".format(x=1)', 'format: keyword z not found'],
    ['"{constructor}".format()', 'format: keyword constructor not found'],
    ['"{-1}".format(1)', 'format: keyword -1 not found'],
    ['"a{123}b".format()', 'format: tuple index out of range'],
    ['"{}{}".format(1)', 'format: tuple index out of range'],
    [
      '"{}{1}".format(1, 2)',
      'format: cannot switch from automatic field numbering to manual field specification',
    ],
    [
      '"{1}{}".format(1, 2)',
      'format: cannot switch from manual field specification to automatic field numbering',
    ],
    ['"{x!}".format(x=1)', 'format: unknown conversion ""'],
    ['"{x!q}".format(x=1)', 'format: unknown conversion "q"'],
    ['"{x:5}".format(x=1)', 'format: format spec features not supported in replacement fields: 5'],
    ['"{a.b}".format(1)', 'format: attribute syntax x.y is not supported in replacement fields: a.b'],
    ['"{a[0]}".format(1)', 'format: element syntax a[i] is not supported in replacement fields: a[0]'],
    ['"{ {} }".format(1)', 'format: nested replacement fields not supported'],
    ['"{}}".format(1)', "format: single '}' in format"],
    ['"}}{".format(1)', "format: unmatched '{' in format"],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });
});
