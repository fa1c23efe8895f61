/**
 * Where what guards count and remember lives on this machine: one folder a user, closed to others.
 */
import { join } from 'node:path';
import type { Host } from '../../base/host.ts';
import { FileRunStore } from './file-run-store.ts';

/** Null if the user has no home. */
export function stateFolder(host: Pick<Host, 'env'>): string | null {
  const home = host.env('HOME');
  const state = host.env('XDG_STATE_HOME') || (home ? join(home, '.local', 'state') : null);
  return state === null ? null : join(state, 'harness', 'run');
}

/** Undefined if there is no place for one. */
export function userRunStore(host: Pick<Host, 'env'>): FileRunStore | undefined {
  const folder = stateFolder(host);
  return folder === null ? undefined : new FileRunStore(folder);
}
