/**
 * Opens a hub and listens: the embedded store in a folder that one process owns, or a database that many hubs share. Plain HTTP,
 * so only on loopback; a proxy in front brings TLS.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { HarnessError } from '../base/index.ts';
import {
  type HttpServer,
  isLoopback,
  listenAt,
  machineHost,
  type Release,
  randomHex,
  replaceFile,
  tryLock,
} from '../machine/index.ts';
import type { Listening } from '../page/index.ts';
import { hubApp } from './app.ts';
import { sendToCollector } from './collector.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { type HubPageOptions, mountHubPage } from './page/mount.ts';
import { openPostgres } from './postgres.ts';
import { type Migrated, migrate, openSchema } from './schema.ts';
import { openSqlite } from './sqlite.ts';

/** Where the record of a hub is. */
export type HubPlace = { readonly dir: string } | { readonly db: string };

export interface OpenStore {
  readonly database: Database;
  readonly secret: string;
  close(): Promise<void>;
}

export interface RunningHub {
  readonly url: string;
  readonly store: string;
  /** Opens the page once, and soon; null: there is no page. */
  readonly pageLink: () => string | null;
  close(): Promise<void>;
}

/** A request that comes a byte at a time must not stand in the way for ever. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 120_000 };

const LOCK = 'hub';
const ADMIN = 'admin.json';

/** `create`: of a folder without a store. Throws HUB_BUSY if another process has the folder, HUB_STORE if the store cannot be opened. */
export async function openStore(place: HubPlace, create: boolean): Promise<OpenStore> {
  if ('db' in place) {
    const database = await openPostgres(place.db);
    const close = () => database.close();
    const secret = await openSchema(database).catch(async (thrown: unknown) => {
      await close();
      throw thrown instanceof DatabaseUnavailable
        ? new HarnessError('HUB_STORE', `${database.name} cannot be reached: ${thrown.message}`)
        : thrown;
    });
    return { database, secret, close };
  }
  const file = join(place.dir, 'hub.db');
  if (create) mkdirSync(place.dir, { recursive: true, mode: 0o700 });
  else if (!existsSync(file))
    throw new HarnessError(
      'HUB_STORE',
      `${place.dir} is not the folder of a hub: it has no hub.db. A new hub is made by: harness hub serve --dir ${place.dir}`,
    );
  const release = lockFolder(place.dir);
  try {
    const database = await openSqlite(file);
    await migrate(database);
    const secret = await openSchema(database);
    const close = async () => {
      await database.close();
      release();
    };
    return { database, secret, close };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** For PostgreSQL: a person decides when its schema changes. */
export async function migrateDatabase(url: string): Promise<Migrated> {
  const database = await openPostgres(url);
  try {
    return await migrate(database);
  } catch (thrown) {
    if (!(thrown instanceof DatabaseUnavailable)) throw thrown;
    throw new HarnessError('HUB_STORE', `${database.name} cannot be reached: ${thrown.message}`);
  } finally {
    await database.close();
  }
}

function lockFolder(dir: string): Release {
  const lock = tryLock(join(dir, LOCK));
  if ('heldBy' in lock)
    throw new HarnessError('HUB_BUSY', `${dir} is the folder of a running hub: ${lock.heldBy}`);
  return lock.release;
}

export interface ServeOptions {
  readonly place: HubPlace;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** A collector of OpenTelemetry that is sent decisions and counts. */
  readonly collector?: { readonly address: URL; readonly onChange: (problem: string | null) => void };
  /** The page, on a port of its own: what is in front of the hub does not lead to it. */
  readonly page?: Pick<HubPageOptions, 'port' | 'entry' | 'open'>;
  readonly onError?: (error: unknown) => void;
}

export async function serveHub(options: ServeOptions): Promise<RunningHub> {
  const { place, host, port, collector, onError } = options;
  if (!isLoopback(host))
    throw new HarnessError(
      'HUB_ADDRESS',
      `${host} is not a loopback address, and the hub speaks plain HTTP. Listen on 127.0.0.1 and put a proxy with TLS in front`,
    );
  const store = await openStore(place, true);
  const adminToken = 'dir' in place ? randomHex(32) : null;
  const { database, secret } = store;
  let page: Listening | null = null;
  const pageLink = () => page?.linkOnce() ?? null;
  const shared = { database, secret, host: machineHost };
  const app = hubApp({ ...shared, adminToken, pageLink, ...(onError && { onError }) });
  try {
    if (options.page !== undefined) page = await mountHubPage({ ...shared, ...options.page });
    const server = createAdaptorServer({ fetch: app.fetch, serverOptions: TIMEOUTS }) as HttpServer;
    const { url, close: endServer } = await listenAt(server, { host, port }).catch((error) => {
      throw listenError(error, host, port);
    });
    if ('dir' in place)
      replaceFile(join(place.dir, ADMIN), `${JSON.stringify({ url, token: adminToken })}\n`);
    const ending = new AbortController();
    const sending =
      collector && sendToCollector({ database, host: machineHost, ...collector }, ending.signal);
    const close = async () => {
      ending.abort();
      await page?.close();
      await sending;
      await endServer();
      if ('dir' in place) rmSync(join(place.dir, ADMIN), { force: true });
      await store.close();
    };
    return { url, store: database.name, pageLink, close };
  } catch (thrown) {
    await page?.close();
    await store.close();
    throw thrown;
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new HarnessError('HUB_ADDRESS', `another process listens on ${host}:${port}. Give another --port`);
}

export interface AdminAddress {
  readonly url: string;
  readonly token: string;
}

/** Of the hub that has the folder; null if none has written it. */
export function adminAddress(dir: string): AdminAddress | null {
  try {
    return JSON.parse(readFileSync(join(dir, ADMIN), 'utf8')) as AdminAddress;
  } catch {
    return null;
  }
}
