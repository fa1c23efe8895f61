/** The last seven days: each moment on the reader's day, stops by rule, calls that only broke apart. */
import { describe, expect, it } from 'vitest';
import type { Overview } from './overview.ts';
import { QUARTER_MS, type StopCount } from './tape-pass.ts';
import { weekOf } from './week.ts';

/** Noon of a Saturday, UTC. */
const NOW = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

function overview(at: number, stops: readonly Partial<StopCount>[]): Overview {
  const quarter = Math.floor(at / QUARTER_MS);
  const counted = stops.map((stop, seq) => ({
    ...{ rule: 'core/delete', hook: 'pack:core', action: 'block', quarter, count: 1 },
    newest: { run: 'r', seq, at, event: 'tool.pre', action: 'block', reason: 'no', text: 'rm -rf /' },
    ...stop,
  }));
  return {
    row: { started: new Date(at).toISOString(), title: 'Clean up', agent: 'claude-code' },
    pass: {
      quarters: new Map([[quarter, new Map([['block', counted.length]])]]),
      stops: new Map(counted.map((stop, i) => [i, stop])),
    },
  } as unknown as Overview;
}

describe('the week of all runs', () => {
  it('has seven days that end today, also those without a run', () => {
    const { days } = weekOf([overview(NOW - HOUR, [{}])], 0, NOW);
    expect(days.map(({ day }) => day.slice(5))).toEqual([
      ...['01-25', '01-26', '01-27', '01-28', '01-29', '01-30', '01-31'],
    ]);
    expect(days.map(({ runs, block }) => runs + block)).toEqual([0, 0, 0, 0, 0, 0, 2]);
  });

  it('counts a moment on the day of the reader’s clock', () => {
    const lateYesterday = NOW - 13 * HOUR;
    const here = weekOf([overview(lateYesterday, [{}])], 0, NOW).rules[0]!.byDay;
    const inTokyo = weekOf([overview(lateYesterday, [{}])], -9 * 60, NOW).rules[0]!.byDay;
    expect([here.at(-2), here.at(-1)]).toEqual([1, 0]);
    expect([inTokyo.at(-2), inTokyo.at(-1)]).toEqual([0, 1]);
  });

  it('leaves out what is older than its first day', () => {
    expect(weekOf([overview(NOW - 8 * 24 * HOUR, [{}])], 0, NOW)).toMatchObject({ rules: [], newest: [] });
  });

  it('adds up one rule over runs, names its newest case, and tells a hook that broke apart', () => {
    const { rules } = weekOf(
      [
        overview(NOW - 30 * HOUR, [{ count: 3 }, { rule: 'owners', hook: 'owners', action: 'failed' }]),
        overview(NOW - HOUR, [{}]),
      ],
      0,
      NOW,
    );
    expect(rules.map(({ rule, action, count, isPack }) => [rule, action, count, isPack])).toEqual([
      ['core/delete', 'block', 4, true],
      ['owners', 'failed', 1, false],
    ]);
    expect(rules[0]!.newest).toMatchObject({ at: NOW - HOUR, title: 'Clean up', agent: 'claude-code' });
  });
});
