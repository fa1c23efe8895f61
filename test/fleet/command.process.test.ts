/** The built command as people use it: a hub, a machine, a hub that is killed while agents work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI_FILE, DEMO_FOLDER } from '../../scripts/build-cli.mjs';
import { finish, project } from '../cli/harness.ts';

const root = project();
const env = { HOME: join(root, 'home'), PATH: process.env.PATH!, HARNESS_TRUST: 'all' };
mkdirSync(env.HOME);
const dir = join(root, 'hub');
const work = join(root, 'work');
cpSync(DEMO_FOLDER, work, { recursive: true });

const harness = (args: readonly string[]) =>
  finish([process.execPath, CLI_FILE, ...args], { env, cwd: work });
const json = async (args: readonly string[]) => JSON.parse((await harness([...args, '--json'])).stdout);
const session = () => harness(['run', '.', '--script', 'script.yaml', '--prompt', 'go']);

interface Hub {
  readonly url: string;
  kill(signal: NodeJS.Signals): Promise<void>;
}
const hubs: Hub[] = [];

async function startHub(port: string): Promise<Hub> {
  const child = spawn(process.execPath, [CLI_FILE, 'hub', 'serve', '--dir', dir, '--port', port, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const hub = { url, kill };
  hubs.push(hub);
  return hub;
}
afterAll(() => Promise.all(hubs.map((hub) => hub.kill('SIGKILL'))));

describe('harness hub and harness fleet', () => {
  it('a hub killed while an agent works has every byte once it is back and the machine has sent', async () => {
    expect(await harness(['fleet', 'status'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('belongs to no hub'),
    });
    const hub = await startHub('0');
    const { token } = await json(['hub', 'token', '--join', '--dir', dir]);
    expect(await json(['fleet', 'join', hub.url, '--token', token, '--name', 'box'])).toMatchObject({
      name: 'box',
    });
    expect((await harness(['fleet', 'join', hub.url, '--token', token])).stderr).toContain(
      'a person leaves this one first: harness fleet leave',
    );
    await session();
    expect(await harness(['fleet', 'agent', '--once'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Sent \d+ entries/),
    });

    await hub.kill('SIGKILL');
    expect(await session()).toMatchObject({ code: 0 });
    expect(await session()).toMatchObject({ code: 0 });
    expect(await harness(['fleet', 'agent', '--once'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FLEET_UNREACHABLE'),
    });
    expect(await json(['fleet', 'status'])).toMatchObject({
      failingSince: expect.any(Number),
      waiting: { tapes: 2 },
    });

    const pruned = await json(['tape', 'prune', '.', '--older', '0m', '--keep', 'none']);
    expect(pruned).toMatchObject({ tapes: [{}], kept: { 'not at the hub yet': 2 } });

    const back = await startHub(new URL(hub.url).port);
    expect(await harness(['fleet', 'agent', '--once'])).toMatchObject({ code: 0 });
    const proof = await json(['fleet', 'verify', '--all']);
    expect(proof).toMatchObject({ ok: true, tapes: [{ ok: true }, { ok: true }, { ok: true }] });
    const lines = readdirSync(join(work, '.harness/runs'))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(join(work, '.harness/runs', name), 'utf8').split('\n').length - 2);
    expect(proof.entries).toBe(lines.reduce((sum, count) => sum + count, 0));
    expect(await json(['hub', 'check', '--dir', dir])).toMatchObject({ ok: true, tapes: 3 });
    expect(await json(['hub', 'machines', '--dir', dir])).toMatchObject({
      machines: [{ name: 'box', state: 'active' }],
    });
    await back.kill('SIGTERM');
    expect(await json(['hub', 'check', '--dir', dir])).toMatchObject({ ok: true, tapes: 3 });
  });

  it('only `hub serve` makes a store: administration of a folder without one is refused, and nothing is made', async () => {
    const typo = join(root, 'hub2');
    for (const args of [['check'], ['machines'], ['token', '--join'], ['key'], ['prune', '--older', '1d']]) {
      const { code, stderr } = await harness(['hub', ...args, '--dir', typo]);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining(`harness hub serve --dir ${typo}`),
      ]);
      expect(existsSync(typo)).toBe(false);
    }
  });

  it('every refusal says what to do', async () => {
    const bad = join(root, 'bad.json');
    writeFileSync(bad, '{"signed":');
    await harness(['tape', 'keygen', join(root, 'some.key')]);
    const root_ = ['fleet', 'root', '--key', join(root, 'some.key'), '--authors', join(root, 'some.key.pub')];
    const publish = ['fleet', 'publish', '--hub', 'http://127.0.0.1:1', '--key', join(root, 'some.key')];
    for (const [args, words] of [
      [['hub', 'serve'], '--dir DIR'],
      [['hub', 'serve', '--dir', dir, '--host', '0.0.0.0'], 'proxy with TLS'],
      [['hub', 'serve', '--db', 'mysql://x'], 'postgres://'],
      [['hub', 'migrate', '--dir', dir], 'migrates itself'],
      [['hub', 'token', '--dir', dir], '--join'],
      [['hub', 'prune', '--dir', dir], '--older'],
      [['hub', 'servr'], 'serve'],
      [['hub', 'root', join(root, 'missing.json'), '--dir', dir], 'cannot read'],
      [['hub', 'root', bad, '--dir', dir], 'is not JSON'],
      [[...root_, '--hub-key', join(root, 'some.key.pub'), '--previous', bad], 'is not JSON'],
      [[...publish, join(root, 'missing.json')], 'cannot read'],
      [[...publish, bad], 'neither a folder nor a policy'],
      [['fleet', 'join', 'http://10.0.0.1:7077', '--token', 'x'], 'https://'],
      [['fleet', 'join'], 'URL'],
      [['fleet', 'agent', '--all'], 'does not take --all'],
    ] as const) {
      const { code, stderr } = await harness(args);
      expect([args, code]).toEqual([args, code === 1 ? 1 : 2]);
      expect(stderr).toContain(words);
      expect(stderr).not.toContain('a fault in harness');
    }
  });
});
