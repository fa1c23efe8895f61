/**
 * What the formatter promises: one form, reached at once, the same program, every comment. Held over all programs of the corpus, and
 * over the same with lines broken and comments put in at random.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import { parse } from '../syntax/parse.ts';
import { formatExpression, formatFile } from './format.ts';
import { Printer } from './printer.ts';
import { sameTree } from './same-tree.ts';
import { type Token, tokensOf } from './tokens.ts';

const CORPUS = join(import.meta.dirname, '../../../test/starlark/corpus');

const PROGRAMS = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.star'))
  // Chunks of the corpus are programs of their own, some of them wrong on purpose.
  .flatMap((name) => readFileSync(join(CORPUS, name), 'utf8').split(/^---$/m))
  .filter((text) => parse(new SourceFile('corpus', text)).errors.length === 0);

const treeOf = (text: string) => parse(new SourceFile('x', text)).file;
const commentsOf = (text: string) =>
  tokensOf(text, false)
    .flatMap(({ comments }) => comments.map((each) => each.text))
    .sort();

function formatted(text: string): string {
  const result = formatFile(new SourceFile('x', text));
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.text;
}

/** Without the guard that gives a text back as it was. */
const printed = (text: string) => new Printer(tokensOf(text, false)).print();

describe('one form', () => {
  const cases: [string, string, string][] = [
    ['spaces', 'x=f( a,b = -1,*c ,**d )[ 1 : 2 ] . y', 'x = f(a, b = -1, *c, **d)[1:2].y\n'],
    ['quotes', `x = 'a' + 'say "hi"' + r'\\d' + '''doc'''`, `x = "a" + 'say "hi"' + r"\\d" + """doc"""\n`],
    ['one statement a line', 'x = 1; y = 2', 'x = 1\ny = 2\n'],
    ['a block under its header', 'def f(): return 1', 'def f():\n    return 1\n'],
    ['four spaces', 'def f():\n  if x:\n\treturn 1\n', 'def f():\n    if x:\n        return 1\n'],
    [
      'an empty line around functions',
      'x = 1\ndef f():\n  pass\ny = 2\n',
      'x = 1\n\ndef f():\n    pass\n\ny = 2\n',
    ],
    ['at most one empty line', 'x = 1\n\n\n\ny = 2\n', 'x = 1\n\ny = 2\n'],
    ['items of broken brackets', 'x = [1,\n  2]\n', 'x = [\n    1,\n    2,\n]\n'],
    ['brackets on one line stay there', 'x = [1,2,]\n', 'x = [1, 2,]\n'],
    ['a last argument may go over lines', 'f(a, {\n"b": 1})\n', 'f(a, {\n    "b": 1,\n})\n'],
    ['conditions go on below their beginning', 'x = (a and\n b)\n', 'x = (a and\n     b)\n'],
    ['a line with a comment stays a line', 'if  x :  y=1 ;z = 2 # c\n', 'if x: y = 1; z = 2  # c\n'],
    ['lambdas', 'f(lambda x,y = 1:x+y)', 'f(lambda x, y = 1: x + y)\n'],
    ['comments beside', 'x = [1,# one\n2]# two\n', 'x = [\n    1,  # one\n    2,\n]  # two\n'],
    [
      'comments above',
      '# a\ndef f():\n      # b\n      pass\n      # c\n# d\n',
      '# a\ndef f():\n    # b\n    pass\n    # c\n# d\n',
    ],
  ];
  it.each(cases)('%s', (_title, before, after) => {
    expect(formatted(before)).toBe(after);
    expect(formatted(after)).toBe(after);
  });

  it('is not forced on what cannot be parsed', () => {
    expect(formatFile(new SourceFile('x', 'def f(:\n'))).toMatchObject({ ok: false });
    expect(formatExpression(new SourceFile('x', 'payload["name"]=="x"   and not  y'))).toEqual({
      ok: true,
      text: 'payload["name"] == "x" and not y',
    });
  });
});

describe('the program stays the same', () => {
  it(`over ${PROGRAMS.length} programs`, () => {
    expect(PROGRAMS.length).toBeGreaterThan(300);
    for (const text of PROGRAMS) {
      const once = printed(text);
      if (!sameTree(treeOf(text), treeOf(once))) expect(once).toBe(text);
      expect(commentsOf(once)).toEqual(commentsOf(text));
      expect(formatted(once)).toBe(once);
    }
  });

  it('however its lines are broken and whatever comments stand in it', () => {
    const gaps = fc.array(fc.constantFrom('', '', ' ', '\n', '\n\n   ', '  # c\n', '\n# own\n  '), {
      minLength: 7,
      maxLength: 40,
    });
    const program = fc.constantFrom(...PROGRAMS);
    fc.assert(
      fc.property(program, gaps, (text, each) => {
        const broken = withGaps(text, each);
        if (parse(new SourceFile('x', broken)).errors.length > 0) return;
        const once = formatted(broken);
        expect(sameTree(treeOf(text), treeOf(once))).toBe(true);
        expect(commentsOf(once)).toEqual(commentsOf(broken));
        expect(formatted(once)).toBe(once);
      }),
      { numRuns: 100 },
    );
  });
});

/** Puts gaps between tokens that stand in brackets, where a line may end. */
function withGaps(text: string, gaps: readonly string[]): string {
  let out = '';
  let rest = text;
  for (const [nth, token] of tokensOf(text, false).entries()) {
    const at = placeOf(rest, token);
    if (at === -1) return text;
    out += rest.slice(0, at);
    if (token.group !== null) out += gaps[nth % gaps.length]!;
    out += token.text;
    rest = rest.slice(at + token.text.length);
  }
  return out + rest;
}

/** Where the next token is; not what looks like it in a comment. */
function placeOf(rest: string, { text }: Token): number {
  const blank = /^(?:\s|\\\n|#[^\n]*\n)*/.exec(rest)![0].length;
  return text === '\n' || text === '' ? rest.indexOf(text) : rest.startsWith(text, blank) ? blank : -1;
}
