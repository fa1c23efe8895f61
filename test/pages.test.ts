/** How much there is to read: pages written by hand are few and short. Generated pages are as long as their tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../scripts/reference-pages.ts';
import { SECTIONS } from '../site/navigation.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** agents.md is generated in parts only. */
const generated = new Set([...referencePages().keys()].filter((path) => path !== 'docs/agents.md'));
const byHand = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md') && !generated.has(path));

describe('the documents', () => {
  it('have at most sixty pages written by hand', () => {
    expect(byHand.length).toBeGreaterThan(20);
    expect(byHand.length).toBeLessThanOrEqual(60);
  });

  it('CHANGELOG.md has at most 60 lines', () => {
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(60);
  });

  it.each(byHand)('%s has at most 300 lines', (path) => {
    expect(readFileSync(join(root, path), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(300);
  });

  it('have at most twenty guides', () => {
    const guides = SECTIONS.filter(([title]) => title.startsWith('Guides')).flatMap(([, names]) => names);
    const pages = new Set(
      guides.flatMap((name) =>
        name.endsWith('/') ? byHand.filter((path) => path.startsWith(name)) : [name],
      ),
    );
    const elsewhere = SECTIONS.filter(([title]) => !title.startsWith('Guides')).flatMap(([, names]) => names);
    expect([...pages].filter((path) => !elsewhere.includes(path)).length).toBeLessThanOrEqual(20);
  });
});
