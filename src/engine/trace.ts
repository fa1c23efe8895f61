/**
 * The trace of a dispatch. Hooks that had their turn leave an entry each; entries of those that the index or an earlier block
 * passed over are added when a caller reads the trace, so that ten thousand hooks cost nothing until then.
 */

import type { Chain } from './chain.ts';
import type { TraceEntry } from './decision.ts';
import type { Hook } from './hook.ts';
import { layerOf } from './layer.ts';

export type EntryDraft = { -readonly [K in keyof TraceEntry]: TraceEntry[K] };

const NONE: readonly string[] = Object.freeze([]);

export function traceEntry(
  hook: Hook,
  state: TraceEntry['state'],
  reason: string | null,
  ms: number,
  steps: number,
): EntryDraft {
  return {
    hook: hook.name,
    source: hook.source,
    frontEnd: hook.frontEnd.name,
    layer: layerOf(hook).name,
    priority: hook.priority,
    mode: hook.mode,
    state,
    matched: state === 'ran',
    decision: null,
    reason,
    failure: null,
    warnings: NONE,
    ms,
    steps,
  };
}

/** What a dispatch leaves behind. */
export interface Visits {
  /** Places in the chain, ascending: those that had their turn, then those to come. */
  readonly plan: readonly number[];
  /** How many of the plan had their turn. */
  readonly next: number;
  /** What each of those left, in the order of the plan. */
  readonly entries: readonly TraceEntry[];
  /** What guards of a higher layer said about the call as a lower one left it. */
  readonly rechecks: readonly TraceEntry[];
  /** The last place that had its turn: hooks up to it without an entry did not match, those beyond were not reached. */
  readonly reached: number;
}

/** One entry for every hook of the chain, in its order, then one for each guard that judged the final form again. */
export function fullTrace({ allUnmatched, unreached }: Chain, visits: Visits): readonly TraceEntry[] {
  const { next, entries, plan, reached, rechecks } = visits;
  const trace = allUnmatched().slice();
  for (let at = 0; at < next; at++) trace[plan[at]!] = entries[at]!;
  for (let place = reached + 1; place < trace.length; place++) trace[place] = unreached(place);
  return rechecks.length === 0 ? trace : [...trace, ...rechecks];
}
