/**
 * What an administrator does with a hub, in one interface: on the store itself, or through the process that has its folder. Who can
 * read the folder or the database is the administrator.
 */
import { HarnessError } from '../base/index.ts';
import type { MachineState } from '../fleet/index.ts';
import { exchangeBytes, machineHost } from '../machine/index.ts';
import { pemOf } from './app.ts';
import { checkHub, type HubCheck, type Removal } from './check.ts';
import { type Machine, Machines, Refused } from './machines.ts';
import { Policies } from './policies.ts';
import { removeBefore } from './retention.ts';
import { type AdminAddress, adminAddress, type HubPlace, openStore } from './serve.ts';
import { Viewer } from './viewer.ts';

export interface HubAdmin {
  /** The address of the hub that answers; null: the store was opened here. */
  readonly url: string | null;
  createJoinToken(labels: Readonly<Record<string, string>>, ms: number): Promise<string>;
  createViewerToken(ms: number): Promise<string>;
  machines(): Promise<readonly Machine[]>;
  setState(machine: string, state: MachineState): Promise<void>;
  /** The hub's own key as PEM: the root names it. */
  policyKey(): Promise<string>;
  /** Gives its version. */
  addRoot(root: unknown): Promise<number>;
  /** Opens the page once, and soon; null: no hub of this folder shows one. */
  pageLink(): Promise<string | null>;
  check(onProgress?: (done: number, all: number) => void): Promise<HubCheck>;
  prune(day: number, dry: boolean): Promise<Removal | null>;
  close(): Promise<void>;
}

export async function openAdmin(place: HubPlace): Promise<HubAdmin> {
  try {
    return await direct(place);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) || thrown.code !== 'HUB_BUSY' || !('dir' in place)) throw thrown;
    const address = adminAddress(place.dir);
    if (address === null) throw thrown;
    return remote(address);
  }
}

async function direct(place: HubPlace): Promise<HubAdmin> {
  const { database, secret, close } = await openStore(place, false);
  const machines = new Machines(database, secret, machineHost);
  const policies = new Policies(database, machineHost);
  return {
    url: null,
    createJoinToken: (labels, ms) => machines.createJoinToken(labels, ms),
    createViewerToken: (ms) => new Viewer(database, machineHost).createToken(ms),
    machines: () => machines.list(),
    setState: (machine, state) => orRefusal(machines.setState(machine, state)),
    policyKey: () => pemOf(policies),
    addRoot: (root) => orRefusal(policies.addRoot(root)),
    pageLink: async () => null,
    check: (onProgress) => checkHub(database, onProgress),
    prune: (day, dry) => removeBefore(database, day, machineHost.now(), dry),
    close,
  };
}

/** What a running hub would have answered. */
async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof Refused ? new HarnessError('HUB_STORE', thrown.message) : thrown;
  }
}

const TIMEOUT_MS = 10 * 60 * 1000;
const MOST_ANSWER = 64 * 1024 * 1024;

function remote({ url, token }: AdminAddress): HubAdmin {
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const { status, body: bytes } = await exchangeBytes(
      {
        method,
        url: `${url}/v1/admin/${path}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_ANSWER,
      },
      new AbortController().signal,
    ).catch((error: Error) => {
      throw new HarnessError(
        'HUB_BUSY',
        `the hub on ${url} has the folder and does not answer: ${error.message}`,
      );
    });
    const answer = JSON.parse(bytes.toString('utf8')) as T & { error?: string };
    if (status !== 200) throw new HarnessError('HUB_STORE', answer.error ?? `the hub answered ${status}`);
    return answer;
  };
  return {
    url,
    createJoinToken: async (labels, ms) =>
      (await ask<{ token: string }>('POST', 'join-tokens', { labels, ms })).token,
    createViewerToken: async (ms) => (await ask<{ token: string }>('POST', 'viewer-tokens', { ms })).token,
    machines: async () => (await ask<{ machines: Machine[] }>('GET', 'machines')).machines,
    setState: async (id, state) => void (await ask('POST', 'machines', { id, state })),
    policyKey: async () => (await ask<{ key: string }>('GET', 'policy-key')).key,
    addRoot: async (root) => (await ask<{ version: number }>('POST', 'root', root as object)).version,
    pageLink: async () => (await ask<{ link: string | null }>('POST', 'page-links', {})).link,
    check: () => ask<HubCheck>('GET', 'check'),
    prune: async (day, dry) =>
      (await ask<{ removal: Removal | null }>('POST', 'prune', { day, dry })).removal,
    close: async () => {},
  };
}
