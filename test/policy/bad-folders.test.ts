/**
 * Policy folders that are no folders, lead nowhere, belong to somebody else or go away: each is named, blocks what it might
 * have guarded unless it is somebody else's word, and takes nothing of the other layers with it.
 */
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layerOf } from '../../src/engine/layer.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { canRun } from '../support/needs.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const says = (answer: string) =>
  hookFile(`def handle(event, payload):\n    return ${answer}`, 'event: tool.pre\npriority: 10');
const NAMED = hookFile(
  'def handle(event, payload):\n    return block("named") if payload["name"] == "bad" else allow()',
);
const CALL = { id: '1', name: 'x', args: {} };

/** A project that blocks one name, and a place for the user's folder. */
function setUp(): { readonly dir: string; readonly user: string; readonly open: () => Promise<Policy> } {
  const root = tempProject({ 'work/.harness/hooks/named.md': NAMED });
  const user = join(root, 'user');
  const dir = join(root, 'work');
  return { dir, user, open: () => openPolicy(dir, { places: { managed: null, user }, host: machineHost }) };
}

const coded = ({ problems }: Policy, code: string) =>
  problems.filter((problem) => problem.code === code).map(({ message }) => message);

describe('a policy folder of the user that cannot be opened', () => {
  const faults: readonly (readonly [string, (user: string) => void, string])[] = [
    ['a file', (user) => writeFileSync(user, ''), 'not a folder'],
    ['a link to itself', (user) => symlinkSync(user, user), 'circle'],
    ['a link to nowhere', (user) => symlinkSync(`${user}-gone`, user), 'ENOENT'],
    [
      'two links in a circle',
      (user) => {
        symlinkSync(`${user}-other`, user);
        symlinkSync(user, `${user}-other`);
      },
      'circle',
    ],
  ];

  it.each(faults)(
    'because it is %s is named, blocks, and the project stays in force',
    async (_title, make, why) => {
      const { user, open } = setUp();
      make(user);
      const policy = await open();
      expect(coded(policy, 'LAYER_BROKEN').join()).toContain(user);
      expect(coded(policy, 'LAYER_BROKEN').join()).toContain(why);
      expect(await policy.decide('tool.pre', CALL)).toMatchObject({
        action: 'block',
        decidedBy: { layer: 'user' },
      });
      expect(policy.hooks.map(({ name }) => name)).toContain('named');
      expect(policy.empty).toBe(false);
    },
  );

  it.each(faults)('the same for .harness of the project, if it is %s', async (_title, make) => {
    const { dir, open } = setUp();
    rmSync(join(dir, '.harness'), { recursive: true });
    make(join(dir, '.harness'));
    const policy = await open();
    expect(coded(policy, 'LAYER_BROKEN')).toHaveLength(1);
    expect((await policy.decide('tool.pre', CALL)).action).toBe('block');
  });

  it('is not there if a file stands in its way: nobody can have meant one', async () => {
    const { user, dir } = setUp();
    writeFileSync(user, '');
    const policy = await openPolicy(dir, {
      places: { managed: null, user: join(user, 'harness') },
      host: machineHost,
    });
    expect(policy.layers.map(({ name }) => name)).toEqual(['project']);
  });

  it('because links lead to it in a circle is broken, not absent', async () => {
    const { user, dir } = setUp();
    symlinkSync(user, user);
    const policy = await openPolicy(dir, {
      places: { managed: null, user: join(user, 'harness') },
      host: machineHost,
    });
    expect((await policy.decide('tool.pre', CALL)).action).toBe('block');
  });
});

describe('a policy folder that somebody else could have written', () => {
  const isRoot = canRun(process.getuid?.() === 0, 'root, for folders of somebody else');
  const write = (folder: string) => {
    mkdirSync(join(folder, 'hooks'), { recursive: true });
    writeFileSync(join(folder, 'hooks/foreign.md'), says('block("foreign")'));
  };

  it('because all can write to it is named and not read', async () => {
    const { user, open } = setUp();
    write(user);
    chmodSync(user, 0o777);
    const policy = await open();
    expect(coded(policy, 'LAYER_REFUSED').join()).toContain('others can write to it');
    expect((await policy.decide('tool.pre', CALL)).action).toBe('allow');
    expect((await policy.decide('tool.pre', { ...CALL, name: 'bad' })).action).toBe('block');
  });

  it('and is all there is blocks, with the cause instead of only "none"', async () => {
    const { dir, open } = setUp();
    chmodSync(join(dir, '.harness'), 0o777);
    const outcome = await (await open()).decide('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', reason: expect.stringContaining('No policy in') });
    expect(outcome.reason).toContain(`${join(dir, '.harness')} is not read: others can write to it`);
  });

  it.each(['hooks', '.harness', '.harness/hooks'])('or to %s inside it, the same', async (inside) => {
    const { user, open } = setUp();
    write(user);
    mkdirSync(join(user, inside), { recursive: true });
    chmodSync(join(user, inside), 0o777);
    const policy = await open();
    expect(coded(policy, 'LAYER_REFUSED').join()).toContain(join(user, inside));
    expect((await policy.decide('tool.pre', CALL)).action).toBe('allow');
  });

  it('leaves no policy behind if it was the only one, and then every gate is blocked', async () => {
    const dir = tempProject({ '.harness/hooks/named.md': NAMED });
    chmodSync(join(dir, '.harness'), 0o777);
    const policy = await openPolicy(dir, { places: { managed: null, user: null }, host: machineHost });
    expect([policy.empty, (await policy.decide('tool.pre', CALL)).action]).toEqual([true, 'block']);
  });

  it.runIf(isRoot)('because it belongs to somebody else is named and not read', async () => {
    const { user, open } = setUp();
    write(user);
    chownSync(user, 12345, 12345);
    const policy = await open();
    expect(coded(policy, 'LAYER_REFUSED').join()).toContain('belongs to user 12345');
    expect((await policy.decide('tool.pre', CALL)).action).toBe('allow');
  });

  it.runIf(isRoot)('blocks everything if it is the managed one: nothing may stand in for it', async () => {
    const { user, dir } = setUp();
    write(user);
    chownSync(user, 12345, 12345);
    const policy = await openPolicy(dir, { places: { managed: user, user: null }, host: machineHost });
    expect(await policy.decide('tool.pre', CALL)).toMatchObject({
      action: 'block',
      decidedBy: { layer: 'managed' },
    });
  });
});

describe('a layer with a broken file', () => {
  it('names it, blocks its event, and loses nothing else', async () => {
    const { user, open } = setUp();
    mkdirSync(join(user, 'hooks'), { recursive: true });
    writeFileSync(
      join(user, 'hooks/broken.md'),
      hookFile('def handle(event, payload)\n    oops', 'event: tool.pre\npriority: 50'),
    );
    writeFileSync(join(user, 'hooks/fine.md'), says('allow()'));
    const policy = await open();
    const names = policy.registry.list('tool.pre').map((hook) => `${layerOf(hook).name}/${hook.name}`);
    expect(names).toEqual(
      expect.arrayContaining(['user/broken', 'user/fine', 'project/named', 'built-in/floor']),
    );
    expect(policy.problems.some(({ position }) => position?.file.endsWith('broken.md'))).toBe(true);
    expect(await policy.decide('tool.pre', CALL)).toMatchObject({
      action: 'block',
      decidedBy: { name: 'broken', layer: 'user' },
    });
  });

  it('whose event cannot be read blocks every gate', async () => {
    const { user, open } = setUp();
    mkdirSync(join(user, 'hooks'), { recursive: true });
    writeFileSync(join(user, 'hooks/broken.md'), '---\nevent: [\n---\n');
    const policy = await open();
    for (const [event, payload] of [
      ['tool.pre', CALL],
      ['turn.start', 'hello'],
    ] as const)
      expect((await policy.decide(event, payload)).action).toBe('block');
  });
});

describe('a folder that changes while the policy is open', () => {
  it('does not change what is in force if it is deleted', async () => {
    const { dir, open } = setUp();
    const policy = await open();
    const { digest } = policy.digest;
    rmSync(join(dir, '.harness'), { recursive: true });
    expect((await policy.decide('tool.pre', { ...CALL, name: 'bad' })).action).toBe('block');
    expect(policy.digest.digest).toBe(digest);
  });

  it('does not change its digest either, if nobody has asked for that yet', async () => {
    const { dir, open } = setUp();
    const { digest } = (await open()).digest;
    const policy = await open();
    renameSync(join(dir, '.harness'), join(dir, 'away'));
    expect(policy.digest.digest).toBe(digest);
  });
});

describe('both forms in the folder of the user', () => {
  it('are in force: hooks and .harness/hooks', async () => {
    const { user, open } = setUp();
    for (const [path, name] of [
      ['hooks', 'plain'],
      ['.harness/hooks', 'nested'],
    ] as const) {
      mkdirSync(join(user, path), { recursive: true });
      writeFileSync(
        join(user, path, `${name}.md`),
        says(`block("${name}") if payload["name"] == "${name}" else allow()`),
      );
    }
    const policy = await open();
    for (const name of ['plain', 'nested'])
      expect(await policy.decide('tool.pre', { ...CALL, name })).toMatchObject({
        action: 'block',
        hook: name,
      });
    expect(policy.layers.map(({ name }) => name)).toEqual(['user', 'project']);
  });
});
