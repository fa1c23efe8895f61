/**
 * Every run in a line, and what all of them add up to: counts by hook, how long hooks took, when each fired last. A tape is read once
 * for it, and again when it has changed.
 */
import { HarnessError } from '../../base/errors.ts';
import type { RunRow, Traffic } from '../../daemon/page/api.ts';
import { notedRule } from '../../hooks/describe-outcome.ts';
import type { Header } from '../../tape/entry.ts';
import { isFailOpen, TapeStats, total } from '../../tape/stats.ts';
import { chaptersLater, type Turn } from '../../tape/stories.ts';
import { readTape } from '../../tape/tape-reader.ts';
import { summaryOf } from '../tape/summary.ts';
import { inSlices, type ShownTape, type Tapes } from './tapes.ts';

export interface Overview {
  readonly row: RunRow;
  readonly header: Header | null;
  /** By event and hook. */
  readonly hooks: ReadonlyMap<string, HookSeen>;
  /** Rules of packs by their names: how often each stopped something or asked, and when last. */
  readonly rules: ReadonlyMap<string, RuleSeen>;
  /** What packs stopped on a tape that does not name their rules: it was written before they were on record. */
  readonly unnamed: number;
  readonly state: string;
}

export interface RuleSeen {
  readonly hits: number;
  readonly last: number | null;
}

interface HookSeen extends Traffic {
  readonly hook: string;
  readonly event: string;
  readonly ms: readonly [p50: number, p95: number];
}

/** What a request waits for tapes that are not read yet. */
const WAIT_MS = 250;

export class Overviews {
  private readonly tapes: Tapes;
  private readonly known = new Map<string, Overview>();
  private reading: Promise<void> | null = null;

  constructor(tapes: Tapes) {
    this.tapes = tapes;
  }

  /** Those that are known soon; `done` if these are all. */
  async all(): Promise<{ readonly overviews: readonly Overview[]; readonly done: boolean }> {
    const tapes = this.tapes.list();
    if (tapes.some((tape) => this.of(tape) === null)) {
      this.reading ??= this.read().finally(() => {
        this.reading = null;
      });
      // The caller hears of a failure; the process goes on.
      this.reading.catch(() => {});
      await Promise.race([this.reading, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())]);
    }
    const overviews = tapes.flatMap((tape) => this.known.get(tape.id) ?? []);
    return { overviews, done: tapes.every((tape) => this.of(tape) !== null) };
  }

  async one(tape: ShownTape): Promise<Overview> {
    const known = this.of(tape);
    if (known !== null) return known;
    const overview = await overviewOf(tape);
    this.known.set(tape.id, overview);
    return overview;
  }

  private of({ id, state }: ShownTape): Overview | null {
    const known = this.known.get(id);
    return known?.state === state ? known : null;
  }

  private async read(): Promise<void> {
    for (const tape of this.tapes.list()) await this.one(tape);
  }
}

async function overviewOf({ id, file, state }: ShownTape): Promise<Overview> {
  const stats = new TapeStats();
  const fired = new Map<string, number>();
  const rules = new Map<string, RuleSeen>();
  let unnamed = 0;
  let header: Header | null = null;
  let last: number | null = null;
  let problem: string | null = null;
  try {
    const tape = await readTape(inSlices(file));
    header = tape.header;
    stats.beginTape(header.session);
    const entries = (async function* () {
      for await (const entry of tape.entries) {
        stats.add(entry);
        last = entry.at ?? last;
        yield entry;
      }
    })();
    for await (const chapter of chaptersLater(entries)) {
      if (chapter.kind !== 'decision') continue;
      const { dispatch, turns } = chapter.story;
      for (const turn of turns) {
        fired.set(`${dispatch.record.event}\n${turn.hook}`, dispatch.at ?? 0);
        const rule = ruleOf(turn);
        if (rule === '') unnamed++;
        else if (rule !== null)
          rules.set(rule, { hits: (rules.get(rule)?.hits ?? 0) + 1, last: dispatch.at ?? null });
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    problem = thrown.message;
  }
  const {
    session,
    host,
    started,
    policy: _policy,
    file: _file,
    ...counts
  } = summaryOf(file, header, stats, last, problem);
  const row = { ...counts, id, session: session ?? '', host: host ?? '', started: started ?? '', hits: null };
  const hooks = new Map(
    [...stats.hooks].map(
      ([key, { hook, event, calls, results, failures, durations }]): [string, HookSeen] => {
        const failed = [...failures.values()];
        const open = failed.flatMap((policies) => [...policies].filter(([policy]) => isFailOpen(policy)));
        return [
          key,
          {
            hook,
            event,
            calls,
            block: results.get('block') ?? 0,
            ask: results.get('ask') ?? 0,
            modify: results.get('modify') ?? 0,
            failures: failed.reduce((sum, policies) => sum + total(policies), 0),
            failOpens: open.reduce((sum, [, count]) => sum + count, 0),
            last: fired.get(key) || null,
            ms: [durations.quantile(0.5), durations.quantile(0.95)],
          },
        ];
      },
    ),
  );
  return { row, header, hooks, rules, unnamed, state };
}

/** Which rule of a pack said it; empty if the tape does not say, null if none did. */
function ruleOf({ hook, end }: Turn): string | null {
  const { result, effects = [] } = end?.record ?? {};
  if (!hook.startsWith('pack:') || (result !== 'block' && result !== 'ask')) return null;
  return effects.map(notedRule).find((rule) => rule !== null) ?? '';
}

/** Over all runs, by name. */
export function rulesOf(overviews: readonly Overview[]): Map<string, RuleSeen> {
  const sums = new Map<string, RuleSeen>();
  for (const [rule, { hits, last }] of overviews.flatMap(({ rules }) => [...rules])) {
    const sum = sums.get(rule);
    sums.set(rule, { hits: hits + (sum?.hits ?? 0), last: Math.max(last ?? 0, sum?.last ?? 0) || null });
  }
  return sums;
}

/** Over all runs, by event and hook. */
export function trafficOf(overviews: readonly Overview[]): Map<string, HookSeen> {
  const sums = new Map<string, HookSeen>();
  for (const { hooks } of overviews) {
    for (const [key, seen] of hooks) {
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? seen : added(sum, seen));
    }
  }
  return sums;
}

function added(one: HookSeen, two: HookSeen): HookSeen {
  const calls = one.calls + two.calls;
  // Of several runs the middle one, by how many calls each had: near enough to see who is slow.
  const mix = (at: 0 | 1) => (calls === 0 ? 0 : (one.ms[at] * one.calls + two.ms[at] * two.calls) / calls);
  return {
    hook: one.hook,
    event: one.event,
    calls,
    block: one.block + two.block,
    ask: one.ask + two.ask,
    modify: one.modify + two.modify,
    failures: one.failures + two.failures,
    failOpens: one.failOpens + two.failOpens,
    last: Math.max(one.last ?? 0, two.last ?? 0) || null,
    ms: [mix(0), mix(1)],
  };
}
