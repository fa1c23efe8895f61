/**
 * The statistics of tapes in the text format that Prometheus scrapes.
 */
import { BUCKETS, type Durations } from './durations.ts';
import { isFailOpen, type TapeStats } from './stats.ts';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** Behind the name of the family: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Families without a sample are left out. */
export function prometheusText(stats: TapeStats): string {
  const hooks = [...stats.hooks.values()];
  const events = [...stats.events.values()];
  const failures = hooks.flatMap(({ hook, event, failures }) =>
    [...failures].flatMap(([cause, policies]) =>
      [...policies].map(([policy, value]) => ({ labels: { hook, event, cause, policy }, value })),
    ),
  );
  const text = [
    family('harness_tapes', 'gauge', 'Tapes that were read.', [{ labels: {}, value: stats.tapes }]),
    family('harness_tape_entries_total', 'counter', 'Entries of the tapes.', [
      { labels: {}, value: stats.entries },
    ]),
    family('harness_undecided', 'gauge', 'Dispatches without an outcome.', [
      { labels: {}, value: stats.undecided },
    ]),
    family(
      'harness_decisions_total',
      'counter',
      'Outcomes by event and action.',
      events.flatMap(({ event, actions }) =>
        [...actions].map(([action, value]) => ({ labels: { event, action }, value })),
      ),
    ),
    family(
      'harness_calls_total',
      'counter',
      'Attempts to call a tool, by how they ended.',
      [...stats.calls].map(([verdict, value]) => ({ labels: { verdict }, value })),
    ),
    family(
      'harness_hook_results_total',
      'counter',
      'What hooks said.',
      hooks.flatMap(({ hook, event, results }) =>
        [...results].map(([result, value]) => ({ labels: { hook, event, result }, value })),
      ),
    ),
    family(
      'harness_hook_failures_total',
      'counter',
      'Hooks that gave no decision, and what came of it.',
      failures,
    ),
    family(
      'harness_fail_open_total',
      'counter',
      'Failures of hooks that let the operation pass.',
      failures
        .filter(({ labels }) => isFailOpen(labels.policy))
        .map(({ labels: { hook, event, cause }, value }) => ({ labels: { hook, event, cause }, value })),
    ),
    family(
      'harness_hook_duration_seconds',
      'histogram',
      'How long hooks took.',
      hooks.flatMap(({ hook, event, durations }) => histogram({ hook, event }, durations)),
    ),
    family(
      'harness_decision_duration_seconds',
      'histogram',
      'How long whole chains took.',
      events.flatMap(({ event, durations }) => histogram({ event }, durations)),
    ),
    family(
      'harness_counter_total',
      'counter',
      'What hooks counted.',
      [...stats.counters].map(([name, value]) => ({ labels: { name }, value })),
    ),
    family(
      'harness_gauge',
      'gauge',
      'The last value hooks set, by session.',
      [...stats.gauges].flatMap(([name, sessions]) =>
        [...sessions].map(([session, value]) => ({ labels: { name, session }, value })),
      ),
    ),
  ];
  return text.join('');
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function histogram(labels: Labels, durations: Durations): Sample[] {
  if (durations.count === 0) return [];
  const bounds = durations.cumulative().map((value, i) => ({
    suffix: '_bucket',
    labels: { ...labels, le: String(BUCKETS[i]) },
    value,
  }));
  return [
    ...bounds,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: durations.count },
    { suffix: '_sum', labels, value: durations.sumMs / 1000 },
    { suffix: '_count', labels, value: durations.count },
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** What a tape says may be anything. */
function escaped(text: string): string {
  return String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** As Go reads it: no difference for finite numbers. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
