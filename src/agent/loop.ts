/**
 * The loop: one prompt from `session.start` to `session.end`, as a function over the state of the session. Its only
 * output are the events it emits; whatever happens, it ends with a result and never rejects.
 */
import type { RunResult } from './run.ts';
import type { EndReason, SessionEvent } from './session-event.ts';
import type { SessionState } from './state.ts';

export interface LoopIo {
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

export declare function runSession(state: SessionState, prompt: string, io: LoopIo): Promise<RunResult>;

/** Fires `session.end`: in its own deadline, and whether or not the run was aborted. */
export declare function endSession(
  state: SessionState,
  reason: EndReason,
  emit: (event: SessionEvent) => void,
): Promise<void>;
