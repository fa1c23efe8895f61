/**
 * Brings a database to the schema of this program, one numbered migration after the other, each in its own transaction. A
 * database of a newer program is never touched.
 */
import { HarnessError } from '../base/index.ts';
import { randomHex } from '../machine/index.ts';
import type { Database, Dialect, Sql } from './database.ts';

const VERSION = 'schema';
const SECRET = 'secret';

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

export async function migrate(database: Database): Promise<Migrated> {
  const { migrations, migrationLock } = database.dialect;
  let from: number | null = null;
  for (;;) {
    const at = await database.transaction(async (sql) => {
      if (migrationLock !== '') await sql.all(migrationLock);
      const version = await versionOf(sql, database.dialect);
      checkNewer(version, migrations.length, database.name);
      if (version === migrations.length) return { version, done: true };
      for (const statement of statementsOf(migrations[version]!)) await sql.all(statement);
      if (version === 0)
        await sql.all('INSERT INTO settings (name, value) VALUES ($1, $2)', [SECRET, randomHex(32)]);
      await sql.all(
        `INSERT INTO settings (name, value) VALUES ('${VERSION}', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [String(version + 1)],
      );
      return { version, done: false };
    });
    from ??= at.version;
    if (at.done) return { from, to: at.version };
  }
}

/** The secret that all hubs of one database share. Throws HUB_SCHEMA if the database is not of this program's schema. */
export async function openSchema(database: Database): Promise<string> {
  const version = await versionOf(database, database.dialect);
  const wanted = database.dialect.migrations.length;
  checkNewer(version, wanted, database.name);
  if (version < wanted)
    throw new HarnessError(
      'HUB_SCHEMA',
      `${database.name} has schema ${version}, this program needs ${wanted}. Run: harness hub migrate --db URL`,
    );
  const [row] = await database.all<{ value: string }>('SELECT value FROM settings WHERE name = $1', [SECRET]);
  return row!.value;
}

function checkNewer(version: number, wanted: number, name: string): void {
  if (version <= wanted) return;
  throw new HarnessError(
    'HUB_SCHEMA',
    `${name} has schema ${version}, this program knows ${wanted}. Install the newer version of harness-hooks`,
  );
}

async function versionOf(sql: Sql, { schemaExists }: Dialect): Promise<number> {
  const [found] = await sql.all<{ found: number }>(schemaExists);
  if (Number(found!.found) === 0) return 0;
  const [row] = await sql.all<{ value: string }>('SELECT value FROM settings WHERE name = $1', [VERSION]);
  return Number(row?.value ?? 0);
}

function statementsOf(text: string): string[] {
  return text
    .split(';\n')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
