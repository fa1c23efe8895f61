/**
 * Where heap snapshots lie: a folder for each policy folder, under what Harness keeps for the user, at the same path below it, so
 * that a shell finds it without computing anything. `heap` is the snapshot, `facts` says what it was made by: without it, or where
 * it no longer holds, the snapshot is not used (start.sh).
 */
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
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

/** One that nothing was started from for so long is taken away. */
export const UNUSED_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Takes away the snapshots of policy folders that are gone, and those that nobody uses. */
export function forgetUnused(host: Pick<Host, 'env' | 'now'>): void {
  const all = snapshotFolder(host, '');
  if (all === null) return;
  for (const path of readdirSync(all, { recursive: true, encoding: 'utf8' })) {
    if (basename(path) !== 'heap') continue;
    const dir = dirname(path);
    const { used } = snapshotTimes(host, dir) ?? { used: statSync(join(all, path)).mtimeMs };
    if (!existsSync(join('/', dir))) rmSync(join(all, dir), { recursive: true, force: true });
    // Folders inside may have their own.
    else if (host.now() - used > UNUSED_DAYS * DAY_MS)
      for (const name of ['facts', 'heap', 'log']) rmSync(join(all, dir, name), { force: true });
  }
}

/** When the snapshot of a folder was made and last used, to the day; null if there is none. */
export function snapshotTimes(
  host: Pick<Host, 'env'>,
  dir: string,
): { readonly made: number; readonly used: number } | null {
  const folder = snapshotFolder(host, dir);
  const facts = folder === null ? undefined : statSync(join(folder, 'facts'), { throwIfNoEntry: false });
  return facts === undefined ? null : { made: facts.mtimeMs, used: Math.max(facts.atimeMs, facts.mtimeMs) };
}

/** Written down once a day, since not every file system does it by itself. */
export function markUsed(host: Pick<Host, 'env' | 'now'>, dir: string): void {
  const [times, now] = [snapshotTimes(host, dir), host.now()];
  if (times === null || now - times.used < DAY_MS) return;
  try {
    utimesSync(join(snapshotFolder(host, dir)!, 'facts'), now / 1000, times.made / 1000);
  } catch {
    // Then it is made anew some day.
  }
}

/** One is made at a time. Null if there is no place for them. */
export function makingLock(host: Pick<Host, 'env'>): string | null {
  const all = snapshotFolder(host, '');
  return all === null ? null : join(all, 'making');
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
