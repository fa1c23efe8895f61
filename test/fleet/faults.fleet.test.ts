/**
 * Rounds of random kills: two hubs behind a balancer, one database, two machines that write all the time, and authors who publish. After
 * every round the hub has every byte, one fact for each decision, and its check is clean; each machine has the newest policy in force, and
 * at no time an older one than before. The seed is printed; the same seed gives the same kills.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import {
  type Enrolled,
  metadataDigest,
  publishedAt,
  publishProposal,
  readTrust,
  rollOutOnHub,
  rootDocument,
  shipOnce,
  signed,
  targetsFor,
} from '../../src/fleet/index.ts';
import { type HubAdmin, migrateDatabase, openAdmin } from '../../src/hub/index.ts';
import { machineHost } from '../../src/machine/index.ts';
import { readFleetPolicy } from '../../src/policy/index.ts';
import { entryBody } from '../../src/tape/chain.ts';
import { FileTapeStore } from '../../src/tape/file-store.ts';
import { remove } from '../support/remove.ts';
import { scratch, TestMachine } from './machine.ts';
import { archiveOf, decided, filesBlocking, newKey } from './policy-fleet.ts';
import { createDatabase, killPostgres, startPostgres } from './postgres.ts';
import { RoundRobin } from './proxy.ts';
import { decision, header } from './tapes.ts';

const ROUNDS = Number(process.env.HARNESS_FLEET_ROUNDS ?? 15);
const SEED = Number(process.env.HARNESS_FLEET_SEED ?? 1);
const ROUND_MS = 1500;
/** A busy machine does fewer of the usual rounds, and says so; more are done however long they take. */
const BUDGET_MS = ROUNDS > 15 ? Number.POSITIVE_INFINITY : 150_000;

const root = scratch();
const children = new Set<ChildProcess>();
const env = (home: string) => ({ PATH: process.env.PATH!, HOME: home });

function start(home: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [CLI_FILE, ...args], {
    env: env(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

afterAll(async () => {
  await Promise.all([...children].map((child) => kill(child, 'SIGKILL')));
  await remove(root);
});

/** Small and good enough: mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

const ALWAYS = 'wipe';

/** Two authors who publish a version after the other: each blocks one tool in all of them, and one of its own. */
class Authors {
  digest = '';
  version = 0;
  tool = '';
  private readonly url: string;
  private readonly keys = [newKey(), newKey()] as const;
  private readonly rootKey = newKey();

  constructor(url: string) {
    this.url = url;
  }

  async introduce(admin: HubAdmin): Promise<void> {
    if (this.digest !== '') return;
    const hub = createPublicKey(await admin.policyKey());
    const part = rootDocument({ root: [this.rootKey], authors: this.keys, hub, threshold: 1 }, 1, Date.now());
    const root = signed(part, this.rootKey);
    await admin.addRoot(root);
    this.digest = metadataDigest(root);
  }

  /** Until the hub has it, also if answers are lost. */
  async publish(): Promise<void> {
    const version = this.version + 1;
    const tool = `tool_${version}`;
    const archive = archiveOf({ ...filesBlocking(ALWAYS), ...filesBlocking(tool, 'own') });
    const terms = {
      ...{ when_stale: 'keep' as const, max_age: null, loosens: true, message: '' },
      ...{ published: '2026-01-01T00:00:00.000Z', checks: {} },
    };
    const part = targetsFor(archive, version, terms, Date.now());
    const targets = signed(part, this.keys[1], signed(part, this.keys[0]).signatures);
    const body = { targets, archive: archive.toString('base64') };
    const client = { host: machineHost };
    for (let attempt = 0; ; attempt++) {
      try {
        expect(await publishProposal(this.url, body, client)).toBe(version);
        const { revision, rollouts } = await publishedAt(this.url, this.keys[0], client);
        if (!rollouts.some((each) => each.version === version))
          await rollOutOnHub(this.url, this.keys[0], { version, labels: {}, percent: 100, revision }, client);
        break;
      } catch (thrown) {
        if (attempt > 20) throw thrown;
        await sleep(100);
      }
    }
    [this.version, this.tool] = [version, tool];
  }
}

describe('a fleet under random kills', () => {
  it(`has every byte after each of ${ROUNDS} rounds (seed ${SEED})`, async () => {
    // Kills have numbers of their own, so that the same seed gives the same ones whatever the machine's speed.
    const next = random(SEED);
    const pick = (count: number) => Math.floor(next() * count);
    const writing = random(SEED + 1);
    const choose = (count: number) => Math.floor(writing() * count);
    const db = await createDatabase('faults');
    await migrateDatabase(db);
    const admin = () => openAdmin({ db });

    const ports: number[] = [0, 0];
    const hubs: ChildProcess[] = [];
    const startHub = async (i: number) => {
      // A hub whose database is away does not start: an operator starts it again.
      for (;;) {
        const child = start(root, 'hub', 'serve', '--db', db, '--port', '0', '--no-page', '--json');
        const said = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => null)]);
        if (said === null) {
          await sleep(200);
          continue;
        }
        hubs[i] = child;
        ports[i] = Number(new URL((JSON.parse(String(said[0])) as { url: string }).url).port);
        return;
      }
    };
    await Promise.all([startHub(0), startHub(1)]);
    const proxy = new RoundRobin(ports);
    const url = await proxy.listen();

    const machines = [new TestMachine(root, 'one'), new TestMachine(root, 'two')];
    const authors = new Authors(url);
    for (const machine of machines) {
      const opened = await admin();
      await authors.introduce(opened);
      await machine.join(url, await opened.createJoinToken({}, 60_000), authors.digest);
      await opened.close();
    }
    await authors.publish();
    /** The newest version that was seen in force on each machine. */
    const seen = [0, 0];
    const checkPolicy = async (i: number) => {
      const version = readFleetPolicy(machines[i]!.place)?.version ?? 0;
      expect(version).toBeGreaterThanOrEqual(seen[i]!);
      seen[i] = version;
      // Neither a half policy, which blocks, nor none, which allows.
      if (version === 0) return;
      expect(await decided(machines[i]!, 'read_file')).toMatchObject({ action: 'allow' });
      expect(await decided(machines[i]!, ALWAYS)).toMatchObject({ action: 'block' });
    };
    const publishing = random(SEED + 2);
    const agents = machines.map((machine) => start(machine.home, 'fleet', 'agent', '--json'));
    const stores = machines.map((machine) => new FileTapeStore(machine.runs));
    const counts = { decisions: 0, faults: {} as Record<string, number> };
    let tapes = 0;

    const faults: Record<string, () => Promise<unknown>> = {
      hub: async () => {
        const i = pick(2);
        await kill(hubs[i]!, 'SIGKILL');
        await sleep(next() * 300);
        await startHub(i);
      },
      database: async () => {
        killPostgres(pick(2) === 0 ? 'SIGKILL' : 'SIGQUIT');
        await sleep(next() * 300);
        startPostgres();
      },
      agent: async () => {
        const i = pick(2);
        await kill(agents[i]!, 'SIGKILL');
        await checkPolicy(i);
        agents[i] = start(machines[i]!.home, 'fleet', 'agent', '--json');
      },
      answer: async () => (proxy.lose += 1 + pick(3)),
      request: async () => (proxy.halve += 1 + pick(3)),
    };
    const work = async (until: number) => {
      while (Date.now() < until) {
        const i = choose(2);
        if (tapes < 4 || choose(6) === 0) tapes++;
        const session = `s-${1 + choose(tapes)}`;
        const entries = Array.from({ length: 1 + choose(40) }, () => {
          counts.decisions++;
          return entryBody(
            decision(counts.decisions, 'run_command', choose(5) === 0 ? 'block' : 'allow'),
            Date.now(),
          );
        });
        const more = choose(3) > 0;
        const appended = await stores[i]!.append({ session, header: header(session), entries, more });
        expect(appended).toMatchObject({ ok: true });
        await sleep(writing() * 40);
      }
    };
    const settle = async (enrolled: Enrolled, machine: TestMachine) => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await shipOnce({ enrolled, host: machine.host });
        } catch (thrown) {
          if (attempt > 10) throw thrown;
        }
      }
    };

    const began = Date.now();
    let done = 0;
    const report = () =>
      process.stderr.write(
        `${done} of ${ROUNDS} rounds, ${counts.decisions} decisions, ${authors.version} versions, faults: ${JSON.stringify(counts.faults)}\n`,
      );
    for (let round = 1; round <= ROUNDS && Date.now() - began < BUDGET_MS; round++) {
      const until = Date.now() + ROUND_MS;
      const names = Object.keys(faults);
      const chaos = (async () => {
        for (let i = 1 + pick(3); i > 0; i--) {
          await sleep(next() * 400);
          const name = names[pick(names.length)]!;
          counts.faults[name] = (counts.faults[name] ?? 0) + 1;
          await faults[name]!();
        }
      })();
      const authoring = (async () => {
        if (publishing() < 0.3) return;
        await sleep(publishing() * ROUND_MS);
        await authors.publish();
      })();
      await Promise.all([work(until), chaos, authoring]);
      for (const store of stores) store.close();
      for (const agent of agents) await kill(agent, pick(2) === 0 ? 'SIGKILL' : 'SIGTERM');
      for (const machine of machines) {
        const shipped = await settle(machine.enrolled, machine);
        expect(shipped.problems).toEqual([]);
        expect(shipped.policy).toMatchObject({ policy: { version: authors.version } });
        expect(readTrust(machine.place).targets).toBe(authors.version);
        expect(await decided(machine, authors.tool)).toMatchObject({ action: 'block' });
        await checkPolicy(machines.indexOf(machine));
        const results = await machine.verify();
        expect(results.filter(({ ok }) => !ok)).toEqual([]);
      }
      const opened = await admin();
      const found = await opened.check();
      expect({ round, ...found }).toMatchObject({ problems: [], attention: [], decisions: counts.decisions });
      expect((await opened.machines()).map(({ state }) => state)).toEqual(['active', 'active']);
      await opened.close();
      machines.forEach((machine, i) => {
        agents[i] = start(machine.home, 'fleet', 'agent', '--json');
      });
      done = round;
      if (round % 25 === 0) report();
    }
    expect(ROUNDS === 0 || done > 0).toBe(true);
    report();
    proxy.close();
  }, 0);
});
