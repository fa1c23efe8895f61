/**
 * The archive of tapes: takes batches of lines, each in one transaction that holds the row of its tape, and gives the bytes back.
 * A batch is stored whole or not at all, and its answer comes after the commit.
 */
import { gunzipSync } from 'node:zlib';
import { HarnessError } from '../base/index.ts';
import { type HubTape, MAX_BRANCHES, type MachineState, type TapeState } from '../fleet/index.ts';
import { type EntryMark, type SignedHead, signatureProblem } from '../tape/index.ts';
import type { Batch } from './batch.ts';
import { type Database, dayOf, type Sql } from './database.ts';
import type { Pending } from './facts.ts';

export interface TapeKey {
  readonly machine: string;
  readonly place: string;
  readonly session: string;
}

export interface Delivery extends TapeKey {
  readonly owner: string;
  readonly folder: string;
  /** A new branch with this number: the machine says that its tape no longer has the hub's last line. */
  readonly branch: number | null;
  readonly batch: Batch;
}

export type Accepted =
  | { readonly kind: 'stored' | 'position' | 'fork'; readonly tape: HubTape }
  | { readonly kind: 'broken'; readonly tape: HubTape; readonly entry: number; readonly problem: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'branches' };

interface TapeRow {
  readonly id: number;
  readonly place: string;
  readonly session: string;
  readonly branch: number;
  readonly next_seq: number;
  readonly head: string;
  readonly first_seq: number;
  readonly first_prev: string;
  readonly pending: string;
  readonly state: TapeState;
  readonly problem: string | null;
  readonly received_at: number;
}

const COLUMNS =
  'id, place, session, branch, next_seq, head, first_seq, first_prev, pending, state, problem, received_at';

export class Archive {
  private readonly database: Database;
  private readonly now: () => number;
  /** Days whose partitions exist. */
  private readonly days = new Set<number>();

  constructor(database: Database, now: () => number) {
    this.database = database;
    this.now = now;
  }

  async accept(delivery: Delivery): Promise<Accepted> {
    const time = this.now();
    const day = dayOf(time);
    if (!this.days.has(day)) {
      await this.database.transaction((sql) => this.database.dialect.prepareDay(sql, day));
      this.days.add(day);
    }
    return this.database.transaction((sql) => this.acceptIn(sql, delivery, time));
  }

  private async acceptIn(sql: Sql, delivery: Delivery, time: number): Promise<Accepted> {
    const { machine, batch } = delivery;
    const [known] = await sql.all<{ state: MachineState }>('SELECT state FROM machines WHERE id = $1', [
      machine,
    ]);
    if (known === undefined) return { kind: 'unknown' };
    const found = await this.lockTape(sql, delivery);
    const tape = found ?? (await this.newTape(sql, delivery, 0, time));
    const fresh = delivery.branch === null ? tape : await this.branchOf(sql, delivery, tape, time);
    if (fresh === null) return { kind: 'branches' };
    const at = (kind: 'position' | 'fork') => ({ kind, tape: asHubTape(fresh) });
    if (batch.from !== fresh.next_seq) return at('position');
    // An empty batch carries only a signed head.
    if (batch.lines > 0 && batch.prev !== fresh.head) return at('fork');
    const { broken } = batch.part;
    if (broken !== null) return this.quarantine(sql, fresh, broken.at, broken.what);
    return { kind: 'stored', tape: asHubTape(await this.store(sql, fresh, batch, known.state, time)) };
  }

  private async store(
    sql: Sql,
    tape: TapeRow,
    batch: Batch,
    machineState: MachineState,
    now: number,
  ): Promise<TapeRow> {
    // A clock that was set back must not put later lines into an earlier day: retention removes the first lines first.
    const time = Math.max(now, tape.received_at);
    const day = dayOf(time);
    const end: EntryMark = batch.lines === 0 ? { seq: tape.next_seq - 1, head: tape.head } : batch.part.end!;
    const { facts, pending } = batch.facts.finish(JSON.parse(tape.pending) as Pending);
    if (batch.lines > 0) {
      await sql.all(
        `INSERT INTO segments (day, tape, from_seq, to_seq, head, decisions, received_at, machine_state, raw_bytes, body)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          day,
          tape.id,
          batch.from,
          end.seq,
          end.head,
          facts.length,
          time,
          machineState,
          batch.rawBytes,
          batch.body,
        ],
      );
      await this.database.dialect.insertFacts(sql, day, tape.id, facts);
    }
    const signed = provenHead(batch, end);
    // A tape that broke and was mended is whole again; a forked one stays forked.
    const state: TapeState = tape.state === 'forked' ? 'forked' : 'open';
    const problem = state === 'forked' ? tape.problem : null;
    await sql.all(
      `UPDATE tapes SET next_seq = $2, head = $3, pending = $4, state = $5, problem = $6, received_at = $7,
         policy = CASE WHEN $8 = '' THEN policy ELSE $8 END,
         signed_to = COALESCE($9, signed_to), signed_head = COALESCE($10, signed_head)
       WHERE id = $1`,
      [
        ...[tape.id, end.seq + 1, end.head, JSON.stringify(pending), state, problem, time],
        ...[batch.part.header?.policy.digest ?? '', signed?.entries ?? null],
        signed === null ? null : JSON.stringify(signed),
      ],
    );
    return { ...tape, next_seq: end.seq + 1, head: end.head, state, problem };
  }

  private async quarantine(sql: Sql, tape: TapeRow, entry: number, problem: string): Promise<Accepted> {
    const words = `entry ${entry} ${problem}`;
    await sql.all("UPDATE tapes SET state = 'quarantined', problem = $2 WHERE id = $1", [tape.id, words]);
    return {
      kind: 'broken',
      tape: asHubTape({ ...tape, state: 'quarantined', problem: words }),
      entry,
      problem,
    };
  }

  /** The newest branch, locked until the transaction ends. */
  private async lockTape(sql: Sql, { machine, place, session }: TapeKey): Promise<TapeRow | null> {
    const [row] = await sql.all<TapeRow>(
      `SELECT ${COLUMNS} FROM tapes WHERE machine = $1 AND place = $2 AND session = $3
       ORDER BY branch DESC LIMIT 1${this.database.dialect.forUpdate}`,
      [machine, place, session],
    );
    return row ?? null;
  }

  private async newTape(sql: Sql, delivery: Delivery, branch: number, time: number): Promise<TapeRow> {
    const { machine, place, session, owner, folder } = delivery;
    const state = branch === 0 ? 'open' : 'forked';
    await sql.all(
      `INSERT INTO tapes (machine, place, session, branch, owner, folder, policy, next_seq, head, first_seq, first_prev,
         pending, state, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, '', 0, '', 0, '', '{}', $7, $8)
       ON CONFLICT (machine, place, session, branch) DO NOTHING`,
      [machine, place, session, branch, owner, folder, state, time],
    );
    // Another hub may have made it meanwhile.
    return (await this.lockTape(sql, delivery))!;
  }

  /** Both branches stay. Null if the tape has too many. */
  private async branchOf(sql: Sql, delivery: Delivery, tape: TapeRow, time: number): Promise<TapeRow | null> {
    // Sent twice: the branch exists.
    if (delivery.branch === tape.branch) return tape;
    if (delivery.branch !== tape.branch + 1 || tape.next_seq === 0) return tape;
    if (delivery.branch > MAX_BRANCHES) return null;
    const problem = `the machine's tape no longer has entry ${tape.next_seq - 1} as it was delivered`;
    await sql.all("UPDATE tapes SET state = 'forked', problem = $2 WHERE id = $1", [tape.id, problem]);
    return this.newTape(sql, delivery, delivery.branch, time);
  }

  /** Where the hub stands with the tapes of a machine, by place and session; only the newest branch counts. */
  async tapesOf(machine: string, after: readonly [string, string], limit: number): Promise<HubTape[]> {
    const rows = await this.database.all<TapeRow>(
      `SELECT ${COLUMNS} FROM tapes AS t WHERE machine = $1 AND (place > $2 OR (place = $2 AND session > $3))
         AND branch = (SELECT max(branch) FROM tapes AS u
                       WHERE u.machine = t.machine AND u.place = t.place AND u.session = t.session)
       ORDER BY place, session LIMIT $4`,
      [machine, ...after, limit],
    );
    return rows.map(asHubTape);
  }

  /** The bytes of a tape, segment by segment, from the first line that retention left. Null if there is no such tape. */
  async read(key: TapeKey, branch: number | null): Promise<StoredLines | null> {
    const [row] = await this.database.all<TapeRow>(
      `SELECT ${COLUMNS} FROM tapes WHERE machine = $1 AND place = $2 AND session = $3 AND ($4 < 0 OR branch = $4)
       ORDER BY branch DESC LIMIT 1`,
      [key.machine, key.place, key.session, branch ?? -1],
    );
    if (row === undefined) return null;
    return { tape: asHubTape(row), from: row.first_seq, segments: segmentsOf(this.database, row.id) };
  }
}

export interface StoredLines {
  readonly tape: HubTape;
  /** The number of the first line. */
  readonly from: number;
  readonly segments: AsyncIterable<Buffer>;
}

/** One segment at a time, so that a long tape costs no memory; those that begin after that line. */
export async function* segmentsOf(database: Database, tape: number, after = -1): AsyncGenerator<Buffer> {
  for (let from = after; ; ) {
    const [row] = await database.all<{ from_seq: number; body: Uint8Array }>(
      'SELECT from_seq, body FROM segments WHERE tape = $1 AND from_seq > $2 ORDER BY from_seq LIMIT 1',
      [tape, from],
    );
    if (row === undefined) return;
    from = row.from_seq;
    yield unpackSegment(row.body);
  }
}

export function unpackSegment(body: Uint8Array): Buffer {
  try {
    return gunzipSync(body);
  } catch {
    throw new HarnessError('HUB_STORE', 'a stored segment cannot be unpacked; run `harness hub check`');
  }
}

/** The signed head, if its signature holds and it names a line of this batch or the last stored one. */
function provenHead({ signed, part, lines }: Batch, end: EntryMark): SignedHead | null {
  if (signed === null || signatureProblem(signed, null) !== null) return null;
  const line = lines > 0 ? part.signedLine : null;
  const fits = line === signed.head || (signed.entries === end.seq && signed.head === end.head);
  return fits ? signed : null;
}

function asHubTape({ place, session, branch, next_seq, head, state, problem }: TapeRow): HubTape {
  return { place, session, branch, next: next_seq, head, state, problem };
}
