/**
 * `rate.limit` and `budget.spend`: so many within any such time, so much in all. What is taken counts at once, for every
 * session, sub-agent and process that uses the store, and is given back if the call does not happen.
 */

import { FOR_EVER_MS, readDuration } from '../../base/index.ts';
import { guardKey, isGate, type Reservation } from '../../engine/index.ts';
import {
  builtin,
  Float,
  fail,
  Module,
  type ReprWriter,
  StarObject,
  type Thread,
  type Value,
  wantNumber,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { type ScriptCall, scriptCallOf } from './reach.ts';

const FLAGS = { pure: false, async: true };

/** What a limit said. It is true if it was granted, so that `if not rate.limit(…)` means what it says. */
class LimitAnswer extends StarObject {
  readonly type = 'limit';
  private readonly said: Reservation;

  constructor(said: Reservation) {
    super();
    this.said = said;
  }

  override truth(): boolean {
    return this.said.ok;
  }

  override attr(name: string): Value | undefined {
    return Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof typeof FIELDS](this.said) : undefined;
  }

  override attrNames(): readonly string[] {
    return Object.keys(FIELDS);
  }

  override writeRepr(out: ReprWriter): void {
    out.text('limit(');
    for (const [place, name] of this.attrNames().entries()) {
      out.text(`${place === 0 ? '' : ', '}${name} = `);
      out.value(this.attr(name)!);
    }
    out.text(')');
  }
}

const FIELDS = {
  ok: ({ ok }: Reservation): Value => ok,
  left: ({ left }: Reservation): Value => wrapJson(left),
  /** In seconds, rounded up; None if as much is never granted. */
  retry_after: ({ retryAfter }: Reservation): Value =>
    retryAfter === null ? null : Math.ceil(retryAfter / 1000),
  /** Why the store could not say; then nothing is granted. */
  error: (said: Reservation): Value => (said.ok || said.error === null ? null : said.error.message),
} as const;

export const RATE = new Module(
  'rate',
  new Map<string, Value>([
    [
      'limit',
      builtin(
        'rate.limit',
        'key, n, per="1m"',
        (thread, key, n, per) =>
          take(thread, 'rate.limit', {
            key: `rate/${wantString('rate.limit', 'key', key)}`,
            limit: amountOf('rate.limit', 'n', n),
            windowMs: windowOf('rate.limit', per),
            amount: 1,
          }),
        FLAGS,
      ),
    ],
  ]),
);

export const BUDGET = new Module(
  'budget',
  new Map<string, Value>([
    [
      'spend',
      builtin(
        'budget.spend',
        'key, amount, limit, per=None',
        (thread, key, amount, limit, per) =>
          take(thread, 'budget.spend', {
            key: `budget/${wantString('budget.spend', 'key', key)}`,
            limit: amountOf('budget.spend', 'limit', limit),
            windowMs: per === null ? FOR_EVER_MS : windowOf('budget.spend', per),
            amount: amountOf('budget.spend', 'amount', amount),
          }),
        FLAGS,
      ),
    ],
  ]),
);

interface LimitRequest {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly amount: number;
}

function take(thread: Thread, fn: string, asked: LimitRequest): Value | Promise<Value> {
  const call = scriptCallOf(thread);
  const { limit, windowMs } = asked;
  const area = call.run.guards.shared;
  const key = guardKey(layerKey(call), asked.key);
  const now = call.host.now();
  // To spend nothing is to ask what is left.
  const amount = asked.amount === 0 ? Number.MIN_VALUE : asked.amount;
  const spent = (said: Reservation, much: number): Value => {
    if (said.ok && said.token !== '') {
      if (asked.amount === 0) void area.settle(said.token, false);
      else call.addReservation?.({ area, key, amount: much, granted: said });
    }
    if (!said.ok && said.error !== null) call.log('error', `${fn}: ${said.error.message}`);
    return new LimitAnswer(said);
  };
  const answered = (said: Reservation): Value | Promise<Value> => {
    // What has happened is spent, whether there was enough or not: all that was left goes.
    if (said.ok || said.error !== null || said.left <= 0 || call.event === undefined || isGate(call.event))
      return spent(said, amount);
    const rest = area.reserve(key, limit, windowMs, now, said.left);
    const over = (): Value => new LimitAnswer({ ...said, left: 0 });
    return rest instanceof Promise ? rest.then(over) : over();
  };
  const said = area.reserve(key, limit, windowMs, now, amount);
  return said instanceof Promise ? said.then(answered) : answered(said);
}

/** Limits of a layer are its own: one of a lower layer can neither use them up nor read them. */
function layerKey({ hook }: ScriptCall): string {
  const place = hook.layer?.place ?? hook.layer?.name ?? hook.origin ?? 'code';
  return `${place.length}:${place}`;
}

function amountOf(fn: string, param: string, given: Value): number {
  const number = wantNumber(fn, param, given);
  const value = number instanceof Float ? number.value : Number(number);
  if (!Number.isFinite(value) || value < 0)
    fail(`${fn}: for parameter ${param}: want 0 or more, got ${value}`);
  return value;
}

function windowOf(fn: string, per: Value): number {
  const text = wantString(fn, 'per', per);
  const ms = readDuration(text);
  if (ms === null)
    return fail(
      `${fn}: for parameter per: want a time above 0, such as "1m" or "1h30m", got ${JSON.stringify(text)}`,
    );
  return ms;
}
