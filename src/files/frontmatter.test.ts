import { describe, expect, it } from 'vitest';
import { firstSentence, splitFrontmatter } from './frontmatter.ts';

const parts = (text: string) => {
  const split = splitFrontmatter(text);
  return split.ok ? split.parts : split.message;
};

describe('[C045] frontmatter', () => {
  it('stands between two lines of three dashes, and the body follows', () => {
    expect(parts('---\nevent: error\n---\n# doc\n')).toEqual({
      yaml: 'event: error\n',
      yamlStart: 4,
      body: '# doc\n',
    });
  });

  it('may be all there is, may be empty, may lack a last line ending', () => {
    expect(parts('---\na: 1\n---')).toMatchObject({ yaml: 'a: 1\n', body: '' });
    expect(parts('---\n---\n')).toMatchObject({ yaml: '', body: '' });
  });

  it('tolerates blank space after the dashes', () => {
    expect(parts('---  \na: 1\n---\t\nb')).toMatchObject({ yaml: 'a: 1\n', body: 'b' });
  });

  it.each(['\n---\na: 1\n---\n', ' \n\n---\na: 1\n---\n', ' ---\na: 1\n---\n'])(
    'must begin in the first line of the file: %j is refused',
    (text) => expect(parts(text)).toContain('must start with a --- line, but there is white space before it'),
  );

  it('is not closed by dashes inside an indented script', () => {
    expect(parts('---\nscript: |\n  x = 1\n  ---\n  y = 2\n---\nbody')).toMatchObject({
      yaml: 'script: |\n  x = 1\n  ---\n  y = 2\n',
    });
  });

  it('refuses unindented dashes that would cut a script in half', () => {
    expect(parts('---\nscript: |\n  x = """\n---\n  """\n---\nbody')).toContain('indent dashes');
  });

  it('lets the body hold rules and indented text', () => {
    expect(parts('---\na: 1\n---\n\n    code\n\n---\nmore')).toMatchObject({
      body: '\n    code\n\n---\nmore',
    });
  });

  it.each([
    ['', 'the file is empty'],
    ['# title\n', 'it has no frontmatter'],
    ['----\na: 1\n---\n', 'its first line is "----"'],
    ['---\na: 1\n', 'not closed'],
    ['---\na: 1\n--- x\n---\n', 'must be exactly ---'],
    ['---\na: 1\n----\n', 'must be exactly ---'],
  ])('refuses %j', (text, message) => {
    expect(parts(text)).toContain(message);
  });
});

describe('the first sentence of a body', () => {
  it('skips headings and fenced code', () => {
    expect(firstSentence('# name\n\n```\ncode.\n```\n\nBlocks deletion\nof roots. More.\n')).toBe(
      'Blocks deletion of roots.',
    );
    expect(firstSentence('# only a title\n')).toBeUndefined();
    expect(firstSentence('no full stop\nat all')).toBe('no full stop at all');
  });
});
