/** What the plots over the list of runs show, counted from the decisions that are listed. */

import { type Overview, trafficOf } from './overview.ts';
import type { Plots, Row } from './server/api.ts';
import { QUARTER_MS } from './tape-pass.ts';

const MOST_DAYS = 60;
const MOST_RULES = 10;

type Days = Map<string, Record<string, number>>;
type Rules = Map<string, { block: number; ask: number }>;

/** Of a search. `zone`: minutes the reader's clock is behind UTC. */
export function plotsOf(rows: readonly Row[], zone: number): Plots {
  const days: Days = new Map();
  const rules: Rules = new Map();
  for (const { at, action, hook } of rows) {
    if (action === null) continue;
    if (at !== null) addDay(days, at - zone * 60_000, action, 1);
    if (hook !== null && (action === 'block' || action === 'ask'))
      addRule(rules, hook, { block: 0, ask: 0, [action]: 1 });
  }
  return { ...plotted(days, rules), times: [] };
}

/** Of everything. */
export function plotsOfAll(overviews: readonly Overview[], zone: number): Plots {
  const days: Days = new Map();
  const rules: Rules = new Map();
  for (const { pass } of overviews) {
    for (const [quarter, counts] of pass.quarters) {
      for (const [action, times] of counts) addDay(days, quarter * QUARTER_MS - zone * 60_000, action, times);
    }
    for (const [hook, counts] of pass.deciders) addRule(rules, hook, counts);
  }
  const times = [...trafficOf(overviews).values()]
    .map(({ hook, ms: [p50, p95], calls }) => ({ hook, p50, p95, calls }))
    .sort((a, b) => b.p95 - a.p95)
    .slice(0, MOST_RULES);
  return { ...plotted(days, rules), times };
}

function plotted(days: Days, rules: Rules): Pick<Plots, 'days' | 'rules'> {
  return {
    days: [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(-MOST_DAYS)
      .map(([day, counts]) => ({ day, counts })),
    rules: [...rules]
      .map(([hook, counts]) => ({ hook, ...counts }))
      .sort((a, b) => b.block + b.ask - a.block - a.ask)
      .slice(0, MOST_RULES),
  };
}

function addDay(days: Days, time: number, action: string, times: number): void {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return;
  const day = date.toISOString().slice(0, 10);
  const counts = days.get(day) ?? {};
  days.set(day, counts);
  counts[action] = (counts[action] ?? 0) + times;
}

function addRule(rules: Rules, hook: string, { block, ask }: { block: number; ask: number }): void {
  const sum = rules.get(hook) ?? { block: 0, ask: 0 };
  rules.set(hook, { block: sum.block + block, ask: sum.ask + ask });
}
