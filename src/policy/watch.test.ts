import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from './open-policy.ts';
import { policyFingerprint } from './policy-fingerprint.ts';
import { type PolicyChange, type WatchOptions, watchPolicy } from './watch.ts';

const HOOKS = '.harness/hooks';
const blocking = (reason: string) => hookFile(`def handle(event, payload):\n    return block("${reason}")`);

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A watched policy, a way to wait for its next change, and one to ask what is in force. */
async function watched(files: Record<string, string>, options: Partial<WatchOptions> = {}) {
  const dir = tempProject(files);
  const policy = await openPolicy(dir, { places: { managed: null, user: null } });
  const changes: PolicyChange[] = [];
  let wake: (() => void) | null = null;
  const onChange = (change: PolicyChange) => {
    changes.push(change);
    wake?.();
  };
  const watch = watchPolicy(policy, { onChange, settleMs: 10, pollMs: 50, ...options });
  stops.push(() => watch.stop());
  const next = async (): Promise<PolicyChange> => {
    while (changes.length === 0) await new Promise<void>((done) => (wake = done));
    return changes.shift()!;
  };
  const reason = async () => (await policy.decide('tool.pre', { id: '1', name: 'x', args: {} })).reason;
  return { dir, policy, watch, next, reason, changes, file: (name: string) => join(dir, HOOKS, name) };
}

const GUARDED = { [`${HOOKS}/b.md`]: blocking('one') };

describe('[C054] a policy whose files change', () => {
  it('has a changed, a new and a removed file in force with the next event, and says so', async () => {
    const { next, reason, file, policy } = await watched(GUARDED);
    const before = policy.digest.digest;
    writeFileSync(file('b.md'), blocking('two'));
    expect(await next()).toMatchObject({ held: null, from: before });
    expect(await reason()).toBe('two');

    writeFileSync(file('a.md'), blocking('first'));
    expect(await next()).toMatchObject({ held: null, to: policy.digest.digest });
    expect(await reason()).toBe('first');

    rmSync(file('a.md'));
    await next();
    expect(await reason()).toBe('two');
  });

  it('keeps the last good set after a broken edit, says why, and takes the repair', async () => {
    const { next, reason, file } = await watched(GUARDED);
    writeFileSync(file('b.md'), '---\nevent: tool.pre\nscript: |\n  def handle(:\n---\n');
    expect((await next()).held).toContain('cannot be read without an error');
    expect(await reason()).toBe('one');
    writeFileSync(file('b.md'), blocking('repaired'));
    expect((await next()).held).toBeNull();
    expect(await reason()).toBe('repaired');
  });

  it.each([
    [
      'its folder is moved away',
      'gone',
      (dir: string) => renameSync(join(dir, '.harness'), join(dir, 'away')),
    ],
    ['its last hook is removed', 'empty', (dir: string) => rmSync(join(dir, HOOKS, 'b.md'))],
    ['its folder is removed', 'gone', (dir: string) => rmSync(join(dir, '.harness'), { recursive: true })],
  ])('stays in force if %s, until a person accepts that', async (_what, why, change) => {
    const { dir, next, reason } = await watched(GUARDED);
    change(dir);
    const held = await next();
    expect(held.held).toContain(`is ${why}`);
    expect(await reason()).toBe('one');
    held.accept();
    // Without any policy a gate still does not open by itself.
    if (why === 'gone') expect(await reason()).toContain('No policy in');
    else expect(await reason()).toBeNull();
  });

  it.each([
    ['packs', 'use: [core, git]'],
    ['a permission table', 'permissions: {default: never}'],
  ])('counts a layer of %s as one that guards: emptied, it stays in force', async (_what, guard) => {
    const { next, dir, policy } = await watched({ 'harness.md': `---\n${guard}\n---\nAn agent.\n` });
    const before = policy.digest.digest;
    writeFileSync(join(dir, 'harness.md'), 'An agent.\n');
    expect((await next()).held).toContain('is empty');
    expect(policy.digest.digest).toBe(before);
  });

  it('stays in force if a tool changed it, also if the tool was done before anybody looked', async () => {
    const { watch, next, reason, file } = await watched(GUARDED);
    watch.callStarted('c1');
    writeFileSync(file('b.md'), hookFile('def handle(event, payload):\n    return allow()'));
    watch.callEnded('c1');
    expect((await next()).held).toBe('it was made while a tool was running');
    expect(await reason()).toBe('one');
  });

  it('is told of a policy file that the last call made, before it stops', async () => {
    const { watch, changes, dir } = await watched(GUARDED);
    watch.callStarted('c1');
    writeFileSync(join(dir, 'harn.toml'), '[[hooks]]\nevent = "PreToolUse"\nhandler = "a::b"\n');
    watch.callEnded('c1');
    await watch.stop();
    expect(changes.map(({ held }) => held)).toEqual(['it was made while a tool was running']);
  });

  it('notices files that are written beside and renamed over, folders that appear later, and bursts as one', async () => {
    const { next, reason, dir, file, changes } = await watched({ 'harness.md': 'An agent.\n' });
    mkdirSync(join(dir, HOOKS), { recursive: true });
    writeFileSync(`${file('b.md')}.tmp`, blocking('renamed'));
    renameSync(`${file('b.md')}.tmp`, file('b.md'));
    for (let i = 0; i < 20; i++) writeFileSync(file('c.md'), blocking(`burst ${i}`));
    await expect.poll(reason).toBe('renamed');
    await next();
    expect(changes.length).toBeLessThan(4);
  });

  it('is left alone once the watch is stopped', async () => {
    const { watch, reason, file } = await watched(GUARDED);
    await watch.stop();
    writeFileSync(file('b.md'), blocking('late'));
    await new Promise((done) => setTimeout(done, 150));
    expect(await reason()).toBe('one');
  });
});

describe('a policy whose files change while an agent works under it', () => {
  it('takes what is at least as strict, also of a call, and holds the rest until a person accepts', async () => {
    const { watch, next, reason, file, policy } = await watched(GUARDED, { accept: 'stricter' });
    watch.callStarted('c1');
    writeFileSync(file('a.md'), blocking('first'));
    watch.callEnded('c1');
    expect(await next()).toMatchObject({ held: null, to: policy.digest.digest });
    expect(await reason()).toBe('first');

    writeFileSync(file('b.md'), blocking('two'));
    const waits = await next();
    expect(waits.held).toContain('b.md has changed');
    rmSync(file('a.md'));
    expect((await next()).held).toContain('a.md is gone');
    expect(await reason()).toBe('first');
    waits.accept();
    expect(policy.digest.digest).toBe(waits.to);
  });
});

describe('what a policy stands on', () => {
  it('is not what a project has in its own lib, data and hooks', async () => {
    const dir = tempProject({ ...GUARDED, 'lib/a.ts': '', 'data/b.csv': '', 'hooks/c.sh': '' });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const before = policyFingerprint(policy);
    for (const path of ['lib/a.ts', 'lib/new.ts', 'data/b.csv', 'hooks/c.sh'])
      writeFileSync(join(dir, path), 'changed');
    expect(policyFingerprint(policy)).toBe(before);
    writeFileSync(join(dir, HOOKS, 'new.md'), blocking('new'));
    expect(policyFingerprint(policy)).not.toBe(before);
  });

  it('is all of a folder that is the user’s policy', async () => {
    const [dir, user] = [tempProject(GUARDED), tempProject({ 'hooks/u.md': blocking('user') })];
    const policy = await openPolicy(dir, { places: { managed: null, user } });
    const before = policyFingerprint(policy);
    mkdirSync(join(user, 'lib'));
    writeFileSync(join(user, 'lib/a.star'), 'x = 1\n');
    expect(policyFingerprint(policy)).not.toBe(before);
  });
});
