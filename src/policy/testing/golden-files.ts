/**
 * Whole answers of test cases, in files beside the tests and never outside their folder.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { GoldenFiles } from './run-tests.ts';
import type { TestCase } from './test-case.ts';

/** Null for a name that leads out of the folder of the test. */
export function goldenPath({ dir, source }: TestCase, name: string): string | null {
  const folder = resolve(dir, dirname(source));
  const path = resolve(folder, name);
  return path.startsWith(folder + sep) ? path : null;
}

export const GOLDEN_FILES: GoldenFiles = {
  read: (test, name) => {
    const path = goldenPath(test, name);
    try {
      return path === null ? null : readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  },
};
