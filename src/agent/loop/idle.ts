/**
 * A session that stays: it answers prompts as they come, and between them waits, firing `session.idle` each time it begins
 * to. Whatever ends it, `session.end` fires.
 */
import { HarnessError } from '../../base/index.ts';
import { describeThrown, raceTimeout } from '../../engine/index.ts';
import { pause } from '../../machine/index.ts';
import type { Session } from '../session.ts';
import type { EndReason } from '../session-event.ts';
import { sessionFields } from './fire.ts';
import type { RunResult } from './run.ts';

export interface DaemonOptions {
  /** Milliseconds of one wait. */
  readonly wakeIntervalMs: number;
  /** The next prompt; null if there is none yet, undefined where there will be none any more. */
  readonly next: (signal: AbortSignal) => Promise<string | null | undefined> | string | null | undefined;
  readonly signal?: AbortSignal;
  readonly onResult?: (result: RunResult) => void;
  /** Prompts in a row that may end in an error before it gives up; 5 by default. */
  readonly maxFailures?: number;
}

export interface DaemonResult {
  readonly reason: 'finished' | 'aborted' | 'failed';
  /** Why it failed. */
  readonly message: string | null;
  readonly prompts: number;
  /** How often it waited. */
  readonly waits: number;
}

/** The session must be a conversation, `oneShot: false`; it is closed at the end. Never rejects once it has begun. */
export async function runDaemon(session: Session, options: DaemonOptions): Promise<DaemonResult> {
  check(session, options);
  const signal = options.signal ?? new AbortController().signal;
  const counts = { prompts: 0, waits: 0 };
  let ended: Omit<DaemonResult, 'prompts' | 'waits'>;
  try {
    ended = { reason: await serve(session, options, signal, counts), message: null };
  } catch (thrown) {
    ended = { reason: 'failed', message: describeThrown(thrown) };
    const code = thrown instanceof HarnessError ? thrown.code : 'UNKNOWN';
    const payload = { code, message: ended.message ?? '', ...sessionFields(session) };
    // The end must come, also where nothing can be fired any more.
    await session.fire('error', payload).catch(() => {});
  }
  await session.close(END_REASONS[ended.reason]);
  return { ...ended, ...counts };
}

const END_REASONS: Readonly<Record<DaemonResult['reason'], EndReason>> = {
  finished: 'end_turn',
  aborted: 'aborted',
  failed: 'error',
};

async function serve(
  session: Session,
  { wakeIntervalMs, next, onResult, maxFailures = 5 }: DaemonOptions,
  signal: AbortSignal,
  counts: { prompts: number; waits: number },
): Promise<'finished' | 'aborted'> {
  for (let failures = 0; !signal.aborted; ) {
    const prompt = await nextPrompt(next, signal);
    if (prompt === undefined) return signal.aborted ? 'aborted' : 'finished';
    if (prompt === null) {
      counts.waits++;
      await idle(session, wakeIntervalMs, signal);
      await pause(wakeIntervalMs, signal);
      continue;
    }
    counts.prompts++;
    const result = await session.run(prompt, { signal }).result;
    onResult?.(result);
    failures = result.reason === 'error' ? failures + 1 : 0;
    if (failures >= maxFailures) {
      throw new Error(`${failures} prompts in a row ended in an error, the last: ${result.message}`);
    }
  }
  return 'aborted';
}

async function nextPrompt(
  next: DaemonOptions['next'],
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const settled = await raceTimeout((async () => next(signal))(), 0, signal);
  if (settled.kind === 'thrown') throw settled.thrown;
  if (settled.kind === 'failed') return undefined;
  const prompt = settled.value;
  if (typeof prompt === 'string' || prompt === null || prompt === undefined) return prompt;
  throw new TypeError(`next() wants a prompt, null or undefined, got ${typeof prompt}`);
}

async function idle(session: Session, wakeIntervalMs: number, signal: AbortSignal): Promise<void> {
  const payload = { wake_interval_ms: wakeIntervalMs, ...sessionFields(session) };
  const { failure } = await session.fire('session.idle', payload, { signal });
  if (failure !== undefined && !signal.aborted) {
    throw new Error(`session.idle: hook "${failure.hook}" failed: ${failure.message}`);
  }
}

function check(session: Session, { wakeIntervalMs, maxFailures = 1 }: DaemonOptions): void {
  if (session.oneShot) {
    throw new HarnessError('SESSION_CONFIG', 'a session that stays wants oneShot: false');
  }
  for (const [name, value] of Object.entries({ wakeIntervalMs, maxFailures })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw new HarnessError('SESSION_CONFIG', `${name} wants a whole number above 0, got ${String(value)}`);
  }
}
