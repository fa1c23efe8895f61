import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import { Thread } from '../run/thread.ts';
import { str } from '../values/repr.ts';

const text = (expression: string): string => str(evaluate(expression));

describe('json.encode', () => {
  it.each([
    ['None', 'null'],
    ['[True, False, -1, 1 << 70, 1.0, 1e100]', '[true,false,-1,1180591620717411303424,1.0,1e+100]'],
    ['(1, range(2), set([3]))', '[1,[0,1],[3]]'],
    ['{"b": 1, "a": {"d": [], "c": {}}}', '{"a":{"c":{},"d":[]},"b":1}'],
    ['struct(y="two", x=1)', '{"x":1,"y":"two"}'],
    ['struct()', '{}'],
    ['"é<&>\\n\\"\\\\\\u2028"', '"é<&>\\n\\"\\\\\u2028"'],
    ['"😀"[:1] + "x"', '"\ufffdx"'],
    ['{"__proto__": 1}', '{"__proto__":1}'],
  ])('%s', (value, wanted) => {
    expect(text(`json.encode(${value})`)).toBe(wanted);
  });

  it.each([
    ['float("nan")', 'json.encode: cannot encode non-finite float nan'],
    ['{1: "two"}', 'json.encode: dict has int key, want string'],
    ['len', 'json.encode: cannot encode builtin_function_or_method as JSON'],
    ['b"a"', 'json.encode: cannot encode bytes as JSON'],
    [
      'struct(x=[1, {"x": len}])',
      'json.encode: in field .x: at list index 1: in dict key "x": cannot encode builtin_function_or_method as JSON',
    ],
  ])('%s fails', (value, wanted) => {
    expect(failure(`json.encode(${value})`)).toBe(wanted);
  });

  it('a cycle is an error that names the way to it, and shared values are not a cycle', () => {
    const x = evaluate('[1, {"k": []}]');
    expect(text('json.encode([[1], [1]])')).toBe('[[1],[1]]');
    expect(show('json.encode([x, x])', { x })).toBe(String.raw`"[[1,{\"k\":[]}],[1,{\"k\":[]}]]"`);
    evaluate('x[1]["k"].append(x)', { x });
    expect(failure('json.encode(x)', { x })).toBe(
      'json.encode: at list index 1: in dict key "k": at list index 0: cycle in JSON structure',
    );
  });
});

describe('json.decode', () => {
  it.each([
    ['null', 'None'],
    [' [true, false] ', '[True, False]'],
    ['-0', '0'],
    ['3539537889086624823140625', '3539537889086624823140625'],
    ['-9007199254740993', '-9007199254740993'],
    ['1.0', '1.0'],
    ['0e+1', '0.0'],
    ['{"b": 1, "2": 2, "1": 3, "b": 4}', '{"b": 4, "2": 2, "1": 3}'],
    ['{"__proto__": {"x": 1}, "constructor": 2}', '{"__proto__": {"x": 1}, "constructor": 2}'],
    ['"\\\\ud83d\\\\ude39 \\\\ud83d \\\\ude39 \\\\u00e9\\\\/"', '"😹 \ufffd \ufffd é/"'],
    ['[[], {}, ""]', '[[], {}, ""]'],
    // Objects like the one before, shorter, longer, with other keys and with one twice.
    [
      '[{"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4}}, {"a": 5}, {"a": 6, "b": 7, "c": 8}]',
      '[{"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4}}, {"a": 5}, {"a": 6, "b": 7, "c": 8}]',
    ],
    [
      '[{"a": 1, "b": 2}, {"a": 3, "x": 4}, {"a": 5, "x": 6, "a": 7}, {"": {"": 8}}]',
      '[{"a": 1, "b": 2}, {"a": 3, "x": 4}, {"a": 7, "x": 6}, {"": {"": 8}}]',
    ],
  ])('%s is %s', (json, wanted) => {
    expect(show(`json.decode('${json}')`)).toBe(wanted);
  });

  it.each([
    ['truefalse', "at offset 4, unexpected character 'f' after value"],
    ['"abc', 'at offset 0, unclosed string literal'],
    ['"ab\\\\gc"', "at offset 3, invalid character 'g' in string escape code"],
    ['"\\\\u12"', 'at offset 1, invalid character in \\u escape code'],
    ['"a\\nb"', "at offset 2, invalid character '\\n' in string literal"],
    ['1.2.3', 'at offset 0, invalid number: 1.2.3'],
    ['-', 'at offset 0, invalid number: -'],
    ['-abc', 'at offset 0, invalid number: -'],
    ['0123', 'at offset 0, invalid number: 0123'],
    ['1e999', 'at offset 0, invalid number: 1e999'],
    ['0x1', "at offset 1, unexpected character 'x' after value"],
    ['+1', "at offset 0, unexpected character '+'"],
    ['', 'at offset 0, unexpected end of file'],
    ['[1, 2', 'at offset 5, unexpected end of file'],
    ['[1, ]', "at offset 4, unexpected character ']'"],
    ['[1 2]', "at offset 3, got '2', want ',' or ']'"],
    ['{"a" 1}', "at offset 5, after object key, got '1', want ':'"],
    ['{"a": 1 "b": 2}', `at offset 8, in object, got '"', want ',' or '}'`],
    ['{"a": 1, }', "at offset 9, unexpected character '}'"],
    ['{1: 2}', 'at offset 2, got int for object key, want string'],
    ['nul', "at offset 0, unexpected character 'n'"],
  ])('%s fails', (json, wanted) => {
    expect(failure(`json.decode('${json}')`)).toBe(`json.decode: ${wanted}`);
  });

  it('gives the default instead of a syntax error, but never hides a limit', () => {
    expect(show('json.decode("{", default=None)')).toBe('None');
    expect(show('json.decode("{", 7)')).toBe('7');
    expect(show('json.decode("[1]", 7)')).toBe('[1]');
    expect(failure('json.decode("[" * 600, 7)')).toBe('depth: json.decode: nested deeper than 500 levels');
    expect(failure('json.decode(1, 7)')).toBe('json.decode: for parameter x: got int, want string');
  });

  it('reads back what encode wrote', () => {
    const value = '{"a": [1, -2.5, 1 << 80, None, True, "é😀\\n"], "b": {"": {}}}';
    expect(show(`json.decode(json.encode(${value})) == ${value}`)).toBe('True');
  });

  it('charges for what it builds', () => {
    const thread = new Thread();
    evaluate('json.decode("[" + "1," * 999 + "1]")', {}, thread);
    expect(thread.memory).toBeGreaterThan(8000);
    expect(thread.steps).toBeGreaterThan(1000);
  });
});

describe('json.indent', () => {
  it('lays text out over lines and leaves what it says alone', () => {
    expect(text(`json.indent('{"x":1,"y":["one", {}],"z":[ ]}')`)).toBe(
      '{\n\t"x": 1,\n\t"y": [\n\t\t"one",\n\t\t{}\n\t],\n\t"z": []\n}',
    );
    expect(text(`json.encode_indent({"a": [1]}, prefix="¶", indent="--")`)).toBe(
      '{\n¶--"a": [\n¶----1\n¶--]\n¶}',
    );
    expect(text(`json.indent('"[{,"')`)).toBe('"[{,"');
  });

  it('refuses text that is not JSON', () => {
    expect(failure('json.indent("!")')).toBe(
      "json.indent: invalid character at offset 0: unexpected character '!'",
    );
    expect(failure('json.encode_indent(1, 2)')).toBe('json.encode_indent: got 2 arguments, want 1');
  });

  it('charges indentation before it makes it', () => {
    expect(failure(`json.indent("[" * 400 + "]" * 400, indent=" " * 10000)`)).toMatch(/^memory: /);
  });
});

describe('records in rows', () => {
  const key = fc.constantFrom(
    'a',
    'ab',
    'b',
    'a"',
    'a\\',
    '\\u0061',
    '\u0001',
    'é',
    '😀',
    '\uff0e',
    '__proto__',
    '',
  );
  const value = fc.oneof(fc.integer(), fc.constantFrom('x', '"', '\n', null, true), fc.array(fc.integer()));

  it('are written and read as each would be alone, whatever keys they have in whatever order', () => {
    const rows = fc.array(fc.array(fc.tuple(key, value), { maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, (given) => {
        const maps = given.map((entries) => new Map(entries));
        const written = maps.map(
          (each) => `{${[...each].map((entry) => entry.map((x) => JSON.stringify(x)).join(':'))}}`,
        );
        const document = `[${written}]`;
        const sorted = maps.map((each) => {
          const names = [...each.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(each.get(name))}`)}}`;
        });
        expect(str(evaluate('json.encode(json.decode(x))', { x: document }))).toBe(`[${sorted}]`);
        const keys = evaluate('[d.keys() for d in json.decode(x)]', { x: document });
        expect(str(evaluate('json.encode(x)', { x: keys }))).toBe(
          JSON.stringify(maps.map((each) => [...each.keys()])),
        );
      }),
      { numRuns: 200 },
    );
  });
});
