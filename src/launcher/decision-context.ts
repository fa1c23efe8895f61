/**
 * What a decision stands on beside its payload: the machine as the agent's process sees it, and what is read from disk. A
 * process that decides once reads everything; the daemon has most of it at hand. The way of a decision is the same.
 */
import { type Host, machineHost } from '../machine/index.ts';
import { FileRunStore, type Policy, sessionsOf, userRunStore } from '../policy/index.ts';
import { type EntryMark, FileTapeStore, type FileTapeStoreOptions, type OpenTape } from '../tape/index.ts';
import { type AnswerStore, answerFiles } from './answers.ts';
import type { HookOptions } from './hook-options.ts';
import type { LaunchProblem } from './problem.ts';
import { policyNow } from './session-policy.ts';

export type PolicyScope = Pick<HookOptions, 'dir' | 'user' | 'managed'>;

/** What the tape of a session, and its recorder, hang on. */
export interface SessionTape {
  readonly runs: string;
  readonly session: string;
  readonly agent: string;
  readonly policy: Policy;
  readonly host: Host;
  /** The last entry of the tape, as the session remembers it. */
  readonly after: EntryMark | undefined;
}

export interface DecisionContext {
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
  /** Where limits are counted, for this agent and every other host of the user; undefined if there is no such place.
   * `sync`: the disk must have a grant before it is given. */
  limits(waitMs: number, sync: boolean): FileRunStore | undefined;
  tapes(runs: string, options: FileTapeStoreOptions): FileTapeStore;
  /** The tape of a session with its recorder: one that is open already, or what `open` gives. */
  tape(session: SessionTape, open: () => OpenTape): OpenTape;
  /** What was answered to calls that another line of configuration may ask about too. */
  readonly answers: AnswerStore;
  /** The policy as its folders have it now, or why there is none. */
  policy(scope: PolicyScope, root: string): Promise<Policy | LaunchProblem>;
  /** Asked just before a person elsewhere is waited for: how long, of a call that has to be answered within `deadlineMs`. */
  patience(deadlineMs: number): number;
  /** Why a policy cannot be decided by in this process, before any hook of it runs; null: it can. */
  objection(policy: Policy): LaunchProblem | null;
}

/** Of a process that decides for one event and ends. */
export function ownContext(): DecisionContext {
  return {
    host: machineHost,
    cwd: process.cwd(),
    sessions: (runs) => sessionsOf(runs, machineHost),
    store: (folder, waitMs) => new FileRunStore(`${folder}/state`, { waitMs }),
    limits: (waitMs, sync) => userRunStore(machineHost, { waitMs, sync }),
    tapes: (runs, options) => new FileTapeStore(runs, options),
    tape: (_session, open) => open(),
    answers: answerFiles,
    policy: (scope, root) => policyNow(scope, root, machineHost, { oneCall: true }),
    // The rest is for what has to be written, and for a machine that is busy.
    patience: (deadlineMs) => deadlineMs * 0.8 - process.uptime() * 1000,
    objection: () => null,
  };
}
