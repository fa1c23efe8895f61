/** Where Harness stands on a machine: the policy of the machine, and the folders of its user. */
import { join } from 'node:path';
import type { Host } from './host.ts';

/** No environment variable changes it. */
export const MANAGED_FOLDER = '/etc/harness';

/** By what is in them: the variable that says where, and where it is in a home if that names no absolute path. */
const FOLDERS = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
  data: ['XDG_DATA_HOME', '.local/share'],
  cache: ['XDG_CACHE_HOME', '.cache'],
} as const;

export function homeFolder(host: Pick<Host, 'env'>): string | null {
  return host.env('HOME') || null;
}

/** The user's folder of Harness; null if the environment names neither it nor a home. */
export function userFolder(host: Pick<Host, 'env'>, kind: keyof typeof FOLDERS): string | null {
  const [variable, usual] = FOLDERS[kind];
  const named = host.env(variable);
  if (named?.startsWith('/')) return join(named, 'harness');
  const home = homeFolder(host);
  return home === null ? null : join(home, usual, 'harness');
}
