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

/** Every sample in TypeScript or JavaScript: code blocks of the documents, and the programs of examples/. */
const samples = [
  ...['README.md', ...byHand].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^```(?:ts|js|mjs)\b[^\n]*\n([\s\S]*?)^```$/gm)].map(
      ([, code]) => ({ path, code: code! }),
    ),
  ),
  ...readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|js|mjs)$/.test(path) && !path.includes('node_modules'))
    .map((path) => ({ path, code: readFileSync(join(root, 'examples', path), 'utf8') })),
];

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

  it('ask mayRun in every sample that decides a call: none runs whatever was not blocked', () => {
    const deciding = samples.filter(({ code }) => /\.decide\(\s*'tool\.pre'/.test(code));
    expect(deciding.length).toBeGreaterThan(3);
    expect(deciding.filter(({ code }) => !code.includes('mayRun'))).toEqual([]);
    expect(samples.filter(({ code }) => /action\s*[!=]==?\s*['"]block/.test(code))).toEqual([]);
  });
});
