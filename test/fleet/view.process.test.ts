/** What people see of a fleet: machines with their doubts, decisions of every machine as the machine itself shows them, counts to scrape. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE, DEMO_FOLDER } from '../../scripts/build-cli.mjs';
import type { MachineStatus } from '../../src/fleet/index.ts';
import { openAdmin, type RunningHub } from '../../src/hub/index.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import { finish, project } from '../cli/harness.ts';
import { joinToken, startHub } from './machine.ts';

const root = project();
const dir = join(root, 'hub');
let hub: RunningHub;
let viewer: string;

beforeAll(async () => {
  hub = await startHub(dir);
  const admin = await openAdmin({ dir });
  viewer = await admin.createViewerToken(60 * 60 * 1000).finally(() => admin.close());
});
afterAll(() => hub.close());

const envOf = (name: string) => ({ HOME: join(root, name), PATH: process.env.PATH!, HARNESS_TRUST: 'all' });
const harness = (name: string, args: readonly string[]) =>
  finish([process.execPath, CLI_FILE, ...args], { env: envOf(name), cwd: join(root, `${name}-work`) });
const seen = (args: readonly string[]) => harness('one', [...args, '--hub', hub.url, '--token', viewer]);

async function work(name: string): Promise<void> {
  mkdirSync(join(root, name));
  cpSync(DEMO_FOLDER, join(root, `${name}-work`), { recursive: true });
  await harness(name, [
    'fleet',
    'join',
    hub.url,
    '--token',
    await joinToken(dir, { team: name }),
    '--name',
    name,
  ]);
  await harness(name, ['run', '.', '--script', 'script.yaml', '--prompt', 'go']);
}
const get = (path: string, headers: Record<string, string> = {}) =>
  exchangeBytes(
    { method: 'GET', url: hub.url + path, headers, body: null, timeoutMs: 30_000, maxBytes: 1e6 },
    new AbortController().signal,
  );

describe('what people see of a fleet', () => {
  it('fleet find prints the lines that tape find prints on the machines, whatever is asked for', async () => {
    for (const name of ['one', 'two']) {
      await work(name);
      await harness(name, ['fleet', 'agent', '--once']);
    }
    for (const asked of [
      [],
      ['--decision', 'block'],
      ['--decision', 'allow', '--event', 'tool.pre'],
      ['--hook', '*', '--decision', 'block'],
      ['--tool', 'run_command'],
      ['--since', '1h'],
      ['--since', '2099-01-01'],
      ['no such text anywhere'],
    ]) {
      const lines: string[] = [];
      for (const name of ['two', 'one']) {
        const text = asked.length === 1 ? ['.', ...asked] : asked;
        const { stdout } = await harness(name, ['tape', 'find', ...text, '--limit', '1000']);
        lines.push(...stdout.trimEnd().split('\n').slice(0, -1));
      }
      const { code, stdout, stderr } = await seen(['fleet', 'find', ...asked, '--limit', '1000']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n').slice(0, -1)).toEqual(lines);
    }
    const { stdout } = await seen(['fleet', 'find', '--decision', 'block', '--limit', '1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'two',
      action: 'block',
      file: expect.stringContaining('two-work'),
    });
  });

  it('fleet machines shows version, backlog and doubts of each, and exits 1 where there is a doubt', async () => {
    expect(await seen(['fleet', 'machines'])).toMatchObject({ code: 0 });
    const fresh = JSON.parse((await seen(['fleet', 'machines', '--json'])).stdout);
    expect(fresh.machines).toMatchObject([
      { name: 'one', labels: { team: 'one' }, status: { waiting: { entries: 0 } }, doubts: [] },
      { name: 'two', doubts: [] },
    ]);
    const admin = await openAdmin({ dir });
    const [one, two] = await admin.machines();
    await admin.setState(two!.id, 'suspended');
    await admin.close();
    expect(one!.status).toMatchObject<Partial<MachineStatus>>({
      policy: null,
      waiting: { tapes: 0, entries: 0 },
    });
    const doubtful = await seen(['fleet', 'machines']);
    expect(doubtful).toMatchObject({ code: 1, stdout: expect.stringContaining('it is suspended') });
  });

  it('the hub gives counts without names, and nothing else without a token that is good', async () => {
    const { status, body } = await get('/metrics');
    expect(status).toBe(200);
    const text = body.toString('utf8');
    expect(text).toContain('harness_hub_machines{state="suspended"} 1');
    expect(text).toMatch(/harness_hub_decisions_today\{action="block"\} \d+/);
    expect(text).not.toContain('two');
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    for (const path of ['/v1/view/machines', '/v1/view/tapes', '/v1/view/tapes/1']) {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, { authorization: `Bearer hv_${'0'.repeat(48)}` })).status).toBe(401);
    }
    expect(await harness('one', ['fleet', 'machines'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hub token --viewer'),
    });
  });
});
