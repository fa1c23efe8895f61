/** The table of what is promised when something breaks names a test in each row: it has to be there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = readFileSync(join(root, 'docs/guide/evidence.md'), 'utf8');
const [, section = ''] = page.split('## What is promised when something breaks');
const [table = ''] = section.split('\n## ');
const rows = table.split('\n').filter((line) => /^\| (?!fault|---)/.test(line));

it('every row of the promises names a test that is there', () => {
  expect(rows.length).toBeGreaterThan(15);
  const missing = rows.filter((row) => {
    const [, file, title] = /`([^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? [];
    const path = join(root, file ?? '');
    return file === undefined || !existsSync(path) || !readFileSync(path, 'utf8').includes(title!);
  });
  expect(missing).toEqual([]);
});
