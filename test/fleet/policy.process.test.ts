/** Signed policy over real HTTP: what a machine takes, what changes nothing, what blocks. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PublishedPolicy, publishedAt, publishProposal, rollOutOnHub } from '../../src/fleet/index.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import { machineHost } from '../../src/machine/index.ts';
import {
  fullFingerprint,
  layerPlaces,
  looseningBetween,
  readFleetCheck,
  readFleetPolicy,
} from '../../src/policy/index.ts';
import { openSessionTape } from '../../src/session/index.ts';
import { readTape } from '../../src/tape/index.ts';
import { remove } from '../support/remove.ts';
import { scratch, type TestMachine } from './machine.ts';
import { archiveOf, CLIENT, decided, filesBlocking, newKey, PolicyFleet, policyOn } from './policy-fleet.ts';

const root = scratch();
const fleet = new PolicyFleet(root);
let machine: TestMachine;

beforeAll(async () => {
  await fleet.start();
  machine = await fleet.machine('one');
});
afterAll(async () => {
  await fleet.stop();
  await remove(root);
});

const action = async (of: TestMachine, tool: string) => (await decided(of, tool)).action;
const blocksOnly = async (of: TestMachine, tool: string) => {
  expect(await decided(of, tool)).toMatchObject({ action: 'block', reason: `${tool} is not for agents` });
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
const served = async (of: TestMachine) => {
  const client = of.client();
  const { body } = await client.send('/v1/policy', { method: 'GET', body: null });
  return JSON.parse(body.toString('utf8'));
};
const serving = async <T>(answer: PolicyFleet['answer'], work: () => Promise<T>): Promise<T> => {
  fleet.answer = answer;
  try {
    return await work();
  } finally {
    fleet.answer = () => null;
  }
};
const onPolicy =
  (status: number, body?: string, headers?: Record<string, string>): PolicyFleet['answer'] =>
  (path) =>
    path.startsWith('/v1/policy?')
      ? { status, ...(body !== undefined && { body }), ...(headers && { headers }) }
      : null;

describe('a machine that joined with a root', () => {
  it('has no policy of the fleet before one was rolled out, and blocks nothing', async () => {
    expect(await machine.pull()).toEqual({ kind: 'none' });
    expect(existsSync(machine.place.marker)).toBe(false);
    expect(await action(machine, 'wipe')).toBe('allow');
  });

  it('is in force after one pull, as a layer below the managed one and above the user', async () => {
    await fleet.publish(filesBlocking('wipe'));
    expect(await machine.pull()).toMatchObject({ kind: 'new', policy: { version: 1 } });
    await blocksOnly(machine, 'wipe');
    expect(await action(machine, 'read_file')).toBe('allow');
    const [layer] = (await policyOn(machine)).layers;
    expect(layer).toMatchObject({ name: 'fleet', kind: 'fleet', rank: 1.5 });
    expect(await machine.pull()).toMatchObject({ kind: 'same' });
  });

  it('adds to a policy of the user and of the project, which cannot loosen it', async () => {
    const user = layerPlaces(machine.host).user!;
    const hooks = join(user, 'hooks');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'own.md'), filesBlocking('own')['.harness/hooks/guard.md']!);
    expect((await policyOn(machine)).layers.map(({ name }) => name)).toEqual(['fleet', 'user', 'project']);
    await blocksOnly(machine, 'wipe');
    await blocksOnly(machine, 'own');
    rmSync(hooks, { recursive: true });
  });

  it('a new version is taken with one request that waits for it', async () => {
    const waiting = machine.pull(20_000);
    await fleet.publish(filesBlocking('format'));
    expect(await waiting).toMatchObject({ kind: 'new', policy: { version: 2 } });
    await blocksOnly(machine, 'format');
    expect(await action(machine, 'wipe')).toBe('allow');
  });
});

describe('a session that runs while its policy changes', () => {
  it('takes another version that loses no layer, and goes on with its own while the folder is gone', async () => {
    const before = await policyOn(machine);
    await fleet.publish(filesBlocking('burn'));
    await machine.pull();
    const after = await policyOn(machine);
    expect(after.digest.digest).not.toBe(before.digest.digest);
    expect(await looseningBetween(before, after)).toBeNull();
    rmSync(machine.place.folder, { recursive: true });
    expect(await looseningBetween(after, await policyOn(machine))).toContain('belongs to a fleet');
    await machine.pull();
    expect(await looseningBetween(after, await policyOn(machine))).toBeNull();
  });

  it('an agent of the fleet that writes its status changes nothing that an open policy looks at; a new version does', async () => {
    const policy = await policyOn(machine);
    const host = { ...machineHost, env: machine.host.env };
    const look = () => String(fullFingerprint(policy, host));
    const before = look();
    machine.enrolled.write('status.json', { lastSuccess: Date.now() });
    await machine.pull();
    expect(look()).toBe(before);
    await fleet.publish(filesBlocking('format'));
    await machine.pull();
    expect(look()).not.toBe(before);
  });
});

describe('an answer that is no verified policy changes nothing', () => {
  const good = (): Promise<string> => served(machine).then((each) => JSON.stringify(each));
  const rows: readonly (readonly [string, () => Promise<PolicyFleet['answer']>, RegExp])[] = [
    ['an empty body', async () => onPolicy(200, ''), /the answer is empty/],
    ['half of the policy', async () => onPolicy(200, (await good()).slice(0, 900)), /no policy of a hub/],
    [
      'a page of a proxy',
      async () => onPolicy(200, '<html><body>Sign in</body></html>'),
      /no policy of a hub/,
    ],
    ['an empty object', async () => onPolicy(200, '{}'), /no policy of a hub/],
    ['no content', async () => onPolicy(204), /no longer has a policy/],
    ['not modified, without a signed timestamp', async () => onPolicy(304), /without a signed timestamp/],
    ['not found', async () => onPolicy(404, '{"error":"not found"}'), /not found/],
    [
      'a tampered archive',
      async () => {
        const policy = await served(machine);
        return onPolicy(
          200,
          JSON.stringify({ ...policy, archive: archiveOf({ 'harness.md': '' }).toString('base64') }),
        );
      },
      /not the one that the authors signed/,
    ],
    [
      'a policy that is signed by nobody known',
      async () => {
        const policy = await served(machine);
        const archive = archiveOf(filesBlocking('nothing'));
        const targets = fleet.signTargets(archive, 99, [newKey()]);
        return onPolicy(200, JSON.stringify({ ...policy, targets, archive: archive.toString('base64') }));
      },
      /names other targets/,
    ],
    [
      'the policy of another fleet',
      async () => {
        const policy = await served(machine);
        const foreign = await fleet.signRoot({ root: [newKey()] }, 1, [fleet.rootKey]);
        return onPolicy(200, JSON.stringify({ ...policy, roots: [foreign] }));
      },
      /another root/,
    ],
  ];
  it.each(rows)('%s', async (_name, answer, why) => {
    const before = readFleetPolicy(machine.place);
    expect(await failure(serving(await answer(), () => machine.pull()))).toMatch(why);
    expect(readFleetPolicy(machine.place)).toEqual(before);
    expect(readFleetCheck(machine.place)).toMatchObject({ problem: expect.stringMatching(why) });
    await blocksOnly(machine, 'format');
    await machine.pull();
    expect(readFleetCheck(machine.place)).toMatchObject({ problem: null, problemSince: null });
  });

  it('stands on the tape of the next session, until an answer is taken', async () => {
    const notes = async (session: string) => {
      const policy = await policyOn(machine);
      const tape = openSessionTape(policy, { target: machine.file(session), session, firedBy: 'test' });
      await tape.close();
      return [...readTape(machine.file(session)).entries].map(({ record }) => record);
    };
    await failure(serving(onPolicy(200, ''), () => machine.pull()));
    expect(await notes('refused')).toContainEqual({
      type: 'session',
      kind: 'fleet_policy_refused',
      data: { problem: expect.stringMatching(/the answer is empty/), since: expect.any(Number) },
    });
    await machine.pull();
    expect(JSON.stringify(await notes('taken'))).not.toContain('fleet_policy_refused');
  });

  it('not modified, to a machine that has nothing', async () => {
    const fresh = await fleet.machine('fresh');
    expect(await failure(serving(onPolicy(304), () => fresh.pull()))).toMatch(/this machine has no policy/);
    expect(existsSync(fresh.place.marker)).toBe(false);
    expect(readFleetCheck(fresh.place)).toMatchObject({
      problem: expect.stringContaining('this machine has no policy'),
    });
  });

  it('an old version that is served again, also after the folder with what was verified is gone', async () => {
    const old = await served(machine);
    await fleet.publish(filesBlocking('shred'));
    await machine.pull();
    const again = onPolicy(200, JSON.stringify(old));
    expect(await failure(serving(again, () => machine.pull()))).toMatch(
      /timestamp version \d+, this machine has verified/,
    );
    await blocksOnly(machine, 'shred');
    rmSync(machine.place.folder, { recursive: true });
    expect(await failure(serving(again, () => machine.pull()))).toMatch(
      /targets version \d+, this machine has verified version \d+/,
    );
    expect(await machine.pull()).toMatchObject({ kind: 'new' });
  });

  it('a version that cannot be loaded', async () => {
    const broken = { '.harness/hooks/guard.md': '---\nname: x\nevent: tool.pred\n---\n' };
    await fleet.publish(broken);
    expect(await failure(machine.pull())).toMatch(/cannot be loaded here/);
    await blocksOnly(machine, 'shred');
    expect(
      readdirSync(machine.place.folder).filter((name) => name.includes('.') && !name.endsWith('.json')),
    ).toEqual([]);
    await fleet.publish(filesBlocking('shred'));
    expect(await machine.pull()).toMatchObject({ kind: 'new' });
  });

  it('a path that leads out of the folder', async () => {
    await fleet.publish({ ...filesBlocking('shred'), '../../out.md': 'x' }).then(
      () => expect.unreachable('the hub took it'),
      (error: Error) => expect(error.message).toMatch(/cannot be unpacked/),
    );
  });
});

describe('a machine whose policy was taken away', () => {
  it('blocks while the folder is gone, and has it back after one pull', async () => {
    rmSync(machine.place.folder, { recursive: true });
    const outcome = await decided(machine, 'read_file');
    expect(outcome).toMatchObject({ action: 'block', reason: expect.stringContaining('belongs to a fleet') });
    expect((await policyOn(machine)).problems).toContainEqual(
      expect.objectContaining({ code: 'LAYER_BROKEN' }),
    );
    await machine.pull();
    expect(await action(machine, 'read_file')).toBe('allow');
    await blocksOnly(machine, 'shred');
  });

  it('blocks while the unpacked folder is gone or empty, and a changed file is put back', async () => {
    const folder = join(machine.place.folder, readFleetPolicy(machine.place)!.unpacked);
    const file = join(folder, '.harness/hooks/guard.md');
    rmSync(folder, { recursive: true });
    expect(await action(machine, 'read_file')).toBe('block');
    await machine.pull();
    writeFileSync(file, filesBlocking('other')['.harness/hooks/guard.md']!);
    await machine.pull();
    expect(readFileSync(file, 'utf8')).toContain('shred');
  });

  it('blocks where others can write to the folder', async () => {
    const { chmodSync } = await import('node:fs');
    chmodSync(machine.place.folder, 0o777);
    expect(await action(machine, 'read_file')).toBe('block');
    await machine.pull();
    chmodSync(machine.place.folder, 0o700);
    expect(await action(machine, 'read_file')).toBe('allow');
  });
});

describe('a stale policy', () => {
  const HOUR = 60 * 60 * 1000;
  it.each([
    ['keep', 'allow'],
    ['ask', 'ask'],
    ['block', 'block'],
  ] as const)('%s: a tool call is answered with %s once nobody confirmed it', async (whenStale, expected) => {
    await fleet.publish(filesBlocking('shred'), { when_stale: whenStale, max_age: 3600 });
    await machine.pull();
    const soon = () => Date.now() + HOUR / 2;
    const late = () => Date.now() + 2 * HOUR;
    expect(await decided(machine, 'read_file', soon)).toMatchObject({ action: 'allow' });
    expect(await decided(machine, 'read_file', late)).toMatchObject({ action: expected });
    expect(await decided(machine, 'shred', late)).toMatchObject({ action: 'block' });
    if (expected === 'allow') return;
    expect((await decided(machine, 'read_file', late)).reason).toContain('stale since');
    // Opened before it was stale.
    let now = Date.now();
    const policy = await policyOn(machine, () => now);
    now += 2 * HOUR;
    expect(await policy.decide('tool.pre', { id: '1', name: 'read_file', args: {} })).toMatchObject({
      action: expected,
    });
  });

  it('is fresh again after the hub confirmed it with a signed timestamp', async () => {
    const checked = join(machine.place.folder, 'checked.json');
    writeFileSync(checked, JSON.stringify({ at: Date.now() - 2 * HOUR, problem: null, problemSince: null }));
    expect(await action(machine, 'read_file')).toBe('block');
    expect(await machine.pull()).toMatchObject({ kind: 'same' });
    expect(await action(machine, 'read_file')).toBe('allow');
  });
});

describe('who may publish', () => {
  const publish = async (
    archive: Buffer,
    by: Parameters<PolicyFleet['signTargets']>[2],
    loosens = false,
    version?: number,
  ) =>
    publishProposal(
      fleet.hub.url,
      {
        targets: fleet.signTargets(archive, version ?? (await fleet.next()), by, { loosens }),
        archive: archive.toString('base64'),
      },
      CLIENT,
    );

  it('an author of the root; anybody else is refused, and so is a version out of turn', async () => {
    const archive = archiveOf(filesBlocking('shred'));
    expect(await failure(publish(archive, [newKey()]))).toMatch(/0 valid signatures/);
    expect(await failure(publish(archive, [fleet.alice], false, 99))).toMatch(/is next, got 99/);
    const change = { version: 1, labels: {}, percent: 100 };
    expect(await failure(fleet.rollOut(change, newKey()))).toMatch(/not signed by an author/);
    expect(await failure(publishedAt(fleet.hub.url, newKey(), CLIENT))).toMatch(/not signed by an author/);
  });

  it('two authors, for a policy that allows what was blocked: one alone is refused, also twice', async () => {
    const archive = archiveOf(filesBlocking('nothing'));
    expect(await failure(publish(archive, [fleet.alice], true))).toMatch(
      /1 valid signatures .* 2 are needed/,
    );
    expect(await failure(publish(archive, [fleet.alice, fleet.alice], true))).toMatch(/2 are needed/);
    const version = await publish(archive, [fleet.alice, fleet.bob], true);
    await fleet.rollOut({ version, percent: 100, labels: {} });
    expect(await machine.pull()).toMatchObject({ policy: { version } });
    expect(await action(machine, 'shred')).toBe('allow');
  });

  it.each([
    ['a call that was blocked', filesBlocking('nothing'), {}, /found a call that it would allow/],
    ['weaker terms', null, { when_stale: 'ask', max_age: 3600 }, /ask or block later/],
    ['a longer time without contact', null, { when_stale: 'block', max_age: 7200 }, /ask or block later/],
    ['no end of that time', null, { when_stale: 'block', max_age: null }, /ask or block later/],
  ] as const)(
    'an author alone who signs that nothing is loosened is refused by the hub, where it is loosened by %s',
    async (_, files, terms, words) => {
      const before = { when_stale: 'block', max_age: 3600 } as const;
      await fleet.publish(filesBlocking('shred'), before);
      const archive = archiveOf(files ?? filesBlocking('shred'));
      const proposal = (change: typeof terms) => ({
        targets: fleet.signTargets(archive, version, [fleet.alice], { ...before, ...change }),
        archive: archive.toString('base64'),
      });
      const version = await fleet.next();
      const send = (change: typeof terms) => publishProposal(fleet.hub.url, proposal(change), CLIENT);
      expect(await failure(send(terms))).toMatch(words);
      expect(await fleet.next()).toBe(version);
      if (files !== null) return;
      expect(await send({})).toBe(version);
    },
  );

  it('a rollout that was signed for an earlier state of the hub is refused', async () => {
    const { revision } = await publishedAt(fleet.hub.url, fleet.alice, CLIENT);
    const version = await fleet.publish(filesBlocking('shred'));
    const late = rollOutOnHub(
      fleet.hub.url,
      fleet.alice,
      { version, labels: {}, percent: 100, revision },
      CLIENT,
    );
    expect(await failure(late)).toMatch(/somebody changed the rollouts/);
  });
});

describe('rollouts', () => {
  it('by labels reach only machines that have them, and the newest version counts', async () => {
    const payments = await fleet.machine('payments', { team: 'payments' });
    const other = await fleet.machine('other', { team: 'search' });
    const version = await fleet.publish(filesBlocking('pay'), { labels: { team: 'payments' } });
    expect(await payments.pull()).toMatchObject({ policy: { version } });
    expect(await other.pull()).toMatchObject({ policy: { version: version - 1 } });
    await blocksOnly(payments, 'pay');
  });

  it('by per cent reach a share, which only grows', async () => {
    const machines: TestMachine[] = [];
    for (let i = 0; i < 12; i++) machines.push(await fleet.machine(`share-${i}`));
    const version = await fleet.publish(filesBlocking('half'), { percent: 50 });
    const have = async () => {
      const pulled = await Promise.all(machines.map((each) => each.pull()));
      return pulled.map((each) => each.kind !== 'none' && each.policy.version === version);
    };
    const half = await have();
    expect(await failure(fleet.rollOut({ version, percent: 10, labels: {} }))).toMatch(/never goes back/);
    await fleet.rollOut({ version, percent: 100, labels: {} });
    const all = await have();
    expect(all.every(Boolean)).toBe(true);
    expect(half.filter(Boolean).length).toBeLessThan(12);
  });
});

describe('keys', () => {
  it('a new root that the old one signed adds an author; the old author is refused from then on', async () => {
    const carol = newKey();
    const next = await fleet.signRoot({ authors: [fleet.bob, carol] }, 2, [fleet.rootKey]);
    const forged = await fleet.signRoot({ authors: [carol] }, 2, [carol]);
    expect(await failure(fleet.giveRoot(forged))).toMatch(/root metadata has 0 valid signatures/);
    await fleet.giveRoot(next);
    const archive = archiveOf(filesBlocking('carol'));
    const state: PublishedPolicy = await publishedAt(fleet.hub.url, carol, CLIENT);
    const proposal = (by: Parameters<PolicyFleet['signTargets']>[2]) => ({
      targets: fleet.signTargets(archive, state.version + 1, by, { loosens: true }),
      archive: archive.toString('base64'),
    });
    expect(await failure(publishProposal(fleet.hub.url, proposal([fleet.alice, fleet.bob]), CLIENT))).toMatch(
      /1 valid signatures/,
    );
    const version = await publishProposal(fleet.hub.url, proposal([fleet.bob, carol]), CLIENT);
    await rollOutOnHub(
      fleet.hub.url,
      carol,
      { version, labels: {}, percent: 100, revision: state.revision },
      CLIENT,
    );
    expect(await machine.pull()).toMatchObject({ policy: { version } });
    await blocksOnly(machine, 'carol');
  });

  it('a suspended machine keeps its policy and gets no other', async () => {
    const { openAdmin } = await import('../../src/hub/index.ts');
    const admin = await openAdmin({ dir: fleet.dir });
    await admin.setState(machine.enrolled.enrolment.machine, 'suspended');
    expect(await failure(machine.pull())).toMatch(/this machine is suspended/);
    await blocksOnly(machine, 'carol');
    await admin.setState(machine.enrolled.enrolment.machine, 'active');
    await admin.close();
    expect(await machine.pull()).toMatchObject({ kind: 'same' });
  });

  it('nobody without a token of a machine or a key of an author reads a policy', async () => {
    const { status } = await exchangeBytes(
      {
        method: 'GET',
        url: `${fleet.hub.url}/v1/policy`,
        headers: {},
        body: null,
        timeoutMs: 10_000,
        maxBytes: 1e6,
      },
      new AbortController().signal,
    );
    expect(status).toBe(401);
  });
});
