/**
 * Hooks for a replay: those that are there, ready to be given an answer where only the tape has one, and stand-ins for those
 * that are not. A stand-in says what its hook said, so the same hooks fire in the same order with the same payloads.
 */
import { type Hook, type HookCall, OpenCall } from '../engine/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import { PlayedCall } from './play.ts';
import { LONGEST_MS, MISSING, rowHook } from './row-hook.ts';
import { RecordedReply, recordedFrontEnd } from './taped-answers.ts';

/** A hook to run again. What ended by the clock is on the tape, so its own limit must not end it a second time. */
export function replayable(hook: Hook): Hook {
  const { body } = hook;
  // A module is code of the folder with all rights of this process: it is never loaded here.
  const only = hook.capability?.kind === 'module';
  return {
    ...hook,
    timeoutMs: Math.max(LONGEST_MS, Number.isFinite(hook.timeoutMs) ? hook.timeoutMs : 0),
    frontEnd: recordedFrontEnd(hook.frontEnd),
    body:
      body === null
        ? null
        : (seen, call) =>
            played(call).answer(call, only) ?? (only ? new RecordedReply(MISSING) : body(seen, call)),
  };
}

/** `late` for a hook that came after those of the header: it has its place behind them. */
export function standIn(row: PolicyHook, late: boolean): Hook {
  const hook = rowHook(row, {
    test: (call) => played(call).wasNext(),
    body: (call) => played(call).answer(call, true) ?? new RecordedReply(MISSING),
    failureMode: (call) => played(call).failureMode,
  });
  return late ? { ...hook, position: LATE + row.position } : hook;
}

/** Positions of closures count from 0 in every process. */
const LATE = 1_000_000;

function played(call: HookCall): PlayedCall {
  if (call instanceof OpenCall && call.recording instanceof PlayedCall) return call.recording;
  throw new Error('this hook works in a replay only');
}
