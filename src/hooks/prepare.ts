/**
 * A chain: the hooks of one event, sorted and indexed once, then used for many dispatches. It never changes, so a dispatch
 * that holds one is not disturbed by hooks that come and go meanwhile.
 */
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { ExtendedObject } from '../base/lazy-json.ts';
import type { EventSpec } from '../events/catalog.ts';
import type { TraceEntry } from '../events/decision.ts';
import { requireEvent } from '../events/describe.ts';
import type { Hook, Selects } from './hook.ts';
import { layerOf } from './layer.ts';
import type { Payload } from './payload.ts';
import { mostTelling, PlaceIndex } from './place-index.ts';
import { sortChain } from './sort.ts';
import { isLong, traceEntry } from './trace.ts';

export interface Chain {
  readonly event: string;
  readonly spec: EventSpec;
  /** In the order they run. */
  readonly hooks: readonly Hook[];
  /** Places of `hooks` to visit when the payload tells nothing: all of them. */
  readonly all: readonly number[];
  /** Places of the hooks whose condition the index knows nothing about. */
  readonly always: readonly number[];
  /** Null: no condition is about what chains of this event are indexed by. */
  readonly index: PlaceIndex | null;
  /** Hooks of several layers stand in it. */
  readonly layered: boolean;
  /** For each place: to have been chosen by a value is all the hook's condition asks. */
  readonly settled: readonly boolean[];
  /** What the trace says of the hook at a place that was passed over; the same object each time, since nothing in it varies. */
  readonly unmatched: (place: number) => TraceEntry;
  /** The same of a hook whose turn never came. */
  readonly unreached: (place: number) => TraceEntry;
  /** A trace in which nobody had a turn; of a long chain, whose entries are made when somebody asks, only as long as one. */
  readonly blank: readonly TraceEntry[];
}

export function prepareChain(event: string, hooks: Iterable<Hook>): Chain {
  const spec = requireEvent(event);
  const sorted = Object.freeze(sortChain(hooks));
  const always: number[] = [];
  const parts: [number, Selects[]][] = [];
  for (const [place, hook] of sorted.entries()) {
    const usable = indexable(spec, hook.condition?.selects);
    if (usable.length > 0) parts.push([place, usable]);
    else always.push(place);
  }
  const indexed = mostTelling(parts);
  const settled = sorted.map(() => false);
  for (const [place, { whole }] of indexed) settled[place] = whole === true;
  const unmatched = entriesOf(sorted, (hook) => traceEntry(hook, 'unmatched', unmatchedReason(hook), 0, 0));
  return {
    event,
    spec,
    hooks: sorted,
    all: sorted.map((_, place) => place),
    always,
    index: indexed.length === 0 ? null : new PlaceIndex(always, indexed),
    layered: new Set(sorted.map((hook) => layerOf(hook).rank)).size > 1,
    settled,
    unmatched,
    unreached: entriesOf(sorted, (hook) => traceEntry(hook, 'unreached', 'the chain had ended', 0, 0)),
    blank: isLong(sorted)
      ? new Array<TraceEntry>(sorted.length).fill(NO_ENTRY)
      : sorted.map((_, place) => unmatched(place)),
  };
}

const NO_ENTRY = null as unknown as TraceEntry;

/** Made when first asked for: of ten thousand hooks, traces show a few. */
function entriesOf(hooks: readonly Hook[], make: (hook: Hook) => TraceEntry): (place: number) => TraceEntry {
  const made = new Array<TraceEntry | undefined>(hooks.length).fill(undefined);
  return (place) => (made[place] ??= Object.freeze(make(hooks[place]!)));
}

/** What an index of this event can use. Arguments are looked at where the calls have names. */
function indexable({ index }: EventSpec, selects: Selects | undefined): Selects[] {
  if (selects === undefined) return [];
  return [selects, ...(selects.others ?? [])].filter(({ key, args }) =>
    args === undefined ? key === index : index === 'name' && (key === 'name' || key === 'args'),
  );
}

/** The places to visit for a payload. A key that is absent or no string, or arguments that are no dict, leave the answer to the conditions. */
export function planFor(chain: Chain, payload: Payload): readonly number[] {
  const { index } = chain;
  const key = chain.spec.index;
  // Nothing indexed: every plan is the same, and one array saves asking.
  if (key === null || index === null) return chain.all;
  if (typeof payload !== 'object' || payload === null) return chain.all;
  // No chain is indexed by what extends a payload.
  const object = (payload instanceof ExtendedObject ? payload.base : payload) as JsonObject;
  const value = object[key];
  if (typeof value !== 'string') return chain.all;
  if (!index.asksArguments) return index.plan(value, null);
  const { args } = object;
  return isJsonObject(args) ? index.plan(value, args) : chain.all;
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
