/**
 * Proves the whole archive: every stored chain from its first line to its head, one fact for each decision, no line without its
 * tape. What retention removed is reported, never silently missing.
 */

import { proveOn } from '../tape/index.ts';
import { segmentsOf } from './archive.ts';
import { splitLines } from './batch.ts';
import { DAY_MS, type Database } from './database.ts';
import { FactReader } from './facts.ts';

export interface HubCheck {
  readonly ok: boolean;
  readonly tapes: number;
  readonly entries: number;
  readonly decisions: number;
  readonly problems: readonly string[];
  /** Tapes that a person has to look at: forked or quarantined on the machine's side. */
  readonly attention: readonly string[];
  readonly removals: readonly Removal[];
}

export interface Removal {
  readonly removedAt: number;
  /** Received before that day. */
  readonly before: string;
  readonly tapes: number;
  readonly segments: number;
  readonly entries: number;
  readonly decisions: number;
  readonly rawBytes: number;
}

interface TapeRow {
  readonly id: number;
  readonly machine: string;
  readonly folder: string;
  readonly session: string;
  readonly branch: number;
  readonly next_seq: number;
  readonly head: string;
  readonly first_seq: number;
  readonly first_prev: string;
  readonly state: string;
  readonly problem: string | null;
}

const PAGE = 500;

export async function checkHub(
  database: Database,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<HubCheck> {
  const [total] = await database.all<{ count: number }>('SELECT count(*) AS count FROM tapes');
  const all = Number(total!.count);
  const problems: string[] = [];
  const attention: string[] = [];
  let [done, entries, decisions] = [0, 0, 0];
  for (let after = 0; ; ) {
    const rows = await database.all<TapeRow>('SELECT * FROM tapes WHERE id > $1 ORDER BY id LIMIT $2', [
      after,
      PAGE,
    ]);
    if (rows.length === 0) break;
    for (const row of rows) {
      after = row.id;
      const found = await checkTape(database, row);
      entries += found.entries;
      decisions += found.decisions;
      problems.push(...found.problems.map((problem) => `${nameOf(row)}: ${problem}`));
      if (row.state !== 'open')
        attention.push(`${nameOf(row)} is ${row.state}: ${row.problem ?? 'no reason stored'}`);
      onProgress(++done, all);
    }
  }
  problems.push(...(await strays(database)));
  const removals = await removalsOf(database);
  return { ok: problems.length === 0, tapes: all, entries, decisions, problems, attention, removals };
}

function nameOf({ machine, folder, session, branch }: TapeRow): string {
  return `tape ${session}${branch === 0 ? '' : ` (branch ${branch})`} of ${folder} on machine ${machine.slice(0, 8)}`;
}

async function checkTape(
  database: Database,
  row: TapeRow,
): Promise<{ entries: number; decisions: number; problems: string[] }> {
  const problems: string[] = [];
  const proving = proveOn(row.first_seq === 0 ? null : { seq: row.first_seq - 1, head: row.first_prev });
  const facts = new FactReader();
  let seq = row.first_seq;
  try {
    for await (const segment of segmentsOf(database, row.id)) {
      for (const line of splitLines(segment)) {
        proving.add(line);
        if (seq > 0) facts.add(line, seq);
        seq++;
      }
    }
  } catch (thrown) {
    problems.push((thrown as Error).message);
  }
  const { broken, end } = proving.result();
  if (row.next_seq > row.first_seq && broken !== null) problems.push(`entry ${broken.at} ${broken.what}`);
  if (seq !== row.next_seq) problems.push(`has ${seq} lines, its row says ${row.next_seq}`);
  else if (row.next_seq > row.first_seq && end?.head !== row.head)
    problems.push('its last line is not the stored head');
  const [count] = await database.all<{ count: number; seqs: number }>(
    'SELECT count(*) AS count, count(DISTINCT seq) AS seqs FROM decisions WHERE tape = $1',
    [row.id],
  );
  if (Number(count!.count) !== facts.decisions || Number(count!.seqs) !== facts.decisions)
    problems.push(`has ${facts.decisions} decisions and ${count!.count} facts`);
  return { entries: Math.max(0, seq - Math.max(1, row.first_seq)), decisions: facts.decisions, problems };
}

async function strays(database: Database): Promise<string[]> {
  const problems: string[] = [];
  for (const table of ['segments', 'decisions']) {
    const [row] = await database.all<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE tape NOT IN (SELECT id FROM tapes)`,
    );
    if (Number(row!.count) > 0) problems.push(`${row!.count} rows of ${table} belong to no tape`);
  }
  return problems;
}

export async function removalsOf(database: Database): Promise<Removal[]> {
  const rows = await database.all<Record<string, number>>('SELECT * FROM removals ORDER BY removed_at');
  return rows.map((row) => ({
    removedAt: Number(row.removed_at),
    before: new Date(Number(row.before_day) * DAY_MS).toISOString().slice(0, 10),
    tapes: Number(row.tapes),
    segments: Number(row.segments),
    entries: Number(row.entries),
    decisions: Number(row.decisions),
    rawBytes: Number(row.raw_bytes),
  }));
}
