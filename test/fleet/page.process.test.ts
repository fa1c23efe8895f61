/** The page of a hub: opened once by its link, on loopback only, with the machines and the runs of all of them, and nothing that writes. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE, DEMO_FOLDER } from '../../scripts/build-cli.mjs';
import { openAdmin, type RunningHub, serveHub } from '../../src/hub/index.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import type { FleetMachines, Rows, Runs, Week } from '../../src/page/server/api.ts';
import { finish, project } from '../cli/harness.ts';
import { joinToken } from './machine.ts';

const root = project();
const dir = join(root, 'hub');
let hub: RunningHub;
let page: Opened;

interface Opened {
  readonly origin: string;
  readonly room: string;
  readonly cookie: string;
}

const ask = async (url: string, body: object | null, headers: Record<string, string> = {}) => {
  const {
    status,
    body: bytes,
    headers: answered,
  } = await exchangeBytes(
    {
      method: body === null ? 'GET' : 'POST',
      url,
      headers: {
        ...headers,
        ...(body !== null && { 'content-type': 'application/json', origin: new URL(url).origin }),
      },
      body: body === null ? null : JSON.stringify(body),
      timeoutMs: 30_000,
      maxBytes: 1e7,
    },
    new AbortController().signal,
  );
  return { status, data: JSON.parse(bytes.toString('utf8')), cookie: String(answered['set-cookie'] ?? '') };
};
const open = async (link: string) => {
  const { origin, searchParams } = new URL(link);
  const { status, data, cookie } = await ask(`${origin}/api/open`, { key: searchParams.get('token') });
  return { status, origin, room: data.room, cookie: cookie.split(';')[0]! };
};
const get = async <T>(path: string): Promise<T> => {
  const { origin, room, cookie } = page;
  const { status, data } = await ask(`${origin}/api/${room}${path}`, null, { cookie });
  expect([path, status, data]).toEqual([path, 200, data]);
  return data;
};

beforeAll(async () => {
  hub = await serveHub({
    place: { dir },
    host: '127.0.0.1',
    port: 0,
    page: { port: 0, entry: CLI_FILE, open: 'harness hub page' },
  });
  for (const name of ['ada', 'bob']) {
    const env = { HOME: join(root, name), PATH: process.env.PATH!, HARNESS_TRUST: 'all' };
    const work = join(root, `${name}-work`);
    mkdirSync(env.HOME);
    cpSync(DEMO_FOLDER, work, { recursive: true });
    const harness = (...args: string[]) => finish([process.execPath, CLI_FILE, ...args], { env, cwd: work });
    await harness('fleet', 'join', hub.url, '--token', await joinToken(dir, { team: name }), '--name', name);
    await harness('run', '.', '--script', 'script.yaml', '--prompt', `tidy up for ${name}`);
    await harness('fleet', 'agent', '--once');
  }
});
afterAll(() => hub.close());

describe('the page of a hub', () => {
  it('is opened by a link that the administrator gets, once', async () => {
    const admin = await openAdmin({ dir });
    const link = (await admin.pageLink())!;
    await admin.close();
    page = await open(link);
    expect(page).toMatchObject({ status: 200, room: expect.any(String) });
    expect((await open(link)).status).toBe(401);
    page = await open(hub.pageLink()!);
    expect(await get('/about')).toMatchObject({ source: 'hub', readOnly: true, approvals: false });
    // The port of the hub does not lead to it.
    expect((await ask(`${hub.url}/api/open`, { key: 'x' })).status).toBe(404);
    expect((await ask(`${page.origin}/api/${page.room}/about`, null)).data.error).toContain(
      'harness hub page',
    );
  });

  it('shows every machine with its version, backlog and doubts, and the runs of all of them', async () => {
    const { machines } = await get<FleetMachines>('/machines');
    expect(machines).toMatchObject([
      {
        name: 'ada',
        labels: { team: 'ada' },
        state: 'active',
        version: null,
        backlog: 0,
        unjudged: 0,
        doubts: [],
      },
      { name: 'bob', tapes: 1 },
    ]);
    const { runs } = await get<Runs>('/runs?zone=0');
    expect(runs.map(({ machine, title, blocks }) => [machine, title, blocks]).sort()).toEqual([
      ['ada', 'tidy up for ada', 5],
      ['bob', 'tidy up for bob', 5],
    ]);
    const { rules, days } = await get<Week>('/week?zone=0');
    expect(rules.map(({ rule, count }) => [rule, count])).toContainEqual(['command_guard', 2]);
    expect(rules.find(({ rule }) => rule === 'command_guard')!.newest.text).toBe('sudo rm -rf /');
    expect(days.reduce((sum, { runs: count }) => sum + count, 0)).toBe(2);
  });

  it('shows a run of a machine in full: its steps, one decision with its chain, and its seal', async () => {
    const { rows } = await get<Rows>('/decisions?hook=command_guard&decision=block');
    const { run, seq, reason, text } = rows[0]!;
    expect([reason, text]).toEqual(['dangerous command blocked: recursive rm of /', 'sudo rm -rf /']);
    expect(await get(`/runs/${run}/decisions/${seq}`)).toMatchObject({
      ...{ word: 'blocked', tool: 'run_command', place: null, seq },
      chain: expect.arrayContaining([expect.objectContaining({ hook: 'command_guard', said: 'block' })]),
    });
    expect(await get(`/runs/${run}/seal`)).toMatchObject({ state: 'verified', entries: 86 });
    expect(await get(`/runs/${run}/stopped`)).toMatchObject({ samePolicy: null });
    expect((await get<Rows>(`/runs/${run}/rows?limit=10`)).rows).toHaveLength(10);
    expect((await get<Rows>(`/runs/${run}/steps?limit=10`)).rows).toHaveLength(10);
  });

  it.each([
    ['/runs?q=rm', 400, 'harness fleet find'],
    ['/decisions?failures=1', 400, 'no rows for a hook that failed'],
    ['/runs/999', 404, 'there is no run'],
    ['/runs/x', 404, 'there is no run'],
    ['/policy', 404, ''],
    ['/playground/hooks', 404, ''],
  ])('%s is answered with %i and where to look instead', async (path, status, words) => {
    const { origin, room, cookie } = page;
    const answer = await ask(`${origin}/api/${room}${path}`, null, { cookie });
    expect(answer.status).toBe(status);
    expect(answer.data.error).toContain(words);
  });
});
