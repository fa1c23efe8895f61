/** The last seven days of all runs: what was stopped or asked about, by rule and by day, with the newest cases. */
import type { RuleWeek, RunRow, StoppedCase, Week, WeekDay } from './server/api.ts';
import { QUARTER_MS, type StopCount } from './tape-pass.ts';

export const WEEK_DAYS = 7;
export const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
const MOST_RULES = 50;
const MOST_CASES = 40;

/** What a week is counted from: a run, or several that are counted together. */
export interface WeekPart {
  readonly row: Pick<RunRow, 'started' | 'title' | 'agent'>;
  readonly pass: {
    /** By quarters of an hour since the epoch, how often each action was decided. */
    readonly quarters: Iterable<readonly [quarter: number, counts: ReadonlyMap<string, number>]>;
    readonly stops: { values(): Iterable<StopCount> };
  };
}

/** `zone`: minutes the reader's clock is behind UTC. */
export function weekOf(
  overviews: readonly WeekPart[],
  zone: number,
  now: number,
): Omit<Week, 'asked' | 'done'> {
  const today = Math.floor((now - zone * MINUTE_MS) / DAY_MS);
  /** The place of a moment among the days; -1 if it is in none of them. */
  const placeOf = (at: number) => {
    const place = Math.floor((at - zone * MINUTE_MS) / DAY_MS) - today + WEEK_DAYS - 1;
    return place >= 0 && place < WEEK_DAYS ? place : -1;
  };
  const days = Array.from({ length: WEEK_DAYS }, (_, i) => ({
    day: new Date((today - WEEK_DAYS + 1 + i) * DAY_MS).toISOString().slice(0, 10),
    ...{ runs: 0, decisions: 0, block: 0, ask: 0, modify: 0 },
  }));
  const rules = new Map<string, RuleWeek>();
  const newest: StoppedCase[] = [];
  for (const { row, pass } of overviews) {
    const began = days[placeOf(Date.parse(row.started))];
    if (began !== undefined) began.runs++;
    for (const [quarter, counts] of pass.quarters) addCounts(days[placeOf(quarter * QUARTER_MS)], counts);
    for (const stop of pass.stops.values()) {
      const place = placeOf(stop.quarter * QUARTER_MS);
      if (place === -1) continue;
      const shown = { ...stop.newest, rule: stop.rule, title: row.title, agent: row.agent };
      newest.push(shown);
      addStop(rules, stop, place, shown);
    }
  }
  return {
    days,
    rules: [...rules.values()].sort((a, b) => b.count - a.count).slice(0, MOST_RULES),
    newest: newest.sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, MOST_CASES),
  };
}

type Counted = { -readonly [K in keyof WeekDay]: WeekDay[K] };

function addCounts(day: Counted | undefined, counts: ReadonlyMap<string, number>): void {
  if (day === undefined) return;
  for (const [action, count] of counts) {
    day.decisions += count;
    if (action === 'block' || action === 'ask' || action === 'modify') day[action] += count;
  }
}

function addStop(rules: Map<string, RuleWeek>, stop: StopCount, place: number, shown: StoppedCase): void {
  const { rule, hook, action, count } = stop;
  const key = `${action} ${rule}`;
  const before = rules.get(key);
  rules.set(key, {
    ...{ rule, hook, action },
    isPack: hook?.startsWith('pack:') === true,
    count: (before?.count ?? 0) + count,
    byDay: Array.from({ length: WEEK_DAYS }, (_, i) => (before?.byDay[i] ?? 0) + (i === place ? count : 0)),
    newest: before !== undefined && (before.newest.at ?? 0) > (shown.at ?? 0) ? before.newest : shown,
  });
}
