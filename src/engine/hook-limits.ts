/**
 * The numbers that bound the pipeline, and what each origin may not do. One table each, so that the documentation and
 * the code cannot disagree.
 */
import type { Origin } from './hook.ts';

export const LIMITS = {
  /** Dispatches inside one another: a hook that emits an event whose hook emits, and so on. */
  emitDepth: 8,
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
