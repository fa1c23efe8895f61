/**
 * A sub-agent as it is defined, and the numbers that bound all sub-agents of a session.
 */
import { HarnessError, type JsonObject } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import type { WrittenDelegation } from '../../files/index.ts';
import type { ToolContext } from '../tool.ts';

/** Throws where the check itself fails, which says nothing about the answer. */
export type Verifier = (result: JsonObject, context: ToolContext) => Promise<unknown>;

export interface AgentDefinition {
  readonly name: string;
  /** What the delegating model reads. */
  readonly description: string;
  /** Its system prompt. */
  readonly system: string;
  /** Absent: the model of the parent agent. */
  readonly model?: string;
  /** Globs over the tools of the parent agent; absent: all of them. There is no way to have others. */
  readonly tools?: readonly string[];
  /** What it may do, of what the parent agent may; absent: all of that. */
  readonly scopes?: readonly string[];
  /** Beside those it inherits. */
  readonly hooks?: readonly Hook[];
  readonly verify?: Verifier;
  readonly maxVerifyRetries?: number;
  /** Milliseconds for one answer. */
  readonly timeoutMs?: number;
  /** Where it was defined: a path, or `<code>`. */
  readonly source?: string;
}

export const AGENT_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

export const AGENT_NAME_RULE = 'want 1 to 64 lower-case letters, digits, _ and -, beginning with a letter';

export interface DelegationLimits {
  /** Sub-agents inside one another. */
  readonly maxDepth: number;
  /** Sub-agents of one agent that work at the same time; others wait. */
  readonly maxConcurrent: number;
  /** Round trips for one answer at depth 1, 2, …; the last number holds for everything deeper. */
  readonly iterations: readonly number[];
  /** Failures of one tool in a row, after which a sub-agent may not call it again. */
  readonly toolRetries: number;
  /** How often an answer that was not accepted is sent back. */
  readonly verifyRetries: number;
  /** Delegations that hooks may string together. */
  readonly chain: number;
  /** Milliseconds for one answer of a sub-agent. */
  readonly answerMs: number;
}

export const DEFAULT_DELEGATION: DelegationLimits = {
  maxDepth: 3,
  maxConcurrent: Number.POSITIVE_INFINITY,
  iterations: [20, 10, 5, 3],
  toolRetries: 2,
  verifyRetries: 2,
  chain: 8,
  answerMs: 600_000,
};

/** The defaults with what is given over them. */
export function delegationLimits(given: Partial<DelegationLimits> = {}): DelegationLimits {
  const limits = { ...DEFAULT_DELEGATION, ...given };
  const numbers = [limits.maxDepth, limits.toolRetries, limits.verifyRetries, limits.chain];
  const whole = (number: number, from: number) => Number.isInteger(number) && number >= from;
  if (
    !numbers.every((number) => whole(number, 0)) ||
    limits.iterations.length === 0 ||
    !limits.iterations.every((number) => whole(number, 1)) ||
    !(limits.answerMs > 0) ||
    !(limits.maxConcurrent >= 1)
  ) {
    throw new HarnessError('SESSION_CONFIG', 'delegation wants whole numbers, and iterations above 0');
  }
  return limits;
}

/** `delegation` of `harness.md`, whose types have been checked. */
export function delegationFrom(written: WrittenDelegation): Partial<DelegationLimits> {
  const { max_depth: maxDepth, max_concurrent: maxConcurrent, tool_retries, verify_retries } = written;
  const [, ...below] = written.iterations_per_depth ?? [];
  // With one number for all, the sub-agents have it too.
  const perDepth = below.length > 0 ? below : (written.iterations_per_depth ?? []);
  const iterations = written.max_iterations ?? perDepth;
  return {
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(iterations.length > 0 && { iterations }),
    ...(tool_retries !== undefined && { toolRetries: tool_retries }),
    ...(verify_retries !== undefined && { verifyRetries: verify_retries }),
  };
}

export function iterationsAt(limits: DelegationLimits, depth: number): number {
  return limits.iterations[Math.min(depth, limits.iterations.length) - 1]!;
}

/** Zero, like nothing at all, is the default; below zero there is no second try. */
export function verifyRetries(given: number | undefined, limits: DelegationLimits): number {
  if (given === undefined || given === 0) return limits.verifyRetries;
  return Math.max(0, given);
}
