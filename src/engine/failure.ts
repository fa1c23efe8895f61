/**
 * Failures as data. Whatever a hook throws, and whatever its front end makes of it, comes out as a well-formed failure:
 * nothing here throws.
 */
import type { ErrorCode } from '../base/index.ts';
import type { Failure } from './decision.ts';
import type { Hook } from './hook.ts';

const CODES: Record<Failure['kind'], ErrorCode> = {
  error: 'HOOK_THREW',
  timeout: 'HOOK_TIMEOUT',
  aborted: 'HOOK_ABORTED',
  invalid_return: 'HOOK_INVALID_RETURN',
};

export function failure(kind: Failure['kind'], message: string): Failure {
  return { kind, code: CODES[kind], message };
}

/** The front end's explanation of what was thrown, or a plain one where that fails as well. */
export function explain(hook: Hook, thrown: unknown): Failure {
  try {
    const explained = hook.frontEnd.explain(thrown, hook);
    if (Object.hasOwn(CODES, explained.kind) && typeof explained.message === 'string') return explained;
  } catch {
    // What broke the explanation matters less than what the hook threw.
  }
  return failure('error', describeThrown(thrown));
}

/** Anything can be thrown, also what refuses to become text. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}
