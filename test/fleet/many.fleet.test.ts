/** Many machines at one time against one hub on PostgreSQL, over real HTTP; and a database that only reads for a while. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase, openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import { remove } from '../support/remove.ts';
import { scratch, TestMachine } from './machine.ts';
import { createDatabase, urlOf } from './postgres.ts';
import { sampleLines } from './tapes.ts';

const MACHINES = 500;
const AT_ONCE = 25;

const root = scratch();
let db = '';
let hub: RunningHub;
beforeAll(async () => {
  db = await createDatabase('many');
  await migrateDatabase(db);
  hub = await serveHub({ place: { db }, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await hub.close();
  await remove(root);
});

const ready = async () => {
  const asked = {
    method: 'GET',
    url: `${hub.url}/readyz`,
    headers: {},
    body: null,
    timeoutMs: 30_000,
    maxBytes: 1e5,
  } as const;
  return (await exchangeBytes(asked, new AbortController().signal)).status;
};

describe('one hub on PostgreSQL', () => {
  it(`has the tapes of ${MACHINES} machines that come at one time`, async () => {
    const admin = await openAdmin({ db });
    let started = 0;
    const worker = async () => {
      for (;;) {
        const i = started++;
        if (i >= MACHINES) return;
        const machine = new TestMachine(root, `m${i}`);
        await machine.join(hub.url, await admin.createJoinToken({}, 600_000));
        machine.write('work', sampleLines('work', 20));
        expect(await machine.ship()).toMatchObject({ entries: 21, problems: [] });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(await admin.check()).toMatchObject({
      ok: true,
      tapes: MACHINES,
      decisions: MACHINES * 20,
      attention: [],
    });
    expect(await admin.machines()).toHaveLength(MACHINES);
    await admin.close();
  });

  it('answers 503 while its database only reads, is not ready, and goes on afterwards', async () => {
    const setReadOnly = async (value: string) => {
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`ALTER DATABASE many SET default_transaction_read_only = ${value}`);
      // New settings are for new connections.
      await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'many'");
      await client.end();
    };
    const machine = new TestMachine(root, 'late');
    const admin = await openAdmin({ db });
    await machine.join(hub.url, await admin.createJoinToken({}, 60_000));
    await admin.close();
    await machine.ship();
    machine.write('late', sampleLines('late', 3));
    await setReadOnly('on');
    await expect.poll(ready).toBe(503);
    // A connection that was cut may be answered for first: also with 503.
    const refusal = () => machine.ship().catch((error: Error) => error.message);
    await expect.poll(refusal).toMatch(/503 the database is not available: .*read-only/);
    await setReadOnly('off');
    await expect.poll(ready).toBe(200);
    await expect.poll(() => machine.ship().catch(() => null)).toMatchObject({ entries: 4 });
  });
});
