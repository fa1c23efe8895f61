/** The routes about recorded runs, over any source that answers them: the tapes of a machine, or the store of a hub. */
import { UsageError } from '../terminal/index.ts';
import type { Overviews } from './overview.ts';
import { FILTERS, type RunFilter, type RunQueries, type Window } from './run-queries.ts';
import { decisionDetail, runDetail, sealOf, stoppedOf } from './run-view.ts';
import { type PageCall, PageError, type Route } from './server/app.ts';
import type { ShownTape } from './tapes.ts';
import type { Timelines } from './timelines.ts';
import type { TodaysPolicy } from './today.ts';

export interface RunSource {
  readonly queries: RunQueries;
  /** The file of a run, which its own views read. Throws a PageError if there is no such run. */
  readonly tape: (id: string) => ShownTape | Promise<ShownTape>;
  readonly overviews: Overviews;
  readonly timelines: Timelines;
  /** Null: the source has no policy to compare runs with. */
  readonly today: TodaysPolicy | null;
}

const MOST_ROWS = 500;

export function runRoutes({ queries, tape, overviews, timelines, today }: RunSource): Route[] {
  const seals = new Map<string, { state: string; seal: ReturnType<typeof sealOf> }>();
  const sealFor = (shown: ShownTape) => {
    const known = seals.get(shown.id);
    if (known?.state === shown.state) return known.seal;
    const seal = sealOf(shown);
    seals.set(shown.id, { state: shown.state, seal });
    return seal;
  };
  const about = (path: string, answer: (shown: ShownTape, asked: PageCall) => unknown): Route => ({
    method: 'GET',
    path: `/runs/:id${path}`,
    handle: async (asked) => answer(await tape(asked.params.id!), asked),
  });
  return [
    { method: 'GET', path: '/guards', handle: () => queries.guards() },
    { method: 'GET', path: '/week', handle: ({ query }) => queries.week(zoneFrom(query)) },
    {
      method: 'GET',
      path: '/runs',
      handle: ({ query }) => queries.runs(filterFrom(query), zoneFrom(query)),
    },
    {
      method: 'GET',
      path: '/decisions',
      handle: ({ query }) => queries.decisions(filterFrom(query), windowFrom(query)),
    },
    { method: 'GET', path: '/approvals', handle: ({ query }) => queries.waiting(query.has('all')) },
    about('', (shown) => runDetail(shown, overviews)),
    about('/stopped', (shown) => stoppedOf(shown, overviews, today)),
    about('/rows', (shown, { query }) => timelines.rows(shown, filterFrom(query), windowFrom(query))),
    about('/steps', (shown, { query }) => timelines.steps(shown, windowFrom(query))),
    about('/seal', sealFor),
    about('/decisions/:seq', (shown, { params }) =>
      decisionDetail(shown, numberOf(params.seq), overviews, today),
    ),
  ];
}

/** What a person asked for wrongly is their mistake here too. */
export function withUserErrors(handle: Route['handle']): Route['handle'] {
  return async (asked) => {
    try {
      return await handle(asked);
    } catch (thrown) {
      throw thrown instanceof UsageError ? new PageError(400, thrown.message) : thrown;
    }
  };
}

function filterFrom(query: URLSearchParams): RunFilter {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
}

/** Minutes the reader's clock is behind UTC. */
function zoneFrom(query: URLSearchParams): number {
  return Math.max(-900, Math.min(900, Number(query.get('zone') ?? 0) || 0));
}

function windowFrom(query: URLSearchParams): Window {
  const offset = numberOf(query.get('offset') ?? '0');
  return { offset, limit: Math.min(MOST_ROWS, numberOf(query.get('limit') ?? '100')) };
}

export function numberOf(text: string | undefined): number {
  const number = Number(text);
  if (!/^\d+$/.test(text ?? '') || !Number.isSafeInteger(number))
    throw new PageError(400, `want a whole number, got ${JSON.stringify(text)}`);
  return number;
}
