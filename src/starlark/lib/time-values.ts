/**
 * `time.time` and `time.duration`: moments and the distances between them, exact to the nanosecond.
 */
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantString } from '../run/want.ts';
import { encodeParts } from '../values/hash.ts';
import { canonical } from '../values/int.ts';
import { textBytes } from '../values/size.ts';
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

/** What they weigh. A time keeps its parts once it was asked for one of them. */
const DURATION_BYTES = 64;
const TIME_BYTES = 176;
/** What is asked for on a time or duration and made anew each time: a method, a float, a long int. */
const FIELD_BYTES = 48;
const METHOD_BYTES = 256;
/** Finding a zone, and asking it about a moment. */
export const ZONE_STEPS = 50;

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

  /** A duration that a script makes. */
  static make(thread: Thread, nanoseconds: bigint): Duration {
    thread.charge(DURATION_BYTES);
    return new Duration(nanoseconds);
  }

  /** `1h15m30.5s`; undefined where the text is no duration. */
  static parse(thread: Thread, text: string): Duration | undefined {
    if (text.length > 200) return undefined;
    const match = /^([-+]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/.exec(text);
    if (match === null) return undefined;
    let total = 0n;
    for (const [, whole, part, unit] of match[2]!.matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/g)) {
      const size = UNITS.get(unit!)!;
      const digits = part ?? '';
      total += BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length);
    }
    return Duration.make(thread, match[1] === '-' ? -total : total);
  }

  override truth(): boolean {
    return this.nanoseconds !== 0n;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    thread?.charge(FIELD_BYTES);
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
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (other instanceof Duration) return reversed ? undefined : combine(thread, op, this, other);
    if (other instanceof Time) return op === '+' ? other.plus(thread, this.nanoseconds) : undefined;
    if (op === '*' && isInt(other)) return Duration.make(thread, this.nanoseconds * BigInt(other));
    if (op !== '/' || !(isInt(other) || other instanceof Float)) return undefined;
    if (reversed) fail('unsupported operation');
    return this.divide(thread, other);
  }

  private divide(thread: Thread, by: number | bigint | Float): Duration {
    if (by instanceof Float ? by.value === 0 : by === 0) fail('time.duration division by zero');
    if (!(by instanceof Float)) return Duration.make(thread, this.nanoseconds / BigInt(by));
    const quotient = Math.trunc(Number(this.nanoseconds) / by.value);
    return Number.isFinite(quotient)
      ? Duration.make(thread, BigInt(quotient))
      : fail('time.duration out of range');
  }
}

function combine(thread: Thread, op: ArithmeticOperator, a: Duration, b: Duration): Value | undefined {
  if (op === '+') return Duration.make(thread, a.nanoseconds + b.nanoseconds);
  if (op === '-') return Duration.make(thread, a.nanoseconds - b.nanoseconds);
  if (op !== '/' && op !== '//') return undefined;
  if (b.nanoseconds === 0n) fail('time.duration division by zero');
  thread.charge(FIELD_BYTES);
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

type TimeField = (time: Time, thread: Thread | null) => Value;

const TIME_FIELDS: ReadonlyMap<string, TimeField> = new Map<string, TimeField>([
  ['year', (time, thread) => time.momentFor(thread).year],
  ['month', (time, thread) => time.momentFor(thread).month],
  ['day', (time, thread) => time.momentFor(thread).day],
  ['hour', (time, thread) => time.momentFor(thread).hour],
  ['minute', (time, thread) => time.momentFor(thread).minute],
  ['second', (time, thread) => time.momentFor(thread).second],
  ['nanosecond', (time, thread) => time.momentFor(thread).nanosecond],
  ['unix', (time) => time.unix],
  ['unix_nano', (time) => canonical(time.nanoseconds)],
  ['in_location', inLocation],
  ['format', format],
]);

function inLocation(time: Time, reader: Thread | null): Value {
  reader?.charge(METHOD_BYTES);
  return builtin('in_location', 'location, /', (thread, location) => {
    return Time.make(thread, time.nanoseconds, wantZone(thread, 'in_location', location));
  });
}

function format(time: Time, reader: Thread | null): Value {
  reader?.charge(METHOD_BYTES);
  return builtin('format', 'layout, /', (thread, layout) => {
    const text = wantString('format', 'layout', layout);
    // No part of a layout is written longer than nine times its own length.
    thread.spend(1 + text.length);
    thread.charge(textBytes(9 * text.length));
    return writeTime(time.momentFor(thread), text);
  });
}

export function wantZone(thread: Thread, fn: string, name: Value): Zone {
  thread.spend(ZONE_STEPS);
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

  /** A time that a script makes. */
  static make(thread: Thread, nanoseconds: bigint, zone: Zone = UTC): Time {
    thread.charge(TIME_BYTES);
    return new Time(nanoseconds, zone);
  }

  /** Whole seconds, rounded down. */
  get unix(): number {
    const seconds = this.nanoseconds / SECOND;
    return Number(seconds * SECOND > this.nanoseconds ? seconds - 1n : seconds);
  }

  /** The time taken apart. Asking a zone is work, so it is done once, at the cost of the script that wants it. */
  momentFor(thread: Thread | null): Moment {
    if (this.known !== undefined) return this.known;
    const { unix, zone } = this;
    if (zone !== UTC) thread?.spend(ZONE_STEPS);
    const { offset, abbreviation } = zone.at(unix);
    return (this.known = {
      ...civilFromSeconds(unix + offset),
      nanosecond: Number(this.nanoseconds - BigInt(unix) * SECOND),
      offset,
      abbreviation,
    });
  }

  plus(thread: Thread, nanoseconds: bigint): Time {
    return Time.make(thread, this.nanoseconds + nanoseconds, this.zone);
  }

  /** The first moment of the year 1 is "no time". */
  override truth(): boolean {
    return this.unix !== MIN_SECONDS;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    thread?.charge(FIELD_BYTES);
    return TIME_FIELDS.get(name)?.(this, thread);
  }

  override attrNames(): readonly string[] {
    return [...TIME_FIELDS.keys()];
  }

  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    out.text(writeTime(this.momentFor(thread), '2006-01-02 15:04:05.999999999 -0700 MST'));
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
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (reversed) return undefined;
    if (other instanceof Time)
      return op === '-' ? Duration.make(thread, this.nanoseconds - other.nanoseconds) : undefined;
    if (!(other instanceof Duration)) return undefined;
    if (op === '+') return this.plus(thread, other.nanoseconds);
    return op === '-' ? this.plus(thread, -other.nanoseconds) : undefined;
  }
}
