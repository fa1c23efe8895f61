/**
 * The reader of `.harness/patterns.yaml`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/read-file.ts';
import { type ProjectReader, policyPath } from '../project-reader.ts';

const PATH = '.harness/patterns.yaml';

export const patternsReader: ProjectReader = {
  name: 'patterns',
  watches: [PATH],
  read: async (dir, inside) => {
    const path = policyPath(PATH, inside);
    if (isAbsent(join(dir, path))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readPatterns } = await import('./read-patterns.ts');
    return readPatterns(dir, path);
  },
};
