/** What this build made of policy folders, where the next process of the user finds it. */
import type { Host } from '../../base/host.ts';
import { FileKeptProjects } from '../../policy/kept-projects.ts';
import { stateFolder } from '../../policy/state-folder.ts';

/** Put in by the build. */
declare const HARNESS_BUILD: string | undefined;

/** Null if there is no place for it, and where no build says what it is. */
export function keptByBuild(host: Pick<Host, 'env'>): FileKeptProjects | null {
  const state = stateFolder(host);
  if (state === null || typeof HARNESS_BUILD !== 'string') return null;
  return new FileKeptProjects(state, `${HARNESS_BUILD}-${process.version}-${process.arch}`);
}
