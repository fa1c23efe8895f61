/**
 * The loop: one prompt from `session.start` to `session.end`, as a function over the state of the session. Its only
 * output are the events it emits; whatever happens, it ends with a result and never rejects.
 */

import { setMaxListeners } from 'node:events';
import { type JsonObject, LONGEST_TIMER_MS } from '../../base/index.ts';
import { describeThrown } from '../../engine/index.ts';
import { type CompactionResult, compact } from '../compaction/compact.ts';
import { addUsage } from '../message.ts';
import type { EndReason, SessionEvent } from '../session-event.ts';
import { failOn, fire, sessionFields, throwIfEnded } from './fire.ts';
import type { RunResult } from './run.ts';
import { Halt, type Scope, type SessionState } from './state.ts';
import { newTurn, runTurn, type Turn } from './turn.ts';

export interface LoopIo {
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

interface Ending {
  readonly reason: EndReason;
  readonly message: string | null;
  /** Set where the end is an error. */
  readonly code: string | null;
}

export async function runSession(state: SessionState, prompt: string, io: LoopIo): Promise<RunResult> {
  const turn = newTurn();
  const spend: Scope['spend'] = (usage, costUsd) => {
    turn.usage = addUsage(turn.usage, usage);
    turn.costUsd += costUsd;
    state.usage = addUsage(state.usage, usage);
    state.costUsd += costUsd;
  };
  const ending = await withinTime(state, io, (scope) => attempt({ ...scope, spend }, prompt, turn));
  // A caller that stopped waiting for a sub-agent has not ended it: it hears the abort, and its own `session.end` comes first.
  await Promise.allSettled(state.children);
  state.lastReason = ending.reason;
  state.engine.run.turn.clear();
  if (ending.code !== null) {
    const payload = { code: ending.code, message: ending.message ?? '', ...sessionFields(state) };
    await fireLast(state, 'error', payload, io.emit);
  }
  if (state.config.oneShot) await endSession(state, ending.reason, io.emit);
  const { usage, costUsd, completions: turns, text } = turn;
  io.emit({ type: 'end', reason: ending.reason, message: ending.message, usage, costUsd, turns });
  return {
    reason: ending.reason,
    stop_reason: ending.reason,
    message: ending.message,
    text,
    messages: [...state.messages],
    usage,
    costUsd,
    turns,
  };
}

/** One pass outside any prompt. Never rejects: what went wrong is the reason that nothing was shortened. */
export async function compactNow(scope: Scope): Promise<CompactionResult> {
  const { state } = scope;
  const before = state.messages.length;
  try {
    if (!state.open) await beginSession(scope);
    return await compact(scope, 'manual', ({ usage, cost_usd = 0 }) => {
      state.usage = addUsage(state.usage, usage);
      state.costUsd += cost_usd;
    });
  } catch (thrown) {
    const after = state.messages.length;
    return { compacted: after !== before, reason: describeThrown(thrown), before, after, summary: null };
  }
}

/** Fires `session.end`: in its own deadline, and whether or not the run was aborted. */
export async function endSession(
  state: SessionState,
  reason: EndReason,
  emit: (event: SessionEvent) => void,
): Promise<void> {
  const turn = Math.max(0, state.turns - 1);
  await fireLast(state, 'session.end', { session_id: state.id, reason, turn }, emit);
  state.open = false;
  state.engine.run.logs.length = 0;
}

async function attempt(scope: Scope, prompt: string, turn: Turn): Promise<Ending> {
  try {
    if (!scope.state.open) await beginSession(scope);
    return { ...(await runTurn(scope, prompt, turn)), code: null };
  } catch (thrown) {
    if (thrown instanceof Halt) return { reason: thrown.reason, message: thrown.message, code: thrown.code };
    return { reason: 'error', message: describeThrown(thrown), code: 'UNKNOWN' };
  }
}

/** Fires `session.start`. */
export async function beginSession(scope: Scope): Promise<void> {
  const { state } = scope;
  // Before the event: whatever becomes of it, `session.end` follows.
  state.open = true;
  const source = state.starts++ === 0 && state.messages.length === 0 ? 'startup' : 'resume';
  failOn(await fire(scope, 'session.start', { ...sessionFields(state), model: state.served.model, source }));
  throwIfEnded(scope);
}

/** The last events see neither the abort nor the time limit of the run, and nothing that happens in them stops it ending. */
async function fireLast(
  state: SessionState,
  event: 'error' | 'session.end',
  payload: JsonObject,
  emit: (event: SessionEvent) => void,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), state.config.limits.endMs);
  try {
    await fire({ state, signal: deadline.signal, emit }, event, payload);
  } finally {
    clearTimeout(timer);
  }
}

async function withinTime(
  state: SessionState,
  io: LoopIo,
  work: (scope: Scope) => Promise<Ending>,
): Promise<Ending> {
  const { maxMs } = state.config.limits;
  const controller = new AbortController();
  // Calls side by side each listen; that many listeners are no leak here.
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort();
  io.signal.addEventListener('abort', follow, { once: true });
  if (io.signal.aborted) follow();
  const late = () => controller.abort(new Halt('budget_exceeded', `the prompt took longer than ${maxMs} ms`));
  const timer = Number.isFinite(maxMs) ? setTimeout(late, Math.min(maxMs, LONGEST_TIMER_MS)) : undefined;
  try {
    return await work({ state, signal: controller.signal, emit: io.emit });
  } finally {
    clearTimeout(timer);
    io.signal.removeEventListener('abort', follow);
  }
}
