/** The cases of a hub's store on the embedded database: in memory, and in a file. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Archive, checkHub, DatabaseUnavailable, MEMORY, migrate, openSqlite } from '../../src/hub/index.ts';
import { remove } from '../support/remove.ts';
import { archiveCases } from './archive-cases.ts';
import { collectorCases } from './collector-cases.ts';
import { batchOf, PLACE, sampleLines } from './tapes.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-hub-'));
afterAll(() => remove(folder));

archiveCases('SQLite in memory', () => openSqlite(MEMORY));
archiveCases('SQLite in a file', () => openSqlite(join(folder, 'hub.db')));
collectorCases('SQLite', () => openSqlite(MEMORY));

it('a full disk fails the batch as a whole, and the same batch is taken once there is room', async () => {
  const database = await openSqlite(join(folder, 'full.db'));
  await migrate(database);
  await database.all(
    `INSERT INTO machines (id, name, labels, public_key, generation, nonce, state, joined_at, seen_at)
     VALUES ('m', 'm', '{}', 'k', 0, '', 'active', 0, 0)`,
  );
  const archive = new Archive(database, () => Date.now());
  const batch = batchOf('big', sampleLines('big', 3000), 0);
  const delivery = { machine: 'm', place: PLACE, session: 'big', owner: '', folder: '', branch: null, batch };
  const [pages] = await database.all<{ page_count: number }>('PRAGMA page_count');
  await database.all(`PRAGMA max_page_count = ${pages!.page_count + 3}`);
  await expect(archive.accept(delivery)).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await checkHub(database)).toMatchObject({ ok: true, tapes: 0 });
  await database.all('PRAGMA max_page_count = 100000');
  expect((await archive.accept(delivery)).kind).toBe('stored');
  expect(await checkHub(database)).toMatchObject({ ok: true, tapes: 1, decisions: 3000 });
  await database.close();
});
