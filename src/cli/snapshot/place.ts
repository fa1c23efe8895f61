/**
 * Where heap snapshots lie: a folder for each policy folder, under what Harness keeps for the user, at the same path below it, so
 * that a shell finds it without computing anything. `heap` is the snapshot, `facts` says what it was made by: without it, or where
 * it no longer holds, the snapshot is not used (start.sh).
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Host, machineHost } from '../../base/host.ts';
import { ownFolder } from '../../base/own-file.ts';
import { folderProblem, openFolder, stateFolder } from '../../policy/state-folder.ts';

export function snapshotFolder(host: Pick<Host, 'env'>, dir: string): string | null {
  const state = stateFolder(host);
  return state === null ? null : join(state, 'snapshots', dir);
}

/** The same, made if it is not there. Null if it cannot be had, or would not be this user's alone. */
export function openSnapshotFolder(host: Pick<Host, 'env'>, dir: string): string | null {
  const state = stateFolder(host);
  if (state === null || openFolder(state) !== null) return null;
  try {
    const folder = ownFolder(state, join('snapshots', dir).replace(/\/$/, ''), 0o700);
    return folderProblem(folder) === null ? folder : null;
  } catch {
    return null;
  }
}

/** What it was made of is no longer so: the processes after this one do not start from it, and one of them makes another. */
export function forgetSnapshot(dir: string): void {
  const folder = snapshotFolder(machineHost, dir);
  if (folder !== null) rmSync(join(folder, 'facts'), { force: true });
}

/** Takes away the snapshots of policy folders that are gone. */
export function forgetGone(host: Pick<Host, 'env'>): void {
  const all = snapshotFolder(host, '');
  if (all === null) return;
  for (const path of readdirSync(all, { recursive: true, encoding: 'utf8' })) {
    const dir = dirname(path);
    if (basename(path) === 'heap' && !existsSync(join('/', dir)))
      rmSync(join(all, dir), { recursive: true, force: true });
  }
}

/** A folder that is being worked on changes often: so long nothing is made for it, nor tried again. */
const QUIET_MS = 60_000;

/** Whether it is time to make one for a folder, from the file `from`. */
export function wantsSnapshot(dir: string, from: string): boolean {
  const folder = snapshotFolder(machineHost, dir);
  if (folder === null) return false;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const made = statSync(join(folder, 'facts'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOld = [process.execPath, from].some((file) => statSync(file).ctimeMs > made);
  return isOld && Math.abs(machineHost.now() - found.mtimeMs) > QUIET_MS;
}
