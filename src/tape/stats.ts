/**
 * What tapes add up to: decisions, failures and failures that let an operation pass, by hook, event and cause; what hooks
 * counted; how long they took. Entries go in one by one, in constant memory.
 */
import type { Action, Effect } from '../events/decision.ts';
import { Durations } from './durations.ts';
import type { DecisionRecord, Entry, HookFailedRecord, HookReturnedRecord, TapeRecord } from './entry.ts';
import { longForm } from './long-form.ts';

export type Counts = Map<string, number>;

export interface HookStats {
  readonly hook: string;
  readonly event: string;
  calls: number;
  /** By what it said. */
  readonly results: Counts;
  /** How often its block, ask or permit counted. */
  vetoes: number;
  /** By cause, then by what came of it. */
  readonly failures: Map<string, Counts>;
  readonly durations: Durations;
}

export interface EventStats {
  readonly event: string;
  readonly actions: Counts;
  readonly durations: Durations;
}

/** What became of a failure when the operation went on as if the hook had said nothing. */
const FAIL_OPEN: ReadonlySet<string> = new Set<HookFailedRecord['policy']>(['allowed', 'skipped']);

export class TapeStats {
  tapes = 0;
  entries = 0;
  /** Dispatches without an outcome: the tape was cut off, or the session is still at it. */
  undecided = 0;
  readonly events = new Map<string, EventStats>();
  readonly hooks = new Map<string, HookStats>();
  /** Attempts to call a tool, by how they ended. */
  readonly calls: Counts = new Map();
  readonly counters: Counts = new Map();
  /** The last value of each, by session. */
  readonly gauges = new Map<string, Counts>();
  private session = '';
  /** The event of each dispatch that has no outcome yet. */
  private readonly open = new Map<number, string>();

  beginTape(session: string): void {
    this.endTape();
    this.session = session;
    this.tapes++;
  }

  endTape(): void {
    this.undecided += this.open.size;
    this.open.clear();
  }

  add({ record, ms }: Entry): void {
    this.entries++;
    if (record.type === 'decision') this.decision(record, typeof ms === 'object' ? ms : []);
    else this.route(record, typeof ms === 'object' ? ms[0] : ms);
  }

  private route(record: TapeRecord, ms: number | undefined): void {
    ROUTES[record.type]?.(this, record as never, ms);
  }

  private decision({ in: fired, out }: DecisionRecord, [whole, ...times]: readonly number[]): void {
    const { dispatch } = fired;
    if ('event' in fired) this.begin(dispatch, fired.event);
    let part = -1;
    for (const record of longForm(dispatch, this.open.get(dispatch) ?? 'unknown', out)) {
      const ends = record.type === 'hook_returned' || record.type === 'hook_failed';
      if (ends) part++;
      this.route(record, ends ? times[part] : whole);
    }
  }

  /** What the chains said, over all events. */
  get actions(): Counts {
    const all: Counts = new Map();
    for (const { actions } of this.events.values()) {
      for (const [action, count] of actions) increase(all, action, count);
    }
    return all;
  }

  get decisions(): number {
    return total(this.actions);
  }

  get failures(): number {
    return this.countFailures(() => true);
  }

  /** Failures that let the operation pass. */
  get failOpens(): number {
    return this.countFailures((policy) => FAIL_OPEN.has(policy));
  }

  begin(dispatch: number, event: string): void {
    this.open.set(dispatch, event);
  }

  end(dispatch: number, event: string, action: Action, ms: number | undefined): void {
    this.open.delete(dispatch);
    let stats = this.events.get(event);
    if (stats === undefined) {
      stats = { event, actions: new Map(), durations: new Durations() };
      this.events.set(event, stats);
    }
    increase(stats.actions, action);
    if (ms !== undefined) stats.durations.add(ms);
  }

  hook(dispatch: number, hook: string): HookStats {
    const event = this.open.get(dispatch) ?? 'unknown';
    const key = `${event}\n${hook}`;
    let stats = this.hooks.get(key);
    if (stats === undefined) {
      stats = {
        hook,
        event,
        calls: 0,
        results: new Map(),
        vetoes: 0,
        failures: new Map(),
        durations: new Durations(),
      };
      this.hooks.set(key, stats);
    }
    return stats;
  }

  effects(effects: readonly Effect[] = []): void {
    for (const effect of effects) {
      if (effect.kind !== 'metric') continue;
      // What JSON cannot hold stands on the tape as a placeholder.
      if (typeof effect.value !== 'number') continue;
      if (effect.op === 'incr') increase(this.counters, effect.name, effect.value);
      else within(this.gauges, effect.name).set(this.session, effect.value);
    }
  }

  private countFailures(wanted: (policy: string) => boolean): number {
    let count = 0;
    for (const { failures } of this.hooks.values()) {
      for (const policies of failures.values()) {
        for (const [policy, times] of policies) if (wanted(policy)) count += times;
      }
    }
    return count;
  }
}

type Route<R> = (stats: TapeStats, record: R, ms: number | undefined) => void;

const ROUTES: { readonly [T in TapeRecord['type']]?: Route<Extract<TapeRecord, { type: T }>> } = {
  dispatch: (stats, { dispatch, event }) => stats.begin(dispatch, event),
  hook_returned: (stats, record, ms) => {
    const hook = calledHook(stats, record, ms);
    increase(hook.results, record.result);
  },
  hook_failed: (stats, record, ms) => {
    const hook =
      record.state === 'ran' ? calledHook(stats, record, ms) : stats.hook(record.dispatch, record.hook);
    increase(within(hook.failures, causeOf(record)), record.policy);
  },
  hook_vetoed: (stats, { dispatch, hook }) => {
    stats.hook(dispatch, hook).vetoes++;
  },
  outcome: (stats, { dispatch, event, action }, ms) => stats.end(dispatch, event, action, ms),
  call: (stats, { verdict }) => increase(stats.calls, String(verdict)),
};

function calledHook(stats: TapeStats, record: HookReturnedRecord | HookFailedRecord, ms?: number): HookStats {
  const hook = stats.hook(record.dispatch, record.hook);
  hook.calls++;
  if (ms !== undefined) hook.durations.add(ms);
  stats.effects(record.effects);
  return hook;
}

/** A code of the catalogue; a condition that raised and was passed over has none. */
function causeOf({ failure }: HookFailedRecord): string {
  return failure?.code ?? 'CONDITION_RAISED';
}

export function isFailOpen(policy: string): boolean {
  return FAIL_OPEN.has(policy);
}

export function increase(counts: Counts, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

export function total(counts: Counts): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

function within(groups: Map<string, Counts>, key: string): Counts {
  let counts = groups.get(key);
  if (counts === undefined) groups.set(key, (counts = new Map()));
  return counts;
}
