import { describe, expect, it } from 'vitest';
import { failure, show } from '../../../test/support/evaluate.ts';

/** Each row: an expression and its value as Starlark writes it. */
function values(rows: readonly (readonly [string, string])[]): void {
  for (const [text, wanted] of rows) expect(`${text} -> ${show(text)}`).toBe(`${text} -> ${wanted}`);
}

function errors(rows: readonly (readonly [string, string])[]): void {
  for (const [text, wanted] of rows) expect(`${text} -> ${failure(text)}`).toBe(`${text} -> ${wanted}`);
}

describe('string search', () => {
  it('find, rfind, index and rindex look inside a span by the indexing conventions', () => {
    values([
      ['"bonbon".find("on")', '1'],
      ['"bonbon".find("on", 2)', '4'],
      ['"bonbon".find("on", 2, 5)', '-1'],
      ['"bonbon".find("on", -3, None)', '4'],
      ['"bonbon".rfind("on", None, 5)', '1'],
      ['"bonbon".rfind("")', '6'],
      ['"bonbon".find("", 7)', '6'],
      ['"bonbon".find("b", 1 << 80)', '-1'],
      ['"bonbon".find("b", -(1 << 80), 1 << 80)', '0'],
      ['"bonbon".rindex("on")', '4'],
      ['"aaaa".find("a", 1, 1)', '-1'],
      ['"abab".rfind("ab", 0, 3)', '0'],
    ]);
    errors([
      ['"bonbon".index("on", 2, 5)', 'index: substring not found'],
      ['"bonbon".rindex("x")', 'rindex: substring not found'],
      ['"bonbon".find(1)', 'find: for parameter sub: got int, want string'],
      ['"bonbon".find("b", 1.5)', 'find: invalid start index: got float, want int'],
      ['"bonbon".find("b", 0, "x")', 'find: invalid end index: got string, want int'],
      ['"bonbon".find()', 'find: missing argument for sub'],
    ]);
  });

  it('count counts without overlap, and an empty string around every code point', () => {
    values([
      ['"banana".count("a")', '3'],
      ['"aaaa".count("aa")', '2'],
      ['"banana".count("a", -4, -2)', '1'],
      ['"banana".count("a", 0, -100)', '0'],
      ['"banana".count("")', '7'],
      ['"😀x".count("")', '3'],
      ['"abc".count("", 3, 1)', '0'],
    ]);
  });

  it('startswith and endswith take a string or a tuple of strings', () => {
    values([
      ['"foo.cc".endswith((".cc", ".h"))', 'True'],
      ['"abc".startswith(())', 'False'],
      ['"abc".startswith("bc", 1)', 'True'],
      ['"abc".endswith("ab", None, -1)', 'True'],
      ['"abc".startswith("", 3, 1)', 'False'],
      ['"".startswith("")', 'True'],
    ]);
    errors([
      ['"foo".startswith(1)', 'startswith: got int, want string or tuple of string'],
      ['"foo".endswith(["o"])', 'endswith: got list, want string or tuple of string'],
      ['"123".startswith(("1", 2))', 'startswith: want string, got int, for element 1'],
    ]);
  });

  it('removeprefix and removesuffix take away one affix at most', () => {
    values([
      ['"foofoobar".removeprefix("foo")', '"foobar"'],
      ['"banana".removesuffix("na")', '"bana"'],
      ['"a".removesuffix("")', '"a"'],
      ['"a".removeprefix("b")', '"a"'],
    ]);
  });

  it('strip cuts white space, or the code points of the cutset and nothing for an empty one', () => {
    values([
      ['"\\t\\r\\n\\v\\f \\u0085\\u00a0\\u3000x\\u2028".strip()', '"x"'],
      ['"\\ufeffx".strip()', String.raw`"\ufeffx"`],
      ['" a ".lstrip()', '"a "'],
      ['" a ".rstrip(None)', '" a"'],
      ['"blah.h".strip("b.h")', '"la"'],
      ['"😀a😀".strip("😀")', '"a"'],
      ['"😀a😃".rstrip("😀")', '"😀a😃"'],
      ['" a ".strip("")', '" a "'],
      ['"aaa".strip("a")', '""'],
    ]);
    errors([['"a".strip(1)', 'strip: for parameter cutset: got int, want string']]);
  });
});

describe('string cutting and joining', () => {
  it('split and rsplit cut at a separator', () => {
    values([
      ['"banana".split("n")', '["ba", "a", "a"]'],
      ['"banana".split("n", 1)', '["ba", "ana"]'],
      ['"banana".rsplit("n", 1)', '["bana", "a"]'],
      ['"banana".split("n", 0)', '["banana"]'],
      ['"banana".rsplit("n", 0)', '["banana"]'],
      ['"banana".rsplit("an")', '["b", "", "a"]'],
      ['"aaa".rsplit("aa", 1)', '["a", ""]'],
      ['"aaa".split("aa", 5)', '["", "a"]'],
      ['"".split("n")', '[""]'],
      ['"a.b".split(".", 1 << 70)', '["a", "b"]'],
      ['"a.b".split(".", -1)', '["a", "b"]'],
    ]);
    errors([
      ['"a".split("")', 'split: empty separator'],
      ['"a".rsplit("")', 'rsplit: empty separator'],
      ['"a".split(1)', 'split: got int for separator, want string'],
      ['"a".split("a", "b")', 'split: for parameter maxsplit: got string, want int'],
    ]);
  });

  it('split and rsplit without a separator cut at runs of white space', () => {
    values([
      ['" a bc\\n  def \\t  ghi".split()', '["a", "bc", "def", "ghi"]'],
      ['" a bc\\n  def ".split(None, 1)', '["a", "bc\\n  def "]'],
      ['" a bc\\n  def ".rsplit(None, 1)', '[" a bc", "def"]'],
      ['" a b ".split(None, 0)', '["a b "]'],
      ['" a b ".rsplit(None, 0)', '[" a b"]'],
      ['"  ".split()', '[]'],
      ['"".rsplit()', '[]'],
      ['"a\\u3000b".split()', '["a", "b"]'],
    ]);
  });

  it('long text is cut like short text', () => {
    const row = '("ab" * 3000)';
    values([
      [`len(${row}.split("b"))`, '3001'],
      [`len(${row}.split("b", 10))`, '11'],
      [`${row}.rsplit("b", 2)[1:]`, '["a", ""]'],
      [`len((${row} + "|" + ${row}).split("|")[1])`, '6000'],
      [`len(${row}.split("ab" * 50))`, '61'],
      [`len(${row}.replace("ab" * 50, "x"))`, '60'],
      [`${row}.count("ba" * 100)`, '29'],
    ]);
  });

  it('splitlines knows \\n, \\r and \\r\\n', () => {
    values([
      ['"A\\nB\\rC\\r\\nD".splitlines()', '["A", "B", "C", "D"]'],
      ['"one\\n\\ntwo".splitlines(True)', '["one\\n", "\\n", "two"]'],
      ['"a\\r\\n\\r\\n".splitlines(True)', '["a\\r\\n", "\\r\\n"]'],
      ['"a\\n".splitlines()', '["a"]'],
      ['"".splitlines()', '[]'],
      ['"\\n".splitlines()', '[""]'],
      ['"a\\u2028b".splitlines()', String.raw`["a\u2028b"]`],
    ]);
    errors([['"".splitlines(1)', 'splitlines: for parameter keepends: got int, want bool']]);
  });

  it('partition and rpartition give three parts', () => {
    values([
      ['"one/two/three".partition("/")', '("one", "/", "two/three")'],
      ['"one/two/three".rpartition("/")', '("one/two", "/", "three")'],
      ['"one".partition("/")', '("one", "", "")'],
      ['"one".rpartition("/")', '("", "", "one")'],
    ]);
    errors([['"one".partition("")', 'partition: empty separator']]);
  });

  it('join takes any iterable of strings', () => {
    values([
      ['", ".join(["one", "two"])', '"one, two"'],
      ['"a".join("ctmrn".codepoints())', '"catamaran"'],
      ['",".join({"x": 1, "y": 2})', '"x,y"'],
      ['",".join([])', '""'],
    ]);
    errors([
      ['",".join("abc")', 'join: for parameter iterable: got string, want iterable'],
      ['"".join(["one", 2])', 'join: in list, want string, got int'],
    ]);
  });

  it('replace takes the text as it is and stops at count', () => {
    values([
      ['"banana".replace("a", "o", 2)', '"bonona"'],
      ['"banana".replace("a", "$&")', '"b$&n$&n$&"'],
      ['"banana".replace("x", "y")', '"banana"'],
      ['"banana".replace("a", "", -1)', '"bnn"'],
      ['"aaa".replace("aa", "b")', '"ba"'],
      ['"abc".replace("", "-")', '"-a-b-c-"'],
      ['"abc".replace("", "-", 2)', '"-a-bc"'],
      ['"abc".replace("", "-", 0)', '"abc"'],
      ['"a😀".replace("", "-")', '"-a-😀-"'],
      ['"".replace("", "x")', '"x"'],
    ]);
  });
});

describe('string case and kind', () => {
  it('upper, lower, title and capitalize change case by Unicode', () => {
    values([
      ['"hElLo, WoRlD!".title()', '"Hello, World!"'],
      ['"ǆenan ǉubović".title()', '"ǅenan ǈubović"'],
      ['"ǉubović".upper()', '"ǇUBOVIĆ"'],
      ['"ǇUBOVIĆ".lower()', '"ǉubović"'],
      ['"wh4t isn\'t".title()', '"Wh4T Isn\'T"'],
      ['"¿Por qué?".capitalize()', '"¿por qué?"'],
      ['"hELLO".capitalize()', '"Hello"'],
      ['"ǆX".capitalize()', '"ǅx"'],
      ['"ßa".title()', '"Ssa"'],
      ['"აბ".title()', '"აბ"'],
      ['"".capitalize()', '""'],
    ]);
  });

  it('the predicates hold for whole strings and never for the empty one', () => {
    const table: [string, string][] = [
      ['Hello, World!', 'title'],
      ['hello, world!', 'lower'],
      ['base64', 'alnum lower'],
      ['HAL-9000', 'upper'],
      ['Catch-22', 'title'],
      ['', ''],
      ['\n\t\r', 'space'],
      ['abc', 'alnum alpha lower'],
      ['ABC', 'alnum alpha upper'],
      ['123', 'alnum digit'],
      ['٣', 'alnum digit'],
      ['½', ''],
      ['世界', 'alnum alpha'],
      ['ǄǇ', 'alnum alpha upper'],
      ['ǅǈ', 'alnum alpha'],
      ['ǅ ǈ', 'title'],
      ['ǆǉ', 'alnum alpha lower'],
      ['\u0085\u2003', 'space'],
      ['\ufeff', ''],
    ];
    const kinds = ['alnum', 'alpha', 'digit', 'lower', 'space', 'title', 'upper'];
    for (const [text, wanted] of table) {
      const holds = kinds.filter((kind) => show(`s.is${kind}()`, { s: text }) === 'True');
      expect([text, holds.join(' ')]).toEqual([text, wanted]);
    }
  });
});

describe('string elements', () => {
  it('elems and elem_ords go by UTF-16 unit and can be indexed', () => {
    values([
      ['type("ab".elems())', '"string.elems"'],
      ['str("ab".elem_ords())', '"\\"ab\\".elem_ords()"'],
      ['list("aЙ".elem_ords())', '[97, 1049]'],
      ['len("😀".elems())', '2'],
      ['"abc".elems()[-1]', '"c"'],
      ['bool("".elems())', 'False'],
    ]);
    errors([
      ['"abc".elems()[3]', 'string.elems index 3 out of range [-3:2]'],
      ['{"a".elems(): 1}', 'unhashable: string.elems'],
    ]);
  });

  it('codepoints and codepoint_ords go by code point, half a pair being U+FFFD', () => {
    values([
      ['type("ab".codepoints())', '"string.codepoints"'],
      ['list("a😀".codepoints())', '["a", "😀"]'],
      ['list("a😀".codepoint_ords())', '[97, 128512]'],
      ['list("😀x"[1:].codepoint_ords())', '[65533, 120]'],
      ['list("".codepoints())', '[]'],
    ]);
    errors([
      ['len("a".codepoints())', 'len: value of type string.codepoints has no len'],
      ['"a".codepoints()[0]', 'unhandled index operation string.codepoints[int]'],
    ]);
  });

  it('bytes elems are numbers', () => {
    values([
      ['list(b"a\\xff".elems())', '[97, 255]'],
      ['str(b"a".elems())', '"b\\"a\\".elems()"'],
      ['type(b"".elems())', '"bytes.elems"'],
    ]);
  });
});
