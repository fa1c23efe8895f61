/** The process whose id a script put into a file. */
import { existsSync, readFileSync } from 'node:fs';

/** Null until it is there: a file is there before its line is. */
export function pidIn(path: string): number | null {
  const [, pid] = (existsSync(path) && /^(\d+)\n/.exec(readFileSync(path, 'utf8'))) || [];
  return pid === undefined ? null : Number(pid);
}

/** A zombie is gone. */
export function isGone(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
