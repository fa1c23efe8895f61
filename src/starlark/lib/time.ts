/**
 * The `time` module. It has no clock of its own: the host says what time it is, so that a run can be repeated exactly.
 */
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantInt, wantSmallInt, wantString } from '../run/want.ts';
import { Module } from '../values/struct.ts';
import { typeName, type Value } from '../values/value.ts';
import { secondsFromCivil } from './civil.ts';
import { type Parsed, RFC3339, readTime } from './time-layout.ts';
import { Duration, SECOND, Time, wantZone, ZONE_STEPS } from './time-values.ts';
import { findZone, fixedZone, UTC, type Zone } from './time-zone.ts';

/** What time it is for the script of a thread: milliseconds since 1970-01-01 UTC, as \`Date.now()\` counts; fractions count. */
export type Clock = (thread: Thread) => number;

/** A zone that only one time has. */
const ZONE_BYTES = 192;

/** Longest text that is looked at; no time or duration comes near it. */
const MAX_TEXT = 1000;

function shortText(thread: Thread, fn: string, parameter: string, value: Value): string {
  const text = wantString(fn, parameter, value);
  thread.spend(1 + (text.length >> 4));
  return text.length > MAX_TEXT ? fail(`${fn}: ${parameter} too long`) : text;
}

/** What a clock in the zone shows, as a moment. Around a change of the clocks the offset is looked up twice. */
function timeAt(thread: Thread, zone: Zone, wallSeconds: number, nanosecond: number): Time {
  if (zone !== UTC) thread.spend(2 * ZONE_STEPS);
  const guess = wallSeconds - zone.at(wallSeconds).offset;
  const seconds = wallSeconds - zone.at(guess).offset;
  return Time.make(thread, BigInt(seconds) * SECOND + BigInt(nanosecond), zone);
}

const RANGES: readonly (readonly [keyof Parsed, number, number])[] = [
  ['month', 1, 12],
  ['day', 1, 31],
  ['hour', 0, 23],
  ['minute', 0, 59],
  ['second', 0, 59],
];

function parseTime(thread: Thread, x: Value, format: Value, location: Value): Value {
  const fn = 'time.parse_time';
  const text = shortText(thread, fn, 'x', x);
  const layout = shortText(thread, fn, 'format', format);
  const zone = wantZone(thread, fn, location);
  thread.spend(layout.length);
  const parsed = readTime(text, layout === '' ? RFC3339 : layout);
  if (typeof parsed === 'number')
    fail(`${fn}: cannot parse "${text}" as "${layout}" at "${text.slice(parsed)}"`);
  for (const [part, least, most] of RANGES) {
    const value = Number(parsed[part] ?? least);
    if (value < least || value > most) fail(`${fn}: ${part} out of range in "${text}"`);
  }
  const { year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0, nanosecond = 0 } = parsed;
  const wall = secondsFromCivil(year, month, day, hour, minute, second);
  if (day > 28 && secondsFromCivil(year, month + 1, 1, 0, 0, 0) <= wall)
    fail(`${fn}: day out of range in "${text}"`);
  if (parsed.offset === undefined) return timeAt(thread, zone, wall, nanosecond);
  thread.charge(ZONE_BYTES);
  return timeAt(thread, fixedZone(parsed.offset), wall, nanosecond);
}

function parseDuration(thread: Thread, d: Value): Value {
  const fn = 'time.parse_duration';
  if (d instanceof Duration) return d;
  if (typeof d === 'number' || typeof d === 'bigint') return Duration.make(thread, BigInt(d));
  if (typeof d !== 'string')
    fail(`${fn}: for parameter d: got ${typeName(d)}, want a duration, string, or int`);
  const text = shortText(thread, fn, 'd', d);
  return Duration.parse(thread, text) ?? fail(`${fn}: invalid duration "${text}"`);
}

/** Parts this far out of their range would only overflow. */
const MAX_PART = 1e12;

const makeTime = builtin(
  'time.time',
  '*args, year=1, month=1, day=1, hour=0, minute=0, second=0, nanosecond=0, location="UTC"',
  (thread, args, year, month, day, hour, minute, second, nanosecond, location) => {
    if (args.length > 0) fail('time.time: unexpected positional arguments');
    const part = (name: string, value: Value): number => {
      const given = wantSmallInt('time.time', name, value);
      return Math.abs(given) > MAX_PART ? fail(`time.time: ${name} out of range`) : given;
    };
    const wall = secondsFromCivil(
      part('year', year),
      part('month', month),
      part('day', day),
      part('hour', hour),
      part('minute', minute),
      part('second', second),
    );
    if (!Number.isSafeInteger(wall)) fail('time.time: out of range');
    // Checked as UTC first: a zone has no answer for moments beyond the calendar.
    const inRange = new Time(BigInt(wall) * SECOND).unix;
    return timeAt(thread, wantZone(thread, 'time.time', location), inRange, 0).plus(
      thread,
      BigInt(part('nanosecond', nanosecond)),
    );
  },
);

/** In two parts: a whole number of nanoseconds since 1970 is more than a double can hold. */
function nanoseconds(milliseconds: number): bigint {
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((milliseconds - whole) * 1e6));
}

/** The `time` module on the host's clock. */
export function makeTimeModule(clock: Clock): Module {
  return new Module(
    'time',
    new Map<string, Value>([
      ['hour', new Duration(3600n * SECOND)],
      ['minute', new Duration(60n * SECOND)],
      ['second', new Duration(SECOND)],
      ['millisecond', new Duration(1_000_000n)],
      ['microsecond', new Duration(1000n)],
      ['nanosecond', new Duration(1n)],
      [
        'from_timestamp',
        builtin('time.from_timestamp', 'sec, nsec=0, /', (thread, sec, nsec) => {
          const seconds = BigInt(wantInt('time.from_timestamp', 'sec', sec));
          return Time.make(thread, seconds * SECOND + BigInt(wantInt('time.from_timestamp', 'nsec', nsec)));
        }),
      ],
      [
        'is_valid_timezone',
        builtin('time.is_valid_timezone', 'loc, /', (thread, loc) => {
          thread.spend(ZONE_STEPS);
          return findZone(wantString('time.is_valid_timezone', 'loc', loc)) !== undefined;
        }),
      ],
      [
        'now',
        builtin('time.now', '', (thread) => Time.make(thread, nanoseconds(clock(thread))), { pure: false }),
      ],
      ['parse_duration', builtin('time.parse_duration', 'd, /', parseDuration)],
      ['parse_time', builtin('time.parse_time', `x, format="${RFC3339}", location="UTC"`, parseTime)],
      ['time', makeTime],
    ]),
  );
}
