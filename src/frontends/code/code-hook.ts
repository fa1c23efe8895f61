/**
 * Hooks that a program registers while it runs: they have no file and no priority, and run in the order in which they
 * were registered, whichever surface registered them.
 */
import { HarnessError } from '../../base/index.ts';
import { describeThrown, type Failure, failure, type Hook } from '../../engine/index.ts';

/** One that gives no limit of its own. */
export const DEFAULT_TIMEOUT_MS = 5000;

export type CodeHook = Pick<Hook, 'name' | 'event' | 'frontEnd' | 'onError' | 'body'> &
  Partial<Pick<Hook, 'condition' | 'timeoutMs' | 'description' | 'threshold'>>;

let registered = 0;

export function codeHook(sketch: CodeHook): Hook {
  return {
    priority: 0,
    source: '<code>',
    position: registered++,
    origin: 'operator',
    mode: 'enforce',
    onWhenError: 'skip',
    condition: null,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    ...sketch,
  };
}

export function explain(thrown: unknown): Failure {
  return failure('error', describeThrown(thrown));
}

/** A limit that is none would switch the limit off: the pipeline takes it as "no limit". */
export function checkTimeout(who: string, timeoutMs: unknown): number {
  if (timeoutMs === undefined) return DEFAULT_TIMEOUT_MS;
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  return misuse(`${who}: timeoutMs wants a number of milliseconds above 0, got ${String(timeoutMs)}`);
}

/** Calls that cannot mean anything are mistakes of the program, and throw. */
export function misuse(message: string): never {
  throw new HarnessError('REGISTRATION_INVALID', message);
}
