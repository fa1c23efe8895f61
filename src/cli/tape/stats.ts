/**
 * `harness tape stats`: what the tapes of a folder add up to, for people, as JSON, or for Prometheus.
 */

import { HarnessError } from '../../base/index.ts';
import { findTapes, progressOf } from '../../project/index.ts';
import {
  type Counts,
  Days,
  type Durations,
  isFailOpen,
  prometheusText,
  readTape,
  TapeStats,
  total,
} from '../../tape/index.ts';
import {
  alignColumns,
  type Cell,
  countOf,
  harmless,
  type Output,
  type Run,
  UsageError,
} from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  if (args.has('json') && args.has('prometheus'))
    throw new UsageError('--json and --prometheus exclude each other');
  const { files } = findTapes(args.positionals[0]);
  const stats = new TapeStats();
  const days = new Days();
  const progress = progressOf('reading', output);
  let broken = 0;
  for (const [i, file] of files.entries()) {
    progress(i, files.length);
    try {
      const { header, entries } = readTape(file);
      stats.beginTape(header.session);
      days.beginTape(header.started);
      for (const entry of entries) {
        stats.add(entry);
        days.add(entry);
      }
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      broken++;
      output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
    }
  }
  stats.endTape();
  if (args.has('prometheus')) output.raw(prometheusText(stats));
  else if (args.has('json')) output.line(JSON.stringify({ ...statsData(stats), days: days.all }));
  else {
    printStats(stats, output);
    printDays(days, output);
  }
  return broken === 0 ? 0 : 1;
};

function statsData(stats: TapeStats): Record<string, unknown> {
  const { tapes, entries, decisions, failures, failOpens, undecided, actions } = stats;
  return {
    tapes,
    entries,
    decisions,
    failures,
    failOpens,
    undecided,
    actions: Object.fromEntries(actions),
    calls: Object.fromEntries(stats.calls),
    events: [...stats.events.values()].map(({ event, actions, durations }) => ({
      event,
      decisions: total(actions),
      actions: Object.fromEntries(actions),
      ms: durationData(durations),
    })),
    hooks: [...stats.hooks.values()].map(({ hook, event, calls, results, vetoes, failures, durations }) => ({
      hook,
      event,
      calls,
      results: Object.fromEntries(results),
      vetoes,
      failures: [...failures].flatMap(([cause, policies]) =>
        [...policies].map(([policy, count]) => ({ cause, policy, failOpen: isFailOpen(policy), count })),
      ),
      ms: durationData(durations),
    })),
    counters: Object.fromEntries(stats.counters),
    gauges: Object.fromEntries(
      [...stats.gauges].map(([name, sessions]) => [name, Object.fromEntries(sessions)]),
    ),
  };
}

function durationData(durations: Durations): Record<string, number> {
  const { count, sumMs, maxMs } = durations;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => rounded(durations.quantile(part)));
  return { count, sum: rounded(sumMs), p50: p50!, p95: p95!, p99: p99!, max: rounded(maxMs) };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function printStats(stats: TapeStats, output: Output): void {
  const { tapes, decisions, failures, failOpens, undecided } = stats;
  const open = failOpens === 0 ? '' : `, ${failOpens} of which let the operation pass`;
  output.line(
    `${countOf(tapes, 'tape')}, ${countOf(decisions, 'decision')}, ${countOf(failures, 'failure')}${open}`,
  );
  if (undecided > 0) output.line(`${countOf(undecided, 'dispatch')} without an outcome`);
  const calls = total(stats.calls);
  if (calls > 0) output.line(`${countOf(calls, 'call')}: ${countsText(stats.calls)}`);
  section('Events', ['event', 'decisions', 'said', ...TIMES], output, [...stats.events.values()], (row) => [
    { text: harmless(row.event), style: 'cyan' },
    { text: String(total(row.actions)), right: true },
    { text: countsText(row.actions) },
    ...times(row.durations),
  ]);
  section('Hooks', ['hook', 'event', 'calls', 'said', ...TIMES], output, [...stats.hooks.values()], (row) => [
    { text: harmless(row.hook), style: 'cyan' },
    { text: harmless(row.event) },
    { text: String(row.calls), right: true },
    { text: countsText(row.results) },
    ...times(row.durations),
  ]);
  const failed = [...stats.hooks.values()].flatMap(({ hook, event, failures }) =>
    [...failures].flatMap(([cause, policies]) =>
      [...policies].map(([policy, count]) => ({ hook, event, cause, policy, count })),
    ),
  );
  section('Failures', ['hook', 'event', 'cause', 'then', 'times'], output, failed, (row) => [
    { text: harmless(row.hook), style: 'cyan' },
    { text: harmless(row.event) },
    { text: harmless(row.cause) },
    { text: row.policy, style: isFailOpen(row.policy) ? 'red' : 'yellow' },
    { text: String(row.count), right: true },
  ]);
  const metrics = [
    ...[...stats.counters].map(([name, value]) => ({ name, text: String(value) })),
    ...[...stats.gauges].map(([name, sessions]) => ({
      name,
      text: [...sessions.values()].slice(-3).join(', '),
    })),
  ];
  section('Metrics', ['metric', 'value'], output, metrics, ({ name, text }) => [
    { text: harmless(name), style: 'cyan' },
    { text },
  ]);
}

const DAY_COUNTS = ['tapes', 'decisions', 'blocks', 'asks', 'rewrites', 'failures'] as const;

function printDays(days: Days, output: Output): void {
  section('Days', ['day', ...DAY_COUNTS], output, days.all, (row) => [
    { text: row.day, style: 'cyan' },
    ...DAY_COUNTS.map((key): Cell => ({ text: String(row[key]), right: true })),
  ]);
}

const TIMES = ['p50 ms', 'p95 ms', 'max ms'];

function times(durations: Durations): Cell[] {
  const shown = [durations.quantile(0.5), durations.quantile(0.95), durations.maxMs];
  return shown.map((ms) => ({ text: durations.count === 0 ? '-' : ms.toFixed(2), right: true }));
}

function countsText(counts: Counts): string {
  return [...counts].map(([what, count]) => `${count} ${harmless(what)}`).join(', ');
}

function section<T>(
  title: string,
  headings: readonly string[],
  output: Output,
  rows: readonly T[],
  cells: (row: T) => Cell[],
): void {
  if (rows.length === 0) return;
  output.line();
  output.line(output.paint('bold', title));
  const body = rows.map(cells);
  const head = headings.map((text, i): Cell => ({ text, style: 'dim', right: body[0]![i]?.right === true }));
  for (const line of alignColumns([head, ...body], output.paint)) output.line(`  ${line}`);
}
