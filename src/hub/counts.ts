/** Counts of a hub, one table for `/metrics` and for OTLP. They hold no names of machines, people or folders. */
import type { Gauge } from '../agent/index.ts';
import { type Database, dayOf, type Value } from './database.ts';

const SILENT_MS = 5 * 60 * 1000;

interface Count {
  readonly name: string;
  readonly help: string;
  /** The name of the attribute that `label` of the rows is the value of; null: one number. */
  readonly label: string | null;
  /** Gives rows of `label` and `count`. */
  readonly sql: string;
  readonly values?: (now: number) => readonly Value[];
}

const COUNTS: readonly Count[] = [
  {
    name: 'machines',
    help: 'Machines that joined',
    label: 'state',
    sql: 'SELECT state AS label, count(*) AS count FROM machines GROUP BY state',
  },
  {
    name: 'tapes',
    help: 'Tapes',
    label: 'state',
    sql: 'SELECT state AS label, count(*) AS count FROM tapes GROUP BY state',
  },
  {
    name: 'decisions_today',
    help: 'Decisions received today',
    label: 'action',
    sql: 'SELECT action AS label, count(*) AS count FROM decisions WHERE day = $1 GROUP BY action',
    values: (now) => [dayOf(now)],
  },
  {
    name: 'bytes_today',
    help: 'Bytes of tape received today, before compression',
    label: null,
    sql: "SELECT '' AS label, COALESCE(sum(raw_bytes), 0) AS count FROM segments WHERE day = $1",
    values: (now) => [dayOf(now)],
  },
  {
    name: 'policy_version',
    help: 'The newest published policy',
    label: null,
    sql: "SELECT '' AS label, COALESCE(max(version), 0) AS count FROM policies",
  },
  {
    name: 'machines_silent',
    help: 'Active machines without a status for five minutes',
    label: null,
    sql: "SELECT '' AS label, count(*) AS count FROM machines WHERE state = 'active' AND status_at < $1",
    values: (now) => [now - SILENT_MS],
  },
];

export async function countsOf(database: Database, now: number): Promise<Gauge[]> {
  const gauges: Gauge[] = [];
  for (const { name, help, label, sql, values } of COUNTS) {
    const rows = await database.all<{ label: string | null; count: number }>(sql, values?.(now) ?? []);
    const points = rows.map((row) => ({
      ...{ value: Number(row.count), attributes: label === null ? {} : { [label]: row.label ?? '' } },
    }));
    gauges.push({ name: `harness_hub_${name}`, description: help, points });
  }
  return gauges;
}

/** The text format of Prometheus. */
export function prometheusText(gauges: readonly Gauge[]): string {
  const lines = gauges.flatMap(({ name, description, points }) => [
    ...[`# HELP ${name} ${description}.`, `# TYPE ${name} gauge`],
    ...points.map(({ value, attributes }) => `${name}${labelText(attributes)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function labelText(attributes: Gauge['points'][number]['attributes']): string {
  const labels = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return labels.length === 0 ? '' : `{${labels.join()}}`;
}
