/**
 * `time.time` and `time.duration`: moments and the distances between them, exact to the nanosecond.
 */
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantString } from '../run/want.ts';
import { encodeParts } from '../values/hash.ts';
import { canonical } from '../values/int.ts';
import {
  type ArithmeticOperator,
  Float,
  type Key,
  type ReprWriter,
  StarObject,
  type Value,
} from '../values/value.ts';
import { civilFromSeconds, MAX_SECONDS, MIN_SECONDS } from './civil.ts';
import { type Moment, writeTime } from './time-layout.ts';
import { findZone, UTC, type Zone } from './time-zone.ts';

export const SECOND = 1_000_000_000n;
const MAX_DURATION = (1n << 63n) - 1n;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['h', 3600n * SECOND],
  ['m', 60n * SECOND],
  ['s', SECOND],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ns', 1n],
]);

const isInt = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** What a duration says of itself; the larger units as floats, the smaller as ints. */
const DURATION_FIELDS: ReadonlyMap<string, (nanoseconds: bigint) => Value> = new Map<
  string,
  (nanoseconds: bigint) => Value
>([
  ['hours', (ns) => new Float(Number(ns) / 3.6e12)],
  ['minutes', (ns) => new Float(Number(ns) / 6e10)],
  ['seconds', (ns) => new Float(Number(ns) / 1e9)],
  ['milliseconds', (ns) => canonical(ns / 1_000_000n)],
  ['microseconds', (ns) => canonical(ns / 1000n)],
  ['nanoseconds', (ns) => canonical(ns)],
]);

export class Duration extends StarObject {
  readonly type = 'time.duration';
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    super();
    if (nanoseconds > MAX_DURATION || nanoseconds < -MAX_DURATION) fail('time.duration out of range');
    this.nanoseconds = nanoseconds;
  }

  /** `1h15m30.5s`; undefined where the text is no duration. */
  static parse(text: string): Duration | undefined {
    if (text.length > 200) return undefined;
    const match = /^([-+]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/.exec(text);
    if (match === null) return undefined;
    let total = 0n;
    for (const [, whole, part, unit] of match[2]!.matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/g)) {
      const size = UNITS.get(unit!)!;
      const digits = part ?? '';
      total += BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length);
    }
    return new Duration(match[1] === '-' ? -total : total);
  }

  override truth(): boolean {
    return this.nanoseconds !== 0n;
  }

  override attr(name: string): Value | undefined {
    return DURATION_FIELDS.get(name)?.(this.nanoseconds);
  }

  override attrNames(): readonly string[] {
    return [...DURATION_FIELDS.keys()];
  }

  override writeRepr(out: ReprWriter): void {
    out.text(durationText(this.nanoseconds));
  }

  override hashKey(): Key {
    return encodeParts('D', [this.nanoseconds]);
  }

  override equals(other: StarObject): boolean {
    return other instanceof Duration && other.nanoseconds === this.nanoseconds;
  }

  override order(other: StarObject): number | undefined {
    return other instanceof Duration ? orderBigints(this.nanoseconds, other.nanoseconds) : undefined;
  }

  override binary(
    _thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (other instanceof Duration) return reversed ? undefined : combine(op, this, other);
    if (other instanceof Time) return op === '+' ? other.plus(this.nanoseconds) : undefined;
    if (op === '*' && isInt(other)) return new Duration(this.nanoseconds * BigInt(other));
    if (op !== '/' || !(isInt(other) || other instanceof Float)) return undefined;
    if (reversed) fail('unsupported operation');
    return this.divide(other);
  }

  private divide(by: number | bigint | Float): Duration {
    if (by instanceof Float ? by.value === 0 : by === 0) fail('time.duration division by zero');
    if (!(by instanceof Float)) return new Duration(this.nanoseconds / BigInt(by));
    const quotient = Math.trunc(Number(this.nanoseconds) / by.value);
    return Number.isFinite(quotient) ? new Duration(BigInt(quotient)) : fail('time.duration out of range');
  }
}

function combine(op: ArithmeticOperator, a: Duration, b: Duration): Value | undefined {
  if (op === '+') return new Duration(a.nanoseconds + b.nanoseconds);
  if (op === '-') return new Duration(a.nanoseconds - b.nanoseconds);
  if (op !== '/' && op !== '//') return undefined;
  if (b.nanoseconds === 0n) fail('time.duration division by zero');
  return op === '/'
    ? new Float(Number(a.nanoseconds) / Number(b.nanoseconds))
    : canonical(a.nanoseconds / b.nanoseconds);
}

function orderBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? '-' : '';
  if (size < SECOND) {
    const [unit, per] = size < 1000n ? ['ns', 1n] : size < 1_000_000n ? ['µs', 1000n] : ['ms', 1_000_000n];
    return `${sign}${decimal(size, per as bigint)}${unit}`;
  }
  const minutes = size / (60n * SECOND);
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value / per` as a decimal, with no zeros at the end. */
function decimal(value: bigint, per: bigint): string {
  const rest = value % per;
  if (rest === 0n) return String(value / per);
  const digits = String(rest).padStart(String(per).length - 1, '0');
  return `${value / per}.${digits.replace(/0+$/, '')}`;
}

const TIME_FIELDS: ReadonlyMap<string, (time: Time) => Value> = new Map<string, (time: Time) => Value>([
  ['year', (time) => time.moment.year],
  ['month', (time) => time.moment.month],
  ['day', (time) => time.moment.day],
  ['hour', (time) => time.moment.hour],
  ['minute', (time) => time.moment.minute],
  ['second', (time) => time.moment.second],
  ['nanosecond', (time) => time.moment.nanosecond],
  ['unix', (time) => time.unix],
  ['unix_nano', (time) => canonical(time.nanoseconds)],
  ['in_location', (time) => inLocation(time)],
  ['format', (time) => format(time)],
]);

function inLocation(time: Time): Value {
  return builtin('in_location', 'location, /', (thread, location) => {
    return new Time(time.nanoseconds, wantZone(thread, 'in_location', location));
  });
}

function format(time: Time): Value {
  return builtin('format', 'layout, /', (thread, layout) => {
    const text = wantString('format', 'layout', layout);
    // No part of a layout is written longer than nine times its own length.
    thread.spend(1 + text.length);
    thread.charge(9 * text.length);
    return writeTime(time.moment, text);
  });
}

export function wantZone(thread: Thread, fn: string, name: Value): Zone {
  thread.spend(50);
  const text = wantString(fn, 'location', name);
  return findZone(text) ?? fail(`${fn}: unknown time zone ${text}`);
}

export class Time extends StarObject {
  readonly type = 'time.time';
  /** Since 1970-01-01 UTC. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;
  private known: Moment | undefined = undefined;

  constructor(nanoseconds: bigint, zone: Zone = UTC) {
    super();
    if (nanoseconds < BigInt(MIN_SECONDS) * SECOND || nanoseconds / SECOND > BigInt(MAX_SECONDS)) {
      fail('time out of range: the year must be between 1 and 9999');
    }
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }

  /** Whole seconds, rounded down. */
  get unix(): number {
    const seconds = this.nanoseconds / SECOND;
    return Number(seconds * SECOND > this.nanoseconds ? seconds - 1n : seconds);
  }

  get moment(): Moment {
    if (this.known !== undefined) return this.known;
    const { unix, zone } = this;
    const { offset, abbreviation } = zone.at(unix);
    return (this.known = {
      ...civilFromSeconds(unix + offset),
      nanosecond: Number(this.nanoseconds - BigInt(unix) * SECOND),
      offset,
      abbreviation,
    });
  }

  plus(nanoseconds: bigint): Time {
    return new Time(this.nanoseconds + nanoseconds, this.zone);
  }

  /** The first moment of the year 1 is "no time". */
  override truth(): boolean {
    return this.unix !== MIN_SECONDS;
  }

  override attr(name: string): Value | undefined {
    return TIME_FIELDS.get(name)?.(this);
  }

  override attrNames(): readonly string[] {
    return [...TIME_FIELDS.keys()];
  }

  override writeRepr(out: ReprWriter): void {
    out.text(writeTime(this.moment, '2006-01-02 15:04:05.999999999 -0700 MST'));
  }

  override hashKey(): Key {
    return encodeParts('T', [this.nanoseconds]);
  }

  /** The same moment in two zones is one time. */
  override equals(other: StarObject): boolean {
    return other instanceof Time && other.nanoseconds === this.nanoseconds;
  }

  override order(other: StarObject): number | undefined {
    return other instanceof Time ? orderBigints(this.nanoseconds, other.nanoseconds) : undefined;
  }

  override binary(
    _thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (reversed) return undefined;
    if (other instanceof Time)
      return op === '-' ? new Duration(this.nanoseconds - other.nanoseconds) : undefined;
    if (!(other instanceof Duration)) return undefined;
    if (op === '+') return this.plus(other.nanoseconds);
    return op === '-' ? this.plus(-other.nanoseconds) : undefined;
  }
}
