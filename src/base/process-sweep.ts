/**
 * Ends what a program started and left behind: its process group, and on Linux also what left the group, which a marker
 * in the environment gives away. Where neither helps (another system, a wiped environment) nothing is found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks a program and everything it starts. */
export const MARKER = 'HARNESS_HOOK_RUN';

/** Rounds of looking again: a process that forks while it is being ended leaves a child for the next round. */
const ROUNDS = 8;

/** Kills the group that `leader` leads. False where nobody is in it. */
export function killGroup(leader: number): boolean {
  try {
    process.kill(-leader, 'SIGKILL');
    return true;
  } catch (thrown) {
    // Without permission there is somebody, but nobody we may end.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Kills every process that carries the marker and was started after `leader`; says how many there were, or null if
 * the system does not show processes.
 */
export function killMarked(leader: number, mark: string): number | null {
  const found = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const marked = markedAfter(leader, `${MARKER}=${mark}`);
    if (marked === null) return null;
    const fresh = marked.filter((pid) => !found.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      found.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in the meantime.
      }
    }
  }
  return found.size;
}

function markedAfter(leader: number, marked: string): number[] | null {
  const newest = newestPid();
  // Nothing has been started since: by far the commonest case, and it costs one small read.
  if (newest === leader) return [];
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return null;
  }
  return names
    .map(Number)
    .filter((pid) => pid > 0 && pid !== leader && isBetween(leader, pid, newest))
    .filter((pid) => carries(pid, marked));
}

/** The last process id the system gave out, or null if it does not say. */
function newestPid(): number | null {
  try {
    const last = readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1);
    return Number(last) || null;
  } catch {
    return null;
  }
}

/** Ids are given out in order and start over when they run out, so "after" is a stretch of a circle. */
function isBetween(from: number, pid: number, to: number | null): boolean {
  if (to === null) return true;
  return from < to ? pid > from && pid <= to : pid > from || pid <= to;
}

function carries(pid: number, marked: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.split('\0').includes(marked);
  } catch {
    // Gone, or somebody else's.
    return false;
  }
}
