/** A machine whose network is cut, slow, or loses what the hub answers, while its agent runs and a session writes. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { migrateDatabase, openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { remove } from '../support/remove.ts';
import { scratch, TestMachine } from './machine.ts';
import { canUseNetworks, Wire } from './network.ts';
import { createDatabase } from './postgres.ts';
import { sampleLines } from './tapes.ts';

const networks = canUseNetworks();
if (!networks) console.warn('SKIPPED: no root, or no network namespaces: networks that fail are not tried');

const DECISIONS = 4000;

describe.skipIf(!networks)('a machine behind a network that fails', () => {
  const root = scratch();
  let db: string;
  let hub: RunningHub;
  let wire: Wire;
  beforeAll(async () => {
    db = await createDatabase('network');
    await migrateDatabase(db);
    hub = await serveHub({ place: { db }, host: '127.0.0.1', port: 0 });
    wire = new Wire(Number(new URL(hub.url).port));
    await wire.open();
  });
  afterAll(async () => {
    wire?.close();
    await hub?.close();
    await remove(root);
  });

  it('delivers every byte once, whatever happened on the way', async () => {
    const admin = await openAdmin({ db });
    const machine = new TestMachine(root, 'far');
    await machine.join(hub.url, await admin.createJoinToken({}, 60_000));
    // From here on it knows the hub by the address at its end of the wire.
    const { enrolment } = machine.enrolled;
    machine.enrolled.write('machine.json', { ...enrolment, hub: wire.url });
    const env = { PATH: process.env.PATH!, HOME: machine.home };
    let tapes = 0;
    const work = () => machine.write(`s${++tapes}`, sampleLines(`s${tapes}`, DECISIONS));
    const stored = async () => (await admin.check()).tapes;
    const agent = wire.startInside([process.execPath, CLI_FILE, 'fleet', 'agent', '--json'], env);
    const failing: readonly (() => Promise<void>)[] = [
      // In the middle of a batch.
      async () => {
        wire.limit('requests', '1mbit');
        work();
        await sleep(2000);
        wire.cut();
        await sleep(2500);
        wire.mend();
        wire.limit('requests', null);
      },
      // Hardly an answer comes back, while requests arrive.
      async () => {
        wire.limit('answers', '1kbit');
        work();
        await sleep(4000);
        wire.limit('answers', null);
      },
      async () => {
        wire.limit('requests', '2mbit');
        wire.limit('answers', '256kbit');
        work();
        await sleep(2000);
      },
    ];
    for (const fail of failing) {
      await fail();
      await expect.poll(stored, { timeout: 40_000, interval: 500 }).toBe(tapes);
    }
    const ended = once(agent, 'exit');
    agent.kill('SIGTERM');
    await ended;
    wire.limit('requests', null);
    wire.limit('answers', null);
    machine.enrolled.write('machine.json', enrolment);
    expect(await machine.ship()).toMatchObject({ problems: [] });
    expect(await admin.check()).toMatchObject({ ok: true, attention: [], decisions: tapes * DECISIONS });
    expect((await machine.verify()).filter(({ ok }) => !ok)).toEqual([]);
    await admin.close();
  }, 180_000);
});
