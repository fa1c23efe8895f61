/**
 * Who an engine tells of everything it does, and through whom its hooks reach the world while somebody is told. The tape is
 * one such; a replay is another, which answers from a tape instead of the machine.
 */

import type { Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { Decision, Effect, Outcome, TraceEntry } from './decision.ts';
import type { Hook } from './hook.ts';
import type { RunState } from './run-state.ts';
import type { Who } from './who.ts';

/** What of an engine shapes its decisions beside its hooks. */
export interface RecordedEngine {
  readonly host: Host;
  readonly run: RunState;
  readonly canAsk: boolean;
  readonly canDelegate: boolean;
}

export interface Recorder {
  /** Called once by each engine that is made with this recorder. */
  attach(engine: RecordedEngine): EngineRecorder;
}

/** Whatever these throw comes out of `decide`: an engine that must be recorded does not go on unrecorded. */
export interface EngineRecorder {
  /** `payload` as the host gave it; `parent` is the call that emits the event, or null. */
  begin(
    event: string,
    payload: Json,
    parent: CallRecorder | null,
    recheck?: boolean,
    /** Who is behind it, if that is not who is behind the run. */
    who?: Who,
  ): DispatchRecorder;
}

export interface DispatchRecorder {
  /** The entry of the tape that this dispatch begins with, as far as it is known. */
  readonly entry?: number;
  /** When it was recorded, in milliseconds; absent: now. */
  readonly at?: number;
  /** A hook's turn has come; its condition is judged next. `run` if the call has a run state of its own. */
  visit(hook: Hook, run?: RunState): CallRecorder;
  /** A hook answers later, and the dispatch waits for it; and for what this returns. */
  waits(): void | Promise<void>;
  /** `rewritten` where a hook changed the payload. The decision is given only when what this returns has resolved. */
  outcome(outcome: Outcome, rewritten: boolean): void | Promise<void>;
}

export interface CallRecorder {
  /** The machine and the run as this call sees them, so that what it reads is known to be its own reading. */
  readonly host: Host;
  readonly run: RunState;
  /** The condition holds and the handler is called, when what this returns has resolved. `payload` as it now stands. */
  called(payload: Json, rewritten: boolean): void | Promise<void>;
  /** How it ended, what the hook said if it said something, and everything it left behind. Not told of one that did not match. */
  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void;
}
