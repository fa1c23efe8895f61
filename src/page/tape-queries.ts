/** What the views ask, answered from the tapes, the policy and the questions of one machine. */
import { dirname } from 'node:path';
import { compileGlob } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import { filterOf, findIndex } from '../project/index.ts';
import { timeOf } from '../terminal/index.ts';
import type { ApprovalsDesk } from './approvals.ts';
import { guardsOf } from './guards.ts';
import type { Overviews } from './overview.ts';
import { plotsOf, plotsOfAll } from './plots.ts';
import { FILTERS, type RunFilter, type RunQueries, type Window } from './run-queries.ts';
import { Searches, type Wanted } from './search.ts';
import type { ApprovalsView, Guards, Rows, RunRow, Runs, Steps, Week } from './server/api.ts';
import { PageError } from './server/app.ts';
import type { ShownTape, Tapes } from './tapes.ts';
import type { TodaysPolicy } from './today.ts';
import { DAY_MS, WEEK_DAYS, weekOf } from './week.ts';

/** Agents, servers and the daemon are looked at anew after this time. */
const GUARDS_MS = 4000;

export class TapeQueries implements RunQueries {
  private readonly tapes: Tapes;
  private readonly overviews: Overviews;
  private readonly today: TodaysPolicy;
  private readonly desk: ApprovalsDesk;
  private readonly searches = new Searches(indexedFacts);
  private guarded: { readonly at: number; readonly guards: Promise<Guards> } | null = null;

  constructor(tapes: Tapes, overviews: Overviews, today: TodaysPolicy, desk: ApprovalsDesk) {
    this.tapes = tapes;
    this.overviews = overviews;
    this.today = today;
    this.desk = desk;
  }

  async runs(filter: RunFilter, zone: number): Promise<Runs> {
    const { overviews, done } = await this.overviews.all();
    const found = isNarrowed(filter)
      ? await this.search(filter, this.tapes.list(), { offset: 0, limit: 0 }, { whole: true })
      : null;
    const runs = overviews
      .map(
        ({ row }): RunRow =>
          found === null ? row : { ...row, hits: found.parts.get(row.id)?.rows.length ?? 0 },
      )
      .filter(({ hits }) => hits !== 0)
      .sort((a, b) => timeOfRun(b) - timeOfRun(a));
    return {
      runs,
      tapes: this.tapes.list().length,
      done: done && found?.done !== false,
      plots: found === null ? plotsOfAll(overviews, zone) : plotsOf(found.all, zone),
    };
  }

  async run(id: string): Promise<RunRow | null> {
    const tape = this.tapes.list().find((each) => each.id === id);
    return tape === undefined ? null : (await this.overviews.one(tape)).overview.row;
  }

  decisions(filter: RunFilter, window: Window): Promise<Rows> {
    return isNarrowed(filter)
      ? this.rows(filter, this.tapes.list(), window)
      : this.overviews.decisions(window.offset, window.limit);
  }

  /** Of one run, oldest first: decisions that the filter names, or every row. */
  async timeline(tape: ShownTape, filter: RunFilter, { offset, limit }: Window): Promise<Rows> {
    if (isNarrowed(filter)) return this.rows(filter, [tape], { offset, limit }, { forward: true });
    const { pass } = await this.overviews.one(tape);
    const total = pass.counted('rows');
    return {
      rows: await pass.window('rows', offset, Math.min(offset + limit, total)),
      offset,
      total,
      done: pass.read(tape) === 1,
      capped: false,
    };
  }

  async steps(tape: ShownTape, { offset, limit }: Window): Promise<Steps> {
    const { pass } = await this.overviews.one(tape);
    const total = pass.counted('steps');
    const rows = await pass.stepLines(offset, Math.min(offset + limit, total));
    return { rows, offset, total, done: pass.read(tape) === 1, capped: false };
  }

  async week(zone: number): Promise<Week> {
    const { overviews, done } = await this.overviews.all();
    const { root } = await this.today.open();
    const now = machineHost.now();
    const asked = this.desk.counts(now - WEEK_DAYS * DAY_MS).filter(({ folder }) => folder === root);
    return { ...weekOf(overviews, zone, now), asked, done };
  }

  guards(): Promise<Guards> {
    const now = performance.now();
    if (this.guarded === null || now - this.guarded.at > GUARDS_MS) {
      const guards = this.today.open().then((policy) => guardsOf(this.today.dir, policy));
      this.guarded = { at: now, guards };
    }
    return this.guarded.guards;
  }

  async waiting(everywhere: boolean): Promise<ApprovalsView> {
    return this.desk.list(everywhere ? null : (await this.today.open()).root);
  }

  private async rows(
    filter: RunFilter,
    tapes: readonly ShownTape[],
    window: Window,
    how: { readonly forward?: boolean } = {},
  ): Promise<Rows> {
    const { rows, offset, total, done, capped } = await this.search(filter, tapes, window, how);
    return { rows, offset, total, done, capped };
  }

  private search(
    filter: RunFilter,
    tapes: readonly ShownTape[],
    window: Window,
    { forward = false, whole = false }: { readonly forward?: boolean; readonly whole?: boolean },
  ) {
    const among = forward ? tapes.map(({ id }) => id) : [];
    const key = JSON.stringify([...among, ...FILTERS.map((name) => filter[name] ?? '')]);
    return this.searches.page(key, tapes, wantedFrom(filter, forward), { ...window, whole });
  }
}

function isNarrowed(filter: RunFilter): boolean {
  return FILTERS.some((name) => (filter[name] ?? '') !== '');
}

function wantedFrom(filter: RunFilter, forward: boolean): Wanted {
  const given = (name: string) => filter[name as keyof RunFilter] || undefined;
  const agent = given('agent');
  return {
    ...filterOf({ positionals: [], has: (name) => given(name) !== undefined, value: given }),
    text: (given('q') ?? '').toLowerCase(),
    since: momentOf(given('since'), 0),
    until: momentOf(given('until'), Number.POSITIVE_INFINITY),
    host: agent === undefined ? undefined : compileGlob(agent.includes('*') ? agent : `*${agent}*`),
    forward,
  };
}

export function momentOf(text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  const time = timeOf(text);
  if (Number.isNaN(time))
    throw new PageError(400, `want a date, or a span such as 7d or 12h, got ${JSON.stringify(text)}`);
  return time;
}

function timeOfRun({ last, started }: RunRow): number {
  return last ?? (Date.parse(started) || 0);
}

/** From the index that `tape find` left beside the tapes, if it did. */
function indexedFacts(file: string) {
  const facts = findIndex(dirname(file), false).known(file);
  return facts === null || 'problem' in facts ? null : facts;
}
