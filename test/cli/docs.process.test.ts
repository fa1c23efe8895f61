/**
 * What the documents show is what the command does: hook examples load, printed output is real, links lead somewhere.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
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

/** Lines of code blocks that run the command, with what follows its name. Those of README.md are typed too, see readme.test.ts. */
function commandLines(text: string): { line: string; words: string[] }[] {
  const blocks = [...text.matchAll(/^```(?:sh|console|)\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      // An argument may be the line of another program.
      .replace(/'[^'\n]*'|"[^"\n]*"/g, 'TEXT')
      .split('\n')
      .flatMap((line) => {
        const found = /^(?:\$ )?(?:.*(?:\||&&) *)?(?:npx )?harness(?:-hooks)? ([a-z].*)$/.exec(line);
        if (found === null) return [];
        // What follows belongs to another program, or says something about it.
        const [own = ''] = found[1]!.split(/ -- | #| {2}| [|·>&]/);
        return [{ line, words: own.split(/[\s[\]|=]+/).filter((word) => word !== '') }];
      }),
  );
}

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

  it.each(documents)('%s: every command line names a command there is, with options it takes', (path) => {
    const wrong = commandLines(read(path)).filter(({ words: [name, ...words] }) => {
      const command = COMMANDS.find((each) => each.name === name);
      const known = new Set(command?.options.flatMap(({ name: long, short }) => [`--${long}`, `-${short}`]));
      const options = words.filter((word) => /^--?[a-z]/.test(word) && word !== '--help');
      return command === undefined ? name !== 'help' : options.some((option) => !known.has(option));
    });
    expect(wrong.map(({ line }) => line)).toEqual([]);
  });

  it('have command lines that are looked at', () => {
    expect(documents.flatMap((path) => commandLines(read(path))).length).toBeGreaterThan(150);
  });

  it('speak of `npx harness` only where the reader is in a clone: elsewhere that is another package', () => {
    const inClone = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md'];
    const elsewhere = documents.filter((path) => !inClone.includes(path));
    expect(elsewhere.filter((path) => /npx harness /.test(read(path)))).toEqual([]);
  });

  it.each(documents)('%s: every relative link leads somewhere', (path) => {
    const links = [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    const dead = links.filter(
      (link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(path), link)),
    );
    expect(dead).toEqual([]);
  });
});
