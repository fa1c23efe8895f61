import { describe, expect, it } from 'vitest';
import { embeddedSource } from './embedded-source.ts';
import { splitFrontmatter } from './frontmatter.ts';
import { FileReport } from './report.ts';
import { parseYaml } from './yaml-tree.ts';

/** The place in the Markdown file of `needle` inside the scalar `script`, asked for through the embedded source. */
function placeOf(text: string, needle: string) {
  const split = splitFrontmatter(text);
  if (!split.ok) throw new Error(split.message);
  const report = new FileReport('x.md', text);
  const node = parseYaml(split.parts, report, 'parse')?.entries.get('script')?.value;
  if (node?.kind !== 'scalar') throw new Error(`no script: ${report.problems[0]?.message}`);
  const source = embeddedSource(report.source, node);
  const { line, col } = source.position(source.text.indexOf(needle));
  return `${line}:${col}`;
}

/** Where it really stands. */
function real(text: string, needle: string) {
  const before = text.slice(0, text.indexOf(needle));
  const line = before.split('\n').length;
  return `${line}:${[...before.slice(before.lastIndexOf('\n') + 1)].length + 1}`;
}

describe('positions inside a script are those of the Markdown file', () => {
  it.each([
    ['a literal block', '---\nevent: x\nscript: |\n  def f():\n      NEEDLE\n---\n'],
    ['a literal block with its own indentation', '---\nscript: |4\n      a\n    NEEDLE\n---\n'],
    ['a literal block after blank lines', '---\nscript: |\n\n\n  a = 1\n\n  b = NEEDLE\n---\n'],
    ['a literal block with tabs inside', '---\nscript: |-\n  if x:\n  \tNEEDLE\n---\n'],
    ['text beyond the basic plane', '---\nscript: |\n  x = "🙂é" + NEEDLE\n---\n'],
    ['a plain scalar', '---\nscript: payload["a"] == NEEDLE\n---\n'],
    ['a plain scalar over several lines', '---\nscript: a and\n  b and\n    NEEDLE\n---\n'],
    ['single quotes', "---\nscript: 'it''s ''q'' NEEDLE'\n---\n"],
    ['double quotes with escapes', '---\nscript: "a\\t\\"b\\" \\u0041\\x41\\U0001F642 NEEDLE"\n---\n'],
    ['double quotes over several lines', '---\nscript: "a \\\n  b\n\n  c NEEDLE"\n---\n'],
    ['a folded block', '---\nscript: >-\n  a and\n  b and\n\n  c NEEDLE\n    d\n---\n'],
    ['a folded block with more indented lines', '---\nscript: >\n  a\n    b\n    NEEDLE\n  c\n---\n'],
  ])('in %s', (_, text) => {
    expect(placeOf(text, 'NEEDLE')).toBe(real(text, 'NEEDLE'));
  });
});
