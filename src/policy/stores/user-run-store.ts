/**
 * Where what guards count and remember lives on this machine: in the user's folder of what Harness keeps.
 */
import { join } from 'node:path';
import type { Host } from '../../machine/index.ts';
import { stateFolder } from '../state-folder.ts';
import { FileRunStore, type FileRunStoreOptions } from './file-run-store.ts';

/** Undefined if there is no place for one. */
export function userRunStore(
  host: Pick<Host, 'env'>,
  options?: FileRunStoreOptions,
): FileRunStore | undefined {
  const folder = stateFolder(host);
  return folder === null ? undefined : new FileRunStore(join(folder, 'run'), options);
}
