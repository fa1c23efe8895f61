/**
 * Every run in a line, and what all of them add up to: counts by hook, how long hooks took, when each fired last. While a tape is
 * being read, it is what it adds up to so far.
 */

import { summaryOf } from '../project/index.ts';
import { countsOf, type Header, isFailOpen, total } from '../tape/index.ts';
import type { Row, Rows, RunRow, Traffic } from './server/api.ts';
import { type RuleStops, TapePass } from './tape-pass.ts';
import type { ShownTape, Tapes } from './tapes.ts';

export interface Overview {
  readonly row: RunRow;
  readonly header: Header | null;
  /** By event and hook. */
  readonly hooks: ReadonlyMap<string, HookTraffic>;
  /** Rules of packs by their names: how often each stopped something or asked, and when last. */
  readonly rules: ReadonlyMap<string, RuleStops>;
  /** What packs stopped on a tape that does not name their rules: it was written before they were on record. */
  readonly unnamed: number;
  readonly pass: TapePass;
  readonly state: string;
}

interface HookTraffic extends Traffic {
  readonly hook: string;
  readonly event: string;
  readonly ms: readonly [p50: number, p95: number];
}

/** What a request waits for tapes that are not read yet. */
const WAIT_MS = 250;
/** The first screen of a long tape is read from its end: nobody waits for the whole of it. */
export const SCREEN_BYTES = 128 * 1024;

export class Overviews {
  private readonly tapes: Pick<Tapes, 'list'>;
  private readonly passes = new Map<string, TapePass>();
  private readonly known = new Map<string, Overview>();
  private reading: Promise<void> | null = null;

  constructor(tapes: Pick<Tapes, 'list'>) {
    this.tapes = tapes;
  }

  /** As far as they are known soon; `done` if that is all of them. */
  async all(): Promise<{ readonly overviews: readonly Overview[]; readonly done: boolean }> {
    const tapes = this.tapes.list();
    const done = () => tapes.every((tape) => this.pass(tape).read(tape) === 1);
    if (!done()) {
      this.reading ??= this.readAll(tapes).finally(() => {
        this.reading = null;
      });
      // The caller hears of a failure; the process goes on.
      this.reading.catch(() => {});
      await soon(this.reading);
    }
    const overviews = tapes.filter(
      (tape) => this.pass(tape).header !== null || this.pass(tape).read(tape) === 1,
    );
    return { overviews: overviews.map((tape) => this.overview(tape)), done: done() };
  }

  /** As far as it is known soon. */
  async one(tape: ShownTape): Promise<{ readonly overview: Overview; readonly pass: TapePass }> {
    const pass = this.pass(tape);
    await soon(pass.catchUp(tape));
    return { overview: this.overview(tape), pass };
  }

  /** Decisions of all runs, the newest first; `total`: as many as are known so far. */
  async decisions(offset: number, limit: number): Promise<Rows> {
    const { done } = await this.all();
    const rows: Row[] = [];
    let total = 0;
    for (const tape of this.tapes.list()) {
      const pass = this.pass(tape);
      const whole = pass.read(tape) === 1;
      const early = whole ? null : pass.lastRows(SCREEN_BYTES);
      const all = early?.length ?? pass.counted('decisions');
      const [from, to] = [Math.max(0, offset - total), Math.min(all, offset + limit - total)];
      if (from < to)
        rows.push(
          ...(early?.slice(from, to) ?? (await pass.window('decisions', all - to, all - from)).reverse()),
        );
      total += all;
      if (!whole) break;
    }
    return { rows, offset, total, done, capped: false };
  }

  /** What was read of a tape that is no longer shown. */
  forget(id: string): void {
    this.passes.delete(id);
    this.known.delete(id);
  }

  pass(tape: ShownTape): TapePass {
    const known = this.passes.get(tape.id);
    if (known?.continues(tape) === true) return known;
    const pass = new TapePass(tape);
    this.passes.set(tape.id, pass);
    return pass;
  }

  private overview(tape: ShownTape): Overview {
    const known = this.known.get(tape.id);
    const pass = this.pass(tape);
    if (known?.state === tape.state && known.row.read === 1) return known;
    const overview = overviewOf(tape, pass);
    this.known.set(tape.id, overview);
    return overview;
  }

  private async readAll(tapes: readonly ShownTape[]): Promise<void> {
    for (const tape of tapes) await this.pass(tape).catchUp(tape);
  }
}

async function soon(work: Promise<void>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())]);
}

function overviewOf(tape: ShownTape, pass: TapePass): Overview {
  const { header, stats, last, problem, rules, unnamed, fired, facts } = pass;
  const {
    session,
    host,
    started,
    policy: _policy,
    file: _file,
    ...counts
  } = summaryOf(tape.file, header, countsOf(stats, last, problem));
  const row = {
    ...counts,
    id: tape.id,
    machine: null,
    session: session ?? '',
    host: host ?? '',
    started: started ?? '',
    agent: (host ?? '').replace(/^import /, ''),
    ...{ title: facts.title, model: facts.model, person: facts.person, folder: facts.folder },
    ...{ calls: facts.calls, tokens: facts.tokens, costUsd: facts.costUsd },
    ms: last === null || started === null ? null : Math.max(0, last - Date.parse(started)) || null,
    hits: null,
    read: pass.read(tape),
  };
  const hooks = new Map(
    [...stats.hooks].map(
      ([key, { hook, event, calls, results, failures, durations }]): [string, HookTraffic] => {
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
  return { row, header, hooks, rules, unnamed, pass, state: tape.state };
}

/** Over all runs, by name. */
export function rulesOf(overviews: readonly Overview[]): Map<string, RuleStops> {
  const sums = new Map<string, RuleStops>();
  for (const [rule, { hits, last }] of overviews.flatMap(({ rules }) => [...rules])) {
    const sum = sums.get(rule);
    sums.set(rule, { hits: hits + (sum?.hits ?? 0), last: Math.max(last ?? 0, sum?.last ?? 0) || null });
  }
  return sums;
}

/** Over all runs, by event and hook. */
export function trafficOf(overviews: readonly Overview[]): Map<string, HookTraffic> {
  const sums = new Map<string, HookTraffic>();
  for (const { hooks } of overviews) {
    for (const [key, seen] of hooks) {
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? seen : added(sum, seen));
    }
  }
  return sums;
}

function added(one: HookTraffic, two: HookTraffic): HookTraffic {
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
