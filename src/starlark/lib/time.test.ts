import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import { call } from '../run/call.ts';
import { Thread } from '../run/thread.ts';
import { repr } from '../values/repr.ts';
import type { Module } from '../values/struct.ts';
import type { Value } from '../values/value.ts';
import { civilFromSeconds, secondsFromCivil } from './civil.ts';
import { standardModules } from './standard.ts';
import { type Clock, makeTimeModule } from './time.ts';

describe('the time module', () => {
  it.each([
    ['time.now()', '2020-01-01 00:00:00.5 +0000 UTC'],
    ['time.now().unix_nano', '1577836800500000000'],
    ['time.from_timestamp(1593193116, 5).nanosecond', '5'],
    ['time.from_timestamp(-1, 1)', '1969-12-31 23:59:59.000000001 +0000 UTC'],
    ['time.parse_time("2020-06-26T17:38:36Z") == time.from_timestamp(1593193116)', 'True'],
    ['time.parse_time("2000-01-01T22:04:05.25-05:00")', '2000-01-01 22:04:05.25 -0500 -0500'],
    ['time.parse_time("2024-02-29T00:00:00Z").month', '2'],
    ['time.parse_time("3 Jan 99 4:05 PM", format="2 Jan 06 3:04 PM").unix', '915379500'],
    [
      'time.parse_time("2009-06-12 12:06", format="2006-01-02 15:04", location="US/Eastern").unix',
      '1244822760',
    ],
    ['time.time(year=2012, month=12, day=31)', '2012-12-31 00:00:00 +0000 UTC'],
    ['time.time(year=2012, month=14, day=-1, hour=25)', '2013-01-31 01:00:00 +0000 UTC'],
    ['time.time(year=2009, month=6, day=12, hour=12, location="US/Eastern").unix', '1244822400'],
    ['time.from_timestamp(0).in_location("Asia/Tokyo").hour', '9'],
    [
      'time.from_timestamp(0).in_location("US/Eastern").format("Mon, 02 Jan 2006 15:04:05 -0700")',
      '"Wed, 31 Dec 1969 19:00:00 -0500"',
    ],
    ['time.from_timestamp(0).format("2006-01-02T15:04:05Z07:00")', '"1970-01-01T00:00:00Z"'],
    [
      'time.from_timestamp(3723, 120000000).format("3:04:05.000 PM January _2 Monday 06 .999")',
      '"1:02:03.120 AM January  1 Thursday 70 .12"',
    ],
    ['bool(time.parse_time("0001-01-01T00:00:00Z")), bool(time.now())', '(False, True)'],
    ['type(time.now()), type(time.hour)', '("time.time", "time.duration")'],
    ['{time.from_timestamp(0): 1}[time.parse_time("1970-01-01T01:00:00+01:00")]', '1'],
    ['sorted([time.hour, time.second, time.minute])', '[1s, 1m0s, 1h0m0s]'],
    [
      'time.is_valid_timezone("UTC"), time.is_valid_timezone("US/Eastern"), time.is_valid_timezone("UKN")',
      '(True, True, False)',
    ],
  ])('%s', (text, wanted) => {
    expect(show(wanted.startsWith('(') ? `(${text})` : text)).toBe(wanted);
  });

  it.each([
    ['time.parse_duration("1h15m30.918s")', '1h15m30.918s'],
    ['time.parse_duration("-1.5h")', '-1h30m0s'],
    [
      'time.parse_duration("0"), time.parse_duration("100us"), time.parse_duration("1.5ms")',
      '(0s, 100µs, 1.5ms)',
    ],
    [
      'time.hour / time.minute, time.hour // time.minute, time.hour / 60, time.hour / 0.5',
      '(60.0, 60, 1m0s, 2h0m0s)',
    ],
    ['5 * time.second, time.second * 5, time.hour - time.second', '(5s, 5s, 59m59s)'],
    ['time.hour.minutes, time.second.milliseconds, time.hour.nanoseconds', '(60.0, 1000, 3600000000000)'],
    ['time.now() - time.hour < time.now(), (time.now() + time.hour) - time.now()', '(True, 1h0m0s)'],
    ['time.hour + time.from_timestamp(0)', '1970-01-01 01:00:00 +0000 UTC'],
  ])('%s', (text, wanted) => {
    expect(show(wanted.startsWith('(') ? `(${text})` : text)).toBe(wanted);
  });

  it.each([
    [
      'time.parse_time("2021-02-30T00:00:00Z")',
      'time.parse_time: day out of range in "2021-02-30T00:00:00Z"',
    ],
    [
      'time.parse_time("2021-13-01T00:00:00Z")',
      'time.parse_time: month out of range in "2021-13-01T00:00:00Z"',
    ],
    [
      'time.parse_time("soon")',
      'time.parse_time: cannot parse "soon" as "2006-01-02T15:04:05Z07:00" at "soon"',
    ],
    ['time.parse_time("x" * 2000)', 'time.parse_time: x too long'],
    ['time.parse_duration("1y")', 'time.parse_duration: invalid duration "1y"'],
    [
      'time.parse_duration(1.0)',
      'time.parse_duration: for parameter d: got float, want a duration, string, or int',
    ],
    ['time.parse_duration("9" * 30 + "h")', 'time.duration out of range'],
    ['time.hour * (1 << 60)', 'time.duration out of range'],
    ['time.hour / 0', 'time.duration division by zero'],
    ['time.hour // (time.hour - time.hour)', 'time.duration division by zero'],
    ['1 / time.hour', 'unsupported operation'],
    ['time.hour + 1', 'unknown binary op: time.duration + int'],
    ['time.time(2009)', 'time.time: unexpected positional arguments'],
    ['time.time(year=20000)', 'time out of range: the year must be between 1 and 9999'],
    ['time.time(second=1 << 60)', 'time.time: for parameter second: 1152921504606846976 out of range'],
    ['time.from_timestamp(1 << 80)', 'time out of range: the year must be between 1 and 9999'],
    ['time.now().in_location("Atlantis")', 'in_location: unknown time zone Atlantis'],
    ['time.now() + time.now()', 'unknown binary op: time.time + time.time'],
    ['time.now().yaer', 'time.time has no .yaer field or method (did you mean .year?)'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('takes its clock in milliseconds, fractions included, alone and among the standard modules', () => {
    const seen: Thread[] = [];
    const clock: Clock = (thread) => {
      seen.push(thread);
      return 1_577_836_800_123.25;
    };
    const modules = [makeTimeModule(clock), standardModules({ now: clock }).get('time') as Module];
    for (const module of modules) {
      const thread = new Thread();
      const now = call(thread, module.globals.get('now')!, []) as Value;
      expect(repr(now)).toBe('2020-01-01 00:00:00.12325 +0000 UTC');
      expect(seen.pop()).toBe(thread);
    }
  });

  it('charges a script for asking a zone', () => {
    const stepsOf = (text: string): number => {
      const thread = new Thread();
      evaluate(text, {}, thread);
      return thread.steps;
    };
    const inBerlin = 'time.from_timestamp(0).in_location("Europe/Berlin")';
    expect(stepsOf(`(${inBerlin} + time.hour).hour`)).toBeGreaterThan(
      stepsOf(`${inBerlin} + time.hour`) + 40,
    );
  });

  it('knows the calendar: every day there and back', () => {
    for (let day = -719162; day < 2932897; day += 997) {
      const { year, month, day: dayOfMonth, weekday } = civilFromSeconds(day * 86400 + 5);
      const date = new Date(day * 86400000);
      expect([year, month, dayOfMonth, weekday]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCDay(),
      ]);
      expect(secondsFromCivil(year, month, dayOfMonth, 0, 0, 5)).toBe(day * 86400 + 5);
    }
  });
});
