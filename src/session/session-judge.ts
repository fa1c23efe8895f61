/**
 * What a host asks of its session about one call, as types alone: programs that embed the loop compile these, and need no types of Node
 * for the tape and the files behind them.
 */
import type { Json, JsonObject } from '../base/index.ts';
import type { DecideOptions, Outcome } from '../engine/index.ts';
import type { Fire } from '../policy/index.ts';
import type { CallVerdict } from '../tape/index.ts';
import type { StoppedVerdict } from './verdicts.ts';

export interface SessionJudge {
  decide(event: string, payload: Json, options?: DecideOptions): Promise<Outcome>;
  settle(outcome: Outcome, options: SettleOptions): Promise<Outcome | Stop>;
  denialText(verdict: CallVerdict | 'aborted', text: string, round?: number): string;
}

/** A call that may not run. */
export interface Stop {
  readonly verdict: StoppedVerdict | NonNullable<Objection['verdict']>;
  /** In the words of the hook, the person or the host. */
  readonly reason: string;
  /** What decided, or null. */
  readonly by: string | null;
  /** With its ask answered. */
  readonly outcome: Outcome;
  /** Hooks let it pass, and the host does not. */
  readonly objected: boolean;
}

export interface SettleOptions {
  readonly signal: AbortSignal;
  /** How the host fires the events around the question; default: as any other. */
  readonly fire?: Fire;
  /** What every payload of this host carries beside the call. */
  readonly fields?: JsonObject;
  /** What the host itself has against a call that hooks let pass. */
  readonly objection?: () => Promise<Objection | null>;
}

/** Why a tool is not the one it should be: it is not shown, or each call of it is asked about. */
export interface Objection {
  readonly reason: string;
  readonly by: string;
  readonly hides: boolean;
  /** What the tape says of the call; default: blocked. */
  readonly verdict?: 'unknown_tool' | 'failed';
}
