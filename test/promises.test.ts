/** The tables of what is promised when something breaks name a test in each row: it has to be there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

it.each([
  ['docs/guide/evidence.md', '## What is promised when something breaks', 16],
  ['docs/fleet/README.md', '## What is promised while the hub is away', 21],
])('every row of the promises in %s names a test that is there', (page, title, least) => {
  const [, rest = ''] = readFileSync(join(root, page), 'utf8').split(title);
  const [section = ''] = rest.split('\n## ');
  const rows = section.split('\n').filter((line) => /^\| (?!fault|what happens|---)/.test(line));
  expect(rows.length).toBeGreaterThanOrEqual(least);
  const missing = rows.filter((row) => {
    const [, file, words] = /`([^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? [];
    const path = join(root, file ?? '');
    return file === undefined || !existsSync(path) || !readFileSync(path, 'utf8').includes(words!);
  });
  expect(missing).toEqual([]);
});
