/** A fleet with signed policy for tests: a hub, keys of authors, and a server in front of the hub that answers what a test wants. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type AuthorStatement,
  metadataDigest,
  packedBytes,
  publishedAt,
  publishProposal,
  type Root,
  type RootKeys,
  rollOutOnHub,
  rootDocument,
  type Signature,
  type Signed,
  signed,
  type Targets,
  type Terms,
  targetsFor,
} from '../../src/fleet/index.ts';
import { openAdmin, type RunningHub } from '../../src/hub/index.ts';
import { machineHost } from '../../src/machine/index.ts';
import { layerPlaces, openPolicy, type Policy } from '../../src/policy/index.ts';
import { hookFile } from '../support/temp-project.ts';
import { joinToken, startHub, TestMachine } from './machine.ts';

export const CLIENT = { host: machineHost, pauses: [] };
export const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

/** A policy that blocks one tool. */
export function filesBlocking(tool: string, name = 'guard'): Record<string, string> {
  const script = `def handle(event, payload):\n    return block("${tool} is not for agents")`;
  const text = hookFile(script, `event: tool.pre\npriority: 10\nwhen: payload["name"] == "${tool}"`);
  return { [`.harness/hooks/${name}.md`]: text };
}

export function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const packed = Object.entries(files).map(([path, text]) => [
    path,
    { content: Buffer.from(text).toString('base64') },
  ]);
  return packedBytes(Object.fromEntries(packed));
}

const TERMS: Terms = {
  ...{ when_stale: 'keep', max_age: null, loosens: false, message: '' },
  ...{ published: '2026-01-01T00:00:00.000Z', checks: {} },
};

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export class PolicyFleet {
  readonly alice = newKey();
  readonly bob = newKey();
  readonly rootKey = newKey();
  readonly dir: string;
  readonly root: string;
  hub!: RunningHub;
  /** Where machines connect: it hands on what `answer` does not answer. */
  url!: string;
  answer: (path: string) => Answer | null = () => null;
  firstRoot!: Signed<Root>;
  digest!: string;
  private front!: Server;

  constructor(root: string) {
    this.root = root;
    this.dir = join(root, 'hub');
  }

  async start(): Promise<void> {
    this.hub = await startHub(this.dir);
    this.firstRoot = await this.signRoot({}, 1, [this.rootKey]);
    this.digest = metadataDigest(this.firstRoot);
    await this.giveRoot(this.firstRoot);
    this.front = createServer((incoming, outgoing) => {
      const own = this.answer(incoming.url!);
      if (own !== null) {
        outgoing.writeHead(own.status, own.headers).end(own.body);
        return;
      }
      const { method, headers } = incoming;
      const onward = request(this.hub.url + incoming.url!, { method: method!, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((done) => this.front.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.front.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.front.closeAllConnections();
    await new Promise((done) => this.front.close(done));
    await this.hub.close();
  }

  async signRoot(keys: Partial<RootKeys>, version: number, by: readonly KeyObject[]): Promise<Signed<Root>> {
    const { createPublicKey } = await import('node:crypto');
    const admin = await openAdmin({ dir: this.dir });
    const hub = createPublicKey(await admin.policyKey().finally(() => admin.close()));
    const authors = [this.alice, this.bob];
    const part = rootDocument(
      { root: [this.rootKey], authors, hub, threshold: 1, ...keys },
      version,
      Date.now(),
    );
    let signatures: readonly Signature[] = [];
    for (const key of by) ({ signatures } = signed(part, key, signatures));
    return { signed: part, signatures };
  }

  async giveRoot(root: Signed<Root>): Promise<void> {
    const admin = await openAdmin({ dir: this.dir });
    await admin.addRoot(root).finally(() => admin.close());
  }

  async next(): Promise<number> {
    return (await publishedAt(this.hub.url, this.alice, CLIENT)).version + 1;
  }

  signTargets(
    archive: Buffer,
    version: number,
    by: readonly KeyObject[],
    terms: Partial<Terms> = {},
  ): Signed<Targets> {
    const part = targetsFor(archive, version, { ...TERMS, ...terms }, Date.now());
    let signatures: readonly Signature[] = [];
    for (const key of by) ({ signatures } = signed(part, key, signatures));
    return { signed: part, signatures };
  }

  /** Published by both authors, since it may allow what was blocked, and rolled out to every machine unless a share is given. */
  async publish(
    files: Readonly<Record<string, string>>,
    {
      by = [this.alice, this.bob],
      loosens = true,
      percent = 100,
      labels = {},
      ...terms
    }: Partial<Terms> & { by?: readonly KeyObject[]; percent?: number; labels?: Record<string, string> } = {},
  ): Promise<number> {
    const archive = archiveOf(files);
    const targets = this.signTargets(archive, await this.next(), by, { ...terms, loosens });
    const version = await publishProposal(
      this.hub.url,
      { targets, archive: archive.toString('base64') },
      CLIENT,
    );
    if (percent > 0) await this.rollOut({ version, percent, labels });
    return version;
  }

  async rollOut(
    change: Pick<AuthorStatement, 'version' | 'labels' | 'percent'>,
    by: KeyObject = this.alice,
  ): Promise<number> {
    const { revision } = await publishedAt(this.hub.url, this.alice, CLIENT);
    return rollOutOnHub(this.hub.url, by, { ...change, revision }, CLIENT);
  }

  async machine(name: string, labels: Record<string, string> = {}): Promise<TestMachine> {
    const machine = new TestMachine(this.root, name);
    await machine.join(this.url, await joinToken(this.dir, labels), this.digest);
    return machine;
  }
}

export function policyOn(machine: TestMachine, now: () => number = Date.now): Promise<Policy> {
  const host = { ...machineHost, env: machine.host.env, now };
  const places = layerPlaces(host);
  return openPolicy(machine.runs, {
    host,
    places: { ...places, managed: null, fleet: { ...places.fleet!, managed: null } },
    allowEmpty: true,
  });
}

export async function decided(machine: TestMachine, tool: string, now?: () => number) {
  const policy = await policyOn(machine, now);
  return policy.decide('tool.pre', { id: '1', name: tool, args: {} });
}
