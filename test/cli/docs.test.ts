/**
 * What the documents show is what the command does: hook examples load, printed output is real, links lead somewhere.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

const read = (path: string) => readFileSync(join(root, path), 'utf8');

const hookExamples = documents.flatMap((path) =>
  [...read(path).matchAll(/^```markdown\n(---\n[\s\S]*?)^```$/gm)].map(
    (match, i) => [path, i + 1, match[1]!] as const,
  ),
);

describe('the documents', () => {
  it('have hook examples at all', () => {
    expect(hookExamples.map(([path]) => path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/guide/first-hook.md', 'docs/reference/hook-artifact.md']),
    );
  });

  it.each(hookExamples)('%s: hook example %i loads without a problem', async (_path, _number, text) => {
    const name = /^# (\w+)$/m.exec(text)![1]!;
    const dir = project({ [`.harness/hooks/${name}.md`]: text });
    expect(await harness(['validate', '--strict', dir])).toMatchObject({
      code: 0,
      stdout: '1 hook, 0 errors, 0 warnings\n',
    });
  });

  it.each(documents)('%s: every relative link leads somewhere', (path) => {
    const links = [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    const dead = links.filter(
      (link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(path), link)),
    );
    expect(dead).toEqual([]);
  });
});
