/**
 * A chain: the hooks of one event, sorted and indexed once, then used for many dispatches. It never changes, so a dispatch
 * that holds one is not disturbed by hooks that come and go meanwhile.
 */
import type { EventSpec } from './catalog.ts';
import type { TraceEntry } from './decision.ts';
import { requireEvent } from './describe.ts';
import type { Hook, IndexableTest } from './hook.ts';
import { layerOf } from './layer.ts';
import { sort } from './pipeline.ts';
import { HookIndex } from './place-index.ts';
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
  /** Null: no condition is about what chains of this event are indexed by. */
  readonly index: HookIndex | null;
  /** Hooks of several layers stand in it. */
  readonly layered: boolean;
  /** For each place: to have been chosen by a value is all the hook's condition asks. */
  readonly matchedByIndex: readonly boolean[];
  /** What the trace says of the hook at a place that was passed over; the same object each time, since nothing in it varies. */
  readonly unmatched: (place: number) => TraceEntry;
  /** The same of every place, as an array that is made when a trace is first read. */
  readonly allUnmatched: () => readonly TraceEntry[];
  /** The same of a hook whose turn never came. */
  readonly unreached: (place: number) => TraceEntry;
}

export function prepareChain(event: string, hooks: Iterable<Hook>): Chain {
  const spec = requireEvent(event);
  const sorted = Object.freeze(sort(hooks));
  const always: number[] = [];
  const indexed: [number, IndexableTest][] = [];
  for (const [place, { condition }] of sorted.entries()) {
    const test = condition?.indexable;
    if (test !== undefined && test.key === spec.index) indexed.push([place, test]);
    else always.push(place);
  }
  const matchedByIndex = sorted.map(() => false);
  for (const [place, { whole }] of indexed) matchedByIndex[place] = whole === true;
  let all: readonly TraceEntry[] | undefined;
  const unmatched = entriesOf(sorted, (hook) => traceEntry(hook, 'unmatched', unmatchedReason(hook), 0, 0));
  return {
    event,
    spec,
    hooks: sorted,
    all: sorted.map((_, place) => place),
    always,
    index: indexed.length === 0 ? null : new HookIndex(always, indexed),
    layered: new Set(sorted.map((hook) => layerOf(hook).rank)).size > 1,
    matchedByIndex,
    unmatched,
    allUnmatched: () => (all ??= sorted.map((_, place) => unmatched(place))),
    unreached: entriesOf(sorted, (hook) => traceEntry(hook, 'unreached', 'the chain had ended', 0, 0)),
  };
}

/** Made when first asked for: of ten thousand hooks, traces show a few. */
function entriesOf(hooks: readonly Hook[], make: (hook: Hook) => TraceEntry): (place: number) => TraceEntry {
  const made = new Array<TraceEntry | undefined>(hooks.length).fill(undefined);
  return (place) => (made[place] ??= Object.freeze(make(hooks[place]!)));
}

function unmatchedReason(hook: Hook): string {
  return `condition is false: ${hook.condition?.text ?? ''}`;
}
