/** The page of one folder, ready to be asked: mounted by the daemon, or by `harness ui` where no daemon runs. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { foldersHere, runFolders } from '../project/index.ts';
import { type RunSource, runRoutes, withUserErrors } from './run-routes.ts';
import type { About } from './server/api.ts';
import type { Route } from './server/app.ts';
import { readAssets } from './server/assets.ts';
import { PageKeys } from './server/keys.ts';
import { type Listening, type ListenOptions, listenForPage } from './server/listen.ts';
import { pageRoutes } from './services.ts';

/** What is to be shown, and to whom. Paths are absolute. */
export interface PageRequest {
  /** A project: its policy, its runs and those of the user. */
  readonly dir: string;
  /** A folder of tapes, or a tape: then nothing but these. */
  readonly runs: string | null;
  readonly readOnly: boolean;
  /** It was opened by a person at a terminal. */
  readonly person: boolean;
}

export interface MountOptions extends Partial<ListenOptions> {
  /** The launcher's entry; the browser's part stands near it. */
  readonly entry: string;
  readonly token?: string;
}

const LOOPBACK = '127.0.0.1';
/** Anybody who can open the page could answer: only a person who began it at a terminal is known to be one. */
const NO_PERSON = 'the page was not opened at a terminal; `harness approvals` answers there';

export function mountPage(
  { dir, runs, readOnly, person }: PageRequest,
  { entry, token = randomBytes(24).toString('base64url'), host = LOOPBACK, port = 0, ...rest }: MountOptions,
): Promise<Listening> {
  const mute = readOnly ? 'this page is read-only' : person ? null : NO_PERSON;
  const services = {
    keys: new PageKeys(token),
    readOnly,
    assets: readAssets(join(dirname(entry), '..', 'web')),
    ...pageRoutes({ dir, places: placesOf(dir, runs), readOnly, mute }),
  };
  return listenForPage(services, { host, port, ...rest });
}

/** The page of a source that has runs and nothing else: no policy, no questions, nothing that writes. */
export function mountSource(
  source: RunSource,
  about: Pick<About, 'version' | 'dir'>,
  further: readonly Route[],
  {
    entry,
    token = randomBytes(24).toString('base64url'),
    host = LOOPBACK,
    port = 0,
    open,
    ...rest
  }: MountOptions & { readonly open: string },
): Promise<Listening> {
  const told: About = { ...about, source: 'hub', places: [], readOnly: true, warnings: [], approvals: false };
  const routes: Route[] = [
    {
      method: 'GET',
      path: '/about',
      handle: async () => ({ ...told, warnings: (await source.queries.guards()).warnings }),
    },
    ...runRoutes(source),
    ...further,
  ];
  const services = {
    keys: new PageKeys(token),
    readOnly: true,
    assets: readAssets(join(dirname(entry), '..', 'web')),
    routes: routes.map((route) => ({ ...route, handle: withUserErrors(route.handle) })),
    live: [],
    open,
  };
  return listenForPage(services, { host, port, ...rest });
}

function placesOf(dir: string, runs: string | null): () => readonly string[] {
  if (runs === null) return () => [...runFolders(dir), ...foldersHere('imports', dir)];
  const inside = join(runs, '.harness', 'runs');
  const place = existsSync(inside) ? inside : runs;
  return () => [place];
}
