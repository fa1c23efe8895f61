/**
 * Whose a file or folder is, and whether other users reach it. What another user can have written is no policy, no answer and no
 * secret. A system without user ids has no owners and no modes to compare: there everything counts as this user's.
 */
import { closeSync, constants, fstatSync, lstatSync, readFileSync } from 'node:fs';
import { openOwn } from './own-file.ts';
import { MANAGED_FOLDER } from './places.ts';

interface Owned {
  readonly uid: number;
}

interface Reachable extends Owned {
  readonly mode: number;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function ownedByMe({ uid }: Owned): boolean {
  const me = process.getuid?.();
  return me === undefined || uid === me;
}

/** Root can write anything anyway. */
export function ownedByMeOrRoot(owned: Owned): boolean {
  return owned.uid === 0 || ownedByMe(owned);
}

/** Who may have written a file: this user, and nobody else may read it; this user; or root alone. */
export type Ownership = 'private' | 'unwritable' | 'of root';

/** Why another user can have written it or, with `private`, can read it; null if not. The subject of the sentence is the caller's. */
export function ownershipProblem({ uid, mode }: Reachable, wanted: Ownership): string | null {
  if (wanted === 'of root' ? uid !== 0 : !ownedByMe({ uid })) return `belongs to user ${uid}`;
  if (process.getuid === undefined) return null;
  if (wanted === 'private') return (mode & 0o077) === 0 ? null : 'is open to others';
  return (mode & 0o022) === 0 ? null : 'can be written by others';
}

/** The text of a plain file that nobody else can have written. Never through a link. Throws otherwise. */
export function readOwnFile(path: string, mostBytes: number, wanted: Ownership): string {
  // Non-blocking, for a named pipe that no process writes to.
  const file = openOwn(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    const problem = stats.isFile() ? ownershipProblem(stats, wanted) : 'is no file';
    if (problem !== null) throw new Error(`${path} ${problem}`);
    if (stats.size > mostBytes) throw new Error(`${path} is larger than ${mostBytes} bytes`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Whether root's policy holds on this machine: what loosens it is root's to do. */
export function isManaged(folder = MANAGED_FOLDER): boolean {
  try {
    lstatSync(folder);
    return true;
  } catch (thrown) {
    // Only one that is certainly not there is not.
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
