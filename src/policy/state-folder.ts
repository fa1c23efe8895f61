/**
 * The user's folder for what Harness keeps between runs: records of installations, the pause. It is policy: it must belong to
 * the user and nobody else may look into it.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../base/index.ts';
import { type Host, makeFolder, ownedByMe, ownershipProblem, userFolder } from '../machine/index.ts';

/** Null if the environment names neither a state folder nor a home. */
export function stateFolder(host: Pick<Host, 'env'>): string | null {
  return userFolder(host, 'state');
}

/** In it: what is kept of sessions, a folder for each folder of tapes. */
export const SESSIONS = 'sessions';
/** In each: which folder of tapes it belongs to. */
export const SESSIONS_OF = 'of';

/**
 * What sessions remember whose tapes are in the folder `runs`: the policy each began with, what hooks counted. Not beside the
 * tapes: what stands in a project may have come with the checkout, and session ids can be guessed. There only if there is no home.
 */
export function sessionsOf(runs: string, host: Pick<Host, 'env'>): string {
  const state = stateFolder(host);
  return state === null ? runs : join(state, SESSIONS, sha256Hex(runs).slice(0, 32));
}

/** Removes the stores of sessions whose project is gone. Never throws: the next start of the daemon tries again. */
export function removeOrphanedSessions(host: Pick<Host, 'env'>): void {
  const state = stateFolder(host);
  if (state === null) return;
  const all = join(state, SESSIONS);
  try {
    for (const name of existsSync(all) ? readdirSync(all) : []) {
      const of = join(all, name, SESSIONS_OF);
      const gone = existsSync(of) && !existsSync(join(readFileSync(of, 'utf8'), '..', '..'));
      if (gone) rmSync(join(all, name), { recursive: true, force: true });
    }
  } catch {}
}

/** Removes the stores of all sessions. Never throws: a store that is left is checked before it is used. */
export function removeSessions(host: Pick<Host, 'env'>): void {
  const state = stateFolder(host);
  if (state === null) return;
  try {
    rmSync(join(state, SESSIONS), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } catch {}
}

/** Why the folder is not to be relied on, or null. One that is not there is fine: there is nothing in it. */
export function folderProblem(folder: string): string | null {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(folder);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : `${folder} cannot be opened (${code})`;
  }
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  const problem = ownershipProblem(stats, 'private');
  return problem === null ? null : `${folder} ${problem}; want a folder of yours with mode 0700`;
}

/**
 * Makes the folder, or says why it cannot be used. One of ours that is open to others is closed. The disk has its name: what is synced in
 * it is found after a loss of power.
 */
export function openFolder(folder: string): string | null {
  try {
    makeFolder(folder, 0o700);
    if (ownedByMe(statSync(folder))) chmodSync(folder, 0o700);
  } catch (thrown) {
    return `${folder} cannot be made: ${(thrown as Error).message}`;
  }
  return folderProblem(folder);
}
