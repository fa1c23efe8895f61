/**
 * Hooks for a replay: those that are there, ready to be given an answer where only the tape has one, and stand-ins for those
 * that are not. A stand-in says what its hook said, so the same hooks fire in the same order with the same payloads.
 */
import { OpenCall } from '../hooks/call.ts';
import type { Hook, HookCall } from '../hooks/hook.ts';
import type { PolicyHook } from '../policy/policy-digest.ts';
import { PlayedCall } from './play.ts';
import { GivenReply, givingFrontEnd } from './taped-answers.ts';

/** A hook to run again. What ended by the clock is on the tape, so its own limit must not end it a second time. */
export function replayable(hook: Hook): Hook {
  const { body } = hook;
  // A module is code of the folder with all the powers of this process: it is never loaded here.
  const only = hook.power?.kind === 'module';
  return {
    ...hook,
    timeoutMs: Math.max(LONGEST_MS, Number.isFinite(hook.timeoutMs) ? hook.timeoutMs : 0),
    frontEnd: givingFrontEnd(hook.frontEnd),
    body:
      body === null
        ? null
        : (seen, call) =>
            played(call).answer(call, only) ?? (only ? new GivenReply(MISSING) : body(seen, call)),
  };
}

/** `late` for a hook that came after those of the header: it has its place behind them. */
export function standIn(row: PolicyHook, late: boolean): Hook {
  const { name, event, priority, source, position, mode, onError, onWhenError } = row;
  return {
    name,
    event,
    priority,
    source,
    position: late ? LATE + position : position,
    frontEnd: givingFrontEnd({
      name: row.frontEnd,
      powers: { modify: row.modifies, block: () => row.blocks },
      view: (_event, payload) => payload,
      viewsExtended: true,
      interpret: () => MISSING,
      explain: () => MISSING.failure,
    }),
    origin: 'operator',
    ...(row.layer !== undefined && { layer: { name: row.layer, rank: row.rank ?? 0 } }),
    mode,
    onError,
    ...(row.failureMode !== undefined && {
      failureMode: { text: row.failureMode, choose: (_seen, call) => played(call).failureMode },
    }),
    onWhenError,
    timeoutMs: LONGEST_MS,
    condition: { text: 'as recorded', test: (_seen, call) => played(call).wasNext() },
    body: (_seen, call) => played(call).answer(call, true) ?? new GivenReply(MISSING),
  };
}

/** For a hook that has changed and no longer answers: a replay has to come to its end. */
const LONGEST_MS = 10_000;

/** Positions of closures count from 0 in every process. */
const LATE = 1_000_000;

/** The tape ends within the call. */
const MISSING = {
  failure: { kind: 'error', code: 'HOOK_THREW', message: 'its end is not on the tape' },
} as const;

function played(call: HookCall): PlayedCall {
  if (call instanceof OpenCall && call.recording instanceof PlayedCall) return call.recording;
  throw new Error('this hook works in a replay only');
}
