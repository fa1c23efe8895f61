/**
 * The table of doors in docs/security.md: every test it names is there, and every door that was once found open is in it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const [, table = ''] = read('docs/security.md').split('## Doors, and the test that holds each');

/** Each file that the table names, with the titles it names of it. */
const named = [...table.matchAll(/`((?:src|test)\/[^`]+)`(?:: ((?:“[^”]+”(?:, )?)+))?/g)].map(
  ([, path = '', titles = '']) => ({
    path,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title]) => title!),
  }),
);

describe('the table of doors', () => {
  it('names files there are, and titles that stand in them', () => {
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
    const missing = named.flatMap(({ path, titles }) =>
      titles.filter((title) => !read(path).includes(title)).map((title) => `${path}: ${title}`),
    );
    expect(missing).toEqual([]);
  });

  it('has every file of test/hostile', () => {
    const files = readdirSync(join(root, 'test/hostile')).filter((name) => name.endsWith('.test.ts'));
    expect(files.filter((name) => !table.includes(`test/hostile/${name}`))).toEqual([]);
  });

  it('and each of those runs what it tries in namespaces of its own', () => {
    const files = readdirSync(join(root, 'test/hostile')).filter((name) => name.endsWith('.test.ts'));
    const texts = files.map((name) => [name, read(`test/hostile/${name}`)] as const);
    expect(texts.filter(([, text]) => !text.includes("from './harness.ts'")).map(([name]) => name)).toEqual(
      [],
    );
    // Nothing else may start a program there but what makes a fixture.
    const starts = /(?<![.\w])(?:spawn|spawnSync|exec|execSync|fork|execFile|execFileSync)\(('[^']+')?/g;
    const started = texts.flatMap(([, text]) => [...text.matchAll(starts)].map(([, program]) => program));
    expect(started.filter((program) => program !== "'mkfifo'")).toEqual([]);
  });
});
