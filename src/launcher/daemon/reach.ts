/** The daemon as commands see it: where it is, whether it answers, what it says of itself. */

import type { UnjudgedSession } from '../../agents/index.ts';
import { lockHolder, machineHost } from '../../machine/index.ts';
import { askDaemon } from './client.ts';
import { daemonFolder, daemonLock } from './place.ts';
import type { Operation } from './protocol.ts';

/** What it says of itself. */
export interface DaemonState {
  readonly pid: number;
  readonly version: string;
  readonly build: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly idleMs: number;
  /** Another build is installed by now: it answers nobody and ends. */
  readonly stale: boolean;
  readonly answered: number;
  readonly refused: number;
  readonly connections: number;
  readonly policies: number;
  /** It has decided often enough to be as fast as it gets. */
  /** Where it answers over HTTP; null if it does not. */
  readonly http: string | null;
  /** Sessions of agents that nobody judged, as the last comparison with their transcripts found them. */
  readonly unjudged: readonly UnjudgedSession[];
}

export type DaemonStatus =
  | { readonly state: 'answers'; readonly says: DaemonState }
  /** A process holds the place and does not answer. */
  | { readonly state: 'silent'; readonly pid: number; readonly why: string }
  | { readonly state: 'absent' };

const ANSWER_MS = 2000;

export async function daemonStatus(): Promise<DaemonStatus> {
  const folder = daemonFolder(machineHost);
  if (folder === null) return { state: 'absent' };
  const asked = await sendOperation(folder, 'status');
  if (asked.said !== null) return { state: 'answers', says: JSON.parse(asked.said) as DaemonState };
  const pid = lockHolder(daemonLock(folder));
  return pid === null ? { state: 'absent' } : { state: 'silent', pid, why: asked.why };
}

export async function sendOperation(
  folder: string,
  operation: Operation,
): Promise<{ readonly said: string; readonly why: '' } | { readonly said: null; readonly why: string }> {
  const request = { operation, entry: '-', words: [], environment: [], payload: new Uint8Array() };
  const asked = await askDaemon(folder, request, { greetingMs: ANSWER_MS, answerMs: ANSWER_MS });
  return 'missing' in asked ? { said: null, why: asked.missing } : { said: asked.stdout, why: '' };
}
