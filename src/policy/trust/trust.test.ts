import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_CAPABILITIES, type Repository, repository } from '../../../test/hostile/repository.ts';
import { canRun } from '../../../test/support/needs.ts';
import { Engine } from '../../engine/engine.ts';
import { machineHost } from '../../machine/host.ts';
import { openPolicy } from '../open-policy.ts';
import type { Policy } from '../policy.ts';
import { distrusted, pinnedToDigest } from './distrust.ts';
import {
  readRecord,
  removeRecord,
  TRUST_FOLDER,
  type TrustFolder,
  trustFolderOf,
  writeRecord,
} from './records.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** Opened as somebody who has said nothing yet; `trust` is what HARNESS_TRUST says. */
function open({ dir, home }: Repository, trust?: string): Promise<Policy> {
  const host = { ...machineHost, env: (name: string) => (name === 'HARNESS_TRUST' ? trust : undefined) };
  return openPolicy(dir, { host, places: { managed: null, user: join(home, 'harness') } });
}

/** The user's, where nothing is managed. */
function placeOf({ home }: Repository): TrustFolder {
  return { folder: join(home, 'harness'), managed: false };
}

async function agree(repo: Repository, answer: 'yes' | 'no' = 'yes'): Promise<void> {
  const [folder] = (await open(repo)).trust;
  writeRecord(placeOf(repo), { digest: folder!.digest, answer, at: AT }, repo.dir);
}

/** A program that sends back whoever would stop. */
const AGAIN = {
  '.harness/settings.json': '{"hooks": {"Stop": [{"path": "again.sh"}]}}',
  'again.sh': '#!/bin/sh\n: > MARKS/again\necho again >&2\nexit 2\n',
};

/** Events at which a block sends an agent back to work. */
const SENDS_BACK = [
  ['the model', 'agent.stop', { response: 'done' }],
  ['a sub-agent', 'delegation.post_verify', { agent: 'reviewer', result: 'done' }],
] as const;

/** What the hook of `AGAIN` comes to on an event, guarded by a function of this module. */
async function decidedBy(
  guarded: typeof distrusted,
  repo: Repository,
  event: (typeof SENDS_BACK)[number][1],
  payload: object,
) {
  const policy = await open(repo, 'all');
  const hook = policy.hooks.find(({ capability }) => capability !== undefined)!;
  const engine = new Engine({
    hooks: [guarded({ ...hook, event })],
    host: policy.host,
    run: policy.newRun(),
  });
  return engine.decide(event, payload as never);
}

const call = (name: string, args = {}) => ({ id: '1', name, args });

const isRoot = canRun(process.getuid?.() === 0, 'root, for records of somebody else');

describe('the capabilities of a folder', () => {
  it('are listed without running anything, each with its kind, its words and its files', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const [{ capabilities, by }] = (await open(repo)).trust as [Policy['trust'][number]];
    expect(by).toBe(null);
    const listed = capabilities.map(({ kind, what, files }) => [kind, what, Object.keys(files)]);
    expect(listed).toEqual(
      expect.arrayContaining([
        ['program', 'start.sh', ['start.sh']],
        ['program', 'guard.sh', ['guard.sh']],
        ['program', 'sh ./line.sh', ['line.sh']],
        ['module', 'policy.mjs', ['policy.mjs']],
        ['address', 'each event is posted to https://127.0.0.1:9/collect', []],
        ['address', 'scripts of this folder may reach collector.example', []],
        ['model', 'openai/gpt at http://127.0.0.1:8001/v1 with the key in CORP_SECRET', []],
        ['server', `"sh" "server.sh" with TOKEN="\${CORP_SECRET}"`, ['server.sh']],
        ['server', `http://127.0.0.1:8001/mcp with authorization="Bearer \${CORP_SECRET}"`, []],
        ['variable', 'CORP_SECRET', []],
        ['tool', 'shell starts programs', []],
      ]),
    );
    expect(listed).toHaveLength(13);
    expect(repo.ran()).toEqual([]);
  });

  it('of a folder that has none need no trust', async () => {
    const repo = repository({ '.harness/hooks/a.md': ALL_CAPABILITIES['.harness/hooks/sandboxed.md']! });
    expect((await open(repo)).trust).toMatchObject([{ capabilities: [], by: 'no capabilities' }]);
  });

  it('of the user and of the machine need no trust', async () => {
    const repo = repository({});
    const user = join(repo.home, 'harness');
    mkdirSync(user);
    writeFileSync(join(user, 'settings.json'), '{"hooks": {"PreToolUse": [{"path": "mine.sh"}]}}');
    writeFileSync(join(user, 'mine.sh'), '#!/bin/sh\necho mine >&2\nexit 2\n', { mode: 0o755 });
    const outcome = await (await open(repo)).decide('tool.pre', call('x'));
    expect(outcome).toMatchObject({ action: 'block', reason: 'mine' });
  });
});

describe('a folder that nobody has trusted', () => {
  it('keeps its sandboxed hooks in force', async () => {
    const policy = await open(repository(ALL_CAPABILITIES));
    expect(await policy.decide('tool.pre', call('quiet', { text: 'secret' }))).toMatchObject({
      action: 'block',
      reason: 'no secrets',
    });
    expect(await policy.decide('tool.pre', call('quiet'))).toMatchObject({ action: 'allow' });
  });

  it.each([
    [
      'a script of settings.json',
      'shell',
      'hook "guard" runs a program, and its folder has not been trusted',
    ],
    ['a line of settings.json', 'line', 'runs a program, and its folder has not been trusted'],
    ['a module of harn.toml', 'module_x', 'loads a module, and its folder has not been trusted'],
  ])('blocks what %s would have judged, with the cause and not the way out', async (_name, tool, cause) => {
    const repo = repository(ALL_CAPABILITIES);
    const { action, reason } = await (await open(repo)).decide('tool.pre', call(tool));
    expect(action).toBe('block');
    expect(reason).toContain(cause);
    expect(reason).not.toMatch(/harness trust|HARNESS_TRUST/);
    expect(repo.ran()).toEqual([]);
  });

  it('skips a hook where nothing can be blocked, and the trace says so', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const { action, trace } = await (await open(repo)).decide('session.start', { source: 'startup' });
    expect(action).toBe('allow');
    expect(trace.flatMap(({ warnings }) => warnings)).toEqual([
      'skipped: hook "start" runs a program, and its folder has not been trusted',
    ]);
    expect(repo.ran()).toEqual([]);
  });

  it.each(SENDS_BACK)(
    'does not send %s back to work: its hook is skipped, and the person is told',
    async (...row) => {
      const [, event, payload] = row;
      const outcome = await decidedBy(distrusted, repository(AGAIN), event, payload);
      expect(outcome.action).toBe('allow');
      expect(outcome.trace.flatMap(({ warnings = [] }) => warnings).join()).toContain('has not been trusted');
      expect(outcome.effects).toEqual([
        expect.objectContaining({ kind: 'output', text: expect.stringContaining('has not been trusted') }),
      ]);
    },
  );

  it('runs no program at the end of a turn', async () => {
    const repo = repository(AGAIN);
    const outcome = await (await open(repo)).decide('agent.stop', { response: 'done' });
    expect([outcome.action, repo.ran()]).toEqual(['allow', []]);
  });

  it('does not post to the address it names', async () => {
    const { trace } = await (await open(repository(ALL_CAPABILITIES))).decide('tool.pre', call('quiet'));
    const entry = trace.find(({ hook }) => hook.endsWith(':webhook'));
    expect(entry?.warnings.join()).toContain('sends data to an address, and its folder has not been trusted');
  });

  it('cannot be lifted by on_error: distrust is no failure', async () => {
    const repo = repository({
      '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "g.sh", "on_error": "allow"}]}}',
      'g.sh': '#!/bin/sh\nexit 0\n',
    });
    expect(await (await open(repo)).decide('tool.pre', call('x'))).toMatchObject({ action: 'block' });
  });

  it('reaches none of the hosts it lists', async () => {
    expect((await open(repository(ALL_CAPABILITIES))).settings.allowedDomains).toEqual([]);
  });

  it('is another policy than the same folder trusted', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const before = (await open(repo)).digest;
    expect(before.settings.untrusted).toEqual(['project']);
    expect((await open(repo, 'all')).digest.digest).not.toBe(before.digest);
  });
});

describe('trust', () => {
  it('of a person holds for the capabilities that were shown', async () => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo);
    const policy = await open(repo);
    expect(policy.trust).toMatchObject([{ by: 'record' }]);
    expect(await policy.decide('tool.pre', call('shell'))).toMatchObject({ action: 'allow' });
    expect(repo.ran()).toEqual(['guard']);
  });

  it.each([
    ['a program', { '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "line.sh"}]}}' }],
    ['what a program runs', { 'guard.sh': '#!/bin/sh\nexit 0\n' }],
    ['a module', { 'policy.mjs': 'export function gate() {}\n' }],
    [
      'the script of a tool',
      { '.harness/tools/shell.md': ALL_CAPABILITIES['.harness/tools/shell.md']!.replace('tool"', 'tool2"') },
    ],
    ['a server', { 'harness.md': ALL_CAPABILITIES['harness.md']!.replace('server.sh', 'other.sh') }],
    ['a header', { 'harness.md': ALL_CAPABILITIES['harness.md']!.replace('Bearer', 'Basic') }],
    ['an address', { 'harness.md': ALL_CAPABILITIES['harness.md']!.replace('/v1', '/v2') }],
    ['a host', { 'harness.md': ALL_CAPABILITIES['harness.md']!.replace('collector', 'other') }],
  ])('asks again once %s changes', async (_what, files) => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo);
    for (const [path, text] of Object.entries(files)) repo.write(path, text, 0o755);
    expect((await open(repo)).trust).toMatchObject([{ by: null, declined: false }]);
  });

  it('holds on when a rule changes, or a line moves', async () => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo);
    repo.write(
      '.harness/hooks/sandboxed.md',
      ALL_CAPABILITIES['.harness/hooks/sandboxed.md']!.replace('no secrets', 'nothing'),
    );
    repo.write('.harness/hooks/another.md', ALL_CAPABILITIES['.harness/hooks/sandboxed.md']!);
    repo.write('.harness/settings.json', `\n\n${ALL_CAPABILITIES['.harness/settings.json']}`);
    repo.write('README.md', 'Read me.');
    expect((await open(repo)).trust).toMatchObject([{ by: 'record' }]);
  });

  it.each([
    [
      'a module beside it',
      'import { word } from "./lib/word.mjs"; export const gate = () => word;',
      'lib/word.mjs',
    ],
    [
      'a module without an ending',
      'import { word } from "./lib/word"; export const gate = () => word;',
      'lib/word.ts',
    ],
    ['a module two steps away', 'import "./lib/first.mjs"; export const gate = () => 1;', 'lib/word.mjs'],
  ])('covers %s', async (_what, text, path) => {
    const repo = repository({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::gate"\n',
      'policy.mjs': text,
      'lib/first.mjs': 'export * from "./word.mjs";',
      [path]: 'export const word = 1;',
    });
    await agree(repo);
    repo.write(path, 'export const word = 2;');
    expect((await open(repo)).trust).toMatchObject([{ by: null }]);
  });

  it.each([
    ['sourced by a shell script', '#!/bin/sh\n. "$(dirname "$0")/lib/words.sh"\n', 'g.sh', 'lib/words.sh'],
    [
      'imported by Python',
      '#!/usr/bin/env python3\nfrom words import x\nimport lib.more\n',
      'g.py',
      'lib/more.py',
    ],
  ])('covers what is %s', async (_what, text, script, path) => {
    const repo = repository({
      '.harness/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ path: script }] } }),
      [script]: text,
      [path]: 'x=1\n',
    });
    await agree(repo);
    repo.write(path, 'x=2\n');
    expect((await open(repo)).trust).toMatchObject([{ by: null }]);
  });

  it('runs what was agreed to: a script that changes while the policy is in force blocks', async () => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo);
    const policy = await open(repo);
    repo.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    const outcome = await policy.decide('tool.pre', call('shell'));
    expect(outcome).toMatchObject({ action: 'block' });
    expect(outcome.reason).toContain('guard.sh has changed since its folder was trusted');
  });

  it.each(SENDS_BACK)(
    'of a program that has changed does not send %s back to work, and the person is told',
    async (...row) => {
      const [, event, payload] = row;
      const repo = repository(AGAIN);
      const changed: typeof pinnedToDigest = (hook) => {
        repo.write('again.sh', `${AGAIN['again.sh']}# later\n`, 0o755);
        return pinnedToDigest(hook);
      };
      expect(await decidedBy(pinnedToDigest, repo, event, payload)).toMatchObject({ action: 'block' });
      expect(await decidedBy(changed, repo, event, payload)).toMatchObject({
        action: 'allow',
        effects: [{ kind: 'output', text: expect.stringContaining('again.sh has changed since') }],
      });
    },
  );

  it('of the environment is for all folders, or for one list of capabilities wherever it stands', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const [{ digest }] = (await open(repo)).trust as [Policy['trust'][number]];
    const copy = repository(ALL_CAPABILITIES);
    copy.write('guard.sh', ALL_CAPABILITIES['guard.sh']!.replace('guard"', 'other"'), 0o755);
    expect((await open(repo, 'all')).trust).toMatchObject([{ by: 'all' }]);
    expect((await open(repo, `0123,${digest}`)).trust).toMatchObject([{ by: 'digest' }]);
    expect((await open(repo, digest.slice(0, 40))).trust).toMatchObject([{ by: null }]);
    expect((await open(copy, digest)).trust).toMatchObject([{ by: null }]);
  });

  it('declined is not asked about again, until the list changes', async () => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo, 'no');
    expect((await open(repo)).trust).toMatchObject([{ by: null, declined: true }]);
    repo.write('guard.sh', '#!/bin/sh\n', 0o755);
    expect((await open(repo)).trust).toMatchObject([{ by: null, declined: false }]);
  });

  it('can be taken back', async () => {
    const repo = repository(ALL_CAPABILITIES);
    await agree(repo);
    expect(removeRecord(placeOf(repo), repo.dir)).toBe(true);
    expect(removeRecord(placeOf(repo), repo.dir)).toBe(false);
    expect((await open(repo)).trust).toMatchObject([{ by: null }]);
  });
});

describe('a command line that names a script in ways that are only known when it runs', () => {
  const settings = (command: string) => ({
    '.harness/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
    }),
    'guard.sh': 'exit 0\n',
  });

  it('is not covered by an agreement, nor by its digest; one that names the folder is, with the script', async () => {
    const open_ = repository(settings('sh "$GUARDS/guard.sh"'));
    await agree(open_);
    const [{ digest, capabilities }] = (await open(open_)).trust as [Policy['trust'][number]];
    expect(capabilities).toMatchObject([{ unknown: '$GUARDS/guard.sh"' }]);
    expect((await open(open_, digest)).trust).toMatchObject([{ by: null }]);

    const here = repository(settings('sh "$PWD/guard.sh"'));
    await agree(here);
    expect((await open(here)).trust).toMatchObject([{ by: 'record' }]);
    here.write('guard.sh', 'touch /tmp/x\n');
    expect((await open(here)).trust).toMatchObject([{ by: null }]);
  });
});

describe('the record of trust', () => {
  const record = { digest: 'a'.repeat(64), answer: 'yes', at: AT } as const;

  it('is closed to others, and no policy of the user', async () => {
    const repo = repository({});
    const place = placeOf(repo);
    const user = place.folder;
    writeRecord(place, record, repo.dir);
    expect(statSync(join(user, TRUST_FOLDER)).mode & 0o777).toBe(0o700);
    const [file] = readdirSync(join(user, TRUST_FOLDER));
    expect(statSync(join(user, TRUST_FOLDER, file!)).mode & 0o777).toBe(0o600);
    expect((await open(repo)).empty).toBe(true);
  });

  it('does not count if others can write it', () => {
    const repo = repository({});
    const place = placeOf(repo);
    const user = place.folder;
    writeRecord(place, record, repo.dir);
    expect(readRecord(place, repo.dir)).toMatchObject(record);
    const folder = join(user, TRUST_FOLDER);
    const file = join(folder, readdirSync(folder)[0]!);
    chmodSync(file, 0o622);
    expect(readRecord(place, repo.dir)).toBe(null);
    chmodSync(file, 0o600);
    chmodSync(folder, 0o777);
    expect(readRecord(place, repo.dir)).toBe(null);
    expect(() => writeRecord(place, record, repo.dir)).toThrow('can be written by others');
  });

  // Only root can give a file to somebody else; for others the rule is held by the modes above.
  it.runIf(isRoot)('does not count if it belongs to somebody else', () => {
    const repo = repository({});
    const place = placeOf(repo);
    const user = place.folder;
    writeRecord(place, record, repo.dir);
    const folder = join(user, TRUST_FOLDER);
    const file = join(folder, readdirSync(folder)[0]!);
    chownSync(file, 65534, 65534);
    expect(readRecord(place, repo.dir)).toBe(null);
    chownSync(file, 0, 0);
    chownSync(folder, 65534, 65534);
    expect(readRecord(place, repo.dir)).toBe(null);
    expect(() => writeRecord(place, record, repo.dir)).toThrow('belongs to user 65534');
  });

  it('is found by the real path, and of no other folder', () => {
    const repo = repository({});
    const place = placeOf(repo);
    writeRecord(place, record, repo.dir);
    symlinkSync(repo.dir, join(repo.home, 'link'));
    expect(readRecord(place, join(repo.home, 'link'))).toMatchObject(record);
    expect(readRecord(place, repo.home)).toBe(null);
  });

  it('is not read through a link', () => {
    const repo = repository({});
    const place = placeOf(repo);
    const user = place.folder;
    writeRecord(place, record, repo.dir);
    const file = join(user, TRUST_FOLDER, readdirSync(join(user, TRUST_FOLDER))[0]!);
    writeFileSync(join(repo.home, 'elsewhere'), '{}');
    rmSync(file);
    symlinkSync(join(repo.home, 'elsewhere'), file);
    expect(readRecord(place, repo.dir)).toBe(null);
  });

  // Only root can give a file to somebody else.
  it.runIf(isRoot)('counts on a managed machine if it is root’s, and the user’s own does not', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const [managed, user] = [join(repo.home, 'etc'), join(repo.home, 'harness')];
    mkdirSync(managed);
    const host = { ...machineHost, env: () => undefined };
    const open = () => openPolicy(repo.dir, { host, places: { managed, user } });
    const by = async () => (await open()).trust[0]!.by;
    const { trust, trustFolder } = await open();
    expect(trustFolder).toEqual(trustFolderOf({ managed, user }));
    const yes = { digest: trust[0]!.digest, answer: 'yes', at: AT } as const;
    writeRecord(placeOf(repo), yes, repo.dir);
    expect(await by()).toBe(null);
    writeRecord(trustFolder, yes, repo.dir);
    expect(await by()).toBe('record');
    const folder = join(managed, TRUST_FOLDER);
    chownSync(join(folder, readdirSync(folder)[0]!), 65534, 65534);
    expect(await by()).toBe(null);
  });
});
