/**
 * The pause: a person's way out of a lock-out. For a while the launcher lets everything pass and says so each time; it is over
 * by itself. What cannot be read as a pause is none. It does not reach a managed policy: where there is one, it does not count.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../base/index.ts';
import { type Host, isManaged, readOwnFile } from '../machine/index.ts';
import { folderProblem, stateFolder } from './state-folder.ts';

export interface Pause {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
  readonly reason: string;
}

/** Nobody means to be away for longer. */
export const LONGEST_PAUSE_MS = 8 * 60 * 60 * 1000;

const MAX_BYTES = 10_000;

/** Null if there is none: it is over, has not begun, is too long, or the text is something else. Pure. */
export function readPause(text: string, now: number): Pause | null {
  let value: unknown;
  try {
    value = text.length > MAX_BYTES ? null : JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || value.version !== 1) return null;
  const { since, until, reason } = value;
  if (typeof since !== 'number' || typeof until !== 'number' || typeof reason !== 'string') return null;
  // A clock that was set back must not make a pause longer than it was meant to be.
  const holds = since <= now && now < until && until - since <= LONGEST_PAUSE_MS;
  return holds ? { since, until, reason } : null;
}

export function pauseText({ since, until, reason }: Pause): string {
  return `${JSON.stringify({ version: 1, since, until, reason })}\n`;
}

export function pauseFile(state: string): string {
  return join(state, 'pause.json');
}

/** Every pause and everything that passed in one, a line each. */
export function pauseLog(state: string): string {
  return join(state, 'pauses.jsonl');
}

export function appendPauseLog(state: string, entry: Readonly<Record<string, string | number>>): void {
  appendFileSync(pauseLog(state), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

/** The pause in force on this machine, from a folder and a file that only this user can have written. */
export function currentPause(host: Pick<Host, 'env' | 'now'>): Pause | null {
  const state = stateFolder(host);
  if (state === null) return null;
  try {
    const file = pauseFile(state);
    if (!existsSync(file) || folderProblem(state) !== null || isManaged()) return null;
    return readPause(readOwnFile(file, MAX_BYTES, 'private'), host.now());
  } catch {
    return null;
  }
}
