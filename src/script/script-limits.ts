/**
 * What one call of a Markdown hook may use. One table; the wall clock is the hook's own `timeout_ms`.
 */
import type { Limits } from '../starlark/index.ts';

export const SCRIPT_LIMITS = {
  /** Calls, loop rounds and elements touched by built-ins. */
  steps: 10_000_000,
  /** Bytes charged. */
  memory: 256 * 1024 * 1024,
  /** Nested calls. */
  depth: 200,
  intBits: 1 << 16,
  /** Different metric names in one run. */
  metricNames: 10_000,
  /** Keys in `cache` and in `ctx`. */
  storedKeys: 10_000,
  redirects: 5,
  http: { maxBytes: 4 * 1024 * 1024, timeoutMs: 30_000 },
} as const;

export function limitsFor(timeoutMs: number): Limits {
  const { steps, memory, depth, intBits } = SCRIPT_LIMITS;
  return { steps, memory, depth, intBits, time: timeoutMs };
}
