import { describe, expect, it } from 'vitest';
import { Scanner } from './scan.ts';

/** All tokens on one line, literals by their value; errors instead where there are any. */
function scan(text: string, oneExpression = false): string {
  const errors: string[] = [];
  const scanner = new Scanner(text, (offset, message) => errors.push(`${offset}: ${message}`), oneExpression);
  const tokens: string[] = [];
  while (scanner.next() !== 'end of file') {
    const { kind, value } = scanner;
    if (kind === 'identifier') tokens.push(String(value));
    else if (kind === 'bytes literal') tokens.push(`b[${[...(value as Uint8Array)].join(' ')}]`);
    else if (kind.endsWith('literal'))
      tokens.push(typeof value === 'bigint' ? `${value}n` : JSON.stringify(value));
    else tokens.push(kind);
  }
  return errors.length > 0 ? errors.join('; ') : tokens.join(' ');
}

describe('lines and indentation', () => {
  it.each([
    ['an empty text has no tokens', '', ''],
    ['a line break ends a statement', 'a\nb', 'a newline b'],
    ['carriage returns are line breaks too', 'a\r\nb\rc', 'a newline b newline c'],
    ['blank lines and comments give nothing', 'a # one\n\n   \n# two\nb', 'a newline b'],
    ['a backslash joins lines', 'a + \\\n  b', 'a + b'],
    ['inside brackets a line break is white space', '(a,\n\n  b)\n', '( a , b ) newline'],
    ['an indented block', 'if a:\n  b\nc', 'if a : newline indent b newline outdent c'],
    ['the end of the file closes blocks', 'if a:\n  if b:\n    c', closing(2)],
    ['trailing blanks do not close them twice', 'if a:\n  if b:\n    c\n    \n', closing(2)],
    [
      'a tab goes to the next eighth column',
      'if a:\n\tb\n        c',
      'if a : newline indent b newline c newline outdent',
    ],
    ['a byte order mark is skipped', '\ufeffa', 'a'],
  ])('%s', (_, text, tokens) => expect(scan(text)).toBe(tokens));

  function closing(levels: number): string {
    return `if a : newline indent if b : newline indent c newline${' outdent'.repeat(levels)}`;
  }

  it('an outdent to a column no block has is an error', () => {
    expect(scan('if a:\n    b\n  c')).toBe('14: unindent does not match any outer indentation level');
  });
  it('one expression may span lines without brackets', () => {
    expect(scan('\n  a\n and\n   b\n', true)).toBe('a and b');
  });
});

describe('operators and words', () => {
  it.each([
    ['+ - * / // % ** ~ & | ^ << >> . , = ; : < > >= <= == !='],
    ['+= -= *= /= //= %= &= |= ^= <<= >>='],
    ['( [ { } ] )'],
    ['and break continue def elif else for if in lambda load not or pass return while'],
    ['as async await class del except finally from global import is nonlocal raise try with yield'],
  ])('%s', (text) => expect(scan(text)).toBe(text));

  it.each([
    ['the longest operator wins', '///= <<<= ~=', '// /= << <= ~ ='],
    ['identifiers may have letters of any script', 'élan _x1 名前', 'élan _x1 名前'],
    ['a keyword inside a name is no keyword', 'iffy in_ android', 'iffy in_ android'],
    ['assert is a name', 'assert', 'assert'],
    [
      'names of the host language are plain names',
      '__proto__ constructor this',
      '__proto__ constructor this',
    ],
  ])('%s', (_, text, tokens) => expect(scan(text)).toBe(tokens));

  it.each([
    ['a ! b', "2: unexpected input character '!' (use not)"],
    ['a ? b', "2: unexpected input character '?' (use a if condition else b)"],
    ['a \\ b', '2: stray backslash in program'],
    ['a \u0007', '2: unexpected input character U+0007'],
    ['a 😀', "2: unexpected input character '😀'"],
    ['a )', "2: unexpected ')'"],
    ['f"{a}"', '0: f-strings are not supported; use "…".format(…) or "…" % …'],
  ])('%j is an error', (text, error) => expect(scan(text)).toBe(error));
});

describe('numbers', () => {
  it.each([
    ['0 00 7 123', '0 0 7 123'],
    ['0x1F 0XaB 0o17 0O7 0b101 0B1', '31 171 15 7 5 1'],
    ['9007199254740991 9007199254740992', '9007199254740991 9007199254740992n'],
    ['0xffffffffffffffffffff', '1208925819614629174706175n'],
    ['0x00000000000000000001', '1'],
    ['1.5 .5 1. 1e3 1E+2 1.5e-1 09.5', '1.5 0.5 1 1000 100 0.15 9.5'],
    ['1.real 0in 6or', '1 real 0 in 6 or'],
    ['x.e1', 'x . e1'],
  ])('%s', (text, tokens) => expect(scan(text)).toBe(tokens));

  it.each([
    ['0x', '0: invalid hex literal'],
    ['0o8', '0: invalid octal literal'],
    ['0b2', '0: invalid binary literal'],
    ['0755', '0: obsolete form of octal literal; use 0o755'],
    ['0789', '0: invalid int literal'],
    ['1e', '0: invalid float literal'],
    ['1e999', '0: invalid float literal: 1e999 is too large'],
  ])('%s is an error', (text, error) => expect(scan(text)).toBe(error));

  it('an int literal has a longest length', () => {
    expect(scan('9'.repeat(300_001))).toBe('0: int literal of 300001 characters, limit is 300000');
  });
});

describe('strings', () => {
  it.each([
    [`"a" 'b' """c""" '''d'''`, '"a" "b" "c" "d"'],
    [String.raw`"it's" 'say "hi"' '\'' "\""`, String.raw`"it's" "say \"hi\"" "'" "\""`],
    [String.raw`"\a\b\f\n\r\t\v\\"`, JSON.stringify('\x07\b\f\n\r\t\v\\')],
    [String.raw`"\0\12\101\1234"`, JSON.stringify('\0\nAS4')],
    [String.raw`"\x41\x7f"`, JSON.stringify('A\x7f')],
    [String.raw`"\u0414\U0001F600"`, '"Д😀"'],
    ['"""a\nb\r\nc\rd"""', String.raw`"a\nb\nc\nd"`],
    ['"a\\\nb" "c\\\r\nd"', '"ab" "cd"'],
    ['""""a"b""c"""', String.raw`"\"a\"b\"\"c"`],
    [String.raw`r"\d\"" r'\n'`, String.raw`"\\d\\\"" "\\n"`],
    ['r"a\\\nb"', String.raw`"a\\\nb"`],
  ])('%j', (text, tokens) => expect(scan(text)).toBe(tokens));

  it.each([
    ['b"aД😀"', 'b[97 208 148 240 159 152 128]'],
    [String.raw`b"\xff\377\0" b'\u0414'`, 'b[255 255 0] b[208 148]'],
    [String.raw`rb"\x" br'\n' b"""a"""`, 'b[92 120] b[92 110] b[97]'],
  ])('bytes %s', (text, tokens) => expect(scan(text)).toBe(tokens));

  it.each([
    [
      String.raw`"ab\(c"`,
      String.raw`3: invalid escape sequence \( (write \\ for a backslash, or use a raw string r"…")`,
    ],
    [String.raw`"\xf"`, String.raw`1: truncated escape sequence \xf`],
    [String.raw`"\x-0"`, String.raw`1: invalid escape sequence \x-0`],
    [String.raw`"\x80"`, String.raw`1: non-ASCII hex escape \x80 (use \u0080 for the character U+0080)`],
    [String.raw`"\377"`, String.raw`1: non-ASCII octal escape \377 (use \u00FF for the character U+00FF)`],
    [String.raw`b"\400"`, String.raw`2: invalid escape sequence \400`],
    [String.raw`"\u12"`, String.raw`1: truncated escape sequence \u12`],
    [String.raw`"\ud800"`, '1: invalid Unicode code point U+D800 (half of a surrogate pair)'],
    [String.raw`"\U00110000"`, String.raw`1: code point out of range: \U00110000 (max \U0010ffff)`],
    ['"abc', '0: unexpected EOF in string'],
    ['"""abc"', '0: unexpected EOF in string'],
    ['"abc\nx', '0: unexpected newline in string'],
    ["'a\nb'\n'c\n", '0: unexpected newline in string; 6: unexpected newline in string'],
  ])('%j is an error', (text, error) => expect(scan(text)).toBe(error));

  it('every wrong escape is reported, not only the first', () => {
    expect(scan(String.raw`"\(\x"`).split('; ')).toHaveLength(2);
  });
});
