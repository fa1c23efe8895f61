/**
 * The reader of `.harness/patterns.yaml`. What it takes to understand one is loaded only where there is one.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectReader } from '../reader.ts';

const PATH = '.harness/patterns.yaml';

export const patternsReader: ProjectReader = {
  name: 'patterns',
  watches: [PATH],
  read: async (dir) => {
    // A dangling link is not absent: it is read, and reported as what it is.
    if (lstatSync(join(dir, PATH), { throwIfNoEntry: false }) === undefined) {
      return { hooks: [], broken: [], problems: [], files: [] };
    }
    const { readPatterns } = await import('./read-patterns.ts');
    return readPatterns(dir, PATH);
  },
};
