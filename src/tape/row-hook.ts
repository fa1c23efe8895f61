/**
 * A hook of which only its row in a recorded policy is left: the same place in the chain and the same powers. What it says is
 * for those who bring it back: a replay, or a backtest.
 */
import type { Hook, HookCall } from '../engine/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import { replayingFrontEnd } from './taped-answers.ts';

/** For a hook that no longer answers: a replay has to come to its end. */
export const LONGEST_MS = 10_000;

/** The tape ends within the call. */
export const MISSING = {
  failure: { kind: 'error', code: 'HOOK_THREW', message: 'its end is not on the tape' },
} as const;

/** What a brought-back hook does, by its call. */
export interface RowParts {
  readonly test: (call: HookCall) => boolean;
  readonly body: (call: HookCall) => unknown;
  /** What its `on_error` came to, if that is an expression. */
  readonly failureMode: (call: HookCall) => unknown;
}

export function rowHook(row: PolicyHook, parts: RowParts): Hook {
  const { name, event, priority, source, position, mode, onError, onWhenError } = row;
  return {
    name,
    event,
    priority,
    source,
    position,
    frontEnd: replayingFrontEnd({
      name: row.frontEnd,
      powers: { modify: row.modifies, block: () => row.blocks },
      view: (_event, payload) => payload,
      interpret: () => MISSING,
      explain: () => MISSING.failure,
    }),
    origin: 'operator',
    ...(row.layer !== undefined && { layer: { name: row.layer, rank: row.rank ?? 0 } }),
    mode,
    onError,
    ...(row.failureMode !== undefined && {
      failureMode: { text: row.failureMode, choose: (_seen, call) => parts.failureMode(call) },
    }),
    onWhenError,
    timeoutMs: LONGEST_MS,
    condition: { text: 'as recorded', test: (_seen, call) => parts.test(call) },
    body: (_seen, call) => parts.body(call),
  };
}
