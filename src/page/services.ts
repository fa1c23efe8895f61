/** What the page asks for, route by route, over the tapes and the policy of one folder. */
import { CATALOG } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { openQueue, type Policy } from '../policy/index.ts';
import { ApprovalsDesk } from './approvals.ts';
import { Backtests } from './backtests.ts';
import { draftFiles, draftFrom, readDraft, saveDraft } from './drafts.ts';
import { exceptionDraft, exceptionView, saveException } from './exceptions.ts';
import { liveMessages } from './live.ts';
import { argumentOriginsOf } from './origins.ts';
import { Overviews } from './overview.ts';
import { tryEvent } from './playground.ts';
import { policyView, problemsView, testsView } from './policy-view.ts';
import { numberOf, runRoutes, withUserErrors } from './run-routes.ts';
import { todaysDecision } from './run-view.ts';
import type { About } from './server/api.ts';
import { PageError, type PageServices, type Route } from './server/app.ts';
import { TapeQueries } from './tape-queries.ts';
import { Tapes } from './tapes.ts';
import { momentOf } from './timelines.ts';
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

  const about = async (): Promise<About> => ({
    source: 'machine',
    version: HARNESS_VERSION,
    dir: (await today.open()).dir,
    places: places(),
    readOnly,
    warnings: (await queries.guards()).warnings,
    approvals: mute === null,
  });

  const policy = async () => {
    const { overviews: known, done } = await overviews.all();
    const view = policyView(await today.open(), known, desk.counts(0), await queries.guards());
    return { ...view, done };
  };

  const routes: Route[] = [
    { method: 'GET', path: '/about', handle: about },
    ...runRoutes({ queries, tape: (id) => tapes.find(id), overviews, timelines: queries.timelines, today }),
    {
      method: 'POST',
      path: '/runs/:id/decisions/:seq/today',
      handle: ({ params }) => todaysDecision(tapes.find(params.id!), numberOf(params.seq), overviews, today),
    },
    {
      method: 'GET',
      path: '/runs/:id/decisions/:seq/origins',
      handle: async ({ params }) =>
        argumentOriginsOf(tapes.find(params.id!), numberOf(params.seq), await today.open()),
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
    routes: routes.map((route) => ({ ...route, handle: withUserErrors(route.handle) })),
    live: [{ path: '/live', listen: ({ signal }) => liveMessages(tapes, signal) }],
  };
}

function save(policy: Policy, body: unknown) {
  const draft = draftFrom(body);
  if (draft === null) throw new PageError(400, 'want a file and its text');
  const { digest } = body as { digest?: unknown };
  return saveDraft(policy, draft, typeof digest === 'string' ? digest : null);
}
