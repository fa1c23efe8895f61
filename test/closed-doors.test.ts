/** Every row of the review that closed a door names itself in the title of a test. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROWS = 'S21 S22 S23 S24 S25 S26 S27 S28 S33 S34 S35 W10 W11'.split(' ');

it.each(ROWS)('the row %s stands in the title of a test', (row) => {
  const titles = ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(root, folder, path),
      ),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => /\b(?:it|test|describe)\b|^\s*[)\]]+\(['`]|^\s+['`]\[/.test(line));
  expect(titles.some((line) => line.includes(`[${row}]`))).toBe(true);
});
