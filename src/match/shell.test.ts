import { describe, expect, it } from 'vitest';
import { readShell } from './shell.ts';

const words = (text: string) => readShell(text).commands.map((command) => command.words);

describe('a command line', () => {
  it.each<[string, string, string[][]]>([
    ['words', 'git  status\t-s', [['git', 'status', '-s']]],
    ['quotes', `a 'b c' "d e" f'g'"h" ''`, [['a', 'b c', 'd e', 'fgh', '']]],
    ['escapes', 'a\\ b "\\"c\\d" e\\\nf', [['a b', '"c\\d', 'ef']]],
    ['separators', 'a; b && c || d | e & f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
    ['groups', '(a; b) && { c; }', [['a'], ['b'], ['{', 'c'], ['}']]],
    ['comments', 'a # b; c\nd#e', [['a'], ['d#e']]],
    [
      'variables of the line',
      'X=1; Y="$X 2"; a $X "$Y" $Y',
      [['X=1'], ['Y=1 2'], ['a', '1', '1 2', '1', '2']],
    ],
    ['variables of elsewhere', 'a $B "$HOME"', [['a', '$' + '{B}', '~']]],
    ['a quote that never ends', `a 'b c`, [['a', 'b c']]],
    ['nothing', ' \n ; ', []],
  ])('is taken apart into commands and words: %s', (_what, text, commands) => {
    expect(words(text)).toEqual(commands);
  });

  it('keeps what is run inside of it apart', () => {
    const { commands, nested } = readShell('a "$(b (c) \')\')" `d` <(e)');
    expect(nested).toEqual(["b (c) ')'", 'd', 'e']);
    expect(commands[0]?.words).toEqual(['a', '$()', '$()', '$()']);
  });

  it('says where output goes and input comes from', () => {
    const [first, second] = readShell('a 2>&1 >>"b c" < d | e <<X\n1\n2\nX\nf').commands;
    expect(first?.words).toEqual(['a']);
    expect(first?.redirects).toEqual([
      { op: '>&', target: '1' },
      { op: '>>', target: 'b c' },
      { op: '<', target: 'd' },
    ]);
    expect(second).toMatchObject({ words: ['e'], input: '1\n2', piped: true });
    expect(words('e <<X\n1\nX\nf')).toEqual([['e'], ['f']]);
    expect(readShell(`sh <<< 'x y'`).commands[0]?.input).toBe('x y');
  });
});
