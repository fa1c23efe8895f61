/**
 * A chain: the hooks of one event, sorted and indexed once, then used for many dispatches. It never changes, so a dispatch
 * that holds one is not disturbed by hooks that come and go meanwhile.
 */
import type { JsonObject } from '../base/json.ts';
import type { EventSpec } from '../events/catalog.ts';
import type { TraceEntry } from '../events/decision.ts';
import { requireEvent } from '../events/describe.ts';
import { ExtendedObject } from '../starlark/values/json-view.ts';
import type { Hook, Selects } from './hook.ts';
import { layerOf } from './layer.ts';
import type { Payload } from './payload.ts';
import { PlaceIndex } from './place-index.ts';
import { sortChain } from './sort.ts';
import { traceEntry } from './trace.ts';

export interface Chain {
  readonly event: string;
  readonly spec: EventSpec;
  /** In the order they run. */
  readonly hooks: readonly Hook[];
  /** Places of `hooks` to visit when the payload tells nothing: all of them. */
  readonly all: readonly number[];
  /** Places of the hooks whose condition the index knows nothing about. */
  readonly always: readonly number[];
  /** Null: no condition is about the key that chains of this event are indexed by. */
  readonly index: PlaceIndex | null;
  /** Hooks of several layers stand in it. */
  readonly layered: boolean;
  /** For each place: to have been chosen by a value is all the hook's condition asks. */
  readonly settled: readonly boolean[];
  /** What the trace says of a hook that was passed over; the same object each time, since nothing in it varies. */
  readonly unmatched: readonly TraceEntry[];
  /** The same of a hook whose turn never came. */
  readonly unreached: readonly TraceEntry[];
}

export function prepareChain(event: string, hooks: Iterable<Hook>): Chain {
  const spec = requireEvent(event);
  const sorted = Object.freeze(sortChain(hooks));
  const always: number[] = [];
  const indexed: [number, Selects][] = [];
  for (const [place, hook] of sorted.entries()) {
    if (isIndexed(spec, hook)) indexed.push([place, hook.condition!.selects!]);
    else always.push(place);
  }
  return {
    event,
    spec,
    hooks: sorted,
    all: sorted.map((_, place) => place),
    always,
    index: indexed.length === 0 ? null : new PlaceIndex(always, indexed),
    layered: new Set(sorted.map((hook) => layerOf(hook).rank)).size > 1,
    settled: sorted.map((hook) => isIndexed(spec, hook) && hook.condition?.selects?.whole === true),
    unmatched: sorted.map((hook) =>
      Object.freeze(traceEntry(hook, 'unmatched', unmatchedReason(hook), 0, 0)),
    ),
    unreached: sorted.map((hook) =>
      Object.freeze(traceEntry(hook, 'unreached', 'the chain had ended', 0, 0)),
    ),
  };
}

function isIndexed(spec: EventSpec, hook: Hook): boolean {
  const selects = hook.condition?.selects;
  return selects !== undefined && selects.key === spec.index;
}

/** The places to visit for a payload. A key that is absent or no string leaves the answer to the conditions. */
export function planFor(chain: Chain, payload: Payload): readonly number[] {
  const { index } = chain;
  const key = chain.spec.index;
  // Nothing indexed: every plan is the same, and one array saves asking.
  if (key === null || index === null) return chain.all;
  if (typeof payload !== 'object' || payload === null) return chain.all;
  // No chain is indexed by what extends a payload.
  const value = ((payload instanceof ExtendedObject ? payload.base : payload) as JsonObject)[key];
  return typeof value === 'string' ? index.plan(value) : chain.all;
}

/** Where in a plan to go on after `place`: the first entry beyond it. */
export function resumeAt(plan: readonly number[], place: number): number {
  let low = 0;
  let high = plan.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (plan[middle]! <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unmatchedReason(hook: Hook): string {
  return `condition is false: ${hook.condition?.text ?? ''}`;
}
