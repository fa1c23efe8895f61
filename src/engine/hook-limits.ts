/**
 * The numbers that bound the pipeline, and what each origin may not do. One table each, so that the documentation and
 * the code cannot disagree.
 */
import type { Origin } from './hook.ts';

export const LIMITS = {
  /** Dispatches inside one another: a hook that emits an event whose hook emits, and so on. */
  emitDepth: 8,
  /** Characters of a reason, a log line or the message of a failure, which every record and every screen repeats. */
  line: 64_000,
  /** Characters of a text for the model or for the person. */
  text: 512_000,
} as const;

export interface OriginBounds {
  /** A lower priority is raised to this: hooks an agent adds at run time never come before the policy. */
  readonly floor: number;
  /** Events such a hook may not listen to. */
  readonly barred: readonly string[];
}

const FREE: OriginBounds = { floor: Number.NEGATIVE_INFINITY, barred: [] };

export const ORIGINS: Readonly<Record<Origin, OriginBounds>> = {
  operator: FREE,
  project: FREE,
  profile: FREE,
  runtime: { floor: 50, barred: ['meta.register_hook'] },
};
