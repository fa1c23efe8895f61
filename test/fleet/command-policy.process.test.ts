/** The built command as authors and machines use it: keys, a root, checks before a policy is published, and a machine that takes it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import type { RunningHub } from '../../src/hub/index.ts';
import { finish, project } from '../cli/harness.ts';
import { hookFile } from '../support/temp-project.ts';
import { startHub } from './machine.ts';

const root = project();
const env = { HOME: join(root, 'home'), PATH: process.env.PATH! };
const dir = join(root, 'hub');
const policy = join(root, 'policy');
mkdirSync(env.HOME);
let hub: RunningHub;
beforeAll(async () => {
  hub = await startHub(dir);
});
afterAll(() => hub.close());

const harness = (args: readonly string[], cwd = root) =>
  finish([process.execPath, CLI_FILE, ...args], { env, cwd });
const json = async (args: readonly string[], cwd = root) => {
  const { stdout, stderr } = await harness([...args, '--json'], cwd);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};
const decide = (tool: string) =>
  json(
    ['decide', 'tool.pre', '--payload', JSON.stringify({ id: '1', name: tool, args: {} })],
    join(root, 'work'),
  );

const guard = (tool: string) =>
  hookFile(
    `def handle(event, payload):\n    return block("${tool} is not for agents")`,
    `event: tool.pre\npriority: 10\nwhen: payload["name"] == "${tool}"`,
  );

function write(tool: string, expected = 'block'): void {
  const test = `event: tool.pre\ncases:\n  - name: it is blocked\n    payload: {name: ${tool}, args: {}}\n    expect: {action: ${expected}}\n`;
  for (const [path, text] of Object.entries({
    '.harness/hooks/guard.md': guard(tool),
    '.harness/tests/guard.yaml': test,
  })) {
    mkdirSync(join(policy, path, '..'), { recursive: true });
    writeFileSync(join(policy, path), text);
  }
}

describe('harness fleet publish and rollout', () => {
  it('takes a policy from two authors to a machine, and refuses one that fails its own tests', async () => {
    for (const name of ['root', 'alice', 'bob']) await harness(['tape', 'keygen', `${name}.key`]);
    writeFileSync(join(root, 'hub.pub'), (await harness(['hub', 'key', '--dir', dir])).stdout);
    const made = await json([
      ...['fleet', 'root', '--key', 'root.key', '--authors', 'alice.key.pub,bob.key.pub'],
      ...['--hub-key', 'hub.pub', '--out', 'root.json'],
    ]);
    expect(made).toMatchObject({ version: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await json(['hub', 'root', 'root.json', '--dir', dir])).toEqual({ version: 1 });

    write('wipe', 'allow');
    const publish = ['fleet', 'publish', 'policy', '--hub', hub.url, '--tries', '300'];
    const failing = await harness([...publish, '--key', 'alice.key']);
    expect(failing).toMatchObject({ code: 1, stdout: expect.stringContaining('not published') });
    write('wipe');
    expect(await json([...publish, '--key', 'alice.key'])).toMatchObject({
      version: 1,
      published: true,
      tests: 1,
    });
    const rollout = ['fleet', 'rollout', '--hub', hub.url, '--key', 'alice.key'];
    expect(await json([...rollout, '1'])).toMatchObject({ version: 1, percent: 100 });

    const { token } = await json(['hub', 'token', '--join', '--dir', dir]);
    const join_ = ['fleet', 'join', hub.url, '--token', token, '--root', made.digest, '--user'];
    expect(await json(join_)).toMatchObject({ policy: { kind: 'new', policy: { version: 1 } } });
    mkdirSync(join(root, 'work'));
    expect(await decide('wipe')).toMatchObject({ action: 'block', reason: 'wipe is not for agents' });
    expect(await decide('read_file')).toMatchObject({ action: 'allow' });
    expect(await json(['fleet', 'status'])).toMatchObject({
      policy: { version: 1, problem: null, staleSince: null },
    });
    const { layers } = await json(['status'], join(root, 'work'));
    expect(layers).toContainEqual(expect.objectContaining({ name: 'fleet' }));

    // It allows what was blocked: one author is not enough.
    write('format');
    const asked = await harness([...publish, '--key', 'alice.key', '--out', 'next.json']);
    expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining('it allows what was blocked') });
    expect(asked.stdout).toContain('block->allow');
    const alone = ['fleet', 'publish', 'next.json', '--hub', hub.url, '--tries', '300', '--key'];
    expect(await json([...alone, 'alice.key', '--out', 'again.json'])).toMatchObject({
      published: false,
      signers: 1,
    });
    expect(await json([...alone, 'bob.key'])).toMatchObject({ version: 2, published: true, signers: 2 });
    await json([...rollout, '2']);
    expect(await json(['fleet', 'agent', '--once'])).toMatchObject({ policy: { kind: 'new' } });
    expect(await decide('format')).toMatchObject({ action: 'block' });
    expect(await decide('wipe')).toMatchObject({ action: 'allow' });
  });

  it('a key of nobody, a root that lacks the hub, and a wrong digest are refused with what to do', async () => {
    await harness(['tape', 'keygen', 'eve.key']);
    const publish = await harness(['fleet', 'publish', 'policy', '--hub', hub.url, '--key', 'eve.key']);
    expect(publish).toMatchObject({ code: 1, stderr: expect.stringContaining('not signed by an author') });
    const root2 = JSON.parse(readFileSync(join(root, 'root.json'), 'utf8'));
    writeFileSync(join(root, 'again.json'), JSON.stringify(root2));
    expect(await harness(['hub', 'root', 'again.json', '--dir', dir])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('version 2 is next'),
    });
    expect(await harness(['fleet', 'join', hub.url, '--token', 'x', '--root', 'abc'])).toMatchObject({
      code: 2,
    });
    expect(await harness(['fleet', 'leave'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a person at a terminal'),
    });
  });
});
