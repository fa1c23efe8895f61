/**
 * What people read of a hub: its machines, which tapes a search has to look at, and the bytes of a tape. A program has a token that is
 * stored as a hash and expires.
 */
import { sha256Hex } from '../base/index.ts';
import type { TapeOnHub, TapeQuery } from '../fleet/index.ts';
import { type Host, randomHex } from '../machine/index.ts';
import { segmentsOf } from './archive.ts';
import { DAY_MS, type Database, type Value } from './database.ts';
import { Refused } from './machines.ts';

export class Viewer {
  private readonly database: Database;
  private readonly host: Pick<Host, 'now'>;

  constructor(database: Database, host: Pick<Host, 'now'>) {
    this.database = database;
    this.host = host;
  }

  async createToken(ms: number): Promise<string> {
    const token = `hv_${randomHex(24)}`;
    await this.database.all('INSERT INTO tokens (hash, role, expires_at) VALUES ($1, $2, $3)', [
      ...[sha256Hex(token), 'viewer', this.host.now() + ms],
    ]);
    return token;
  }

  async demandToken(authorization: string | undefined): Promise<void> {
    const [, token = ''] = /^Bearer (hv_[0-9a-f]{48})$/.exec(authorization ?? '') ?? [];
    const [row] = await this.database.all<{ expires_at: number }>(
      "SELECT expires_at FROM tokens WHERE hash = $1 AND role = 'viewer'",
      [sha256Hex(token)],
    );
    if (row === undefined || Number(row.expires_at) < this.host.now())
      throw new Refused(
        401,
        'want a token that is good; make one where the hub runs: harness hub token --viewer',
      );
  }

  /** Newest first. A tape that is left out has no decision that the query asks for. */
  async tapes({ action, event, since, before }: TapeQuery, limit: number): Promise<TapeOnHub[]> {
    const values: Value[] = [before.received, before.id, limit];
    const conditions = ['(t.received_at < $1 OR (t.received_at = $1 AND t.id < $2))', 't.next_seq > 1'];
    const add = (value: Value) => `$${values.push(value)}`;
    // The clock of a machine may be a day ahead.
    if (since > 0) conditions.push(`t.received_at >= ${add(since - DAY_MS)}`);
    if (action !== null) {
      const facts = [`d.tape = t.id AND d.action = ${add(action)}`];
      if (event !== null) facts.push(`(d.event IS NULL OR d.event = ${add(event)})`);
      if (since > 0) facts.push(`(d.at IS NULL OR d.at >= ${add(since)})`);
      conditions.push(`EXISTS (SELECT 1 FROM decisions d WHERE ${facts.join(' AND ')})`);
    }
    const rows = await this.database.all<Record<string, string | number>>(
      `SELECT t.id, t.machine, m.name, t.folder, t.session, t.branch, t.state, t.first_seq, t.received_at
       FROM tapes t JOIN machines m ON m.id = t.machine WHERE ${conditions.join(' AND ')}
       ORDER BY t.received_at DESC, t.id DESC LIMIT $3`,
      values,
    );
    return rows.map((row) => ({
      ...{ id: Number(row.id), machine: String(row.machine), name: String(row.name) },
      ...{ folder: String(row.folder), session: String(row.session), branch: Number(row.branch) },
      ...{ state: row.state as TapeOnHub['state'], from: Number(row.first_seq) },
      received: Number(row.received_at),
    }));
  }

  lines(tape: number): AsyncIterable<Buffer> {
    return segmentsOf(this.database, tape);
  }
}
