/**
 * A directory that tables are fetched from, on this machine, and policies that read its table `people`.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { type Host, machineHost } from '../../src/machine/host.ts';
import { openPolicy, type PolicyOptions } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { hookFile, tempProject } from './temp-project.ts';
import { NOWHERE, saying, toolCall } from './who.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

export interface Directory {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** The `authorization` each came with. */
  readonly tokens: (string | undefined)[];
  answer: RequestListener;
}

export const json =
  (value: unknown): RequestListener =>
  (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

export async function directory(people: unknown = { bob: { tier: 'gold' } }): Promise<Directory> {
  const asked: string[] = [];
  const tokens: (string | undefined)[] = [];
  const made = { url: '', asked, tokens, answer: json(people) };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    tokens.push(request.headers.authorization);
    made.answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return made;
}

/** A machine with a folder of its own for what is kept, and a clock that can be set. */
export function machine(
  state = tempProject(),
  variables: Readonly<Record<string, string>> = {},
): Host & { time: number } {
  const host = {
    ...machineHost,
    time: 1_000_000,
    now: () => host.time,
    elapsed: () => host.time,
    env: (name: string) => (name === 'XDG_STATE_HOME' ? state : variables[name]),
  };
  return host;
}

const head = (table: string, more = '') =>
  `---\nnetwork: {allowed_domains: [127.0.0.1]}\ndata:\n  tables:\n    people: {${table}}\n${more}---\n`;
const READS = saying('block("tier " + data.people["bob"]["tier"])');
export const ON_ALL = 'event: tool.pre\npriority: 1';

export function files(table: string, { more = '', script = READS, front = ON_ALL } = {}) {
  return { 'harness.md': head(table, more), '.harness/hooks/h.md': hookFile(script, front) };
}

export const opened = (tree: Record<string, string>, options: PolicyOptions = {}): Promise<Policy> =>
  openPolicy(tempProject(tree), { places: NOWHERE, trust: 'all', host: machine(), ...options });

export const said = async (policy: Policy, actor?: { id: string; tenant?: string }) => {
  const { action, reason } = await policy.decide('tool.pre', toolCall(), { ...(actor && { actor }) });
  return `${action}: ${reason}`;
};
