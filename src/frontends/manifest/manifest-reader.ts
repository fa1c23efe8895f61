/**
 * The reader of `harn.toml`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/index.ts';
import type { ProjectReader } from '../project-reader.ts';

const PATH = 'harn.toml';

export const manifestReader: ProjectReader = {
  name: 'manifest',
  watches: [PATH],
  read: async (snapshot, _inside, library = null) => {
    if (isAbsent(join(snapshot.dir, PATH))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readManifest } = await import('./read-manifest.ts');
    return readManifest(snapshot, PATH, library);
  },
};
