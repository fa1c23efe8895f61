/**
 * Waiting for an asynchronous hook: until it settles, its time is up, or the operation is aborted, whichever is first.
 * The loser is forgotten: no timer stays behind and no late rejection goes unhandled.
 */
import { LONGEST_TIMER_MS } from '../base/index.ts';
import type { Failure } from './decision.ts';
import { failure } from './failure.ts';

export type RaceResult =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'thrown'; readonly thrown: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure };

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Never rejects. A `timeoutMs` that is not a positive number means no limit. */
export function raceTimeout(
  work: PromiseLike<unknown>,
  timeoutMs: number,
  signal: AbortSignal | null,
): Promise<RaceResult> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (settled: RaceResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(settled);
    };
    const onAbort = () => finish({ kind: 'failed', failure: aborted() });
    if (timeoutMs > 0 && timeoutMs < Number.POSITIVE_INFINITY) {
      const late = () =>
        finish({ kind: 'failed', failure: failure('timeout', `timed out after ${timeoutMs} ms`) });
      timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      work.then(
        (value) => finish({ kind: 'value', value }),
        (thrown) => finish({ kind: 'thrown', thrown }),
      );
    } catch (thrown) {
      finish({ kind: 'thrown', thrown });
    }
  });
}

export function aborted(): Failure {
  return failure('aborted', 'the operation was aborted');
}
