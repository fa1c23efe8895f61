/**
 * What one call of a Markdown tool may use. One table; the wall clock is the tool's own `timeout_ms` or the session's.
 */
import type { Limits } from '../../starlark/index.ts';

const MIB = 1024 * 1024;

export const TOOL_LIMITS = {
  /** Calls, loop rounds and elements touched by built-ins: ten times those of a hook, a tool does the work. */
  steps: 100_000_000,
  /** Bytes charged. */
  memory: 512 * MIB,
  /** Nested calls. */
  depth: 200,
  intBits: 1 << 16,
  /** Text of one file read or written at once. */
  fileBytes: 16 * MIB,
  /** Names `fs.list` and `fs.glob` return. */
  listedNames: 20_000,
  /** Files and folders `fs.glob` looks at. */
  walkedNames: 200_000,
  /** Folders inside one another that `fs.glob` goes into. */
  walkedDepth: 64,
  /** Kept of each output of a program. */
  outputBytes: MIB,
  /** Of a program that is given no limit. */
  execMs: 30_000,
  /** The longest a program may be given. */
  longestExecMs: 3_600_000,
} as const;

/** `timeoutMs` 0: no limit of its own. Work without waiting is still bounded by its steps. */
export function toolLimits(timeoutMs: number): Limits {
  const { steps, memory, depth, intBits } = TOOL_LIMITS;
  return { steps, memory, depth, intBits, time: timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY };
}
