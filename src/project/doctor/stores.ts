/**
 * Locks and damaged files that stop calls from being recorded or counted, in sentences. For `status` and `doctor`.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordsFolder } from '../../agents/index.ts';
import { daemonFolder } from '../../launcher/index.ts';
import { type Host, lockInfo } from '../../machine/index.ts';
import { LOCK_FILE } from '../../mcp/index.ts';
import { journalProblem, sessionsOf, stateFolder } from '../../policy/index.ts';

/** Run state, pins and records of installations are locked for milliseconds at a time. */
const LONG_MS = 5000;

/** `runs`: the folders of tapes. */
export function storeProblems(runs: readonly string[], host: Pick<Host, 'env'>): string[] {
  const state = stateFolder(host);
  const daemon = daemonFolder(host);
  const stores = [
    ...(state === null ? [] : [join(state, 'run')]),
    ...runs.map((folder) => join(sessionsOf(folder, host), 'state')),
  ].flatMap((folder) => [folder, join(folder, 'sessions')]);
  return [
    ...stores.flatMap((folder) => [...locksIn(folder, LONG_MS), ...damageIn(folder)]),
    // A tape is locked for as long as its session lasts, the daemon's folder for as long as the daemon runs.
    ...[...runs, ...(daemon === null ? [] : [daemon])].flatMap((folder) => locksIn(folder, Infinity)),
    ...(state === null ? [] : lockProblems(join(recordsFolder(state), 'install'), LONG_MS)),
    ...runs.flatMap((folder) => lockProblems(join(folder, '../..', LOCK_FILE), LONG_MS)),
  ];
}

function locksIn(folder: string, mostMs: number): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(LOCK))
    .flatMap((name) => lockProblems(join(folder, name.slice(0, -LOCK.length)), mostMs));
}

/** A lock that no process of this machine holds, or one holds for longer than `mostMs`. */
function lockProblems(file: string, mostMs: number): string[] {
  const lock = lockInfo(file);
  if (lock === null || (lock.alive && lock.heldMs <= mostMs)) return [];
  const fix = lock.alive ? 'end that process if it hangs' : `remove ${file}${LOCK} if that process has ended`;
  return [`${file} is locked by ${lock.holder}, and calls that need it are blocked: ${fix}`];
}

function damageIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => journalProblem(join(folder, name)) ?? []);
}

const LOCK = '.lock';

function namesIn(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  } catch {
    return [];
  }
}
