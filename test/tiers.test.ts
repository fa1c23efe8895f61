/** The tier of a test is the suffix of its file: a test of the built command must not stand among those that run without a build. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tests = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => join(root, folder, path)),
);
const COMMAND = join(root, 'scripts/build-cli.mjs');

/** Whether a file of the tests leads to the path of the built command. */
function runsCommand(file: string, seen = new Set<string>()): boolean {
  if (file === COMMAND) return true;
  if (seen.has(file) || !relative(root, file).startsWith('test') || !existsSync(file)) return false;
  seen.add(file);
  return importsOf(file).some((next) => runsCommand(next, seen));
}

function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return [...found].map(([, path]) => join(dirname(file), path!));
}

describe('the tiers of the tests', () => {
  it('have a test of the built command only under *.process.test.ts, *.slow.test.ts and *.fleet.test.ts', () => {
    const running = tests.filter((file) => importsOf(file).some((next) => runsCommand(next)));
    expect(running.length).toBeGreaterThan(50);
    const quick = running.filter((file) => !/\.(process|slow|fleet)\.test\.ts$/.test(file));
    expect(quick.map((file) => relative(root, file))).toEqual([]);
  });

  it('have no suffix that is misspelt', () => {
    // `property` says what a quick test does; it is no tier.
    const suffixes = tests.map((file) => /\.([a-z]+)\.test\.ts$/.exec(file)?.[1] ?? 'quick');
    expect([...new Set(suffixes)].sort()).toEqual([
      'fleet',
      'limits',
      'process',
      'property',
      'quick',
      'slow',
    ]);
  });
});
