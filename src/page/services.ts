/** What the page asks for, route by route, over the tapes and the policy of one folder. */
import { CATALOG } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { openQueue, type Policy } from '../policy/index.ts';
import { UsageError } from '../terminal/index.ts';
import { ApprovalsDesk } from './approvals.ts';
import { Backtests } from './backtests.ts';
import { draftFiles, draftFrom, readDraft, saveDraft } from './drafts.ts';
import { exceptionDraft, exceptionView, saveException } from './exceptions.ts';
import { liveMessages } from './live.ts';
import { originsOf } from './origins.ts';
import { Overviews } from './overview.ts';
import { tryEvent } from './playground.ts';
import { policyView, problemsView, testsView } from './policy-view.ts';
import { FILTERS, type RunFilter, type Window } from './run-queries.ts';
import { decisionDetail, runDetail, sealOf, stoppedOf, todayOf } from './run-view.ts';
import type { About, Rows } from './server/api.ts';
import { type Asked, PageError, type PageServices, type Route } from './server/app.ts';
import { momentOf, TapeQueries } from './tape-queries.ts';
import { type ShownTape, Tapes } from './tapes.ts';
import { TodaysPolicy } from './today.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

export interface ServiceOptions {
  readonly dir: string;
  /** Folders of tapes, and tapes. */
  readonly places: () => readonly string[];
  readonly readOnly: boolean;
  /** Why nobody can answer questions here; null if somebody can. */
  readonly mute: string | null;
}

const MOST_ROWS = 500;

export function pageRoutes({
  dir,
  places,
  readOnly,
  mute,
}: ServiceOptions): Pick<PageServices, 'routes' | 'live'> {
  const tapes = new Tapes(places);
  const overviews = new Overviews(tapes);
  const today = new TodaysPolicy(dir);
  const backtests = new Backtests();
  const desk = new ApprovalsDesk(openQueue(machineHost), mute);
  const queries = new TapeQueries(tapes, overviews, today, desk);
  const seals = new Map<string, { state: string; seal: ReturnType<typeof sealOf> }>();

  const about = async (): Promise<About> => ({
    version: HARNESS_VERSION,
    dir: (await today.open()).dir,
    places: places(),
    readOnly,
    warnings: (await queries.guards()).warnings,
    approvals: mute === null,
  });

  const timeline = ({ params, query }: Asked): Promise<Rows> =>
    queries.timeline(tapes.find(params.id!), filterFrom(query), windowFrom(query));

  const seal = (tape: ShownTape) => {
    const known = seals.get(tape.id);
    if (known?.state === tape.state) return known.seal;
    const proof = sealOf(tape);
    seals.set(tape.id, { state: tape.state, seal: proof });
    return proof;
  };

  const policy = async () => {
    const { overviews: known, done } = await overviews.all();
    const view = policyView(await today.open(), known, desk.counts(0), await queries.guards());
    return { ...view, done };
  };

  const routes: Route[] = [
    { method: 'GET', path: '/about', handle: about },
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
    {
      method: 'GET',
      path: '/runs/:id',
      handle: ({ params }) => runDetail(tapes.find(params.id!), overviews),
    },
    {
      method: 'GET',
      path: '/runs/:id/stopped',
      handle: ({ params }) => stoppedOf(tapes.find(params.id!), overviews, today),
    },
    { method: 'GET', path: '/runs/:id/rows', handle: timeline },
    {
      method: 'GET',
      path: '/runs/:id/steps',
      handle: ({ params, query }) => queries.steps(tapes.find(params.id!), windowFrom(query)),
    },
    { method: 'GET', path: '/runs/:id/seal', handle: ({ params }) => seal(tapes.find(params.id!)) },
    {
      method: 'GET',
      path: '/runs/:id/decisions/:seq',
      handle: ({ params }) => decisionDetail(tapes.find(params.id!), numberOf(params.seq), overviews, today),
    },
    {
      method: 'POST',
      path: '/runs/:id/decisions/:seq/today',
      handle: ({ params }) => todayOf(tapes.find(params.id!), numberOf(params.seq), overviews, today),
    },
    {
      method: 'GET',
      path: '/runs/:id/decisions/:seq/origins',
      handle: async ({ params }) =>
        originsOf(tapes.find(params.id!), numberOf(params.seq), await today.open()),
    },
    { method: 'GET', path: '/policy', handle: policy },
    { method: 'GET', path: '/policy/problems', handle: () => problemsView(dir) },
    { method: 'POST', path: '/policy/tests', handle: () => testsView(dir) },
    {
      method: 'POST',
      path: '/policy/exception',
      handle: async ({ body }) => exceptionView(await today.open(), body),
    },
    {
      method: 'POST',
      path: '/policy/exception/backtest',
      handle: async ({ body }) => {
        const policy = await today.open();
        return backtests.start(policy, tapes.list(), exceptionDraft(policy, body), 0);
      },
    },
    {
      method: 'POST',
      path: '/policy/exception/save',
      writes: true,
      handle: async ({ body }) => {
        // It loosens the policy: that takes a person.
        if (mute !== null) throw new PageError(403, mute);
        return saveException(await today.open(), body);
      },
    },
    {
      method: 'GET',
      path: '/playground/hooks',
      handle: async () => ({ hooks: draftFiles(await today.open()), events: Object.keys(CATALOG) }),
    },
    {
      method: 'GET',
      path: '/playground/file',
      handle: async ({ query }) => readDraft(await today.open(), query.get('source') ?? ''),
    },
    {
      method: 'POST',
      path: '/playground/decide',
      handle: async ({ body }) => tryEvent(await today.open(), body),
    },
    {
      method: 'POST',
      path: '/playground/save',
      writes: true,
      handle: async ({ body }) => save(await today.open(), body),
    },
    {
      method: 'POST',
      path: '/backtest',
      handle: async ({ body }) => {
        const { since } = (body ?? {}) as { since?: unknown };
        const from = momentOf(typeof since === 'string' ? since : undefined, 0);
        return backtests.start(await today.open(), tapes.list(), draftFrom(body), from);
      },
    },
    { method: 'GET', path: '/approvals', handle: ({ query }) => queries.waiting(query.has('all')) },
    {
      method: 'POST',
      path: '/approvals/:id/look',
      writes: true,
      handle: ({ params }) => desk.look(params.id!),
    },
    {
      method: 'POST',
      path: '/approvals/:id/answer',
      writes: true,
      handle: ({ params, body }) => desk.answer(params.id!, body),
    },
    { method: 'GET', path: '/backtest/:id', handle: ({ params }) => backtests.view(params.id!) },
    { method: 'GET', path: '/backtest/:id/markdown', handle: ({ params }) => backtests.markdown(params.id!) },
    { method: 'POST', path: '/backtest/:id/stop', handle: ({ params }) => backtests.stop(params.id!) },
  ];
  return {
    routes: routes.map((route) => ({ ...route, handle: plainly(route.handle) })),
    live: [{ path: '/live', listen: ({ signal }) => liveMessages(tapes, signal) }],
  };
}

function save(policy: Policy, body: unknown) {
  const draft = draftFrom(body);
  if (draft === null) throw new PageError(400, 'want a file and its text');
  const { digest } = body as { digest?: unknown };
  return saveDraft(policy, draft, typeof digest === 'string' ? digest : null);
}

/** What a person asked for wrongly is their mistake here too. */
function plainly(handle: Route['handle']): Route['handle'] {
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

function numberOf(text: string | undefined): number {
  const number = Number(text);
  if (!/^\d+$/.test(text ?? '') || !Number.isSafeInteger(number))
    throw new PageError(400, `want a whole number, got ${JSON.stringify(text)}`);
  return number;
}
