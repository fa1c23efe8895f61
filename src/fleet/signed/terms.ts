/** What authors sign beside the bytes of a policy, and when a version's terms are weaker than those before it. */
import { WHEN_STALE, type WhenStale } from '../../policy/index.ts';

export interface StaleTerms {
  readonly when_stale: WhenStale;
  /** Seconds; null: never stale. */
  readonly max_age: number | null;
}

/** Of a first version for which an author gives none. */
export const FIRST_TERMS: StaleTerms = { when_stale: 'keep', max_age: null };

export interface Terms extends StaleTerms {
  /** A call that was blocked would be allowed, or a machine out of touch would ask or block less: two authors must sign. */
  readonly loosens: boolean;
  readonly message: string;
  readonly published: string;
  /** What was checked before the first signature, for people. */
  readonly checks: Readonly<Record<string, number | string>>;
}

/** Whether a machine without contact would ask or block less than before: not at all, or later. */
export function weakensTerms(before: StaleTerms, next: StaleTerms): boolean {
  const strictness = WHEN_STALE.indexOf(before.when_stale);
  if (strictness === 0 || before.max_age === null) return false;
  const isLater = next.max_age === null || next.max_age > before.max_age;
  return isLater || WHEN_STALE.indexOf(next.when_stale) < strictness;
}
