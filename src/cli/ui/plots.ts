/** What the plots over the list of runs show, counted from the decisions that are listed. */
import type { Plots, Row } from '../../daemon/page/api.ts';
import { type Overview, trafficOf } from './overview.ts';

const MOST_DAYS = 60;
const MOST_RULES = 10;

/** `zone`: minutes the reader's clock is behind UTC. */
export function plotsOf(rows: readonly Row[], overviews: readonly Overview[] | null, zone: number): Plots {
  const days = new Map<string, Record<string, number>>();
  const rules = new Map<string, { block: number; ask: number }>();
  for (const { at, action, hook } of rows) {
    if (action === null) continue;
    if (at !== null) count(days, dayOf(at - zone * 60_000), action);
    if (hook !== null && (action === 'block' || action === 'ask')) {
      const rule = rules.get(hook) ?? { block: 0, ask: 0 };
      rule[action]++;
      rules.set(hook, rule);
    }
  }
  return {
    days: [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(-MOST_DAYS)
      .map(([day, counts]) => ({ day, counts })),
    rules: [...rules]
      .map(([hook, counts]) => ({ hook, ...counts }))
      .sort((a, b) => b.block + b.ask - a.block - a.ask)
      .slice(0, MOST_RULES),
    times:
      overviews === null
        ? []
        : [...trafficOf(overviews).values()]
            .map(({ hook, ms: [p50, p95], calls }) => ({ hook, p50, p95, calls }))
            .sort((a, b) => b.p95 - a.p95)
            .slice(0, MOST_RULES),
  };
}

function dayOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

function count(days: Map<string, Record<string, number>>, day: string, action: string): void {
  if (day === '') return;
  const counts = days.get(day) ?? {};
  days.set(day, counts);
  counts[action] = (counts[action] ?? 0) + 1;
}
