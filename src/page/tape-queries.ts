/** What the views ask, answered from the tapes, the policy and the questions of one machine. */
import { dirname } from 'node:path';
import { machineHost } from '../machine/index.ts';
import { findIndex } from '../project/index.ts';
import type { ApprovalsDesk } from './approvals.ts';
import { guardsOf } from './guards.ts';
import type { Overviews } from './overview.ts';
import { plotsOf, plotsOfAll } from './plots.ts';
import type { RunFilter, RunQueries, Window } from './run-queries.ts';
import type { ApprovalsView, Guards, Rows, RunRow, Runs, Week } from './server/api.ts';
import type { Tapes } from './tapes.ts';
import { isNarrowed, rowsOf, Timelines } from './timelines.ts';
import type { TodaysPolicy } from './today.ts';
import { DAY_MS, WEEK_DAYS, weekOf } from './week.ts';

/** Agents, servers and the daemon are looked at anew after this time. */
const GUARDS_MS = 4000;

export class TapeQueries implements RunQueries {
  private readonly tapes: Tapes;
  private readonly overviews: Overviews;
  private readonly today: TodaysPolicy;
  private readonly desk: ApprovalsDesk;
  readonly timelines: Timelines;
  private guarded: { readonly at: number; readonly guards: Promise<Guards> } | null = null;

  constructor(tapes: Tapes, overviews: Overviews, today: TodaysPolicy, desk: ApprovalsDesk) {
    this.tapes = tapes;
    this.overviews = overviews;
    this.timelines = new Timelines(overviews, indexedFacts);
    this.today = today;
    this.desk = desk;
  }

  async runs(filter: RunFilter, zone: number): Promise<Runs> {
    const { overviews, done } = await this.overviews.all();
    const found = isNarrowed(filter)
      ? await this.timelines.search(filter, this.tapes.list(), { offset: 0, limit: 0 }, { whole: true })
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

  async decisions(filter: RunFilter, window: Window): Promise<Rows> {
    return isNarrowed(filter)
      ? rowsOf(await this.timelines.search(filter, this.tapes.list(), window))
      : this.overviews.decisions(window.offset, window.limit);
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
}

function timeOfRun({ last, started }: RunRow): number {
  return last ?? (Date.parse(started) || 0);
}

/** From the index that `tape find` left beside the tapes, if it did. */
function indexedFacts(file: string) {
  const facts = findIndex(dirname(file), false).known(file);
  return facts === null || 'problem' in facts ? null : facts;
}
