/** What the page asks for, route by route, over the tapes and the policy of one folder. */
import { dirname } from 'node:path';
import { compileGlob } from '../base/index.ts';
import { CATALOG } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { askStats, openQueue, type Policy } from '../policy/index.ts';
import { filterOf, findIndex } from '../project/index.ts';
import { timeOf, UsageError } from '../terminal/index.ts';
import { ApprovalsDesk } from './approvals.ts';
import { Backtests } from './backtests.ts';
import { draftFiles, draftFrom, readDraft, saveDraft } from './drafts.ts';
import { liveMessages } from './live.ts';
import { Overviews } from './overview.ts';
import { tryEvent } from './playground.ts';
import { plotsOf, plotsOfAll } from './plots.ts';
import { guardsOff, policyView, testsView } from './policy-view.ts';
import { decisionDetail, runDetail, sealOf, todayOf } from './run-view.ts';
import { Searches, type Wanted } from './search.ts';
import type { About, Rows, RunRow, Runs } from './server/api.ts';
import { type Asked, PageError, type PageServices, type Route } from './server/app.ts';
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
  const searches = new Searches(indexedFacts);
  const today = new TodaysPolicy(dir);
  const backtests = new Backtests();
  const desk = new ApprovalsDesk(openQueue(machineHost), mute);
  const seals = new Map<string, { state: string; seal: ReturnType<typeof sealOf> }>();

  const about = async (): Promise<About> => ({
    version: HARNESS_VERSION,
    dir: (await today.open()).dir,
    places: places(),
    readOnly,
    off: await guardsOff(dir),
    approvals: mute === null,
  });

  const runs = async ({ query }: Asked): Promise<Runs> => {
    const wanted = wantedFrom(query);
    const { overviews: known, done } = await overviews.all();
    const zone = Math.max(-900, Math.min(900, Number(query.get('zone') ?? 0) || 0));
    const found = isNarrowed(query)
      ? await searches.page(keyOf(query), tapes.list(), wanted, { offset: 0, limit: 0, whole: true })
      : null;
    const rows = known
      .map(
        ({ row }): RunRow =>
          found === null ? row : { ...row, hits: found.parts.get(row.id)?.rows.length ?? 0 },
      )
      .filter(({ hits }) => hits !== 0)
      .sort((a, b) => timeOfRun(b) - timeOfRun(a));
    return {
      runs: rows,
      tapes: tapes.list().length,
      done: done && found?.done !== false,
      plots: found === null ? plotsOfAll(known, zone) : plotsOf(found.all, zone),
    };
  };

  const found = async (key: string, among: readonly ShownTape[], wanted: Wanted, query: URLSearchParams) => {
    const { rows, offset, total, done, capped } = await searches.page(key, among, wanted, pageFrom(query));
    return { rows, offset, total, done, capped };
  };

  const decisions = ({ query }: Asked): Promise<Rows> => {
    const { offset, limit } = pageFrom(query);
    return isNarrowed(query)
      ? found(keyOf(query), tapes.list(), wantedFrom(query), query)
      : overviews.decisions(offset, limit);
  };

  const timeline = async ({ params, query }: Asked): Promise<Rows> => {
    const tape = tapes.find(params.id!);
    if (isNarrowed(query))
      return found(`${tape.id}\n${keyOf(query)}`, [tape], { ...wantedFrom(query), forward: true }, query);
    const { offset, limit } = pageFrom(query);
    const { pass } = await overviews.one(tape);
    const total = pass.counted('rows');
    return {
      rows: await pass.window('rows', offset, Math.min(offset + limit, total)),
      offset,
      total,
      done: pass.read(tape) === 1,
      capped: false,
    };
  };

  const seal = (tape: ShownTape) => {
    const known = seals.get(tape.id);
    if (known?.state === tape.state) return known.seal;
    const proof = sealOf(tape);
    seals.set(tape.id, { state: tape.state, seal: proof });
    return proof;
  };

  const policy = async () => {
    const { overviews: known, done } = await overviews.all();
    const queue = openQueue(machineHost);
    const asking = queue === null || queue.problem() !== null ? [] : askStats(queue.folder);
    return { ...(await policyView(dir, await today.open(), known, asking)), done };
  };

  const routes: Route[] = [
    { method: 'GET', path: '/about', handle: about },
    { method: 'GET', path: '/runs', handle: runs },
    { method: 'GET', path: '/decisions', handle: decisions },
    {
      method: 'GET',
      path: '/runs/:id',
      handle: ({ params }) => runDetail(tapes.find(params.id!), overviews, today),
    },
    { method: 'GET', path: '/runs/:id/rows', handle: timeline },
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
    { method: 'GET', path: '/policy', handle: policy },
    { method: 'POST', path: '/policy/tests', handle: () => testsView(dir) },
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
    { method: 'GET', path: '/approvals', handle: () => desk.list() },
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

const FILTERS = ['q', 'event', 'hook', 'tool', 'decision', 'failures', 'agent', 'since', 'until'] as const;

function isNarrowed(query: URLSearchParams): boolean {
  return FILTERS.some((name) => (query.get(name) ?? '') !== '');
}

function keyOf(query: URLSearchParams): string {
  return JSON.stringify(FILTERS.map((name) => query.get(name) ?? ''));
}

function wantedFrom(query: URLSearchParams): Wanted {
  const given = (name: string) => query.get(name) || undefined;
  const filter = filterOf({ positionals: [], has: (name) => given(name) !== undefined, value: given });
  const agent = given('agent');
  return {
    ...filter,
    text: (given('q') ?? '').toLowerCase(),
    since: momentOf(given('since'), 0),
    until: momentOf(given('until'), Number.POSITIVE_INFINITY),
    host: agent === undefined ? undefined : compileGlob(agent.includes('*') ? agent : `*${agent}*`),
    forward: false,
  };
}

function momentOf(text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  const time = timeOf(text);
  if (Number.isNaN(time))
    throw new PageError(400, `want a date, or a span such as 7d or 12h, got ${JSON.stringify(text)}`);
  return time;
}

function pageFrom(query: URLSearchParams): { offset: number; limit: number } {
  const offset = numberOf(query.get('offset') ?? '0');
  return { offset, limit: Math.min(MOST_ROWS, numberOf(query.get('limit') ?? '100')) };
}

function numberOf(text: string | undefined): number {
  const number = Number(text);
  if (!/^\d+$/.test(text ?? '') || !Number.isSafeInteger(number))
    throw new PageError(400, `want a whole number, got ${JSON.stringify(text)}`);
  return number;
}

function timeOfRun({ last, started }: RunRow): number {
  return last ?? (Date.parse(started) || 0);
}

/** From the index that `tape find` left beside the tapes, if it did. */
function indexedFacts(file: string) {
  const facts = findIndex(dirname(file), false).known(file);
  return facts === null || 'problem' in facts ? null : facts;
}
