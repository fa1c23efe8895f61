/** The built command as authors and machines use it: keys, a root, checks before a policy is published, and a machine that takes it. */
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { signed } from '../../src/fleet/index.ts';
import type { RunningHub } from '../../src/hub/index.ts';
import type { TapeRecord } from '../../src/tape/entry.ts';
import { finish, project } from '../cli/harness.ts';
import { hookFile } from '../support/temp-project.ts';
import { startHub } from './machine.ts';
import { linesOf, rawOf } from './tapes.ts';

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

  it('terms stay those of the version before unless others are given, and weaker ones take a second author', async () => {
    const publish = ['fleet', 'publish', 'policy', '--hub', hub.url, '--tries', '300', '--key', 'alice.key'];
    const stricter = await harness([...publish, '--when-stale', 'block', '--max-age', '1d']);
    expect(stricter).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('block after 1d; before: the policy stays in force'),
    });
    expect(await json(publish)).toMatchObject({
      ...{ published: true, loosens: false, when_stale: 'block', max_age: 86_400 },
    });
    const weaker = await harness([...publish, '--max-age', '7d', '--out', 'weaker.json']);
    expect(weaker).toMatchObject({ code: 1, stdout: expect.stringContaining('a machine out of touch') });
    const second = [
      'fleet',
      'publish',
      'weaker.json',
      '--hub',
      hub.url,
      '--tries',
      '300',
      '--key',
      'bob.key',
    ];
    expect(await harness([...second, '--max-age', '9d'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('what the first author signed'),
    });
    expect(await json(second)).toMatchObject({ published: true, loosens: true, max_age: 7 * 86_400 });
    expect(await harness([...publish, '--max-age', 'never'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--when-stale block needs --max-age'),
    });
  });

  it('the second author finds a loosening that the first signed as none', async () => {
    const sign = ['fleet', 'publish', '--hub', hub.url, '--tries', '300', '--key'];
    await json([
      'fleet',
      'publish',
      'policy',
      ...sign.slice(2),
      'alice.key',
      '--max-age',
      '8d',
      '--out',
      'lie.json',
    ]);
    const proposal = JSON.parse(readFileSync(join(root, 'lie.json'), 'utf8'));
    proposal.targets.signed.targets.policy.custom.loosens = false;
    const key = createPrivateKey(readFileSync(join(root, 'alice.key')));
    proposal.targets = signed(proposal.targets.signed, key);
    writeFileSync(join(root, 'lie.json'), JSON.stringify(proposal));
    expect(await harness([...sign, 'bob.key', 'lie.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was signed as one that loosens nothing'),
    });
  });

  it('recorded runs are compared before anything is published, and warnings of validate are shown', async () => {
    const odd = (condition: string) =>
      writeFileSync(
        join(policy, '.harness/hooks/odd.md'),
        hookFile(
          `def handle(event, payload):\n    return block("odd") if ${condition} else allow()`,
          'event: tool.pre\nwhen: payload["name"] == "odd"',
        ),
      );
    const publish = ['fleet', 'publish', 'policy', '--hub', hub.url, '--tries', '1', '--key', 'alice.key'];
    odd('payload["args"].get("zeta") == "q" + "7"');
    const warned = await harness(publish);
    expect(warned).toMatchObject({ code: 0, stdout: expect.stringMatching(/warning {2}.*priority/) });
    odd('payload["args"].get("zeta") == "q" + "8"');
    const record = {
      type: 'decision',
      in: { dispatch: 1, run: 1, event: 'tool.pre', payload: { name: 'odd', args: { zeta: 'q7' } } },
      out: { action: 'block', hook: 'odd' },
    } as TapeRecord;
    mkdirSync(join(root, 'runs'));
    writeFileSync(join(root, 'runs/s.jsonl'), rawOf(linesOf('s', [record])));
    expect(await json([...publish, '--tapes', 'runs', '--out', 'odd.json'])).toMatchObject({
      ...{ published: false, signers: 1, wanted: 2 },
    });
    const { stdout } = await harness([...publish, '--tapes', 'runs', '--out', 'odd.json']);
    expect(stdout).toContain('2 calls tried against the version before, 1 of them recorded');
    expect(stdout).toContain('block->allow by odd: 1 call');
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
