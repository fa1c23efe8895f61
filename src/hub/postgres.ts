/**
 * PostgreSQL behind the hub: a small pool, and the things it does its own way. A connection that breaks fails its request and never
 * the process.
 */
import type pg from 'pg';
import { HarnessError } from '../base/index.ts';
import { type Database, DatabaseUnavailable, type Dialect, type Sql, type Value } from './database.ts';
import { loadDriver } from './driver.ts';
import { POSTGRES_MIGRATIONS } from './postgres-schema.ts';

const MOST_CONNECTIONS = 10;
const CONNECT_MS = 5000;
const STATEMENT_MS = 60_000;
/** A hub that hangs inside a transaction must not hold the row of a tape. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** Any number; all hubs of one database use the same. */
const MIGRATION_LOCK = 7_077_001;
const PARTITION_LOCK = 7_077_002;

const PARTITIONED = ['segments', 'decisions'] as const;

const FACT_COLUMNS = 'day, tape, seq, at, event, action, hook, layer, tool';

/** In a transaction. A row by COPY costs the database a third of one by INSERT. */
interface PostgresSql extends Sql {
  copy(sql: string, rows: string): Promise<void>;
}

const DIALECT: Dialect = {
  kind: 'postgres',
  migrations: POSTGRES_MIGRATIONS,
  schemaExists: "SELECT CASE WHEN to_regclass('settings') IS NULL THEN 0 ELSE 1 END AS found",
  isWritable: "SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 0 ELSE 1 END AS found",
  forUpdate: ' FOR UPDATE',
  migrationLock: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`,
  insertFacts: async (sql, day, tape, facts) => {
    const rows = facts.map(
      ({ seq, at, event, action, hook, layer, tool }) =>
        `${day}\t${tape}\t${seq}\t${copied(at)}\t${copied(event)}\t${copied(action)}\t${copied(hook)}\t${copied(layer)}\t${copied(tool)}\n`,
    );
    const { copy } = sql as PostgresSql;
    if (rows.length > 0)
      await copy(`COPY ${partition('decisions', day)} (${FACT_COLUMNS}) FROM STDIN`, rows.join(''));
  },
  prepareDay: async (sql, day) => {
    const [found] = await sql.all<{ count: number }>(
      'SELECT count(*) AS count FROM pg_class WHERE oid IN (to_regclass($1), to_regclass($2))',
      PARTITIONED.map((table) => partition(table, day)),
    );
    if (Number(found!.count) === PARTITIONED.length) return;
    await sql.all(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
    for (const table of PARTITIONED)
      await sql.all(
        `CREATE TABLE IF NOT EXISTS ${partition(table, day)} PARTITION OF ${table} FOR VALUES IN (${day})`,
      );
  },
  dropDays: async (sql, before) => {
    const rows = await sql.all<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent IN ('segments'::regclass, 'decisions'::regclass)`,
    );
    for (const { name } of rows) {
      const day = Number(/_d(\d+)$/.exec(name)?.[1] ?? before);
      if (day < before) await sql.all(`DROP TABLE ${name}`);
    }
  },
};

function partition(table: string, day: number): string {
  return `${table}_d${Math.floor(day)}`;
}

/** A column in the text format of COPY. */
function copied(value: string | number | null): string | number {
  if (typeof value !== 'string') return value ?? '\\N';
  return COPY_ESCAPED.test(value) ? value.replace(COPY_ESCAPED_ALL, (unit) => COPY_ESCAPES[unit]!) : value;
}

const COPY_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' },
};
const COPY_ESCAPED = /[\\\t\n\r]/;
const COPY_ESCAPED_ALL = /[\\\t\n\r]/g;

/** Numbers of the database that JavaScript can hold: counters, times, sizes. */
const BIGINT = 20;
const NUMERIC = 1700;

export async function openPostgres(url: string): Promise<Database> {
  const connectionString = checkedUrl(url);
  const { Pool, types } = await loadDriver<typeof pg>('pg', '--db needs it');
  const pool = new Pool({
    connectionString,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    application_name: 'harness hub',
    types: {
      getTypeParser: (id: number, format?: 'text' | 'binary') =>
        id === BIGINT || id === NUMERIC
          ? (text: string) => Number(text)
          : types.getTypeParser(id, (format ?? 'text') as 'text'),
    } as pg.CustomTypesConfig,
  });
  // Of connections that wait in the pool; without a listener the process would end.
  pool.on('error', () => {});
  return {
    dialect: DIALECT,
    name: nameOf(url),
    all: (sql, values) => connected(pool, (client) => query(client, sql, values)),
    transaction: (work) => connected(pool, (client) => transaction(client, work)),
    close: () => pool.end(),
  };
}

async function connected<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw new DatabaseUnavailable(thrown);
  });
  let broken: Error | undefined;
  // Of a connection in use: a restart of the database is told here too.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (thrown) {
    if (thrown instanceof DatabaseUnavailable) broken ??= thrown;
    throw thrown;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function transaction<T>(client: pg.PoolClient, work: (sql: Sql) => Promise<T>): Promise<T> {
  await query(client, 'BEGIN');
  try {
    const sql: PostgresSql = {
      all: (text, values) => query(client, text, values, nameOfStatement(text)),
      copy: (text, rows) => copyIn(client, text, rows),
    };
    const result = await work(sql);
    await query(client, 'COMMIT');
    return result;
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {});
    throw thrown;
  }
}

/** Statements of transactions are few and their texts fixed: the database plans each once a connection. */
const MOST_STATEMENTS = 100;
const statementNames = new Map<string, string>();

/** Undefined once there are too many, and for statements without parameters, which may be of several kinds. */
function nameOfStatement(sql: string): string | undefined {
  const known = statementNames.get(sql);
  if (known !== undefined || statementNames.size >= MOST_STATEMENTS || !sql.includes('$1')) return known;
  const name = `harness_${statementNames.size}`;
  statementNames.set(sql, name);
  return name;
}

async function query<T>(
  client: pg.PoolClient,
  sql: string,
  values: readonly Value[] = [],
  name?: string,
): Promise<T[]> {
  try {
    const parameters = values.map(asParameter);
    const { rows } = await client.query({ text: sql, values: parameters, ...(name && { name }) });
    return rows as T[];
  } catch (thrown) {
    throw isUnavailable(thrown) ? new DatabaseUnavailable(thrown) : thrown;
  }
}

/** One statement `COPY … FROM STDIN` with all of its rows. */
async function copyIn(client: pg.PoolClient, sql: string, rows: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      client.query(new CopyIn(sql, rows, (error) => (error ? reject(error) : resolve())));
    });
  } catch (thrown) {
    throw isUnavailable(thrown) ? new DatabaseUnavailable(thrown) : thrown;
  }
}

/** The part of the driver's connection that COPY needs. */
interface CopyConnection {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** What the driver calls while the statement runs; it replaces `callback` to watch its time. */
class CopyIn {
  callback: (error?: Error) => void;
  private readonly sql: string;
  private readonly rows: string;

  constructor(sql: string, rows: string, callback: (error?: Error) => void) {
    this.sql = sql;
    this.rows = rows;
    this.callback = callback;
  }

  submit(connection: unknown): void {
    (connection as CopyConnection).query(this.sql);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.rows));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback();
  }
}

function asParameter(value: Value): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/**
 * Classes of errors after which the same request may succeed: connection, transaction rollback, no resources, operator's
 * intervention, system error, read-only transaction. An error without a class is one of the connection.
 */
const PASSING = /^(?:08|40|53|55|57|58|25006)/;

function isUnavailable(thrown: unknown): boolean {
  const { code } = thrown as { code?: string };
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || PASSING.test(code);
}

function checkedUrl(url: string): string {
  if (/^postgres(?:ql)?:\/\//.test(url)) return url;
  throw new HarnessError('HUB_STORE', `--db wants postgres://USER@HOST/NAME, got ${JSON.stringify(url)}`);
}

/** Without the password. */
function nameOf(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return 'the database';
  }
}
