/**
 * The reader of `.harness/settings.json`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../markdown/read-project.ts';
import { type ProjectReader, policyPath } from '../project-reader.ts';

const PATH = '.harness/settings.json';

export const settingsReader: ProjectReader = {
  name: 'settings',
  watches: [PATH],
  read: async (snapshot, inside) => {
    const path = policyPath(PATH, inside);
    if (isAbsent(join(snapshot.dir, path))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readSettings } = await import('./read-settings.ts');
    return readSettings(snapshot, path);
  },
};
