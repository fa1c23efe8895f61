// Many machines in this process over real HTTP against one hub on PostgreSQL: how fast what waited an hour is delivered, how soon a policy
// is in force on all of them, and what a search over all of it takes beside its bare query. By the clock: simulated machines, hub and database
// share the processors, so a busy computer only makes it worse.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median, printTable } from '../measure.mjs';
import { homeAt, startHub } from './commands.mjs';
import { shortTape } from './lines.mjs';
import { sources } from './sources.mjs';

const MACHINES = Number(process.env.BENCH_MACHINES ?? 500);
const ENTRIES = Math.round(Number(process.env.BENCH_ENTRIES ?? 1_000_000) / MACHINES);
const AT_ONCE = 8;
const HOUR_S = 3600;
const SEARCHES = 9;
const [ACTION, HOOK, LIMIT] = ['block', 'guard_7', 100];

export async function benchMany(server, scratch) {
  const fleet = await sources();
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  await client.query('CREATE DATABASE many');
  await client.end();
  const db = server.url('many');
  const hub = await startHub(homeAt(join(scratch, 'many')), ['--db', db]);
  const authors = await introduce(fleet, db, hub.url);
  const machines = await joined(fleet, scratch, db, hub.url, authors.digest);

  const waited = await backlog(machines);
  const arrived = await policy(authors, machines);
  const { bare, search, found } = await searches(fleet, db);
  printTable(
    `${MACHINES} machines, ${MACHINES * ENTRIES} entries`,
    ['', 'seconds'],
    [
      ['all that waited is at the hub', waited.toFixed(1)],
      ['a policy is in force: median', median(arrived).toFixed(2)],
      ['the last machine', Math.max(...arrived).toFixed(2)],
      [`a day's ${found} blocks of one hook: bare query`, bare.toFixed(3)],
      ['the same as the page shows them', search.toFixed(3)],
    ],
  );
  return [
    ["an hour's backlog, how many times as fast as it grew", HOUR_S / waited, 10, true],
    [`policy to ${MACHINES} machines, median in seconds`, median(arrived), 2],
    [`a day's search over ${MACHINES * ENTRIES} entries to its bare query`, search / bare, 3],
  ];
}

async function introduce(fleet, db, url) {
  const [rootKey, ...keys] = [1, 2, 3].map(() => generateKeyPairSync('ed25519').privateKey);
  const admin = await fleet.openAdmin({ db });
  const hub = createPublicKey(await admin.policyKey());
  const part = fleet.rootDocument({ root: [rootKey], authors: keys, hub, threshold: 1 }, 1, Date.now());
  const root = fleet.signed(part, rootKey);
  await admin.addRoot(root);
  await admin.close();
  const client = { host: fleet.machineHost, pauses: [] };
  let version = 0;
  return {
    digest: fleet.metadataDigest(root),
    /** When the author typed it. */
    publish: async () => {
      const archive = fleet.packedBytes(filesBlocking(`tool_${++version}`));
      const terms = {
        ...{ when_stale: 'keep', max_age: null, loosens: true, message: '' },
        ...{ published: '2026-01-01T00:00:00.000Z', checks: {} },
      };
      const targetsPart = fleet.targetsFor(archive, version, terms, Date.now());
      const targets = fleet.signed(targetsPart, keys[1], fleet.signed(targetsPart, keys[0]).signatures);
      await fleet.publishProposal(url, { targets, archive: archive.toString('base64') }, client);
      const { revision } = await fleet.publishedAt(url, keys[0], client);
      const began = performance.now();
      await fleet.rollOutOnHub(url, keys[0], { version, labels: {}, percent: 100, revision }, client);
      return { version, began };
    },
  };
}

function filesBlocking(tool) {
  const text = `---
event: tool.pre
priority: 10
when: payload["name"] == "${tool}"
---
\`\`\`python
def handle(event, payload):
    return block("${tool} is not for agents")
\`\`\`
`;
  return { '.harness/hooks/guard.md': { content: Buffer.from(text).toString('base64') } };
}

async function joined(fleet, scratch, db, url, digest) {
  const admin = await fleet.openAdmin({ db });
  const machines = Array.from(
    { length: MACHINES },
    (_, i) => new fleet.TestMachine(join(scratch, 'm'), `m${i}`),
  );
  await eachOf(machines, async (machine) => {
    await machine.join(url, await admin.createJoinToken({}, 600_000), digest);
  });
  await admin.close();
  return machines;
}

async function backlog(machines) {
  machines.forEach((machine, i) => {
    writeFileSync(machine.file(`work-${i}`), shortTape(`work-${i}`, ENTRIES - 1, i));
  });
  const began = performance.now();
  await eachOf(machines, async (machine) => {
    const { entries } = await machine.ship(false);
    if (entries !== ENTRIES) throw new Error(`want ${ENTRIES} entries, got ${entries}`);
  });
  return (performance.now() - began) / 1000;
}

/**
 * Seconds until the policy is in force on each machine, all of which wait for it: until its answer is there, and what the machine itself
 * then takes to verify and unpack it, one after the other, since each has a processor of its own.
 */
async function policy(authors, machines) {
  await authors.publish();
  await eachOf(machines, (machine) => machine.pull());
  const gates = machines.map((machine) => {
    const gate = {};
    gate.open = new Promise((resolve) => {
      gate.pass = resolve;
    });
    gate.answered = new Promise((resolve) => {
      const client = machine.client();
      machine.client = () => ({
        send: async (...request) => {
          const answer = await client.send(...request);
          resolve(performance.now());
          await gate.open;
          return answer;
        },
      });
    });
    return { ...gate, pulled: machine.pull(30_000) };
  });
  await sleep(3000);
  const { began, version } = await authors.publish();
  const answered = await Promise.all(gates.map((gate) => gate.answered));
  const seconds = [];
  for (const [i, { pass, pulled }] of gates.entries()) {
    const verifying = performance.now();
    pass();
    const { policy: got } = await pulled;
    if (got?.version !== version) throw new Error(`want version ${version}, got ${got?.version}`);
    seconds.push((answered[i] - began + performance.now() - verifying) / 1000);
  }
  return seconds;
}

async function searches(fleet, db) {
  const database = await fleet.openPostgres(db);
  const host = fleet.machineHost;
  const machines = new fleet.Machines(database, await fleet.openSchema(database), host);
  const queries = new fleet.HubQueries(database, machines, host);
  await database.all('VACUUM ANALYZE decisions');
  const day = Math.floor(Date.now() / 86_400_000);
  const times = { bare: [], search: [] };
  let found = 0;
  for (let turn = -2; turn < SEARCHES; turn++) {
    let began = performance.now();
    const rows = await database.all(
      `SELECT tape, seq, at, event, action, hook, tool FROM decisions WHERE day = $1 AND action = $2 AND hook = $3
       ORDER BY at DESC LIMIT ${LIMIT}`,
      [day, ACTION, HOOK],
    );
    const bare = performance.now() - began;
    began = performance.now();
    const filter = { decision: ACTION, hook: HOOK, since: '1d' };
    const shown = await queries.decisions(filter, { offset: 0, limit: LIMIT });
    const search = performance.now() - began;
    if (shown.rows.length !== rows.length || rows.length === 0)
      throw new Error(`${rows.length} rows, ${shown.rows.length} shown`);
    found = shown.total;
    if (turn < 0) continue;
    times.bare.push(bare / 1000);
    times.search.push(search / 1000);
  }
  await database.close();
  return { bare: median(times.bare), search: median(times.search), found };
}

async function eachOf(items, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
