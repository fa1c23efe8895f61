/**
 * The record of a dispatch. Hooks that were visited leave an entry each; those the index or an earlier block passed over
 * are filled in when somebody looks, so that ten thousand of them cost nothing until then.
 */
import type { TraceEntry } from '../events/decision.ts';
import type { Hook } from './hook.ts';
import { layerOf } from './layer.ts';
import type { Chain } from './prepare.ts';

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
  /** What hooks left that had their turn: see `traceOf`. */
  readonly entries: TraceEntry[];
  /** How many of the plan had their turn. */
  readonly next: number;
  /** Their places in the chain, ascending. */
  readonly plan: readonly number[];
  /** What guards of a higher layer said about the call as a lower one left it. */
  readonly rechecks: readonly TraceEntry[];
  /** The last place that had its turn: hooks up to it without an entry did not match, those beyond were not reached. */
  readonly reached: number;
}

/** From here on a trace is looked up and not copied. */
const MANY = 256;

export function isLong({ length }: readonly Hook[]): boolean {
  return length >= MANY;
}

/** Where a dispatch leaves entries: those of a short chain by their place, those of a long one one after the other. */
export function startTrace(chain: Chain, plan: readonly number[]): TraceEntry[] {
  return isLong(chain.hooks) ? new Array<TraceEntry>(plan.length) : chain.blank.slice();
}

/** One entry for every hook of the chain, in its order, then one for each guard that judged the final form again. */
export function fullTrace(chain: Chain, visits: Visits): readonly TraceEntry[] {
  const { rechecks, next, entries, reached } = visits;
  if (isLong(chain.hooks)) {
    if (rechecks.length === 0 && next < chain.hooks.length)
      return new Proxy(chain.blank, new TraceView(chain, visits));
    const once = copiedTrace(chain, visits);
    return rechecks.length === 0 ? once : [...once, ...rechecks];
  }
  for (let place = reached + 1; place < entries.length; place++) entries[place] = chain.unreached(place);
  return rechecks.length === 0 ? entries : [...entries, ...rechecks];
}

/** A long trace as an array whose entries are found when they are asked for; to go through it all makes a copy. */
class TraceView implements ProxyHandler<readonly TraceEntry[]> {
  private readonly chain: Chain;
  private readonly visits: Visits;
  private copy: readonly TraceEntry[] | null = null;

  constructor(chain: Chain, visits: Visits) {
    this.chain = chain;
    this.visits = visits;
  }

  get(target: readonly TraceEntry[], key: string | symbol): unknown {
    if (key === 'length') return target.length;
    if (this.copy === null && typeof key === 'string' && INDEX.test(key)) return this.entry(Number(key));
    const copy = this.whole();
    const value = Reflect.get(copy, key) as unknown;
    return typeof value === 'function' && key !== 'constructor' ? value.bind(copy) : value;
  }

  getOwnPropertyDescriptor(_: readonly TraceEntry[], key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.whole(), key);
  }

  private entry(place: number): TraceEntry | undefined {
    const { next, entries, plan, reached } = this.visits;
    const { hooks, unmatched, unreached } = this.chain;
    let low = 0;
    let high = next;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (plan[middle]! < place) low = middle + 1;
      else high = middle;
    }
    if (low < next && plan[low] === place) return entries[low];
    return place < hooks.length ? (place <= reached ? unmatched : unreached)(place) : undefined;
  }

  private whole(): readonly TraceEntry[] {
    return (this.copy ??= copiedTrace(this.chain, this.visits));
  }
}

const INDEX = /^(?:0|[1-9]\d*)$/;

function copiedTrace({ hooks, unmatched, unreached }: Chain, visits: Visits): readonly TraceEntry[] {
  const { next, entries, plan, reached } = visits;
  const full = hooks.map((_, place) => (place <= reached ? unmatched : unreached)(place));
  for (let at = 0; at < next; at++) full[plan[at]!] = entries[at]!;
  return full;
}
