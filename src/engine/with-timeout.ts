/**
 * Work that may take only so long: a signal of its own that fires with the outer one and when time is up, and a wait that
 * ends then even if the work ignores its signal. Leaves no timer and no listener behind.
 */
import { aborted, type RaceResult, raceTimeout } from './race.ts';

export async function withTimeout(
  outer: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => unknown,
): Promise<RaceResult> {
  // What has not begun must not begin: its effects would come after the abort.
  if (outer.aborted) return { kind: 'failed', failure: aborted() };
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  outer.addEventListener('abort', follow, { once: true });
  try {
    // Inside a promise, so that a throw before the first await is a rejection like any other.
    const begun = (async () => work(controller.signal))();
    const settled = await raceTimeout(begun, timeoutMs, outer);
    if (settled.kind === 'failed') controller.abort();
    return settled;
  } finally {
    outer.removeEventListener('abort', follow);
  }
}
