/**
 * What a decision stands on beside its payload: the machine as the agent's process sees it, and what is read from disk. A
 * process that decides once reads everything; the daemon has most of it at hand. The way of a decision is the same.
 */
import type { Host } from '../../base/host.ts';
import { machineHost } from '../../base/host.ts';
import type { Policy } from '../../policy/policy.ts';
import { sessionsOf } from '../../policy/state-folder.ts';
import { FileRunStore } from '../../policy/stores/file-run-store.ts';
import { userRunStore } from '../../policy/stores/user-run-store.ts';
import { FileTapeStore, type FileTapeStoreOptions } from '../../tape/file-store.ts';
import type { HookOptions } from './hook-options.ts';
import { keptByBuild } from './kept.ts';
import type { Problem } from './problem.ts';
import { policyNow } from './session-policy.ts';

export type PolicyScope = Pick<HookOptions, 'dir' | 'user'>;

export interface Surroundings {
  /** With the environment of the process that the agent started. */
  readonly host: Host;
  /** Where relative paths of that process count from. */
  readonly cwd: string;
  /** Where tapes are; by default beside the policy that decides. */
  readonly runs?: string;
  /** Where what is remembered of the sessions of those tapes is. */
  sessions(runs: string): string;
  /** `folder` is that of the sessions; `waitMs` how long to wait for another process. */
  store(folder: string, waitMs: number): FileRunStore;
  /** Where limits are counted, for this agent and every other host of the user; undefined if there is no such place. */
  limits(waitMs: number): FileRunStore | undefined;
  tapes(runs: string, options: FileTapeStoreOptions): FileTapeStore;
  /** The policy as its folders have it now, or why there is none. */
  policy(scope: PolicyScope, root: string): Promise<Policy | Problem>;
  /** The answer is known: what was made on the way is kept for the next process. Says whether there was anything. */
  keep(): boolean;
  /** Asked just before a person elsewhere is waited for: how long, of a call that has to be answered within `deadlineMs`. */
  patience(deadlineMs: number): number;
  /** Throws for a policy that cannot be judged by here, before any hook of it runs. */
  accept(policy: Policy): void;
}

/** Of a process that decides for one event and ends. */
export function ownSurroundings(): Surroundings {
  const kept = keptByBuild(machineHost);
  return {
    host: machineHost,
    cwd: process.cwd(),
    sessions: (runs) => sessionsOf(runs, machineHost),
    store: (folder, waitMs) => new FileRunStore(`${folder}/state`, { waitMs }),
    limits: (waitMs) => userRunStore(machineHost, { waitMs }),
    tapes: (runs, options) => new FileTapeStore(runs, options),
    policy: (scope, root) => policyNow(scope, root, machineHost, kept),
    keep: () => kept?.save() ?? false,
    // The rest is for what has to be written, and for a machine that is busy.
    patience: (deadlineMs) => deadlineMs * 0.8 - process.uptime() * 1000,
    accept: () => {},
  };
}
