import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { toData } from '../base/tree.ts';
import { splitFrontmatter } from './frontmatter.ts';
import { FileReport } from './report.ts';
import { parseYaml } from './yaml-tree.ts';

function read(yaml: string) {
  const text = `---\n${yaml}\n---\n`;
  const split = splitFrontmatter(text);
  if (!split.ok) throw new Error(split.message);
  const report = new FileReport('x.md', text);
  const map = parseYaml(split.parts, report, 'parse hook x.md');
  return { data: map && toData(map), problems: report.problems.map((problem) => problem.message), report };
}

describe('frontmatter as a tree', () => {
  it('is plain data, with keys as text', () => {
    expect(read('a: 1\nb: [x, {c: ~}]\n3: true\nd: "4"').data).toEqual({
      a: 1,
      b: ['x', { c: null }],
      '3': true,
      d: '4',
    });
  });

  it('keeps a key named __proto__ as data', () => {
    const data = read('__proto__: {polluted: true}').data as object;
    expect(Object.keys(data)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('names the line of the Markdown file in its errors', () => {
    const { problems, report } = read('a: 1\nb: "x" in payload');
    expect(problems).toEqual([expect.stringMatching(/^parse hook x\.md: yaml: line 3: .*single quotes/)]);
    expect(report.problems[0]).toMatchObject({
      code: 'YAML_INVALID',
      position: { file: 'x.md', line: 3, col: 8 },
      excerpt: 'b: "x" in payload',
    });
  });

  it.each([
    ['a key given twice', 'a: 1\na: 2', 'line 3: the key "a" is given twice'],
    ['a custom tag', 'a: !shell ls', 'unresolved tag: !shell'],
    ['a tag that makes objects', 'a: !!binary aGk=', 'tag !!binary is not allowed'],
    ['an alias without an anchor', 'a: *nope', 'no anchor &nope'],
    ['an alias inside what it names', 'a: &a [*a]', 'stands for a value that holds it'],
    ['a list at the top', '- 1', 'must be a map'],
    ['a tab as indentation', 'a:\n\tb: 1', 'tabs are not allowed'],
    [
      'a script less indented than its first line',
      'a: |\n    x\n  y',
      'indented at least as far as its first line',
    ],
    ['endless nesting', `a: ${'['.repeat(5000)}`, 'line 2'],
    ['deep nesting', `a: ${'['.repeat(80)}${']'.repeat(80)}`, 'nested more than 64 levels'],
  ])('refuses %s', (_, yaml, message) => {
    const { data, problems } = read(yaml);
    expect(data).toBeNull();
    expect(problems[0]).toContain(message);
    expect(problems.length).toBeLessThanOrEqual(5);
  });

  it('refuses a few lines of aliases that stand for billions of values', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(read(lines.join('\n')).problems[0]).toContain('more than 100000 values');
  });

  it('says once, on its own line, that a key is indented otherwise than the one above it', () => {
    expect(read('event: tool.pre\n priority: 1\nscript: |\n  x\n').problems).toEqual([
      expect.stringMatching(
        /^parse hook x\.md: yaml: line 3: the key priority begins in column 2, and event above it in column 1: keys of one map begin in the same column$/,
      ),
    ]);
    expect(read('tests:\n  - name: a\n      payload: {}\n').problems).toEqual([
      expect.stringContaining('the key payload begins in column 7, and name above it in column 5'),
    ]);
    expect(
      read('tests:\n  - name: a\n    payload: {name: x}\n     expect: allow\nscript: x').problems,
    ).toEqual([
      expect.stringMatching(/ line 5: the key expect begins in column 6, and payload above it in column 5/),
    ]);
    expect(read('tests:\n  - name: a\n    payload: {name: x}\n   expect: allow\nscript: x').problems).toEqual(
      [expect.stringContaining(' line 5: ')],
    );
    // A value that holds a colon is another mistake.
    expect(read('when: a == "b: c": d\nevent: x').problems[0]).toContain('must be quoted');
  });

  it('treats a merge key as a key like any other', () => {
    expect(read('a: &a {x: 1}\nb:\n  <<: *a').data).toEqual({ a: { x: 1 }, b: { '<<': { x: 1 } } });
  });

  it('reads many keys without comparing every pair', () => {
    const yaml = Array.from({ length: 40_000 }, (_, i) => `k${i}: 1`).join('\n');
    const start = cpuTime();
    expect(read(yaml).problems).toEqual([]);
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});
