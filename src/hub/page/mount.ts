/** The page of a hub: runs of every machine, and the machines. Only on loopback, for who has the link; it changes nothing. */
import { VERSION } from '../../base/index.ts';
import type { Host } from '../../machine/index.ts';
import { type Listening, mountSource, Overviews, Timelines } from '../../page/index.ts';
import type { Database } from '../database.ts';
import { Machines } from '../machines.ts';
import { HubQueries } from './hub-queries.ts';
import { TapeFiles } from './tape-files.ts';

export interface HubPageOptions {
  readonly database: Database;
  readonly secret: string;
  readonly host: Pick<Host, 'now' | 'uuid'>;
  readonly port: number;
  /** The launcher's entry; the browser's part stands near it. */
  readonly entry: string;
  /** The command that prints a link. */
  readonly open: string;
}

export async function mountHubPage({
  database,
  secret,
  host,
  ...options
}: HubPageOptions): Promise<Listening> {
  const overviews = new Overviews({ list: () => [] });
  const files = new TapeFiles(database, (id) => overviews.forget(id));
  const queries = new HubQueries(database, new Machines(database, secret, host), host);
  const source = {
    queries,
    overviews,
    tape: (id: string) => files.find(id),
    timelines: new Timelines(overviews),
    today: null,
  };
  const about = { version: VERSION, dir: database.name };
  const machines = { method: 'GET' as const, path: '/machines', handle: () => queries.fleet() };
  const page = await mountSource(source, about, [machines], options);
  const close = async () => {
    await page.close();
    files.close();
  };
  return { ...page, close };
}
