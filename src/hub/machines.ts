/**
 * Machines and how they prove who they are: a join token is used once, then a key of the machine's own answers challenges for
 * short tokens. Each token raises a generation; a machine that comes with an old one has a twin, and both wait for a person.
 */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { sameSecret, sha256Hex } from '../base/index.ts';
import {
  CHALLENGE_MS,
  type JoinAnswer,
  type JoinRequest,
  type MachineOnHub,
  type MachineState,
  type MachineStatus,
  type Statement,
  statementBytes,
  TOKEN_MS,
  type TokenAnswer,
} from '../fleet/index.ts';
import { type Host, randomHex } from '../machine/index.ts';
import type { Database, Sql } from './database.ts';

export type Machine = MachineOnHub;

/** A refusal says what to do. */
export class Refused extends Error {
  readonly status: 400 | 401 | 403 | 404;

  constructor(status: 400 | 401 | 403 | 404, message: string) {
    super(message);
    this.status = status;
  }
}

const LONGEST_NAME = 200;
const LONGEST_STATUS = 4000;
const NONCE = /^[0-9a-f]{32}$/;

interface MachineRow {
  readonly id: string;
  readonly name: string;
  readonly labels: string;
  readonly public_key: string;
  readonly generation: number;
  readonly nonce: string;
  readonly state: MachineState;
}

export class Machines {
  private readonly database: Database;
  private readonly secret: string;
  private readonly host: Pick<Host, 'now' | 'uuid'>;

  constructor(database: Database, secret: string, host: Pick<Host, 'now' | 'uuid'>) {
    this.database = database;
    this.secret = secret;
    this.host = host;
  }

  /** Only its hash is stored. */
  async createJoinToken(labels: Readonly<Record<string, string>>, ms: number): Promise<string> {
    const token = `hj_${randomHex(24)}`;
    await this.database.all('INSERT INTO join_tokens (hash, labels, expires_at) VALUES ($1, $2, $3)', [
      sha256Hex(token),
      JSON.stringify(labels),
      this.host.now() + ms,
    ]);
    return token;
  }

  /** The same key may send the same token again: its answer may have been lost. */
  join({ token, name, publicKey }: JoinRequest): Promise<JoinAnswer> {
    const key = keyOf(publicKey);
    if (key === null) throw new Refused(400, 'publicKey is no Ed25519 key (expected SPKI, DER, base64)');
    const label = nameOf(name);
    return this.database.transaction(async (sql) => {
      const { forUpdate } = this.database.dialect;
      const [row] = await sql.all<{ labels: string; expires_at: number; machine: string | null }>(
        `SELECT labels, expires_at, machine FROM join_tokens WHERE hash = $1${forUpdate}`,
        [sha256Hex(token)],
      );
      const again = 'Make a new one where the hub runs: harness hub token --join';
      if (row === undefined) throw new Refused(401, `the join token is unknown. ${again}`);
      if (row.machine !== null) {
        const [used] = await sql.all<MachineRow>('SELECT * FROM machines WHERE id = $1', [row.machine]);
        if (used?.public_key === publicKey) return joined(used);
        throw new Refused(401, `the join token was used before. ${again}`);
      }
      const now = this.host.now();
      if (row.expires_at < now) throw new Refused(401, `the join token has expired. ${again}`);
      const [twin] = await sql.all<MachineRow>('SELECT * FROM machines WHERE public_key = $1', [publicKey]);
      if (twin !== undefined) return joined(twin);
      const id = this.host.uuid();
      await sql.all(
        `INSERT INTO machines (id, name, labels, public_key, generation, nonce, state, joined_at, seen_at)
         VALUES ($1, $2, $3, $4, 0, '', 'active', $5, $5)`,
        [id, label, row.labels, publicKey, now],
      );
      await sql.all('UPDATE join_tokens SET machine = $2 WHERE hash = $1', [sha256Hex(token), id]);
      return { machine: id, name: label, labels: JSON.parse(row.labels) as Record<string, string> };
    });
  }

  /** Any hub of the same database can check it. */
  challenge(machine: string): string {
    const expires = this.host.now() + CHALLENGE_MS;
    return `${expires}.${this.mac('challenge', machine, String(expires))}`;
  }

  async grant(statement: Statement, signature: string): Promise<TokenAnswer> {
    const { machine, challenge, next } = statement;
    const [expires = '', mac = ''] = challenge.split('.');
    if (!sameSecret(mac, this.mac('challenge', machine, expires)) || Number(expires) < this.host.now())
      throw new Refused(401, 'the challenge is not of this hub or is older than a minute; ask for a new one');
    if (!NONCE.test(next)) throw new Refused(400, 'next is no nonce (expected 32 hexadecimal digits)');
    return this.database.transaction(async (sql) => {
      const { forUpdate } = this.database.dialect;
      const [row] = await sql.all<MachineRow>(`SELECT * FROM machines WHERE id = $1${forUpdate}`, [machine]);
      if (row === undefined) throw new Refused(401, UNKNOWN);
      const key = keyOf(row.public_key);
      if (key === null || !verify(null, statementBytes(statement), key, Buffer.from(signature, 'base64')))
        throw new Refused(401, 'the signature is not of this machine');
      return this.raise(sql, row, statement);
    });
  }

  private async raise(sql: Sql, row: MachineRow, statement: Statement): Promise<TokenAnswer> {
    const twin = isTwin(row, statement);
    const state: MachineState = twin && row.state === 'active' ? 'suspended' : row.state;
    const problem = twin ? 'two machines use one key: the state folder was copied' : null;
    // A hub whose database was rolled back is behind its machines.
    const generation = Math.max(row.generation, statement.generation) + 1;
    await sql.all(
      `UPDATE machines SET generation = $2, nonce = $3, state = $4, problem = COALESCE($5, problem), seen_at = $6
       WHERE id = $1`,
      [row.id, generation, statement.next, state, problem, this.host.now()],
    );
    const expires = this.host.now() + TOKEN_MS;
    const token = `${row.id}.${generation}.${expires}.${this.mac('token', row.id, `${generation}.${expires}`)}`;
    return { token, generation, expiresMs: TOKEN_MS, state };
  }

  /** The machine that a token was granted to. */
  async holder(authorization: string | undefined): Promise<string> {
    const [, token = ''] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
    const [id = '', generation = '', expires = '', mac = ''] = token.split('.');
    if (!sameSecret(mac, this.mac('token', id, `${generation}.${expires}`)))
      throw new Refused(401, 'want a machine token; ask for a challenge first');
    if (Number(expires) < this.host.now())
      throw new Refused(401, 'the token has expired; ask for a challenge');
    const [row] = await this.database.all<MachineRow>('SELECT * FROM machines WHERE id = $1', [id]);
    if (row === undefined) throw new Refused(401, UNKNOWN);
    if (row.generation !== Number(generation))
      throw new Refused(401, 'a newer token of this machine was granted; ask for a challenge');
    return row.id;
  }

  async standing(id: string): Promise<Pick<Machine, 'labels' | 'state'>> {
    const [row] = await this.database.all<MachineRow>('SELECT * FROM machines WHERE id = $1', [id]);
    if (row === undefined) throw new Refused(401, UNKNOWN);
    return { labels: JSON.parse(row.labels) as Record<string, string>, state: row.state };
  }

  async list(): Promise<Machine[]> {
    const rows = await this.database.all<
      MachineRow & {
        problem: string | null;
        joined_at: number;
        seen_at: number;
        tapes: number;
        entries: number;
        status: string;
        status_at: number;
      }
    >(
      `SELECT m.*, (SELECT count(*) FROM tapes t WHERE t.machine = m.id) AS tapes,
         (SELECT COALESCE(sum(CASE WHEN t.next_seq > 0 THEN t.next_seq - 1 ELSE 0 END), 0)
          FROM tapes t WHERE t.machine = m.id) AS entries
       FROM machines m ORDER BY m.name, m.id`,
    );
    return rows.map(({ id, name, labels, state, problem, tapes, entries, ...row }) => ({
      ...{ id, name, state, problem, joined: Number(row.joined_at), seen: Number(row.seen_at) },
      status: row.status === '' ? null : (JSON.parse(row.status) as MachineStatus),
      statusAt: row.status === '' ? null : Number(row.status_at),
      labels: JSON.parse(labels) as Record<string, string>,
      tapes: Number(tapes),
      entries: Number(entries),
    }));
  }

  async noteStatus(id: string, status: MachineStatus): Promise<void> {
    const text = JSON.stringify(status);
    if (text.length > LONGEST_STATUS) throw new Refused(400, 'the status is too long');
    await this.database.all('UPDATE machines SET status = $2, status_at = $3 WHERE id = $1', [
      ...[id, text, this.host.now()],
    ]);
  }

  async setState(id: string, state: MachineState): Promise<void> {
    const rows = await this.database.all<{ id: string }>(
      'UPDATE machines SET state = $2, problem = NULL WHERE id = $1 RETURNING id',
      [id, state],
    );
    if (rows.length === 0) throw new Refused(404, `there is no machine ${id}. See: harness hub machines`);
  }

  private mac(purpose: string, machine: string, rest: string): string {
    return createHmac('sha256', this.secret).update(`${purpose}\n${machine}\n${rest}`).digest('hex');
  }
}

const UNKNOWN = 'this machine is not known here. Join it again: harness fleet join URL --token T';

/** A machine that lost an answer still shows the granted nonce as its next one; an older copy of its folder cannot. */
function isTwin(row: MachineRow, { generation, nonce, next }: Statement): boolean {
  if (generation > row.generation || row.generation === 0) return false;
  return row.nonce !== nonce && row.nonce !== next;
}

function joined({ id, name, labels }: MachineRow): JoinAnswer {
  return { machine: id, name, labels: JSON.parse(labels) as Record<string, string> };
}

function nameOf(name: string): string {
  const text = Buffer.from(name)
    .toString('utf8')
    .replace(/[^\x20-\x7e\xa0-\uffff]/g, '')
    .slice(0, LONGEST_NAME);
  if (text.trim() === '') throw new Refused(400, 'name is empty (expected the name of the machine)');
  return text;
}

function keyOf(publicKey: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}
