/**
 * The stores of guards as one call of a hook sees them while it is recorded or replayed. What a store answered is a reading;
 * a replay takes it from the tape and touches no store.
 */
import { HarnessError, isJsonObject, type Json } from '../base/index.ts';
import {
  type Change,
  type Guards,
  type MaybePromise,
  nameInKey,
  type Reservation,
  type RunArea,
  type Stored,
} from '../engine/index.ts';
import { ReadingLog, type Readings } from './readings.ts';

export function guardsThrough(readings: Readings, { session, shared }: Guards): Guards {
  return { session: new ReadArea(readings, session), shared: new ReadArea(readings, shared) };
}

class ReadArea implements RunArea {
  private readonly readings: Readings;
  private readonly area: RunArea;

  constructor(readings: Readings, area: RunArea) {
    this.readings = readings;
    this.area = area;
  }

  get(key: string): MaybePromise<Stored<Json | undefined>> {
    return this.ask('state.get', key, () => this.area.get(key), STORED as Coding<Stored<Json | undefined>>);
  }

  set(key: string, value: Json): MaybePromise<Stored<void>> {
    return this.ask(
      'state.set',
      key,
      () => this.area.set(key, value),
      STORED as unknown as Coding<Stored<void>>,
    );
  }

  delete(key: string): MaybePromise<Stored<boolean>> {
    return this.ask('state.delete', key, () => this.area.delete(key), STORED as Coding<Stored<boolean>>);
  }

  incr(key: string, by?: number): MaybePromise<Stored<number>> {
    return this.ask('state.incr', key, () => this.area.incr(key, by), STORED as Coding<Stored<number>>);
  }

  once(key: string): MaybePromise<Stored<boolean>> {
    return this.ask('state.once', key, () => this.area.once(key), STORED as Coding<Stored<boolean>>);
  }

  reserve(
    key: string,
    limit: number,
    windowMs: number,
    now: number,
    amount?: number,
  ): MaybePromise<Reservation> {
    return this.ask('limit', key, () => this.area.reserve(key, limit, windowMs, now, amount), RESERVED);
  }

  /** No answer that a hook sees. */
  settle(token: string, counted: boolean): MaybePromise<Stored<boolean>> {
    return token === '' ? { ok: true, value: false } : this.area.settle(token, counted);
  }

  /** For hosts, which are not recorded. */
  entries(prefix: string): MaybePromise<Stored<ReadonlyMap<string, Json>>> {
    return this.area.entries(prefix);
  }

  apply(changes: readonly Change[]): MaybePromise<Stored<void>> {
    return this.area.apply(changes);
  }

  private get isLive(): boolean {
    return this.readings instanceof ReadingLog;
  }

  private ask<T>(kind: string, key: string, read: () => MaybePromise<T>, coding: Coding<T>): MaybePromise<T> {
    const name = nameInKey(key);
    if (!this.isLive) return this.given(kind, name, read, coding);
    const answer = read();
    if (answer instanceof Promise)
      return this.readings.later(kind, name, async () => coding.encode(await answer)).then(() => answer);
    this.readings.value(kind, name, () => coding.encode(answer));
    return answer;
  }

  /** From the tape; a backtest asks the store of the simulated session for what the tape does not have. */
  private given<T>(
    kind: string,
    name: string,
    read: () => MaybePromise<T>,
    { encode, decode }: Coding<T>,
  ): T {
    const simulated: { answer?: T } = {};
    const value = this.readings.value(kind, name, () => {
      const answer = read();
      if (answer instanceof Promise) return undefined;
      simulated.answer = answer;
      return encode(answer);
    });
    return simulated.answer ?? decode(value);
  }
}

/** An answer as a reading has it, and back. */
interface Coding<T> {
  readonly encode: (answer: T) => Json | undefined;
  readonly decode: (value: Json | undefined) => T;
}

/** A value stands in a list, so that one that looks like a failure is none. */
const STORED: Coding<Stored<Json | undefined>> = {
  encode: (stored) => {
    if (!stored.ok) return failureOf(stored.error);
    return stored.value === undefined ? undefined : [stored.value];
  },
  decode: (value) => {
    if (isJsonObject(value)) return { ok: false, error: errorFrom(value) };
    return { ok: true, value: Array.isArray(value) ? (value as readonly Json[])[0] : undefined };
  },
};

/** What is left, if it was granted. */
const RESERVED: Coding<Reservation> = {
  encode: (said) => {
    if (said.ok) return said.left;
    return { ...(said.error !== null && failureOf(said.error)), left: said.left, retry: said.retryAfter };
  },
  decode: (value) => {
    if (typeof value === 'number') return { ok: true, left: value, retryAfter: 0, token: '' };
    const { left = 0, retry = null, ...rest } = isJsonObject(value) ? value : {};
    const error = rest.error === undefined ? null : errorFrom(rest);
    return {
      ok: false,
      left: Number(left),
      retryAfter: retry === null ? null : Number(retry),
      token: null,
      error,
    };
  },
};

function failureOf({ code, message }: HarnessError): { readonly error: Json } {
  return { error: { code, message } };
}

function errorFrom({ error }: { readonly error?: Json }): HarnessError {
  const said = isJsonObject(error) ? error : {};
  return new HarnessError('STORE_FAILED', String(said.message ?? 'not recorded'));
}
