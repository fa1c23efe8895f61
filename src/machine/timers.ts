/** Waiting for a time: no timer and no listener stays behind. */
import { LONGEST_TIMER_MS } from '../base/index.ts';

/** False where it was aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  if (ms <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(whole);
    };
    const abort = () => end(false);
    const timer = setTimeout(() => end(true), Math.min(ms, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** What the work comes to, or null if it has not come to anything by then. */
export function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(null), ms);
    work.finally(() => clearTimeout(late)).then(resolve, reject);
  });
}
