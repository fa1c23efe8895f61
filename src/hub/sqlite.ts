/**
 * The embedded store: SQLite in this process, in a file or in memory. Node's own where it has one (22.13 and later), a build for
 * WebAssembly on Node 20: the same SQL on both. One process owns the file; the process that opens it holds the lock of its folder.
 */
import { rmSync } from 'node:fs';
import { HarnessError } from '../base/index.ts';
import {
  type Database,
  DatabaseUnavailable,
  type Dialect,
  type Fact,
  type Sql,
  type Value,
} from './database.ts';
import { loadDriver } from './driver.ts';
import { SQLITE_MIGRATIONS } from './sqlite-schema.ts';

/** The part that both builds have. */
interface Connection {
  exec(sql: string): void;
  all(sql: string, values: readonly Value[]): unknown[];
  close(): void;
}

export const MEMORY = ':memory:';

/** A write is acknowledged once the disk has it: the machine may then remove its own copy. */
const PRAGMAS = ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

const DIALECT: Dialect = {
  kind: 'sqlite',
  migrations: SQLITE_MIGRATIONS,
  schemaExists: "SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name = 'settings'",
  isWritable: 'SELECT 1 AS found',
  // A transaction that writes has the whole file.
  forUpdate: '',
  migrationLock: '',
  insertFacts: async (sql, day, tape, facts) => {
    if (facts.length === 0) return;
    const rows = facts.map(({ seq, at, event, action, hook, layer, tool }: Fact) => [
      ...[seq, at, event, action, hook, layer, tool],
    ]);
    const columns = [0, 1, 2, 3, 4, 5, 6].map((i) => `json_extract(value, '$[${i}]')`);
    await sql.all(
      `INSERT INTO decisions (day, tape, seq, at, event, action, hook, layer, tool)
       SELECT $1, $2, ${columns.join(', ')} FROM json_each($3)`,
      [day, tape, JSON.stringify(rows)],
    );
  },
  prepareDay: async () => {},
  dropDays: async (sql, before) => {
    await sql.all('DELETE FROM segments WHERE day < $1', [before]);
    await sql.all('DELETE FROM decisions WHERE day < $1', [before]);
  },
};

/** `file` may be `:memory:`. The caller holds the lock of the folder. */
export async function openSqlite(file: string): Promise<Database> {
  let connection: Connection;
  try {
    connection = await connect(file);
    for (const pragma of PRAGMAS) connection.all(`PRAGMA ${pragma}`, []);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    throw new HarnessError('HUB_STORE', `${file} cannot be opened: ${(thrown as Error).message}`);
  }
  return new SqliteDatabase(file, connection);
}

class SqliteDatabase implements Database {
  readonly dialect = DIALECT;
  readonly name: string;
  private readonly connection: Connection;
  /** One connection: a transaction that waits for its own code must not mix with another. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(name: string, connection: Connection) {
    this.name = name;
    this.connection = connection;
  }

  all<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return this.inTurn(async () => this.query<T>(sql, values));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      this.query('BEGIN IMMEDIATE', []);
      try {
        const result = await work({
          all: async <R>(sql: string, values: readonly Value[] = []) => this.query<R>(sql, values),
        });
        this.query('COMMIT', []);
        return result;
      } catch (thrown) {
        try {
          this.query('ROLLBACK', []);
        } catch {
          // SQLite has rolled back by itself.
        }
        throw thrown;
      }
    });
  }

  close(): Promise<void> {
    return this.inTurn(async () => this.connection.close());
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch(() => {});
    return next;
  }

  private query<T>(sql: string, values: readonly Value[]): T[] {
    try {
      return this.connection.all(sql.replace(/\$(\d+)/g, '?$1'), values) as T[];
    } catch (thrown) {
      throw isUnavailable(thrown) ? new DatabaseUnavailable(thrown) : thrown;
    }
  }
}

/** A full disk, a read-only file, a failed read or write, a lock. */
const UNAVAILABLE =
  /disk (?:is full|I\/O error)|database or disk is full|readonly|read-only|locked|unable to open/i;

function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof Error && UNAVAILABLE.test(thrown.message);
}

async function connect(file: string): Promise<Connection> {
  return nativeConnection(file) ?? (await wasmConnection(file));
}

interface NativeStatement {
  all(...values: Value[]): unknown[];
}
interface NativeModule {
  readonly DatabaseSync: new (
    file: string,
  ) => { exec(sql: string): void; prepare(sql: string): NativeStatement; close(): void };
}

/** Prepared statements are few: the hub's own, each with its text fixed. */
const MOST_STATEMENTS = 200;

function nativeConnection(file: string): Connection | null {
  const native = process.getBuiltinModule('node:sqlite') as unknown as NativeModule | undefined;
  if (native === undefined) return null;
  const database = new native.DatabaseSync(file);
  const statements = new Map<string, NativeStatement>();
  return {
    exec: (sql) => database.exec(sql),
    all: (sql, values) => {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        if (statements.size >= MOST_STATEMENTS) statements.clear();
        statements.set(sql, statement);
      }
      return statement.all(...values);
    },
    close: () => database.close(),
  };
}

const WASM = 'node-sqlite3-wasm';

interface WasmModule {
  readonly Database: new (
    file: string,
  ) => {
    exec(sql: string): void;
    all(sql: string, values?: readonly Value[]): unknown[];
    close(): void;
  };
}

async function wasmConnection(file: string): Promise<Connection> {
  // It locks by a folder beside the file, which a killed process leaves behind. The lock of the hub's folder is the real one.
  if (file !== MEMORY) rmSync(`${file}.lock`, { recursive: true, force: true });
  const { Database } = await loadDriver<WasmModule>(
    WASM,
    `Node ${process.versions.node} has no SQLite of its own; Node 22.13 and later do, and --db postgres://… needs none`,
  );
  const database = new Database(file);
  return {
    exec: (sql) => database.exec(sql),
    all: (sql, values) => database.all(sql, [...values]),
    close: () => database.close(),
  };
}
