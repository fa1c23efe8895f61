/**
 * Run state in memory: what a process that ends with its session needs, and what `decide`, `test` and backtests throw away.
 */

import { HarnessError, type Json } from '../../base/index.ts';
import { bareHost } from '../../machine/index.ts';
import { type Steady, tickAt } from './area-clock.ts';
import { AreaState, problemWith, problemWithRate, type Step, storable } from './area-state.ts';
import type { Change, Reservation, RunArea, RunStore, Stored } from './run-store.ts';

export interface MemoryRunStoreOptions {
  /** A clock that cannot be set; by default the platform's. Null: the time of day that `reserve` is given has to do. */
  readonly steady?: Steady | null;
}

const PLATFORM: Steady = { now: () => bareHost.elapsed(), boot: 'process' };

export class MemoryRunStore implements RunStore {
  private readonly steady: Steady | null;
  private readonly areas = new Map<string, SteppedArea>();

  constructor({ steady = PLATFORM }: MemoryRunStoreOptions = {}) {
    this.steady = steady;
  }

  session(id: string): SteppedArea {
    return this.area(`session ${id}`);
  }

  user(): SteppedArea {
    return this.area('user');
  }

  private area(name: string): SteppedArea {
    let area = this.areas.get(name);
    if (area === undefined) {
      const state = new AreaState();
      area = new SteppedArea(new StateSteps(state), this.steady);
      this.areas.set(name, area);
    }
    return area;
  }
}

/** How a store carries out one step on the state of an area. */
export interface Steps {
  /** `decide` says what follows from the state as it is; its lines are kept before its result is given. */
  write<T>(decide: (state: AreaState) => Step<T> | HarnessError): Stored<T>;
  read<T>(look: (state: AreaState) => T): Stored<T>;
}

const PRUNE_EVERY = 512;

class StateSteps implements Steps {
  private readonly state: AreaState;
  private pruneAt = PRUNE_EVERY;

  constructor(state: AreaState) {
    this.state = state;
  }

  write<T>(decide: (state: AreaState) => Step<T> | HarnessError): Stored<T> {
    const step = decide(this.state);
    if (!('lines' in step)) return { ok: false, error: step };
    for (const line of step.lines) this.state.apply(line);
    if (this.state.rates.size > this.pruneAt) {
      this.state.prune();
      this.pruneAt = PRUNE_EVERY + 2 * this.state.rates.size;
    }
    return { ok: true, value: step.result };
  }

  read<T>(look: (state: AreaState) => T): Stored<T> {
    return { ok: true, value: look(this.state) };
  }
}

/** The operations of an area, whatever keeps its lines. */
export class SteppedArea implements RunArea {
  private readonly steps: Steps;
  private readonly steady: Steady | null;

  constructor(steps: Steps, steady: Steady | null) {
    this.steps = steps;
    this.steady = steady;
  }

  get(key: string): Stored<Json | undefined> {
    const found = this.steps.read((state) => state.value(key));
    if (!found.ok) return found;
    const { value } = found;
    return value instanceof HarnessError ? { ok: false, error: value } : { ok: true, value: copyOf(value) };
  }

  set(key: string, value: Json): Stored<void> {
    return nothing(this.change({ op: 'set', key, value }));
  }

  delete(key: string): Stored<boolean> {
    return this.change({ op: 'delete', key }) as Stored<boolean>;
  }

  incr(key: string, by = 1): Stored<number> {
    return this.change({ op: 'incr', key, by }) as Stored<number>;
  }

  once(key: string): Stored<boolean> {
    return this.steps.write((state) => problemWith([key], state) ?? state.once(key));
  }

  reserve(key: string, limit: number, windowMs: number, now: number, amount = 1): Reservation {
    const said = this.steps.write(
      (state) =>
        problemWithRate(limit, windowMs, now, amount) ??
        problemWith([key], state) ??
        state.reserve(key, limit, windowMs, tickAt(now, this.steady), amount),
    );
    if (said.ok) return said.value;
    return { ok: false, left: 0, retryAfter: null, token: null, error: said.error };
  }

  settle(token: string, counted: boolean): Stored<boolean> {
    // One that counts has counted since it was reserved.
    if (counted) return { ok: true, value: false };
    return this.steps.write((state) => state.settle(token, counted));
  }

  entries(prefix: string): Stored<ReadonlyMap<string, Json>> {
    return this.steps.read(({ values }) => {
      const found = new Map<string, Json>();
      for (const [key, value] of values)
        if (key.startsWith(prefix)) found.set(key.slice(prefix.length), copyOf(value)!);
      return found;
    });
  }

  apply(changes: readonly Change[]): Stored<void> {
    return nothing(this.changes(changes));
  }

  private change(change: Change): Stored<Json> {
    return this.changes([change]);
  }

  private changes(changes: readonly Change[]): Stored<Json> {
    const plain: Change[] = [];
    for (const change of changes) {
      const checked = storableChange(change);
      if (checked instanceof HarnessError) return { ok: false, error: checked };
      plain.push(checked);
    }
    // What is taken away is never too much.
    const added = plain.filter(({ op }) => op !== 'delete').map(({ key }) => key);
    return this.steps.write((state) => problemWith(added, state) ?? state.changes(plain));
  }
}

function storableChange(change: Change): Change | HarnessError {
  if (change.op === 'delete') return change;
  if (change.op === 'incr') {
    if (Number.isFinite(change.by)) return change;
    return new HarnessError('STORE_LIMIT', `want a number to add, got ${change.by}`);
  }
  const checked = storable(change.value);
  return checked instanceof HarnessError ? checked : { ...change, ...checked };
}

function nothing(stored: Stored<unknown>): Stored<void> {
  return stored.ok ? { ok: true, value: undefined } : stored;
}

/** What is given away is nobody's to change here. */
function copyOf(value: Json | undefined): Json | undefined {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
