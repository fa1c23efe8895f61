/**
 * What the hub needs of a database: statements with numbered parameters, transactions, and the few things that SQLite and
 * PostgreSQL do differently. Everything else of the hub is the same SQL for both.
 */

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

export interface Sql {
  /** Parameters are `$1`, `$2`, … */
  all<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  /** Migrations in order; the first has number 1. */
  readonly migrations: readonly string[];
  /** Gives `found`: 0 before the first migration. */
  readonly schemaExists: string;
  /** Gives `found`: 0 while the database only reads. */
  readonly isWritable: string;
  /** After a SELECT: the row is this transaction's until it ends. */
  readonly forUpdate: string;
  /** Before the first statement of a migration: other processes wait. */
  readonly migrationLock: string;
  /** Rows of `decisions` in one statement. */
  insertFacts(sql: Sql, day: number, tape: number, facts: readonly Fact[]): Promise<void>;
  /** Whatever a row of that day of receipt needs. */
  prepareDay(sql: Sql, day: number): Promise<void>;
  /** Removes the rows of all days of receipt before that one. */
  dropDays(sql: Sql, before: number): Promise<void>;
}

export interface Database extends Sql {
  readonly dialect: Dialect;
  /** For people: the address without its password, or the file. */
  readonly name: string;
  /** All or nothing. What `work` throws is thrown again after the rollback. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** One row of `decisions`: what a search needs of one decision. */
export interface Fact {
  readonly seq: number;
  readonly at: number | null;
  readonly event: string | null;
  readonly action: string;
  readonly hook: string | null;
  readonly layer: string | null;
  readonly tool: string | null;
}

/** The database cannot be reached or cannot write. The request may be sent again. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.name = 'DatabaseUnavailable';
  }
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The day of receipt: days since the epoch, by the hub's clock. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
