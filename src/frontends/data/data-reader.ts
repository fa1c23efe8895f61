/**
 * The reader of `.harness/data`: tables that hooks read as `data.NAME`. What it takes to understand them is loaded only if
 * there is a folder.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/index.ts';
import { type ProjectReader, policyPath } from '../project-reader.ts';

const FOLDER = '.harness/data';

export const dataReader: ProjectReader = {
  name: 'data',
  watches: [FOLDER],
  read: async (snapshot, inside) => {
    const folder = policyPath(FOLDER, inside);
    if (isAbsent(join(snapshot.dir, folder))) return { hooks: [], broken: [], problems: [], files: [] };
    const { readData } = await import('./read-data.ts');
    return readData(snapshot, folder);
  },
};
