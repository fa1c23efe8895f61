/** Waits for a state and never for a time: a busy machine takes as long as it takes, and what never comes to be is named. */
import { vi } from 'vitest';

/** Less than a test has, so that the one that waited in vain says for what. */
const PATIENCE_MS = 100_000;
const PAUSE_MS = 10;

/** Also while the clock of a test stands still. */
const later = globalThis.setTimeout;

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never came to be: ${holds}`);
    await new Promise((resolve) => later(resolve, PAUSE_MS));
  }
}

/**
 * Runs it with timers that stand still until it is ready, and then go by so many milliseconds at once: a deadline passes at the
 * moment that is tested, however busy the machine is, and what is not over then never is.
 */
export async function afterTime<T>(ms: number, ready: () => boolean, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const acting = act();
    await until(ready);
    // What has been written to pipes by now is read.
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(ms);
    return await acting;
  } finally {
    vi.useRealTimers();
  }
}
