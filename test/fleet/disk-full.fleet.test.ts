/** A database whose disk is full: its files are in a tmpfs that is too small, and later is not. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase, openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { remove } from '../support/remove.ts';
import { scratch, TestMachine } from './machine.ts';
import { databaseUser, urlOf } from './postgres.ts';
import { sampleLines } from './tapes.ts';

const root = scratch();
const disk = join(root, 'disk');
// The database is another user, and has to get through.
chmodSync(root, 0o755);
mkdirSync(disk);
const mount = (...options: string[]) =>
  spawnSync('mount', ['-o', options.join(), '-t', 'tmpfs', 'tmpfs', disk]).status === 0;
const mounted = process.getuid?.() === 0 && mount('size=13m');
if (!mounted) console.warn('SKIPPED: no root, or no mounts: a full disk of the database is not tried');

const TAPES = 12;
const DECISIONS = 5000;

describe.skipIf(!mounted)('a hub whose database has a full disk', () => {
  const db = urlOf('small');
  let hub: RunningHub;
  const sql = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  beforeAll(async () => {
    const user = databaseUser();
    if (user !== null) chownSync(disk, user.uid, user.gid);
    await sql(`CREATE TABLESPACE small LOCATION '${disk}'`, 'CREATE DATABASE small TABLESPACE small');
    await migrateDatabase(db);
    hub = await serveHub({ place: { db }, host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await hub?.close();
    await sql('DROP DATABASE IF EXISTS small WITH (FORCE)', 'DROP TABLESPACE IF EXISTS small');
    spawnSync('umount', ['-l', disk]);
    await remove(root);
  });

  it('answers 503, stores no part of a batch, lives on, and has everything once there is room', async () => {
    const admin = await openAdmin({ db });
    const machine = new TestMachine(root, 'one');
    await machine.join(hub.url, await admin.createJoinToken({}, 60_000));
    for (let i = 0; i < TAPES; i++) machine.write(`s${i}`, sampleLines(`s${i}`, DECISIONS));
    const refusal = await machine.ship().then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
    expect(refusal).toMatch(/503 the database is not available: .*No space left on device/);
    const before = await admin.check();
    expect(before.problems).toEqual([]);
    expect(before.decisions).toBeLessThan(TAPES * DECISIONS);
    expect(mount('remount', 'size=96m')).toBe(true);
    expect(await machine.ship()).toMatchObject({ problems: [] });
    expect(await admin.check()).toMatchObject({ ok: true, tapes: TAPES, decisions: TAPES * DECISIONS });
    expect((await machine.verify()).filter(({ ok }) => !ok)).toEqual([]);
    await admin.close();
  });
});
