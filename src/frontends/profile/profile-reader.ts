/**
 * The reader of `agent.json` and `.harness/agent.json`. What it takes to understand one is loaded only where there is one.
 */
import { join } from 'node:path';
import { isAbsent } from '../../files/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type ProjectReader, policyPath } from '../project-reader.ts';
import type { Environment } from './operator.ts';

const PATHS = ['agent.json', '.harness/agent.json'] as const;

/** `machine` has the operator's environment; the hooks themselves ask their host for it again. */
export function profileReaderWith(machine: Environment): ProjectReader {
  return {
    name: 'profile',
    watches: PATHS,
    read: async (snapshot, inside) => {
      const known = new Set(PATHS.map((path) => policyPath(path, inside)));
      const paths = [...known].filter((path) => !isAbsent(join(snapshot.dir, path)));
      if (paths.length === 0) return { hooks: [], broken: [], problems: [], files: [] };
      const { readProfiles } = await import('./read-profile.ts');
      return readProfiles(snapshot, paths, machine);
    },
  };
}

export const profileReader: ProjectReader = profileReaderWith(machineHost);
