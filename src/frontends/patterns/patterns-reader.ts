/**
 * The reader of `.harness/patterns.yaml`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/read-file.ts';
import type { ProjectReader } from '../project-reader.ts';

const PATH = '.harness/patterns.yaml';

export const patternsReader: ProjectReader = {
  name: 'patterns',
  watches: [PATH],
  read: async (dir) => {
    if (isAbsent(join(dir, PATH))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readPatterns } = await import('./read-patterns.ts');
    return readPatterns(dir, PATH);
  },
};
