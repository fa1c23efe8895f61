import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import { type Tree, toData } from '../base/tree.ts';
import { readTomlTree } from './toml-tree.ts';

const TEXT = `# a manifest
title = "[[hooks]] inside a text"
text = """
[[hooks]]
event = "not this one"
"""
dates = [2020-01-01, 2020-01-02T03:04:05Z]

[package]
"quoted key" . inner = 'literal # not a comment'

[[hooks]] # first
event = "A"
  pattern   =   '''x
y'''
[hooks.deep]
value = 1

[[ hooks ]]
event = "B"
options = { a = [1, { b = "c" }], d.e = true } # inline

[[hooks.deep.list]]
n = 1
[[hooks.deep.list]]
n = 2
`;

function reading(text: string) {
  const tree = readTomlTree(text);
  if (!tree.ok) throw new Error(tree.message);
  const source = new SourceFile('harn.toml', text);
  const at = (...path: (string | number)[]): string => {
    let node: Tree = tree.root;
    let start = 0;
    for (const key of path) {
      if (node.kind === 'list') node = node.items[key as number]!;
      else if (node.kind === 'map') node = node.entries.get(key as string)!.value;
      start = node.start;
    }
    const { line, col } = source.position(start);
    return `${line}:${col}`;
  };
  return { root: tree.root, at };
}

describe('TOML with places', () => {
  it('gives the data of the parser', () => {
    expect(toData(reading(TEXT).root)).toEqual({
      title: '[[hooks]] inside a text',
      text: '[[hooks]]\nevent = "not this one"\n',
      dates: ['2020-01-01', '2020-01-02T03:04:05.000Z'],
      package: { 'quoted key': { inner: 'literal # not a comment' } },
      hooks: [
        { event: 'A', pattern: 'x\ny', deep: { value: 1 } },
        {
          event: 'B',
          options: { a: [1, { b: 'c' }], d: { e: true } },
          deep: { list: [{ n: 1 }, { n: 2 }] },
        },
      ],
    });
  });

  it('knows where each value stands, in tables, lists, inline tables and dotted keys', () => {
    const { at } = reading(TEXT);
    expect(at('title')).toBe('2:9');
    expect(at('dates', 1)).toBe('7:22');
    expect(at('package', 'quoted key', 'inner')).toBe('10:24');
    expect(at('hooks', 0)).toBe('12:1');
    expect(at('hooks', 0, 'event')).toBe('13:9');
    expect(at('hooks', 0, 'pattern')).toBe('14:17');
    expect(at('hooks', 0, 'deep', 'value')).toBe('17:9');
    expect(at('hooks', 1)).toBe('19:1');
    expect(at('hooks', 1, 'event')).toBe('20:9');
    expect(at('hooks', 1, 'options', 'a', 1, 'b')).toBe('21:27');
    expect(at('hooks', 1, 'options', 'd', 'e')).toBe('21:41');
    expect(at('hooks', 1, 'deep', 'list', 1, 'n')).toBe('26:5');
  });

  it('hooks written as a list of inline tables have places too', () => {
    const { at } = reading('hooks = [\n  { event = "A" }, # one\n  { event = "B", },\n]\n');
    expect(at('hooks', 1, 'event')).toBe('3:13');
  });

  it.each([
    ['a = ', 1, 5],
    ['a = 1\nb = "x', 2, 5],
    ['[[hooks]]\nevent = "A"\nevent = "B"\n', 3, 1],
  ])('%j is refused with its place', (text, line, col) => {
    const tree = readTomlTree(text);
    expect(tree).toMatchObject({ ok: false, line });
    expect(tree.ok ? '' : tree.message).not.toMatch(/\n|Invalid TOML document/);
    expect(tree.ok ? 0 : Math.abs(tree.col - col)).toBeLessThanOrEqual(2);
  });
});
