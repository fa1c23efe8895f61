/**
 * What tapes add up to: decisions, failures and failures that let an operation pass, by hook, event and cause; what hooks
 * counted; how long they took. Entries go in one by one, in constant memory.
 */
import type { Action } from '../engine/index.ts';
import { Durations } from './durations.ts';
import type { DecisionRecord, Entry, HookPart, PartEffect } from './entry.ts';
import { isVeto } from './stories.ts';

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
const FAIL_OPEN: ReadonlySet<string> = new Set<NonNullable<HookPart['policy']>>(['allowed', 'skipped']);

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
    else if (record.type === 'dispatch') this.open.set(record.dispatch, record.event);
    else if (record.type === 'call') increase(this.calls, String(record.verdict));
  }

  private decision({ in: fired, out }: DecisionRecord, [whole, ...times]: readonly number[]): void {
    const event = 'event' in fired ? fired.event : (this.open.get(fired.dispatch) ?? 'unknown');
    this.open.delete(fired.dispatch);
    for (const [place, part] of (out.hooks ?? []).entries()) this.part(event, part, times[place]);
    this.outcome(event, out.action, whole);
  }

  private part(event: string, part: HookPart, ms: number | undefined): void {
    const hook = this.hook(event, part.hook);
    if (part.state === undefined) {
      hook.calls++;
      if (ms !== undefined) hook.durations.add(ms);
      this.effects(part.effects);
    }
    if (part.policy === undefined) increase(hook.results, part.result ?? 'allow');
    else increase(within(hook.failures, causeOf(part)), part.policy);
    if (isVeto(part)) hook.vetoes++;
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

  private outcome(event: string, action: Action, ms: number | undefined): void {
    let stats = this.events.get(event);
    if (stats === undefined) {
      stats = { event, actions: new Map(), durations: new Durations() };
      this.events.set(event, stats);
    }
    increase(stats.actions, action);
    if (ms !== undefined) stats.durations.add(ms);
  }

  private hook(event: string, hook: string): HookStats {
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

  private effects(effects: readonly PartEffect[] = []): void {
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

/** A code of the catalogue; a condition that raised and was passed over has none. */
function causeOf({ failure }: HookPart): string {
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
