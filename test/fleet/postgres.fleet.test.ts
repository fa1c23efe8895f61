/** The cases of a hub's store on PostgreSQL, and what only a database of its own can do: restart, and refuse. */
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable, migrate, openPostgres, openSchema, openStore } from '../../src/hub/index.ts';
import { archiveCases } from './archive-cases.ts';
import { collectorCases } from './collector-cases.ts';
import { hubSource } from './hub-source.ts';
import { createDatabase, killPostgres, startPostgres, urlOf } from './postgres.ts';
import { queryCases } from './query-cases.ts';

archiveCases('PostgreSQL', async () => openPostgres(await createDatabase('cases')));
collectorCases('PostgreSQL', async () => openPostgres(await createDatabase('collector')));
queryCases("a hub's store on PostgreSQL", async (recorded) =>
  hubSource(await openPostgres(await createDatabase('queries')), recorded),
);

describe('a hub on PostgreSQL', () => {
  it('refuses a database without its schema, one of a newer program, and one that is not there, and says what to do', async () => {
    const url = await createDatabase('schemas');
    await expect(openStore({ db: url }, false)).rejects.toThrow('harness hub migrate');
    const database = await openPostgres(url);
    expect(await Promise.all([migrate(database), migrate(database)])).toContainEqual({
      from: 0,
      to: database.dialect.migrations.length,
    });
    await database.all("UPDATE settings SET value = '99' WHERE name = 'schema'");
    await expect(migrate(database)).rejects.toThrow('newer version');
    await database.close();
    await expect(openStore({ db: urlOf('absent') }, false)).rejects.toThrow('absent');
    await expect(openStore({ db: 'postgres://hub@127.0.0.1:1/x' }, false)).rejects.toThrow(
      'cannot be reached',
    );
  });

  it('partitions segments and decisions by the day of receipt', async () => {
    const database = await openPostgres(urlOf('cases'));
    const rows = await database.all<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY relname",
    );
    // Retention of the cases dropped the earlier days.
    expect(rows.map(({ name }) => name.replace(/\d+$/, 'N'))).toEqual(['decisions_dN', 'segments_dN']);
    await database.close();
  });

  it('lives through a restart of the database: requests fail, later ones are answered', async () => {
    const url = await createDatabase('restarted');
    const database = await openPostgres(url);
    await migrate(database);
    // Connections that wait in the pool hear of it too.
    await Promise.all([1, 2, 3].map(() => database.all('SELECT pg_sleep(0.05)')));
    const held = database.transaction(async (sql) => {
      await sql.all('SELECT 1');
      killPostgres('SIGQUIT');
      for (;;) await sql.all('SELECT pg_sleep(0.1)');
    });
    await expect(held).rejects.toBeInstanceOf(DatabaseUnavailable);
    startPostgres();
    // Each dead connection of the pool fails one request at most.
    await expect.poll(() => openSchema(database).catch(() => '')).toMatch(/^[0-9a-f]{64}$/);
    await database.close();
  });
});
