/**
 * The policies that authors published, and which machine gets which. The hub stores what it verified and signs only what is current: it
 * has no key of the authors, so that a hub in wrong hands can withhold a policy and cannot write one.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { BoundedMap, canonicalJson, HarnessError, type JsonObject, sha256Hex } from '../base/index.ts';
import {
  type AuthorStatement,
  authorOf,
  findLoosening,
  followRoots,
  MAX_WAIT_MS,
  metadataDigest,
  type PublishedPolicy,
  parseMetadata,
  publicKeyOf,
  type Rollout,
  type Root,
  readPacked,
  type ServedPolicy,
  type Signed,
  type Snapshot,
  SPEC_VERSION,
  signed,
  type Targets,
  type Timestamp,
  verifyTargets,
  weakensTerms,
} from '../fleet/index.ts';
import type { Host } from '../machine/index.ts';
import type { Database, Sql } from './database.ts';
import { Refused } from './machines.ts';

const KEY = 'policy_key';
const ROOTS = 'policy_roots';
const REVISION = 'policy_revision';

/** A snapshot says which version is current at all; how fresh that is says the timestamp. */
const SNAPSHOT_MS = 10 * 365 * 24 * 60 * 60 * 1000;
/** Wider than any clock that may be wrong by a day. */
const TIMESTAMP_MS = 7 * 24 * 60 * 60 * 1000;
/** A statement of an author is good for this long, in both directions. */
const STATEMENT_MS = 24 * 60 * 60 * 1000;
/** How often one hub asks the database for all machines that wait. */
const LOOK_MS = 500;
const CACHED_POLICIES = 8;
/** Of one author's word that nothing is loosened. The author's own machine tries more. */
const SEARCH_TRIES = 2000;
const SEARCH_MS = 20_000;

export interface Offer {
  readonly etag: string;
  readonly timestamp: Signed<Timestamp>;
  readonly body: ServedPolicy;
}

interface Rolling {
  readonly revision: number;
  readonly roots: readonly Signed<Root>[];
  readonly rollouts: readonly Rollout[];
}

interface StoredPolicy {
  readonly targets: Signed<Targets>;
  readonly snapshot: Signed<Snapshot>;
  readonly archive: Buffer;
}

export class Policies {
  private readonly database: Database;
  private readonly host: Pick<Host, 'now'>;
  private readonly stored = new BoundedMap<number, StoredPolicy>(CACHED_POLICIES);
  private rolling: Rolling | null = null;
  private key: KeyObject | null = null;
  private waiting = new Set<(revision: number) => void>();
  private looking = false;

  constructor(database: Database, host: Pick<Host, 'now'>) {
    this.database = database;
    this.host = host;
  }

  /** The hub's own key, made once for all hubs of the database. */
  async publicKey(): Promise<KeyObject> {
    return createPublicKey(await this.ownKey());
  }

  private async ownKey(): Promise<KeyObject> {
    if (this.key !== null) return this.key;
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    await this.database.all(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [KEY, pem],
    );
    const value = await settingOf(this.database, KEY);
    this.key = createPrivateKey(value!);
    return this.key;
  }

  /** A first root is an administrator's word; each later one is signed by the one before. */
  async addRoot(value: unknown): Promise<number> {
    const root = await this.ours(() => parseMetadata('root', value));
    const own = publicKeyOf(await this.publicKey()).keyval.public;
    for (const role of ['snapshot', 'timestamp'] as const) {
      const keys = root.signed.roles[role].keyids.map((id) => root.signed.keys[id]!.keyval.public);
      if (!keys.includes(own))
        throw new Refused(400, `the root does not name this hub's key for ${role}. See: harness hub key`);
    }
    return this.database.transaction(async (sql) => {
      const revision = await this.lock(sql);
      const roots = await rootsIn(sql);
      const all = [...roots, root];
      await this.ours(() => followRoots(all, metadataDigest(all[0]!), roots.at(-1) ?? null));
      if (root.signed.version !== roots.length + 1)
        throw new Refused(400, `the hub has ${roots.length} roots; version ${roots.length + 1} is next`);
      await sql.all(
        `INSERT INTO settings (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [ROOTS, JSON.stringify(all)],
      );
      await this.raise(sql, revision);
      return root.signed.version;
    });
  }

  /** Stores what authors signed. No machine gets it before a rollout names it. */
  async publish(value: JsonObject): Promise<number> {
    const targets = await this.ours(() => parseMetadata('targets', value.targets));
    const archive = Buffer.from(String(value.archive), 'base64');
    const { version } = targets.signed;
    const key = await this.ownKey();
    await this.demandDeclared(targets, archive);
    return this.database.transaction(async (sql) => {
      await this.lock(sql);
      const root = await this.demandRoot(sql);
      await this.ours(() => verifyTargets(root.signed, targets, archive, this.host.now()));
      const [last] = await sql.all<{ version: number; digest: string }>(
        'SELECT version, digest FROM policies ORDER BY version DESC LIMIT 1',
      );
      const targetsDigest = metadataDigest(targets);
      // Its answer may have been lost.
      if (last !== undefined && Number(last.version) === version && last.digest === targetsDigest)
        return version;
      demandNext(version, Number(last?.version ?? 0));
      const snapshot: Snapshot = {
        ...{ _type: 'snapshot', spec_version: SPEC_VERSION, version },
        expires: this.after(SNAPSHOT_MS),
        meta: { 'targets.json': { version, hashes: { sha256: targetsDigest } } },
      };
      await sql.all(
        `INSERT INTO policies (version, digest, targets, snapshot, archive, published_at)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [
          ...[version, targetsDigest, JSON.stringify(targets), JSON.stringify(signed(snapshot, key))],
          ...[new Uint8Array(archive), this.host.now()],
        ],
      );
      return version;
    });
  }

  /** What one author says alone: that nothing is loosened. The hub looks for itself, as far as a bounded search finds it. */
  private async demandDeclared(targets: Signed<Targets>, archive: Buffer): Promise<void> {
    const root = await this.demandRoot(this.database);
    const files = await this.ours(() => verifyTargets(root.signed, targets, archive, this.host.now()));
    const {
      version,
      targets: {
        policy: { custom },
      },
    } = targets.signed;
    const last = await this.lastVersion();
    // A version that was published before is only answered once more.
    if (custom.loosens || last === 0 || version === last) return;
    demandNext(version, last);
    const before = await this.policyOf(last);
    const found = weakensTerms(before.targets.signed.targets.policy.custom, custom)
      ? 'a machine out of touch would ask or block later, or not at all'
      : (await findLoosening(readPacked(before.archive), files, SEARCH_TRIES, SEARCH_MS))
        ? 'the hub found a call that it would allow and that was blocked'
        : null;
    if (found !== null)
      throw new Refused(
        400,
        `version ${version} is signed as one that loosens nothing, and ${found}. Publish it as one that loosens: \`harness fleet publish\` asks a second author then`,
      );
  }

  /** Gives a version to a share of the machines with those labels. A machine never goes back, so the share only grows. */
  async rollOut(statement: Signed<AuthorStatement>): Promise<number> {
    const revision = await this.database.transaction(async (sql) => {
      const now = await this.lock(sql);
      const author = await this.demandAuthor(sql, statement, 'rollout');
      const { version, labels, percent, revision: known } = statement.signed;
      if (known !== now)
        throw new Refused(400, `somebody changed the rollouts meanwhile (revision ${now}). Run it again`);
      const isShare = Number.isSafeInteger(percent) && percent >= 1 && percent <= 100;
      if (!isShare) throw new Refused(400, 'percent wants a whole number from 1 to 100');
      const [found] = await sql.all('SELECT version FROM policies WHERE version = $1', [version]);
      if (found === undefined) throw new Refused(404, `no version ${version} was published`);
      const labelText = canonicalJson(labels);
      const [before] = await sql.all<{ percent: number }>(
        'SELECT percent FROM rollouts WHERE version = $1 AND labels = $2',
        [version, labelText],
      );
      if (before !== undefined && Number(before.percent) > percent)
        throw new Refused(
          400,
          `version ${version} is at ${before.percent} per cent already, and a machine never goes back. Publish a new version with the old content`,
        );
      await sql.all(
        `INSERT INTO rollouts (version, labels, percent, author, changed_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (version, labels) DO UPDATE SET percent = excluded.percent, author = excluded.author,
           changed_at = excluded.changed_at`,
        [version, labelText, percent, author, this.host.now()],
      );
      await this.raise(sql, now);
      return now + 1;
    });
    this.tell(revision);
    return revision;
  }

  /** For authors: what was published last, to compare with. */
  async published(statement: Signed<AuthorStatement>): Promise<PublishedPolicy> {
    await this.demandAuthor(this.database, statement, 'read');
    const { revision, roots, rollouts } = await this.current();
    const version = await this.lastVersion();
    const policy = version === 0 ? null : await this.policyOf(version);
    return {
      ...{ revision, rollouts, root: roots.at(-1)!, version },
      terms: policy?.targets.signed.targets.policy.custom ?? null,
      archive: policy?.archive.toString('base64') ?? null,
    };
  }

  /** Null if no rollout names this machine. */
  async offerFor(machine: string, labels: Readonly<Record<string, string>>): Promise<Offer | null> {
    const { revision, roots, rollouts } = await this.current();
    const version = versionFor(machine, labels, rollouts);
    if (version === null || roots.length === 0) return null;
    const { snapshot, targets, archive } = await this.policyOf(version);
    const timestamp: Timestamp = {
      ...{ _type: 'timestamp', spec_version: SPEC_VERSION, version: Math.max(1, revision) },
      expires: this.after(TIMESTAMP_MS),
      meta: { 'snapshot.json': { version, hashes: { sha256: metadataDigest(snapshot) } } },
    };
    const stamped = signed(timestamp, await this.ownKey());
    return {
      etag: `"${roots.length}.${version}.${sha256Hex(canonicalJson(targets.signed)).slice(0, 16)}"`,
      timestamp: stamped,
      body: { roots, timestamp: stamped, snapshot, targets, archive: archive.toString('base64') },
    };
  }

  /** 0: nothing was published. */
  private async lastVersion(): Promise<number> {
    const [last] = await this.database.all<{ version: number }>(
      'SELECT version FROM policies ORDER BY version DESC LIMIT 1',
    );
    return Number(last?.version ?? 0);
  }

  async revision(): Promise<number> {
    return Number((await settingOf(this.database, REVISION)) ?? 0);
  }

  /** Until the revision is another one, or the time is over. One look at the database serves all that wait. */
  async waitFor(known: number, waitMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(told);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const told = (revision: number) => {
        if (revision !== known) done();
      };
      const timer = setTimeout(done, Math.min(waitMs, MAX_WAIT_MS));
      signal.addEventListener('abort', done);
      this.waiting.add(told);
      this.look();
    });
  }

  private look(): void {
    if (this.looking) return;
    this.looking = true;
    const timer = setInterval(async () => {
      if (this.waiting.size === 0) {
        clearInterval(timer);
        this.looking = false;
        return;
      }
      // A database that is away is asked again.
      const revision = await this.revision().catch(() => null);
      if (revision !== null) this.tell(revision);
    }, LOOK_MS);
    timer.unref();
  }

  private tell(revision: number): void {
    for (const told of [...this.waiting]) told(revision);
  }

  private async current(): Promise<Rolling> {
    const revision = await this.revision();
    if (this.rolling?.revision === revision) return this.rolling;
    const rows = await this.database.all<Record<keyof Rollout, string | number>>(
      'SELECT version, labels, percent, author FROM rollouts ORDER BY version, labels',
    );
    const rollouts = rows.map(({ version, labels, percent, author }) => ({
      version: Number(version),
      labels: JSON.parse(String(labels)) as Record<string, string>,
      percent: Number(percent),
      author: String(author),
    }));
    this.rolling = { revision, roots: await rootsIn(this.database), rollouts };
    return this.rolling;
  }

  private async policyOf(version: number): Promise<StoredPolicy> {
    const known = this.stored.get(version);
    if (known !== undefined) return known;
    const [row] = await this.database.all<{ targets: string; snapshot: string; archive: Uint8Array }>(
      'SELECT targets, snapshot, archive FROM policies WHERE version = $1',
      [version],
    );
    if (row === undefined) throw new HarnessError('HUB_STORE', `policy version ${version} is missing`);
    const found = {
      targets: JSON.parse(row.targets) as Signed<Targets>,
      snapshot: JSON.parse(row.snapshot) as Signed<Snapshot>,
      archive: Buffer.from(row.archive),
    };
    this.stored.set(version, found);
    return found;
  }

  private async demandRoot(sql: Sql): Promise<Signed<Root>> {
    const root = (await rootsIn(sql)).at(-1);
    if (root !== undefined) return root;
    throw new Refused(
      404,
      'the hub has no root yet. Make one with `harness fleet root`, then where the hub runs: harness hub root FILE',
    );
  }

  private async demandAuthor(
    sql: Sql,
    statement: Signed<AuthorStatement>,
    type: AuthorStatement['_type'],
  ): Promise<string> {
    const { signed: root } = await this.demandRoot(sql);
    const author = authorOf(root, statement, type);
    if (author === null)
      throw new Refused(401, 'the statement is not signed by an author of the current root');
    if (!(Math.abs(this.host.now() - statement.signed.time) < STATEMENT_MS))
      throw new Refused(401, 'the statement is older than a day, or a clock is wrong');
    return author;
  }

  /** The revision; the row is this transaction's until it ends. */
  private async lock(sql: Sql): Promise<number> {
    const { forUpdate } = this.database.dialect;
    const [row] = await sql.all<{ value: string }>(
      `SELECT value FROM settings WHERE name = '${REVISION}'${forUpdate}`,
    );
    return Number(row!.value);
  }

  private async raise(sql: Sql, revision: number): Promise<void> {
    await sql.all('UPDATE settings SET value = $2 WHERE name = $1', [REVISION, String(revision + 1)]);
  }

  private after(ms: number): string {
    return new Date(this.host.now() + ms).toISOString();
  }

  /** What the machines' own checks say, as an answer. */
  private ours<T>(check: () => T): T {
    try {
      return check();
    } catch (thrown) {
      if (thrown instanceof HarnessError) throw new Refused(400, thrown.message);
      throw thrown;
    }
  }
}

function demandNext(version: number, last: number): void {
  if (version === last + 1) return;
  throw new Refused(
    400,
    `version ${last + 1} is next, got ${version}: somebody published meanwhile. Publish again`,
  );
}

/** The newest version of a rollout that has the machine's labels and whose share it is in. The share is the same for every version. */
function versionFor(
  machine: string,
  labels: Readonly<Record<string, string>>,
  rollouts: readonly Rollout[],
): number | null {
  const place = Number.parseInt(sha256Hex(machine).slice(0, 8), 16) % 100;
  const fitting = rollouts.filter(
    ({ percent, labels: wanted }) =>
      place < percent && Object.entries(wanted).every(([name, value]) => labels[name] === value),
  );
  return fitting.length === 0 ? null : Math.max(...fitting.map(({ version }) => version));
}

async function settingOf(sql: Sql, name: string): Promise<string | null> {
  const [row] = await sql.all<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]);
  return row?.value ?? null;
}

async function rootsIn(sql: Sql): Promise<Signed<Root>[]> {
  return JSON.parse((await settingOf(sql, ROOTS)) ?? '[]') as Signed<Root>[];
}
