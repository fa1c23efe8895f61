/**
 * The hub as a function of requests: one table of routes over the machines and the archive. It stores nothing itself, so that any
 * number of hubs can stand in front of one database.
 */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { stream } from 'hono/streaming';
import { isJsonObject, type JsonObject, sameSecret } from '../base/index.ts';
import {
  type AuthorStatement,
  FOLDER_HEADER,
  type HubTape,
  MAX_BATCH_BYTES,
  MAX_WAIT_MS,
  type MachineStatus,
  NEWEST,
  OWNER_HEADER,
  POLICY_PATH,
  SIGNED_HEADER,
  type Signed,
  STATUS_PATH,
  type Statement,
  TIMESTAMP_HEADER,
  VIEW_PAGE,
} from '../fleet/index.ts';
import type { Host } from '../machine/index.ts';
import { parseSignedHead, type SignedHead } from '../tape/index.ts';
import { type Accepted, Archive } from './archive.ts';
import { readBatch } from './batch.ts';
import { checkHub } from './check.ts';
import { countsOf, prometheusText } from './counts.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { Machines, Refused } from './machines.ts';
import { Policies } from './policies.ts';
import { removeBefore } from './retention.ts';
import { Viewer } from './viewer.ts';

export interface HubOptions {
  readonly database: Database;
  /** Shared by all hubs of the database. */
  readonly secret: string;
  readonly host: Pick<Host, 'now' | 'uuid'>;
  /** For the administrator's routes; null: they do not exist. */
  readonly adminToken: string | null;
  /** Gives a link to the page, for the administrator; null: there is none. */
  readonly pageLink?: () => string | null;
  readonly onError?: (error: unknown) => void;
}

/** Batches at one time, of one machine and in bytes of all; more get 429 and come again. */
const MOST_BATCHES = 2;
const MOST_BYTES = 4 * MAX_BATCH_BYTES;
const RETRY_SECONDS = '1';
const PAGE = 1000;
const LONGEST_TEXT = 1000;
const PLACE = /^[0-9a-f]{32}$/;

export function hubApp(options: HubOptions): Hono {
  const { database, secret, host } = options;
  const machines = new Machines(database, secret, host);
  const archive = new Archive(database, host.now);
  const policies = new Policies(database, host);
  const app = new Hono();
  const flow = new Flow();

  app.use(
    bodyLimit({ maxSize: MAX_BATCH_BYTES, onError: (c) => c.json({ error: 'the body is too large' }, 413) }),
  );
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.get('/readyz', async (c) => {
    const [row] = await database.all<{ found: number }>(database.dialect.isWritable);
    if (Number(row!.found) === 0) throw new DatabaseUnavailable('it is read-only');
    return c.json({ ok: true });
  });
  app.get('/metrics', async (c) => c.text(prometheusText(await countsOf(database, host.now()))));
  app.post('/v1/join', async (c) => {
    const { token, name, publicKey } = texts(await jsonOf(c), 'token', 'name', 'publicKey');
    return c.json(await machines.join({ token, name, publicKey }));
  });
  app.post('/v1/challenge', async (c) => {
    const { machine } = texts(await jsonOf(c), 'machine');
    return c.json({ challenge: machines.challenge(machine) });
  });
  app.post('/v1/token', async (c) => {
    const body = await jsonOf(c);
    const { signature } = texts(body, 'signature');
    return c.json(await machines.grant(statementOf(body.statement), signature));
  });

  app.get('/v1/tapes', async (c) => {
    const machine = await machines.holder(c.req.header('authorization'));
    const after = [c.req.query('place') ?? '', c.req.query('session') ?? ''] as const;
    return c.json({ tapes: await archive.tapesOf(machine, after, PAGE), page: PAGE });
  });
  app.post('/v1/tapes/:place/:session', async (c) => {
    const machine = await machines.holder(c.req.header('authorization'));
    return flow.within(machine, Number(c.req.header('content-length') ?? MAX_BATCH_BYTES), async (busy) => {
      if (busy) {
        c.header('retry-after', RETRY_SECONDS);
        return c.json({ error: 'too many batches at one time; send it again' }, 429);
      }
      const { place, session } = c.req.param();
      const from = Number(c.req.query('from'));
      const branch = c.req.query('branch') === undefined ? null : Number(c.req.query('branch'));
      if (!PLACE.test(place) || !isCount(from) || (branch !== null && !isCount(branch)))
        return c.json({ error: 'want /v1/tapes/PLACE/SESSION?from=N' }, 400);
      const body = Buffer.from(await c.req.arrayBuffer());
      const batch = readBatch(body, from, session, signedOf(c));
      if ('error' in batch) return c.json({ error: batch.error }, batch.status);
      const [owner, folder] = [OWNER_HEADER, FOLDER_HEADER].map((name) => textHeader(c, name));
      const delivery = { machine, place, session, owner: owner!, folder: folder!, branch, batch };
      return acceptedAnswer(c, await archive.accept(delivery));
    });
  });
  app.get('/v1/tapes/:place/:session', async (c) => {
    const machine = await machines.holder(c.req.header('authorization'));
    const { place, session } = c.req.param();
    const branch = c.req.query('branch');
    const found = await archive.read(
      { machine, place, session },
      branch === undefined ? null : Number(branch),
    );
    if (found === null) return c.json({ error: 'the hub has no such tape' }, 404);
    c.header('content-type', 'application/octet-stream');
    c.header('x-harness-from', String(found.from));
    c.header('x-harness-next', String(found.tape.next));
    c.header('x-harness-head', found.tape.head);
    return stream(c, async (out) => {
      for await (const segment of found.segments) await out.write(new Uint8Array(segment));
    });
  });

  policyRoutes(app, machines, policies);
  viewRoutes(app, machines, new Viewer(database, host));
  if (options.adminToken !== null) adminRoutes(app, options, machines, policies, options.adminToken);
  app.notFound((c) => c.json({ error: 'not found' }, 404));
  app.onError((error, c) => {
    if (error instanceof Refused) return c.json({ error: error.message }, error.status);
    if (error instanceof DatabaseUnavailable) {
      c.header('retry-after', RETRY_SECONDS);
      return c.json({ error: `the database is not available: ${error.message}` }, 503);
    }
    options.onError?.(error);
    return c.json({ error: 'the hub failed; its log has the reason' }, 500);
  });
  return app;
}

function policyRoutes(app: Hono, machines: Machines, policies: Policies): void {
  app.get(POLICY_PATH, async (c) => {
    const machine = await machines.holder(c.req.header('authorization'));
    const { labels, state } = await machines.standing(machine);
    if (state !== 'active')
      throw new Refused(
        403,
        `this machine is ${state}: it keeps its policy and gets no other. See: harness hub machines`,
      );
    const known = c.req.header('if-none-match');
    const waitMs = Math.min(Number(c.req.query('wait')) || 0, MAX_WAIT_MS);
    const revision = await policies.revision();
    let offer = await policies.offerFor(machine, labels);
    if (waitMs > 0 && (offer?.etag ?? undefined) === known) {
      await policies.waitFor(revision, waitMs, c.req.raw.signal);
      offer = await policies.offerFor(machine, labels);
    }
    if (offer === null) return c.body(null, 204);
    c.header('etag', offer.etag);
    if (offer.etag !== known) return c.json(offer.body);
    c.header(TIMESTAMP_HEADER, Buffer.from(JSON.stringify(offer.timestamp)).toString('base64'));
    return c.body(null, 304);
  });
  app.post(POLICY_PATH, async (c) => c.json({ version: await policies.publish(await jsonOf(c)) }));
  app.post(`${POLICY_PATH}/rollout`, async (c) => {
    const statement = (await jsonOf(c)) as unknown as Signed<AuthorStatement>;
    return c.json({ revision: await policies.rollOut(statement) });
  });
  app.post(`${POLICY_PATH}/published`, async (c) => {
    const statement = (await jsonOf(c)) as unknown as Signed<AuthorStatement>;
    return c.json(await policies.published(statement));
  });
}

function acceptedAnswer(c: Context, accepted: Accepted): Response {
  if (accepted.kind === 'unknown') return c.json({ error: 'this machine is not known here' }, 401);
  if (accepted.kind === 'branches') return c.json({ error: 'this tape has too many branches' }, 422);
  const body: HubTape = accepted.tape;
  if (accepted.kind === 'stored') return c.json(body);
  if (accepted.kind === 'broken') {
    const { entry, problem } = accepted;
    return c.json({ ...body, error: `entry ${entry} ${problem}`, entry }, 422);
  }
  return c.json({ ...body, error: accepted.kind }, 409);
}

function adminRoutes(
  app: Hono,
  options: HubOptions,
  machines: Machines,
  policies: Policies,
  adminToken: string,
): void {
  const { database, host } = options;
  app.use('/v1/admin/*', async (c, next) => {
    if (!sameSecret(c.req.header('authorization') ?? '', `Bearer ${adminToken}`))
      return c.json({ error: 'want the token of the hub folder' }, 401);
    return next();
  });
  app.post('/v1/admin/join-tokens', async (c) => {
    const { labels, ms } = await jsonOf(c);
    const token = await machines.createJoinToken((labels ?? {}) as Record<string, string>, Number(ms));
    return c.json({ token });
  });
  app.get('/v1/admin/machines', async (c) => c.json({ machines: await machines.list() }));
  app.post('/v1/admin/machines', async (c) => {
    const { id, state } = texts(await jsonOf(c), 'id', 'state');
    await machines.setState(
      id,
      state === 'active' ? 'active' : state === 'revoked' ? 'revoked' : 'suspended',
    );
    return c.json({ ok: true });
  });
  app.post('/v1/admin/viewer-tokens', async (c) => {
    const { ms } = await jsonOf(c);
    return c.json({ token: await new Viewer(database, host).createToken(Number(ms)) });
  });
  app.post('/v1/admin/page-links', (c) => c.json({ link: options.pageLink?.() ?? null }));
  app.get('/v1/admin/policy-key', async (c) => c.json({ key: await pemOf(policies) }));
  app.post('/v1/admin/root', async (c) => c.json({ version: await policies.addRoot(await jsonOf(c)) }));
  app.get('/v1/admin/check', async (c) => c.json(await checkHub(database)));
  app.post('/v1/admin/prune', async (c) => {
    const { day, dry } = await jsonOf(c);
    return c.json({ removal: await removeBefore(database, Number(day), host.now(), dry !== false) });
  });
}

function viewRoutes(app: Hono, machines: Machines, viewer: Viewer): void {
  app.post(STATUS_PATH, async (c) => {
    const machine = await machines.holder(c.req.header('authorization'));
    await machines.noteStatus(machine, statusOf(await jsonOf(c)));
    return c.json({ ok: true });
  });
  app.use('/v1/view/*', async (c, next) => {
    await viewer.demandToken(c.req.header('authorization'));
    return next();
  });
  app.get('/v1/view/machines', async (c) => c.json({ machines: await machines.list() }));
  app.get('/v1/view/tapes', async (c) => {
    const { action = null, event = null, since = 0, received, id } = c.req.query();
    const number = (value: string | number | undefined, absent: number) => {
      const found = Number(value ?? absent);
      return Number.isSafeInteger(found) ? found : absent;
    };
    const before = { received: number(received, NEWEST.received), id: number(id, NEWEST.id) };
    return c.json({
      tapes: await viewer.tapes({ action, event, since: number(since, 0), before }, VIEW_PAGE),
    });
  });
  app.get('/v1/view/tapes/:id', async (c) => {
    const id = Number(c.req.param('id'));
    if (!isCount(id)) throw new Refused(400, 'want the number of a tape');
    return stream(c, async (out) => {
      for await (const segment of viewer.lines(id)) await out.write(new Uint8Array(segment));
    });
  });
}

/** Only what is known goes into the table. */
function statusOf(body: JsonObject): MachineStatus {
  const { build } = texts(body, 'build');
  const { time, policy, waiting, unjudged } = body;
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
  const [its, left] = [isJsonObject(policy) ? policy : null, isJsonObject(waiting) ? waiting : {}];
  return {
    ...{ build: build.slice(0, 100), time: number(time) ?? 0, unjudged: number(unjudged) },
    policy: its && {
      ...{ version: number(its.version), since: number(its.since), staleSince: number(its.staleSince) },
      problem: typeof its.problem === 'string' ? its.problem.slice(0, LONGEST_TEXT) : null,
    },
    waiting: { tapes: number(left.tapes) ?? 0, entries: number(left.entries) ?? 0 },
  };
}

export async function pemOf(policies: Policies): Promise<string> {
  return (await policies.publicKey()).export({ type: 'spki', format: 'pem' }) as string;
}

/** What is in hand: no machine takes the turn of another. */
class Flow {
  private readonly batches = new Map<string, number>();
  private bytes = 0;

  async within<T>(machine: string, bytes: number, work: (busy: boolean) => Promise<T>): Promise<T> {
    const own = this.batches.get(machine) ?? 0;
    // One batch is always taken, however large.
    if (own >= MOST_BATCHES || (this.bytes > 0 && this.bytes + bytes > MOST_BYTES)) return work(true);
    this.batches.set(machine, own + 1);
    this.bytes += bytes;
    try {
      return await work(false);
    } finally {
      this.bytes -= bytes;
      const left = this.batches.get(machine)! - 1;
      if (left === 0) this.batches.delete(machine);
      else this.batches.set(machine, left);
    }
  }
}

async function jsonOf(c: Context): Promise<JsonObject> {
  const body: unknown = await c.req.json().catch(() => null);
  if (!isJsonObject(body)) throw new Refused(400, 'the body is not a JSON object');
  return body;
}

function texts<K extends string>(body: JsonObject, ...keys: readonly K[]): Record<K, string> {
  for (const key of keys)
    if (typeof body[key] !== 'string') throw new Refused(400, `${key} is missing (expected a string)`);
  return body as unknown as Record<K, string>;
}

function statementOf(value: unknown): Statement {
  if (!isJsonObject(value)) throw new Refused(400, 'statement is missing (expected an object)');
  const { machine, challenge, nonce, next } = texts(value, 'machine', 'challenge', 'nonce', 'next');
  const { generation } = value;
  if (typeof generation !== 'number' || !isCount(generation))
    throw new Refused(400, 'generation is missing (expected a whole number)');
  return { machine, challenge, generation, nonce, next };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function signedOf(c: Context): SignedHead | null {
  const header = c.req.header(SIGNED_HEADER);
  if (header === undefined) return null;
  const signed = parseSignedHead(Buffer.from(header, 'base64').toString('utf8'));
  return typeof signed === 'string' ? null : signed;
}

/** Percent-encoded, for people only. */
function textHeader(c: Context, name: string): string {
  try {
    const text = decodeURIComponent(c.req.header(name) ?? '');
    return text.replaceAll('\0', '').slice(0, LONGEST_TEXT);
  } catch {
    return '';
  }
}
