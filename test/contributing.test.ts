/**
 * The table of CONTRIBUTING.md that says which places an addition touches: each is there, and each has what was added before.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../src/engine/catalog.ts';
import { DECISIONS } from '../src/script/builtins/decisions.ts';
import { HOOK_BUILTINS } from '../src/script/environment.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const guide = read('CONTRIBUTING.md');

/** The places that the row of the table names. */
function places(row: string): string[] {
  const line = guide.split('\n').find((each) => each.startsWith(`| ${row} |`)) ?? '';
  return [...line.matchAll(/`((?:src|test)\/[^`]+)`/g)].map((match) => match[1]!);
}

function without(names: readonly string[], path: string): string[] {
  return names.filter((name) => !read(path).includes(name)).map((name) => `${path} lacks ${name}`);
}

describe('CONTRIBUTING.md', () => {
  it('names only places there are', () => {
    const named = [...guide.matchAll(/`((?:src|test|docs)\/[^`\s]+)`/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(12);
    expect(named.filter((path) => !path.includes('NNNN') && !existsSync(join(root, path)))).toEqual([]);
  });

  it('names the places that know every event', () => {
    const [catalog, workers, ...lists] = places('an event').filter((path) => path.endsWith('.ts'));
    const events = Object.keys(CATALOG);
    const rows = read(catalog!) + read(workers!);
    expect(events.filter((event) => !rows.includes(`'${event}'`) && !rows.includes(`  ${event}:`))).toEqual(
      [],
    );
    expect(lists).toHaveLength(3);
    expect(lists.flatMap((path) => without(events, path))).toEqual([]);
  });

  it('names the places that know every built-in', () => {
    const [folder, ...lists] = places('a built-in of scripts');
    expect(folder).toBe('src/script/builtins');
    expect(lists).toHaveLength(3);
    const decisions = new Set([...DECISIONS].map(([name]) => name));
    const names = [...HOOK_BUILTINS.keys()].filter((name) => !decisions.has(name));
    expect(names.length).toBeGreaterThan(10);
    expect(lists.flatMap((path) => without(names, path))).toEqual([]);
  });
});
