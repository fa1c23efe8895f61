/** Signed policy and views on PostgreSQL: two hubs of one database, machines that ask either of them. */
import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  enrolled,
  metadataDigest,
  publishedAt,
  publishProposal,
  type Root,
  rollOutOnHub,
  rootDocument,
  type Signed,
  signed,
  targetsFor,
} from '../../src/fleet/index.ts';
import { migrateDatabase, openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import { registerTapes } from '../../src/policy/fleet-folder.ts';
import { remove } from '../support/remove.ts';
import { scratch, TestMachine } from './machine.ts';
import { archiveOf, CLIENT, decided, filesBlocking, newKey } from './policy-fleet.ts';
import { createDatabase } from './postgres.ts';
import { sampleLines } from './tapes.ts';

const MACHINES = 20;
const root = scratch();
const [alice, bob, rootKey] = [newKey(), newKey(), newKey()];
let db = '';
const hubs: RunningHub[] = [];
let trusted: Signed<Root>;
let viewer: string;
let tokens: string[];

beforeAll(async () => {
  db = await createDatabase('policy');
  await migrateDatabase(db);
  for (let i = 0; i < 2; i++) hubs.push(await serveHub({ place: { db }, host: '127.0.0.1', port: 0 }));
  const admin = await openAdmin({ db });
  const hub = createPublicKey(await admin.policyKey());
  const part = rootDocument({ root: [rootKey], authors: [alice, bob], hub, threshold: 1 }, 1, Date.now());
  trusted = signed(part, rootKey);
  await admin.addRoot(trusted);
  viewer = await admin.createViewerToken(60_000 * 60);
  tokens = [];
  for (let i = 0; i < MACHINES; i++) tokens.push(await admin.createJoinToken({}, 60_000 * 10));
  await admin.close();
});
afterAll(async () => {
  for (const hub of hubs) await hub.close();
  await remove(root);
});

async function publish(at: string, tool: string): Promise<number> {
  const archive = archiveOf(filesBlocking(tool));
  const { version, revision } = await publishedAt(at, alice, CLIENT);
  const terms = {
    ...{ when_stale: 'keep' as const, max_age: null, loosens: true, message: '' },
    ...{ published: '2026-01-01T00:00:00.000Z', checks: {} },
  };
  const part = targetsFor(archive, version + 1, terms, Date.now());
  const targets = signed(part, bob, signed(part, alice).signatures);
  await publishProposal(at, { targets, archive: archive.toString('base64') }, CLIENT);
  await rollOutOnHub(at, alice, { version: version + 1, labels: {}, percent: 100, revision }, CLIENT);
  return version + 1;
}

it('a policy that one hub took reaches machines that wait at either hub, whole', async () => {
  const machines: TestMachine[] = [];
  for (let i = 0; i < MACHINES; i++) {
    const machine = new TestMachine(root, `m${i}`);
    await machine.join(hubs[i % 2]!.url, tokens[i]!, metadataDigest(trusted));
    machines.push(machine);
  }
  expect(await publish(hubs[0]!.url, 'wipe')).toBe(1);
  await Promise.all(machines.map((each) => each.pull()));
  const waiting = Promise.all(machines.map((each) => each.pull(25_000)));
  const version = await publish(hubs[1]!.url, 'format');
  for (const pulled of await waiting) expect(pulled).toMatchObject({ kind: 'new', policy: { version } });
  for (const machine of [machines[0]!, machines[1]!])
    expect(await decided(machine, 'format')).toMatchObject({ action: 'block' });
});

it('views and counts are the same at either hub', async () => {
  const machine = new TestMachine(root, 'm0');
  machine.enrolled = enrolled(machine.host);
  registerTapes(machine.runs, machine.host);
  machine.write('seen', sampleLines('seen', 20));
  await machine.ship();
  const get = async (url: string, path: string) => {
    const headers = { authorization: `Bearer ${viewer}` };
    const { status, body } = await exchangeBytes(
      { method: 'GET', url: url + path, headers, body: null, timeoutMs: 30_000, maxBytes: 1e7 },
      new AbortController().signal,
    );
    expect(status).toBe(200);
    return body.toString('utf8');
  };
  for (const path of [
    '/v1/view/machines',
    '/v1/view/tapes',
    '/v1/view/tapes?action=block&event=tool.pre&since=1',
    '/metrics',
  ]) {
    const [one, two] = await Promise.all(hubs.map(({ url }) => get(url, path)));
    expect(two).toBe(one);
  }
  const { tapes } = JSON.parse(await get(hubs[0]!.url, '/v1/view/tapes?action=block'));
  expect(tapes).toMatchObject([{ session: 'seen', name: 'box' }]);
  expect(JSON.parse(await get(hubs[0]!.url, '/v1/view/tapes?action=ask')).tapes).toEqual([]);
  expect(await get(hubs[1]!.url, '/metrics')).toContain(`harness_hub_machines{state="active"} ${MACHINES}`);
});
