/**
 * The committed reference pages and schemas are the ones the tables give.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../scripts/reference-pages.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const pages = referencePages();

describe('generated reference', () => {
  it.each([...pages.keys()])('%s is up to date (npm run docs)', (path) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(pages.get(path));
  });

  it('has no page of an event that is gone', () => {
    const folder = 'docs/reference/events';
    const stale = readdirSync(join(root, folder)).filter((name) => !pages.has(`${folder}/${name}`));
    expect(stale).toEqual([]);
  });
});
