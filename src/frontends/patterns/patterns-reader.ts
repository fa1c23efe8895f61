/**
 * The reader of `.harness/patterns.yaml`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/index.ts';
import { type ProjectReader, policyPath } from '../project-reader.ts';

const PATH = '.harness/patterns.yaml';

export const patternsReader: ProjectReader = {
  name: 'patterns',
  watches: [PATH],
  read: async (snapshot, inside) => {
    const path = policyPath(PATH, inside);
    if (isAbsent(join(snapshot.dir, path))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readPatterns } = await import('./read-patterns.ts');
    return readPatterns(snapshot, path);
  },
};
