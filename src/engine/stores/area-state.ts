/**
 * One area of a run store as data: what it holds, and how each change of it reads as a line. A store in memory applies the
 * lines; a store in files writes them first, so that every process comes to the same state.
 */
import { HarnessError, type Json } from '../../base/index.ts';
import type { AreaClock, Tick } from './area-clock.ts';
import { type Change, type Reservation, STORE_LIMITS } from './run-store.ts';

/** One change. The first item says which; see `APPLY`. */
export type AreaLine = readonly [op: string, ...rest: Json[]];

interface Grant {
  /** 0 for two in one, of which neither can be given back. */
  readonly id: number;
  /** On the clock of the area. */
  readonly at: number;
  readonly amount: number;
}

interface Rate {
  /** The widest window it was asked with: older grants are forgotten. */
  windowMs: number;
  /** Oldest first. */
  grants: Grant[];
}

/** What an operation says, and the lines that make it so. */
export interface Step<T> {
  readonly result: T;
  readonly lines: readonly AreaLine[];
}

export class AreaState {
  readonly values = new Map<string, Json>();
  readonly done = new Set<string>();
  readonly rates = new Map<string, Rate>();
  /** The last number that was given to a grant. */
  grants = 0;
  clock: AreaClock | null = null;
  /** Lines that could not be read and whose key is unknown: each change is lost. */
  damagedLines = 0;
  /** Keys of which a change could not be read, with the time of the area's clock. */
  readonly damagedKeys = new Map<string, number>();

  apply(line: AreaLine): void {
    APPLY[line[0]]?.(this, line);
  }

  /** Lines that make this state out of nothing; what is too old to count is left out. */
  *snapshot(): Generator<AreaLine> {
    if (this.clock !== null) yield clockLine(this.clock, this.grants);
    for (const [key, value] of this.values) yield ['set', key, value];
    for (const key of this.done) yield ['once', key];
    for (const [key, { windowMs, grants }] of this.rates) {
      for (const { id, at, amount } of this.young(grants, windowMs)) {
        yield ['kept', key, windowMs, id, at, amount];
      }
    }
    for (const [key, at] of this.damagedKeys) yield ['damaged', key, at];
  }

  /** Forgets rates of which nothing counts any more. */
  prune(): void {
    for (const [key, { windowMs, grants }] of this.rates) {
      if (this.young(grants, windowMs).length === 0) this.rates.delete(key);
    }
  }

  private young(grants: readonly Grant[], windowMs: number): Grant[] {
    const begin = (this.clock?.time ?? 0) - windowMs;
    return grants.filter(({ at }) => at > begin);
  }

  get size(): number {
    let size = this.values.size + this.done.size;
    for (const { grants } of this.rates.values()) size += grants.length;
    return size;
  }

  /** What the area has for the key, or why that is not known. */
  value(key: string): Json | undefined | HarnessError {
    return this.damagedKeys.has(key) ? damageOf(key) : this.values.get(key);
  }

  changes(changes: readonly Change[]): Step<Json> | HarnessError {
    const lines: AreaLine[] = [];
    const values = new Map<string, Json | undefined>();
    let result: Json = null;
    for (const change of changes) {
      const isKnown = values.has(change.key) || change.op !== 'incr';
      const before = values.has(change.key) ? values.get(change.key) : this.values.get(change.key);
      if (!isKnown && this.damagedKeys.has(change.key)) return damageOf(change.key);
      if (change.op === 'delete') {
        result = before !== undefined;
        values.set(change.key, undefined);
        if (before !== undefined || this.damagedKeys.has(change.key)) lines.push(['delete', change.key]);
      } else {
        const value = change.op === 'set' ? change.value : sum(before, change.by);
        result = value;
        values.set(change.key, value);
        lines.push(['set', change.key, value]);
      }
    }
    return { result, lines };
  }

  once(key: string): Step<boolean> | HarnessError {
    if (this.damagedKeys.has(key)) return damageOf(key);
    return this.done.has(key) ? { result: false, lines: [] } : { result: true, lines: [['once', key]] };
  }

  reserve(
    key: string,
    limit: number,
    windowMs: number,
    tick: Tick,
    amount: number,
  ): Step<Reservation> | HarnessError {
    const clock = tick(this.clock);
    const { time } = clock;
    // A grant that cannot be read counts no longer than its window.
    if ((this.damagedKeys.get(key) ?? -Infinity) > time - windowMs) return damageOf(key);
    const grants = (this.rates.get(key)?.grants ?? []).filter(({ at }) => at > time - windowMs);
    const used = grants.reduce((all, grant) => all + grant.amount, 0);
    if (used + amount > limit) {
      const retryAfter = waitFor(grants, used + amount - limit, time - windowMs);
      return {
        result: { ok: false, left: Math.max(0, limit - used), retryAfter, token: null, error: null },
        lines: [],
      };
    }
    const id = this.grants + 1;
    return {
      result: { ok: true, left: limit - used - amount, retryAfter: 0, token: `${id}/${key}` },
      lines: [clockLine(clock, id), ['kept', key, windowMs, id, time, amount]],
    };
  }

  settle(token: string, counted: boolean): Step<boolean> {
    if (counted) return { result: false, lines: [] };
    // It names its key: to look through every rate would take longer the more there are.
    const [, number, key = ''] = TOKEN.exec(token) ?? [];
    const id = Number(number);
    const there = this.rates.get(key)?.grants.some((grant) => grant.id === id) === true;
    return there ? { result: true, lines: [['back', key, id]] } : { result: false, lines: [] };
  }
}

/** The guard that asks is blocked; a guard that writes the whole value anew goes on. */
function damageOf(key: string): HarnessError {
  const shown = JSON.stringify(key.replaceAll('\0', '/'));
  const what = `a stored change of ${shown} is damaged, so its value is not known`;
  return new HarnessError('STORE_FAILED', `${what}: see \`harness status\` for the file`);
}

const TOKEN = /^([1-9]\d*)\/(.*)$/s;

function clockLine({ time, wall, steady, boot }: AreaClock, grants: number): AreaLine {
  return ['clock', time, wall, steady, boot, grants];
}

/** The older half two by two, each pair for as long as its younger one: never less than was granted, and seldom more. */
function paired(grants: readonly Grant[]): Grant[] {
  const half = grants.length >> 1;
  const pairs: Grant[] = [];
  for (let i = 0; i < half; i += 2) {
    const [older, younger = older!] = grants.slice(i, Math.min(i + 2, half));
    const both = younger === older ? older!.amount : older!.amount + younger.amount;
    pairs.push({ id: 0, at: younger.at, amount: both });
  }
  return [...pairs, ...grants.slice(half)];
}

/** Milliseconds until grants that add up to `amount` are past the beginning of the window; null if they never are. */
function waitFor(grants: readonly Grant[], amount: number, begin: number): number | null {
  let freed = 0;
  for (const grant of grants) {
    freed += grant.amount;
    if (freed >= amount) return Math.max(1, Math.ceil(grant.at - begin));
  }
  return null;
}

function sum(before: Json | undefined, by: number): number {
  return (typeof before === 'number' ? before : 0) + by;
}

type Apply = (state: AreaState, line: readonly Json[]) => void;

const APPLY: Readonly<Record<string, Apply>> = {
  clock: (state, [, time, wall, steady, boot, grants]) => {
    state.clock = {
      time: Number(time),
      wall: Number(wall),
      steady: typeof steady === 'number' ? steady : null,
      boot: String(boot),
    };
    state.grants = Number(grants);
  },
  damaged: (state, [, key, at]) => {
    if (typeof key === 'string') state.damagedKeys.set(key, Number(at));
    else state.damagedLines++;
  },
  set: (state, [, key, value]) => {
    state.damagedKeys.delete(String(key));
    state.values.set(String(key), value ?? null);
  },
  delete: (state, [, key]) => {
    state.damagedKeys.delete(String(key));
    state.values.delete(String(key));
  },
  once: (state, [, key]) => {
    state.done.add(String(key));
  },
  kept: (state, [, key, windowMs, id, at, amount]) => {
    const name = String(key);
    const rate = state.rates.get(name) ?? { windowMs: 0, grants: [] };
    rate.windowMs = Math.max(rate.windowMs, Number(windowMs));
    const begin = (state.clock?.time ?? 0) - rate.windowMs;
    if (rate.grants.length > 0 && rate.grants[0]!.at <= begin) {
      rate.grants = rate.grants.filter((grant) => grant.at > begin);
    }
    rate.grants.push({ id: Number(id), at: Number(at), amount: Number(amount) });
    if (rate.grants.length > STORE_LIMITS.grants) rate.grants = paired(rate.grants);
    state.rates.set(name, rate);
  },
  back: (state, [, key, id]) => {
    const rate = state.rates.get(String(key));
    if (rate === undefined) return;
    rate.grants = rate.grants.filter((grant) => grant.id !== id);
    if (rate.grants.length === 0) state.rates.delete(String(key));
  },
};

/** Why an operation cannot be done, or null. */
export function problemWith(keys: readonly string[], state: AreaState): HarnessError | null {
  for (const key of keys) {
    if (typeof key !== 'string' || key.length > STORE_LIMITS.keyCharacters) {
      return limit(`a key of a store has at most ${STORE_LIMITS.keyCharacters} characters`);
    }
  }
  if (state.values.size + state.done.size + state.rates.size < STORE_LIMITS.keys) return null;
  for (const key of keys) {
    // What is there already makes it no larger.
    if (state.values.has(key) || state.done.has(key) || state.rates.has(key)) continue;
    return limit(`an area of a store has at most ${STORE_LIMITS.keys} keys`);
  }
  return null;
}

/** The value as every process will read it, or why there is none. */
export function storable(value: Json): { readonly value: Json } | HarnessError {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // Told below.
  }
  if (text === undefined) return limit('a value of a store has to be JSON');
  if (text.length <= STORE_LIMITS.valueCharacters) return { value: JSON.parse(text) as Json };
  return limit(
    `a value of a store has at most ${STORE_LIMITS.valueCharacters} characters, got ${text.length}`,
  );
}

export function problemWithRate(
  allowed: number,
  windowMs: number,
  now: number,
  amount: number,
): HarnessError | null {
  if (!(allowed >= 0 && allowed < Infinity)) return limit(`want a limit of 0 or more, got ${allowed}`);
  if (!(windowMs > 0 && windowMs < Infinity)) return limit(`want a window in milliseconds, got ${windowMs}`);
  if (!(amount > 0 && amount < Infinity)) return limit(`want an amount above 0, got ${amount}`);
  if (!Number.isFinite(now)) return limit(`want the time of day in milliseconds, got ${now}`);
  return null;
}

function limit(message: string): HarnessError {
  return new HarnessError('STORE_LIMIT', message);
}
