// CPU time of processes, from /proc: in microseconds, with that of children that have ended.
import { readdirSync, readFileSync } from 'node:fs';

const TICK_US = 10_000;

export function cpuOf(pid) {
  const { own } = statOf(pid);
  return own * TICK_US;
}

/** Of a PostgreSQL and all processes it ever started. */
export function cpuOfDatabase({ data }) {
  const postmaster = Number(readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n')[0]);
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { parent, own, ended } = statOf(name);
      if (Number(name) === postmaster) ticks += own + ended;
      else if (parent === postmaster) ticks += own;
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_US;
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] };
}
