/**
 * Ends what a program started and left behind: its process group, and on Linux also what left the group, which a marker
 * in the environment gives away. Where neither helps (another system, a wiped environment) nothing is found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks a program and everything it starts. */
export const MARKER = 'HARNESS_HOOK_RUN';

/** The first processes of programs that run now, with their marks. They must not outlive this process: `process.exit` ends them too. */
const live = new Map<number, string>();

/** Groups first: what is dead starts nothing more. What left its group is found by its mark. */
function endLive(): void {
  const all = [...live].map(([leader, mark]): Ended => ({ leader, mark }));
  live.clear();
  for (const { leader } of all) killGroup(leader);
  killAllMarked(all);
}

export function track(leader: number, mark: string): void {
  if (live.size === 0) process.on('exit', endLive);
  live.set(leader, mark);
}

export function untrack(leader: number): void {
  live.delete(leader);
  if (live.size === 0) process.off('exit', endLive);
}

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

/** A program that ended: its process, and the mark of what it may have left behind. */
interface Ended {
  readonly leader: number;
  readonly mark: string;
}

/**
 * Kills every process that carries the marker and was started after `leader`; says how many there were, or null if
 * the system does not show processes.
 */
export function killMarked(leader: number, mark: string): number | null {
  return killAllMarked([{ leader, mark }])?.get(mark) ?? null;
}

interface Waiting extends Ended {
  readonly done: (found: number | null) => void;
}

let waiting: Waiting[] = [];

/** The same, soon: where many programs end at once, one look at the processes of the machine serves them all. */
export function killMarkedSoon(leader: number, mark: string, done: Waiting['done']): void {
  // Nothing has been started since: by far the commonest case, and it costs one small read.
  if (newestPid() === leader) done(0);
  else if (waiting.push({ leader, mark, done }) === 1) setImmediate(sweepWaiting);
}

function sweepWaiting(): void {
  const all = waiting;
  waiting = [];
  const found = killAllMarked(all);
  for (const { mark, done } of all) done(found?.get(mark) ?? null);
}

/** How many there were of each mark; null if the system does not show processes. */
function killAllMarked(all: readonly Ended[]): ReadonlyMap<string, number> | null {
  const counts = new Map(all.map(({ mark }) => [mark, 0]));
  const found = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const marked = startedAfter(all);
    if (marked === null) return null;
    let fresh = 0;
    for (const pid of marked) {
      const mark = found.has(pid) ? undefined : markOf(pid, counts);
      if (mark === undefined) continue;
      fresh++;
      found.add(pid);
      counts.set(mark, counts.get(mark)! + 1);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in the meantime.
      }
    }
    if (fresh === 0) break;
  }
  return counts;
}

function startedAfter(all: readonly Ended[]): number[] | null {
  const newest = newestPid();
  const leaders = all.map(({ leader }) => leader);
  if (leaders.every((leader) => leader === newest)) return [];
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return null;
  }
  // The first process of a program that still runs carries the mark of that program.
  return names
    .map(Number)
    .filter((pid) => pid > 0 && !live.has(pid) && leaders.some((leader) => isBetween(leader, pid, newest)));
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

/** Which of these marks a process carries. */
function markOf(pid: number, marks: ReadonlyMap<string, unknown>): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    const own = environment
      .filter((entry) => entry.startsWith(MARKER))
      .map((entry) => entry.slice(MARKER.length + 1));
    return own.find((mark) => marks.has(mark));
  } catch {
    // Gone, or somebody else's.
    return undefined;
  }
}
