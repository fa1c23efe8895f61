import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall } from '../../test/support/tape.ts';
import { Durations } from './durations.ts';
import type { TapeRecord } from './entry.ts';
import { prometheusText } from './prometheus.ts';
import { TapeStats } from './stats.ts';

function statsOf(...tapes: (readonly TapeRecord[])[]): TapeStats {
  const stats = new TapeStats();
  for (const [i, records] of tapes.entries()) {
    stats.beginTape(`session-${i}`);
    for (const record of records) stats.add({ seq: 1, prev: '', record, ms: [3, 2] });
  }
  stats.endTape();
  return stats;
}

describe('what tapes add up to', () => {
  it('is counted by event, hook and cause', () => {
    const stats = statsOf([...blockedCall(1), ...failedCall(2)], blockedCall(1));
    expect(stats).toMatchObject({
      tapes: 2,
      entries: 9,
      decisions: 3,
      failures: 1,
      failOpens: 1,
      undecided: 0,
    });
    expect([...stats.actions]).toEqual([
      ['block', 2],
      ['allow', 1],
    ]);
    const [guard, audit] = [...stats.hooks.values()];
    expect(guard).toMatchObject({ hook: 'command_guard', event: 'tool.pre', calls: 2, vetoes: 2 });
    expect([...audit!.failures]).toEqual([['HOOK_TIMEOUT', new Map([['allowed', 1]])]]);
    expect(stats.counters.get('audits')).toBe(1);
  });

  it('a failure that blocked is no fail-open; a condition that was passed over is one', () => {
    const stats = statsOf(
      failedCall(1, { policy: 'blocked' }),
      failedCall(1, { policy: 'skipped', state: 'condition_failed', failure: undefined as never }),
    );
    expect(stats).toMatchObject({ failures: 2, failOpens: 1 });
    expect([...[...stats.hooks.values()][0]!.failures.keys()]).toEqual(['HOOK_TIMEOUT', 'CONDITION_RAISED']);
  });

  it('a dispatch without an outcome is counted apart, and the next tape begins anew', () => {
    const stats = statsOf(blockedCall(1).slice(0, 2), blockedCall(1).slice(0, 1));
    expect(stats).toMatchObject({ decisions: 0, undecided: 2 });
  });
});

describe('durations', () => {
  it('give quantiles to within five percent, whatever the spread', () => {
    const durations = new Durations();
    for (let i = 1; i <= 10_000; i++) durations.add(i / 100);
    for (const [part, exact] of [
      [0.5, 50],
      [0.95, 95],
      [0.99, 99],
    ] as const) {
      expect(Math.abs(durations.quantile(part) / exact - 1)).toBeLessThan(0.05);
    }
    expect(durations).toMatchObject({ count: 10_000, maxMs: 100 });
    expect(durations.quantile(1)).toBe(100);
  });

  it('of nothing, of zero and of very long ones are numbers', () => {
    const durations = new Durations();
    expect(durations.quantile(0.5)).toBe(0);
    durations.add(0);
    durations.add(1e9);
    expect(durations.quantile(0.5)).toBeLessThan(0.001);
    expect(durations.cumulative().at(-1)).toBe(1);
  });
});

describe('Prometheus text', () => {
  const stats = statsOf([...blockedCall(1), ...failedCall(2)]);

  it('has decisions, failures, fail-opens, durations and what hooks counted', () => {
    const text = prometheusText(stats);
    expect(text).toContain('harness_decisions_total{event="tool.pre",action="block"} 1\n');
    expect(text).toContain(
      'harness_fail_open_total{hook="broken_audit",event="tool.pre",cause="HOOK_TIMEOUT"} 1\n',
    );
    expect(text).toContain(
      'harness_hook_duration_seconds_bucket{hook="command_guard",event="tool.pre",le="0.005"} 1\n',
    );
    expect(text).toContain('harness_hook_duration_seconds_count{hook="command_guard",event="tool.pre"} 1\n');
    expect(text).toContain('harness_counter_total{name="audits"} 1\n');
  });

  it('is well formed: every line is a comment or a sample, and every family is declared once', () => {
    const odd = failedCall(1, { hook: 'a"b\\c\nd' });
    const lines = prometheusText(statsOf(odd)).trimEnd().split('\n');
    expect(lines.join('\n')).toContain('hook="a\\"b\\\\c\\nd"');
    for (const line of lines) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="([^"\\\n]|\\["\\n])*",?)*\})? [-+.\deInfNa]+)$/,
      );
    }
    const types = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(types).size).toBe(types.length);
  });

  it('buckets only ever grow, up to the count', () => {
    const counts = [
      ...prometheusText(stats).matchAll(/hook_duration_seconds_bucket\{hook="command_guard".*\} (\d+)/g),
    ].map((match) => Number(match[1]));
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(1);
  });
});
