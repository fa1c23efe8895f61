/**
 * What a hub sends to a collector of OpenTelemetry: each decision as a log record, and its counts. The record is the database: a tape's
 * row says up to which entry the collector has answered, so that an outage of the collector or of a hub loses nothing; a record may
 * come twice, with the same ids. One hub of a database sends at a time. Reasons and payloads are not in the rows and are never sent.
 */
import { type LogRecord, otlpLogs, otlpMetrics, postOtlp, type Scope } from '../agent/index.ts';
import { type JsonObject, sha256Hex } from '../base/index.ts';
import { type Host, pause } from '../machine/index.ts';
import { countsOf } from './counts.ts';
import type { Database, Sql } from './database.ts';

declare const HARNESS_VERSION: string;

const BEGUN = 'otlp_begun';
const LEASE = 'otlp_lease';
/** Longer than a request to the collector and its retries. */
const LEASE_MS = 3 * 60 * 1000;
const PASS_MS = 2000;
const COUNTS_MS = 60_000;
const BATCH = 500;
/** Hexadecimal digits that the protocol wants. */
const [TRACE_ID, SPAN_ID] = [32, 16];
const TIME_DIGITS = 15;

export interface CollectorOptions {
  readonly database: Database;
  readonly host: Pick<Host, 'now' | 'uuid' | 'http'>;
  readonly address: URL;
  /** Once when the collector begins to fail, and once when it answers again. */
  readonly onChange: (problem: string | null) => void;
}

interface Waiting {
  readonly id: number;
  readonly machine: string;
  readonly name: string;
  readonly session: string;
  readonly branch: number;
  readonly next_seq: number;
  readonly exported_to: number;
  readonly received_at: number;
}

interface Row {
  readonly seq: number;
  readonly at: number | null;
  readonly event: string | null;
  readonly action: string;
  readonly hook: string | null;
  readonly layer: string | null;
  readonly tool: string | null;
}

/** Sends until the signal aborts. */
export async function sendToCollector(options: CollectorOptions, signal: AbortSignal): Promise<void> {
  const holder = options.host.uuid();
  let problem: string | null = null;
  let countsDue = 0;
  while (!signal.aborted) {
    const now = options.host.now();
    const found = await pass(options, holder, now >= countsDue, signal).catch(
      (thrown: Error) => thrown.message,
    );
    if (signal.aborted) break;
    if (now >= countsDue) countsDue = now + COUNTS_MS;
    if ((found === null) !== (problem === null)) options.onChange(found);
    problem = found;
    await pause(PASS_MS, signal);
  }
  await releaseLease(options.database, holder).catch(() => {
    // It ends by itself.
  });
}

/** Everything that waits. Gives what went wrong. */
async function pass(
  { database, host, address }: CollectorOptions,
  holder: string,
  withCounts: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  const post = async (path: string, body: JsonObject): Promise<string | null> => {
    const posted = await postOtlp(host.http, address, path, body, signal);
    return posted.ok ? null : posted.message;
  };
  await begin(database);
  for (;;) {
    if (!(await takeLease(database, holder, host.now()))) return null;
    const { records, marks } = await nextBatch(database);
    if (marks.length === 0) break;
    const problem = records.length === 0 ? null : await post('v1/logs', otlpLogs(records, scope()));
    if (problem !== null || signal.aborted) return problem;
    await database.transaction(async (sql) => {
      for (const { tape, seq } of marks)
        await sql.all('UPDATE tapes SET exported_to = $2 WHERE id = $1', [tape, seq]);
    });
  }
  if (!withCounts) return null;
  const now = host.now();
  return post('v1/metrics', otlpMetrics(await countsOf(database, now), now, scope()));
}

function scope(): Scope {
  return { version: HARNESS_VERSION, resource: { 'service.name': 'harness-hub' } };
}

/** What was received before a collector was first named is not sent. */
async function begin(database: Database): Promise<void> {
  const [found] = await database.all('SELECT value FROM settings WHERE name = $1', [BEGUN]);
  if (found !== undefined) return;
  await database.transaction(async (sql) => {
    const made = await sql.all(
      "INSERT INTO settings (name, value) VALUES ($1, 'yes') ON CONFLICT (name) DO NOTHING RETURNING name",
      [BEGUN],
    );
    if (made.length > 0) await sql.all('UPDATE tapes SET exported_to = next_seq - 1');
  });
}

/** A lease is the time of its end, then its holder; of two hubs the one that finds it free or its own has it. */
async function takeLease(sql: Sql, holder: string, now: number): Promise<boolean> {
  const time = (ms: number) => String(ms).padStart(TIME_DIGITS, '0');
  const rows = await sql.all(
    `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
     WHERE substr(settings.value, 1, ${TIME_DIGITS}) < $3 OR substr(settings.value, ${TIME_DIGITS + 2}) = $4
     RETURNING name`,
    [LEASE, `${time(now + LEASE_MS)} ${holder}`, time(now), holder],
  );
  return rows.length > 0;
}

async function releaseLease(sql: Sql, holder: string): Promise<void> {
  await sql.all(`DELETE FROM settings WHERE name = $1 AND substr(value, ${TIME_DIGITS + 2}) = $2`, [
    ...[LEASE, holder],
  ]);
}

/** Decisions that the collector does not have, and how far their tapes are sent once it has them. */
async function nextBatch(
  database: Database,
): Promise<{ records: LogRecord[]; marks: { tape: number; seq: number }[] }> {
  const tapes = await database.all<Waiting>(
    `SELECT t.id, t.machine, m.name, t.session, t.branch, t.next_seq, t.exported_to, t.received_at
     FROM tapes t JOIN machines m ON m.id = t.machine WHERE t.exported_to < t.next_seq - 1 ORDER BY t.id LIMIT $1`,
    [BATCH],
  );
  const records: LogRecord[] = [];
  const marks: { tape: number; seq: number }[] = [];
  for (const tape of tapes) {
    const room = BATCH - records.length;
    if (room === 0) break;
    const rows = await database.all<Row>(
      `SELECT seq, at, event, action, hook, layer, tool FROM decisions WHERE tape = $1 AND seq > $2 AND seq < $3
       ORDER BY seq LIMIT $4`,
      [tape.id, tape.exported_to, tape.next_seq, room],
    );
    records.push(...rows.map((row) => recordOf(tape, row)));
    marks.push({ tape: tape.id, seq: rows.length < room ? tape.next_seq - 1 : Number(rows.at(-1)!.seq) });
  }
  return { records, marks };
}

function recordOf(tape: Waiting, { seq, at, event, action, hook, layer, tool }: Row): LogRecord {
  const trace = sha256Hex(`${tape.machine} ${tape.session} ${tape.branch}`).slice(0, TRACE_ID);
  const given = {
    'gen_ai.conversation.id': tape.session,
    'gen_ai.tool.name': tool,
    'harness.event': event,
    'harness.action': action,
    'harness.hook': hook,
    'harness.layer': layer,
    'harness.machine': tape.machine,
    'harness.tape.seq': Number(seq),
    'host.name': tape.name,
  };
  const attributes = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])),
  );
  return {
    timeMs: Number(at ?? tape.received_at),
    severity: action === 'block' || action === 'ask' ? 'warn' : 'info',
    name: 'harness.decision',
    body: `${event ?? 'decision'}${tool ? ` ${tool}` : ''}: ${action}${hook ? ` by ${hook}` : ''}`,
    attributes,
    traceId: trace,
    spanId: sha256Hex(`${trace} ${seq}`).slice(0, SPAN_ID),
  };
}
