/** A machine of a fleet for tests: a home of its own, folders of tapes, and a hub on loopback. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Enrolled,
  HubClient,
  joinFleet,
  outboxOf,
  type Pulled,
  policyPlace,
  pullPolicy,
  type Shipped,
  shipPass,
  verifyTapes,
} from '../../src/fleet/index.ts';
import { openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { registerTapes } from '../../src/policy/fleet-folder.ts';
import { rawOf } from './tapes.ts';

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'harness-fleet-'));
}

export function startHub(dir: string, port = 0): Promise<RunningHub> {
  return serveHub({ place: { dir }, host: '127.0.0.1', port });
}

export async function joinToken(dir: string, labels: Record<string, string> = {}): Promise<string> {
  const admin = await openAdmin({ dir });
  try {
    return await admin.createJoinToken(labels, 60_000);
  } finally {
    await admin.close();
  }
}

export class TestMachine {
  readonly home: string;
  readonly runs: string;
  readonly host: { now: () => number; env: (name: string) => string | undefined };
  private readonly sizes = new Map<string, number>();
  enrolled!: Enrolled;

  constructor(root: string, name: string) {
    this.home = join(root, name);
    this.runs = join(root, `${name}-work`, '.harness', 'runs');
    mkdirSync(this.home, { recursive: true });
    mkdirSync(this.runs, { recursive: true });
    this.host = { now: () => Date.now(), env: (key) => (key === 'HOME' ? this.home : undefined) };
  }

  /** With a root the machine takes policy, for its user. */
  async join(url: string, token: string, root: string | null = null): Promise<void> {
    const policy = root === null ? null : { root, managed: false };
    this.enrolled = await joinFleet(url, token, 'box', { host: this.host, pauses: [] }, policy);
    registerTapes(this.runs, this.host);
  }

  file(session: string): string {
    return join(this.runs, `${session}.jsonl`);
  }

  write(session: string, lines: readonly Buffer[]): void {
    writeFileSync(this.file(session), rawOf(lines));
  }

  remove(session: string): void {
    rmSync(this.file(session));
  }

  client(): HubClient {
    return new HubClient(this.enrolled, { host: this.host, pauses: [] });
  }

  get place() {
    return policyPlace(this.enrolled, this.host)!;
  }

  pull(waitMs = 0): Promise<Pulled> {
    const { enrolled, host } = this;
    return pullPolicy({ enrolled, client: this.client(), host, waitMs }, this.place);
  }

  ship(reconcile = true): Promise<Shipped> {
    const { enrolled, host, sizes } = this;
    return shipPass({ enrolled, client: this.client(), host, sizes, reconcile });
  }

  async verify() {
    const client = this.client();
    const results = [];
    for await (const each of verifyTapes(client, outboxOf(this.host), await client.tapes()))
      results.push(each);
    return results;
  }
}
