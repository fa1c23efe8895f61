/**
 * The user's fleet folder, and in it which folders hold tapes. On a machine that joined a hub every session registers its folder,
 * so that the agent of the fleet finds tapes wherever work was done.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../base/index.ts';
import { type Host, makeFile } from '../machine/index.ts';
import { openFolder, SESSIONS, SESSIONS_OF, stateFolder } from './state-folder.ts';

const FOLDERS = 'folders';

/** Null if the environment names neither a state folder nor a home. */
export function fleetFolder(host: Pick<Host, 'env'>): string | null {
  const state = stateFolder(host);
  return state === null ? null : join(state, 'fleet');
}

/** Never throws: a session does not depend on the fleet. A folder that could not be registered is registered by its next session. */
export function registerTapes(runs: string, host: Pick<Host, 'env'>): void {
  const fleet = fleetFolder(host);
  if (fleet === null || !existsSync(fleet)) return;
  const file = join(fleet, FOLDERS, sha256Hex(runs).slice(0, 32));
  try {
    if (existsSync(file) || openFolder(join(fleet, FOLDERS)) !== null) return;
    makeFile(file, runs, 0o600);
  } catch {}
}

/** All folders of tapes that are known and exist. Those of coding agents are known from before the machine joined. */
export function registeredTapes(host: Pick<Host, 'env'>): readonly string[] {
  const [state, fleet] = [stateFolder(host), fleetFolder(host)];
  if (state === null || fleet === null) return [];
  const sessions = join(state, SESSIONS);
  const known = namesIn(sessions).map((name) => textAt(join(sessions, name, SESSIONS_OF)));
  for (const runs of known) if (runs !== null) registerTapes(runs, host);
  const folders = join(fleet, FOLDERS);
  const registered = namesIn(folders).map((name) => textAt(join(folders, name)));
  return [...new Set([...known, ...registered])]
    .filter((runs) => runs !== null && existsSync(runs))
    .sort() as string[];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
