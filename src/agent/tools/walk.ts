/**
 * Finds paths by a pattern: `*`, `?` and classes within one name, `**` for any number of folders. Links are listed and
 * never followed; names that begin with a dot are found only where the pattern says so.
 */
import { compileGlob, type Glob } from '../../base/index.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import { FileFault, LONGEST_PATH, type Workspace } from './workspace.ts';

/** One part of a pattern: a test for one name, or any number of folders. */
type Part = { readonly any: true } | { readonly any: false; readonly test: Glob; readonly dots: boolean };

/** Paths relative to the workspace, sorted. `goOn` throws where the search is to end. */
export async function findPaths(workspace: Workspace, pattern: string, goOn: () => void): Promise<string[]> {
  const parts = parse(pattern);
  const found = new Set<string>();
  let looked = 0;

  const walk = async (folder: string, states: readonly number[], depth: number): Promise<void> => {
    goOn();
    if (depth > TOOL_LIMITS.walkedDepth) return;
    for (const entry of await workspace.entries(folder === '' ? '.' : folder)) {
      if (++looked > TOOL_LIMITS.walkedNames) {
        throw new FileFault(`more than ${TOOL_LIMITS.walkedNames} names to look at: want a narrower pattern`);
      }
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const next = step(parts, states, entry.name);
      if (next.includes(parts.length)) add(path);
      const deeper = next.filter((state) => state < parts.length);
      if (deeper.length > 0 && entry.isDirectory()) await walk(path, deeper, depth + 1);
    }
  };
  const add = (path: string) => {
    found.add(path);
    if (found.size > TOOL_LIMITS.listedNames) {
      throw new FileFault(`more than ${TOOL_LIMITS.listedNames} paths match: want a narrower pattern`);
    }
  };

  await walk('', skipping(parts, [0]), 0);
  return [...found].sort();
}

function parse(pattern: string): Part[] {
  if (pattern.length > LONGEST_PATH) throw new FileFault(`a pattern has at most ${LONGEST_PATH} characters`);
  const names = pattern.replace(/^\.\//, '').split('/');
  if (pattern === '' || names[0] === '' || names.includes('..')) {
    throw new FileFault(`the pattern ${JSON.stringify(pattern)} must stay inside the workspace`);
  }
  return names
    .filter((name) => name !== '' && name !== '.')
    .map((name) =>
      name === '**' ? { any: true } : { any: false, test: compileGlob(name), dots: name.startsWith('.') },
    );
}

/** Where in the pattern one can be after a name: all places at once, so that `**` costs no backtracking. */
function step(parts: readonly Part[], states: readonly number[], name: string): number[] {
  const next: number[] = [];
  const hidden = name.startsWith('.');
  for (const state of states) {
    const part = parts[state]!;
    if (part.any) {
      if (!hidden) next.push(state);
      // At the end of a pattern, `**` means everything below.
      if (!hidden && state === parts.length - 1) next.push(parts.length);
    } else if ((!hidden || part.dots) && part.test(name)) {
      next.push(state + 1);
    }
  }
  return skipping(parts, next);
}

/** `**` also stands for no folder at all. */
function skipping(parts: readonly Part[], states: readonly number[]): number[] {
  const all = new Set(states);
  for (const state of all) {
    if (parts[state]?.any === true && state + 1 < parts.length) all.add(state + 1);
  }
  return [...all];
}
