/**
 * The reader of `harn.toml`. What it takes to understand one is loaded only where there is one.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectReader } from '../reader.ts';

const PATH = 'harn.toml';

export const manifestReader: ProjectReader = {
  name: 'manifest',
  watches: [PATH],
  read: async (dir) => {
    // A dangling link is not absent: it is read, and reported as what it is.
    if (lstatSync(join(dir, PATH), { throwIfNoEntry: false }) === undefined) {
      return { hooks: [], broken: [], problems: [], files: [] };
    }
    const { readManifest } = await import('./read-manifest.ts');
    return readManifest(dir, PATH);
  },
};
