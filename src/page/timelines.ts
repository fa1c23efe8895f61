/** One run as rows and as steps, oldest first, and searches over any number of tapes. */
import { compileGlob } from '../base/index.ts';
import { filterOf } from '../project/index.ts';
import { timeOf } from '../terminal/index.ts';
import type { Overviews } from './overview.ts';
import { FILTERS, type RunFilter, type Window } from './run-queries.ts';
import { type FactsLookup, Searches, type WantedRows } from './search.ts';
import type { Rows, Steps } from './server/api.ts';
import { PageError } from './server/app.ts';
import type { ShownTape } from './tapes.ts';

export class Timelines {
  private readonly overviews: Overviews;
  private readonly searches: Searches;

  constructor(overviews: Overviews, facts: FactsLookup = () => null) {
    this.overviews = overviews;
    this.searches = new Searches(facts);
  }

  /** Decisions that the filter names, or every row. */
  async rows(tape: ShownTape, filter: RunFilter, window: Window): Promise<Rows> {
    if (isNarrowed(filter)) return rowsOf(await this.search(filter, [tape], window, { forward: true }));
    const { offset, limit } = window;
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

  /** Decisions of all these tapes, the newest first unless `forward`. */
  search(
    filter: RunFilter,
    tapes: readonly ShownTape[],
    window: Window,
    { forward = false, whole = false }: { readonly forward?: boolean; readonly whole?: boolean } = {},
  ) {
    const among = forward ? tapes.map(({ id }) => id) : [];
    const key = JSON.stringify([...among, ...FILTERS.map((name) => filter[name] ?? '')]);
    return this.searches.page(key, tapes, wantedRowsOf(filter, forward), { ...window, whole });
  }
}

export function rowsOf({ rows, offset, total, done, capped }: Rows): Rows {
  return { rows, offset, total, done, capped };
}

export function isNarrowed(filter: RunFilter): boolean {
  return FILTERS.some((name) => (filter[name] ?? '') !== '');
}

export function wantedRowsOf(filter: RunFilter, forward: boolean): WantedRows {
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
