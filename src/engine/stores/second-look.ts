/**
 * An area for a guard that judges a call a second time: it sees what is there, and nothing it does is kept. What it took
 * from a limit the first time answers the second time as well, so that one call counts once.
 */
import type { Json } from '../../base/index.ts';
import type { MaybePromise } from '../hook.ts';
import type { LimitReservation } from '../reservations.ts';
import type { Change, Reservation, RunArea, Stored } from './run-store.ts';

export class RecheckArea implements RunArea {
  private readonly area: RunArea;
  private readonly taken: readonly LimitReservation[];
  private readonly own = new Map<string, Json | undefined>();

  constructor(area: RunArea, taken: readonly LimitReservation[]) {
    this.area = area;
    this.taken = taken;
  }

  get(key: string): MaybePromise<Stored<Json | undefined>> {
    return this.own.has(key) ? { ok: true, value: this.own.get(key) } : this.area.get(key);
  }

  set(key: string, value: Json): Stored<void> {
    this.own.set(key, value);
    return { ok: true, value: undefined };
  }

  delete(key: string): MaybePromise<Stored<boolean>> {
    return after(this.get(key), (value) => {
      this.own.set(key, undefined);
      return value !== undefined;
    });
  }

  incr(key: string, by = 1): MaybePromise<Stored<number>> {
    return after(this.get(key), (value) => {
      const sum = (typeof value === 'number' ? value : 0) + by;
      this.own.set(key, sum);
      return sum;
    });
  }

  once(key: string): MaybePromise<Stored<boolean>> {
    return after(this.incr(`once/${key}`), (count) => count === 1);
  }

  reserve(key: string, limit: number, windowMs: number, now: number, amount = 1): MaybePromise<Reservation> {
    const earlier = this.taken.find((one) => one.key === key);
    // A call that costs more by now than was granted for it is another call.
    if (earlier !== undefined && earlier.amount >= amount && earlier.granted.left + earlier.amount <= limit)
      return { ...earlier.granted, token: '' };
    const asked = this.area.reserve(key, limit, windowMs, now, amount);
    return asked instanceof Promise ? asked.then((late) => this.back(late)) : this.back(asked);
  }

  settle(): Stored<boolean> {
    return { ok: true, value: false };
  }

  entries(prefix: string): MaybePromise<Stored<ReadonlyMap<string, Json>>> {
    return this.area.entries(prefix);
  }

  apply(changes: readonly Change[]): Stored<void> {
    for (const change of changes) this.own.set(change.key, change.op === 'set' ? change.value : undefined);
    return { ok: true, value: undefined };
  }

  private back(asked: Reservation): Reservation {
    if (!asked.ok) return asked;
    const done = this.area.settle(asked.token, false);
    if (done instanceof Promise) done.catch(() => {});
    return { ...asked, token: '' };
  }
}

function after<A, B>(stored: MaybePromise<Stored<A>>, then: (value: A) => B): MaybePromise<Stored<B>> {
  if (stored instanceof Promise) return stored.then((late) => mapped(late, then));
  return mapped(stored, then);
}

function mapped<A, B>(stored: Stored<A>, then: (value: A) => B): Stored<B> {
  return stored.ok ? { ok: true, value: then(stored.value) } : stored;
}
