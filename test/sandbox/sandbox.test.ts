/**
 * Containment as far as it is a matter of data: the order between two sandboxes, the command line a plan becomes, what layers and hooks
 * may do to it, and what a machine without bubblewrap says. The walls themselves are tried in escapes.slow.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../src/agents/verdict.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';
import { runProcess } from '../../src/machine/process.ts';
import { launcherFor } from '../../src/machine/walls/bubblewrap.ts';
import { containedHost } from '../../src/machine/walls/contain.ts';
import { limitLines, readHardLimits, shellBefore } from '../../src/machine/walls/limits.ts';
import { limitProblem } from '../../src/machine/walls/offer.ts';
import { planFor } from '../../src/machine/walls/places.ts';
import {
  clamped,
  DEFAULT_SANDBOX,
  loosens,
  type Sandbox,
  sandboxIn,
  sandboxPath,
  tightened,
} from '../../src/machine/walls/sandbox.ts';
import { filterFor } from '../../src/machine/walls/seccomp.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { GovernedSession } from '../../src/session/index.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const HARD = readHardLimits(
  'Limit                     Soft Limit           Hard Limit           Units     \nMax file size             unlimited            unlimited            bytes     \nMax open files            1024                 2048                 files     \n',
);
const TOOLS = { bwrap: '/usr/bin/bwrap', arch: 'x64', hard: HARD };
const NO_BWRAP: Host = {
  ...machineHost,
  env: (name) => (name === 'PATH' ? '/nonexistent' : machineHost.env(name)),
};
const NOWHERE = { managed: null, user: null };

const open: Sandbox = {
  ...DEFAULT_SANDBOX,
  writable: ['~/.cache/npm', '/srv/data'],
  readable: ['~/.cargo'],
  network: 'allowed',
};

describe('a sandbox can only be tightened', () => {
  it.each([
    ['the network', { network: 'open' }, 'network is "allowed", want "open"'],
    ['a path to write', { writable: ['/srv'] }, '"/srv" is not writable'],
    ['a path to write beside the workspace', { writable: ['build/../../x'] }, 'is not writable'],
    ['a path to read', { readable: ['~/.ssh'] }, '"~/.ssh" is not readable'],
    ['a limit', { limits: { processes: 513 } }, 'limits.processes is 512, want 513'],
    ['a limit taken away', { limits: { memory_mb: 0 } }, 'limits.memory_mb is 4096, want 0 (none)'],
    ['the sandbox taken away', false, 'it cannot be taken away'],
  ])('%s', (_what, asked, why) => {
    const said = tightened(open, asked);
    expect(said.ok).toBe(false);
    expect(said.ok ? '' : said.message).toContain(why);
  });

  it('takes what is tighter, and leaves the rest as it was', () => {
    const said = tightened(open, {
      network: 'off',
      writable: ['/srv/data/today', 'build'],
      hidden: ['secrets'],
      limits: { cpu_seconds: 5 },
      workspace: 'read-only',
    });
    expect(said).toEqual({
      ok: true,
      sandbox: {
        ...open,
        workspace: 'read-only',
        writable: ['/srv/data/today', 'build'],
        hidden: ['secrets'],
        network: 'off',
        limits: { ...open.limits, cpu_seconds: 5 },
      },
    });
  });

  it('a workspace that was made read-only stays so', () => {
    const closed = clamped(open, { workspace: 'read-only' })!;
    expect(loosens(closed, { workspace: 'writable' })).toBe('the workspace is read-only');
    expect(loosens(closed, { writable: ['build'] })).toBe('"build" is not writable');
  });

  it('where there is none, whatever is asked for is tighter', () => {
    expect(tightened(null, true)).toEqual({ ok: true, sandbox: DEFAULT_SANDBOX });
    expect(clamped(null, false)).toBeNull();
  });

  it('what is no sandbox is refused with the nearest name', () => {
    const said = tightened(null, { netwerk: 'off' });
    expect(said).toMatchObject({ ok: false });
    expect(said.ok ? '' : said.message).toContain('did you mean network');
    expect(tightened(null, { network: 'none' })).toMatchObject({ ok: false });
    expect(tightened(null, 'yes')).toMatchObject({ ok: false });
    expect(sandboxIn({ limits: { processes: -1 } })).toBeNull();
  });

  it('paths are compared by what they mean', () => {
    expect(['./a/', 'a//b/../c', '~/x/.', '/', '~', '/a/../..', '.'].map(sandboxPath)).toEqual([
      ...['a', 'a/c', '~/x', '/', '~', '/', '.'],
    ]);
    expect(loosens(open, { writable: ['~/../etc'] })).not.toBeNull();
    expect(loosens(open, { writable: ['/srv/data/../x'] })).not.toBeNull();
    expect(loosens(open, { writable: ['/srv/database'] })).not.toBeNull();
  });
});

describe('the command line of a plan', () => {
  const plan = (over = {}) => ({
    mounts: [{ kind: 'writable', path: '/w' } as const],
    cwd: '/w',
    network: { kind: 'off' } as const,
    limits: DEFAULT_SANDBOX.limits,
    env: {},
    terminal: false,
    ...over,
  });

  it('has every namespace by its name, and nothing that is not in the plan', () => {
    const { argv, filter } = launcherFor(plan(), TOOLS);
    const text = argv.join(' ');
    for (const word of ['user', 'pid', 'ipc', 'uts', 'net']) expect(text).toContain(`--unshare-${word}`);
    expect(text).toContain('--disable-userns --cap-drop ALL --die-with-parent');
    expect(text).toContain('--bind /w /w --proc /proc --dev /dev --remount-ro / --chdir /w');
    expect(argv.filter((word) => word.endsWith('bind'))).toEqual(['--bind']);
    expect(argv.slice(argv.indexOf('--'))).toEqual([
      ...['--', '/bin/sh', '-c'],
      '{ ulimit -c 0 && { ulimit -p 512 2>/dev/null || ulimit -u 512; } && ulimit -d 4194304 && ulimit -f 4194304 && ulimit -n 2048; } || exit 125; exec "$@"',
      'sh',
    ]);
    expect(filter?.length).toBeGreaterThan(100);
  });

  it('in a control group the shell that enters it sets the limits, and none stands inside', () => {
    const { argv } = launcherFor(plan(), TOOLS, ['/g/pids', '/g/memory']);
    const [shell, , lines, , ...rest] = argv;
    expect([shell, ...rest.slice(0, 4)]).toEqual(['/bin/sh', '2', '/g/pids', '/g/memory', '/usr/bin/bwrap']);
    expect(lines).toContain('ulimit -d 4194304 && ulimit -f 4194304 && ulimit -n 2048; } || exit 125; exec');
    // Root is nobody whose processes are counted: the group does it.
    expect(lines).not.toContain('ulimit -u');
    expect(argv.at(-1)).toBe('--');
  });

  it.each([['sh'], ['bash --posix'], ['busybox sh']])(
    '%s sets what it is told, and starts nothing where it cannot',
    (shell) => {
      const [file = '', ...options] = shell.split(' ');
      if (spawnSync(file, [...options, '-c', ':']).status !== 0)
        return console.warn(`SKIPPED: ${file} is missing`);
      const run = (limits: object) => {
        const lines = limitLines({ ...DEFAULT_SANDBOX.limits, ...limits }, new Map(), true);
        const words = [...shellBefore(lines).slice(1), 'cat', '/proc/self/limits'];
        return spawnSync(file, [...options, ...words], { encoding: 'utf8' });
      };
      const few = run({ processes: 4000, memory_mb: 700, file_mb: 3, open_files: 99, cpu_seconds: 50 });
      expect(Object.fromEntries(readHardLimits(few.stdout))).toMatchObject({
        'Max processes': 4000,
        'Max data size': 700 * 1024 * 1024,
        'Max file size': 3 * 1024 * 1024,
        'Max open files': 99,
        'Max cpu time': 50,
      });
      // More than any kernel gives.
      expect(run({ open_files: 2_000_000_000 })).toMatchObject({ status: 125, stdout: '' });
    },
  );

  it('another session keeps a program from the terminal unless a filter does', () => {
    expect(launcherFor(plan(), TOOLS).argv).toContain('--new-session');
    expect(launcherFor(plan({ terminal: true }), TOOLS).argv).not.toContain('--new-session');
    expect(launcherFor(plan({ terminal: true }), { ...TOOLS, arch: 's390x' }).argv).toContain(
      '--new-session',
    );
    expect(filterFor('s390x')).toBeNull();
  });

  it('the network is off, open, or a proxy with its variables', () => {
    expect(launcherFor(plan({ network: { kind: 'open' } }), TOOLS).argv).not.toContain('--unshare-net');
    const proxied = launcherFor(plan({ network: { kind: 'proxy', socket: '/s', node: '/node' } }), TOOLS);
    expect(proxied.argv).toContain('--unshare-net');
    expect(proxied.env.HTTPS_PROXY).toBe('http://127.0.0.1:3128');
  });

  it('what cannot be held is a problem: the whole machine, the home folder, a policy that is a link', () => {
    const dir = tempProject({ 'real/a.md': 'x', 'project/x': '' });
    const places = { home: dir, guarded: { folders: [], files: [] }, needed: [], cwd: dir };
    const of = (workspace: string, folders: string[] = []) =>
      planFor(DEFAULT_SANDBOX, { ...places, workspace, guarded: { folders, files: [] } }, { kind: 'off' });
    expect(of('/')).toEqual({ problem: expect.stringContaining('the whole machine') });
    expect(of(dir)).toEqual({ problem: expect.stringContaining('holds the home folder') });
    expect(of(join(dir, 'gone'))).toEqual({ problem: expect.stringContaining('is not there') });
    const project = join(dir, 'project');
    symlinkSync(join(dir, 'real'), join(project, '.harness'));
    expect(of(project, [join(project, '.harness')])).toEqual({
      problem: expect.stringContaining('is a link'),
    });
  });

  it('a link in the workspace, or in what may be written, opens nothing outside of it', () => {
    const dir = tempProject({ 'home/w/in/x': '', 'home/cache/x': '', 'home/.ssh/key': '' });
    const home = join(dir, 'home');
    const workspace = join(home, 'w');
    symlinkSync('..', join(workspace, 'up'));
    symlinkSync('in', join(workspace, 'same'));
    symlinkSync('../.ssh', join(home, 'cache/keys'));
    const places = { home, workspace, guarded: { folders: [], files: [] }, needed: [], cwd: workspace };
    const of = (current: Sandbox, asked: Parameters<typeof clamped>[1]) =>
      planFor(clamped(current, asked)!, places, { kind: 'off' });
    const out = { problem: expect.stringContaining('out of what it stands in') };
    expect(of(DEFAULT_SANDBOX, { writable: ['up'] })).toEqual(out);
    expect(of(DEFAULT_SANDBOX, { readable: ['up/.ssh'] })).toEqual(out);
    expect(of({ ...DEFAULT_SANDBOX, workspace: 'read-only' }, { readable: ['up'] })).toEqual(out);
    const cache = { ...DEFAULT_SANDBOX, writable: ['~/cache'] };
    expect(of(cache, { writable: ['~/cache', '~/cache/keys'] })).toEqual(out);
    expect(of(DEFAULT_SANDBOX, { writable: ['same', 'in'] })).toHaveProperty('mounts');
  });

  it('the policy is read-only in what may be written, by every name it has there', () => {
    const dir = tempProject({ 'w/.harness/hooks/a.md': '', 'w/.claude/x': '', 'w/harness.md': '' });
    const [w, link] = [join(dir, 'w'), join(dir, 'link')];
    symlinkSync(w, link);
    const made = planFor(
      { ...DEFAULT_SANDBOX, writable: ['/', join(w, '.harness/hooks')].slice(1).concat(link) },
      {
        workspace: w,
        home: null,
        needed: [],
        cwd: w,
        guarded: {
          folders: [join(w, '.harness')],
          files: [join(w, 'harness.md'), join(w, '.claude/settings.local.json'), join(w, 'harn.toml')],
        },
      },
      { kind: 'off' },
    );
    if ('problem' in made) throw new Error(made.problem);
    const readOnly = made.mounts.flatMap((mount) => (mount.kind === 'read-only' ? [mount.path] : []));
    for (const path of ['.harness', '.harness/hooks', 'harness.md', '.claude'].map((name) => join(w, name)))
      expect(readOnly).toContain(path);
    expect(readOnly).toContain(join(link, '.harness'));
    expect(readOnly).not.toContain(w);
  });
});

describe('layers, tools and hooks', () => {
  const USER = { managed: null, user: '' };
  const layered = async (above: string, below: string) => {
    const dir = tempProject({
      'user/harness.md': `---\n${above}\n---\n`,
      'user/hooks/a.md': hookFile('def handle(event, payload):\n    return allow()'),
      'project/harness.md': `---\n${below}\n---\n`,
    });
    const places = { ...USER, user: join(dir, 'user') };
    return openPolicy(join(dir, 'project'), { places, startsNothing: true });
  };

  it('a layer below can only tighten, and is told what has no effect', async () => {
    const policy = await layered(
      'sandbox: {readable: ["~/.cargo"], network: allowed, limits: {processes: 100}}',
      'sandbox: {readable: ["~/.cargo/bin", "~/.ssh"], network: open, limits: {processes: 50}}',
    );
    expect(policy.settings.sandbox).toMatchObject({
      readable: ['~/.cargo/bin'],
      network: 'allowed',
      limits: { processes: 50, memory_mb: 4096 },
    });
    expect(policy.problems.map(({ message }) => message).join()).toContain('"~/.ssh" is not readable');
  });

  it('`sandbox: false` below takes nothing away; above, it says nothing', async () => {
    expect((await layered('sandbox: true', 'sandbox: false')).settings.sandbox).toEqual(DEFAULT_SANDBOX);
    expect((await layered('sandbox: false', 'sandbox: true')).settings.sandbox).toEqual(DEFAULT_SANDBOX);
    expect((await layered('strict: false', 'strict: false')).settings.sandbox).toBeNull();
  });

  it('one that cannot be understood is the tightest there is', async () => {
    const policy = await layered('strict: false', 'sandbox: {network: everything}');
    expect(policy.settings.sandbox).toMatchObject({ workspace: 'read-only', network: 'off' });
    expect(policy.problems.some(({ severity }) => severity === 'error')).toBe(true);
  });

  it('is part of the digest of a policy', async () => {
    const [a, b] = [await layered('strict: false', 'sandbox: true'), await layered('strict: false', '')];
    expect(a.digest.settings).toHaveProperty('sandbox');
    expect(b.digest.settings).not.toHaveProperty('sandbox');
  });

  const decided = async (script: string, above = 'sandbox: {network: allowed}', payload = {}) => {
    const dir = tempProject({
      'harness.md': `---\n${above}\n---\n`,
      '.harness/hooks/a.md': hookFile(script),
    });
    const policy = await openPolicy(dir, { places: NOWHERE, startsNothing: true });
    return policy.decide('tool.pre', { name: 'x', args: {}, ...payload });
  };

  it('a hook tightens, and the payload says what came of it', async () => {
    const outcome = await decided(
      'def handle(event, payload):\n    return modify({"sandbox": {"network": "off"}})',
    );
    expect(outcome.action).toBe('modify');
    expect(outcome.payload).toMatchObject({ sandbox: { network: 'off', workspace: 'writable' } });
  });

  it('a hook that would loosen it blocks with the reason, whatever its payload says', async () => {
    const script = 'def handle(event, payload):\n    return modify({"sandbox": {"network": "open"}})';
    for (const payload of [{}, { sandbox: { network: 'open' } }]) {
      const outcome = await decided(script, 'sandbox: {network: allowed}', payload);
      expect(outcome).toMatchObject({
        action: 'block',
        hook: 'a',
        reason: 'the sandbox can only be tightened: network is "allowed", want "open"',
      });
    }
  });

  it('a hook that only watches loosens nothing and stops nothing', async () => {
    const dir = tempProject({
      'harness.md': '---\nsandbox: true\n---\n',
      '.harness/hooks/a.md': hookFile(
        'def handle(event, payload):\n    return modify({"sandbox": False})',
        'event: tool.pre\npriority: 1\nmode: shadow',
      ),
    });
    const policy = await openPolicy(dir, { places: NOWHERE, startsNothing: true });
    const outcome = await policy.decide('tool.pre', { name: 'x', args: {} });
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]?.vetoIgnored).toBe('mode is shadow');
  });

  it('a host that cannot put a call into a sandbox refuses it', async () => {
    const dir = tempProject({
      '.harness/hooks/a.md': hookFile('def handle(event, payload):\n    return modify({"sandbox": True})'),
    });
    const policy = await openPolicy(dir, { places: NOWHERE });
    const session = new GovernedSession({ policy, openTape: null, approvals: null, approvalMs: 1 });
    const call = { id: '1', name: 'x', args: {}, native: {} };
    expect(await session.beforeCall(call, new AbortController().signal)).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('in a sandbox'),
    });
    expect(verdictOf([await policy.decide('tool.pre', { name: 'x', args: {} })], [{}]).action).toBe('modify');
  });
});

describe('a machine without bubblewrap', () => {
  it('says so where a sandbox is asked for, and every gate is shut', async () => {
    const dir = tempProject({ 'harness.md': '---\nsandbox: true\n---\n', '.harness/hooks/.keep': '' });
    const policy = await openPolicy(dir, { places: NOWHERE, host: NO_BWRAP });
    const [problem] = policy.problems.filter(({ code }) => code === 'SANDBOX_UNAVAILABLE');
    expect(problem?.message).toMatch(
      /^a sandbox is asked for and cannot be made: (?:bubblewrap is not installed|it takes Linux)/,
    );
    const outcome = await policy.decide('tool.pre', { name: 'x', args: {} });
    expect(outcome).toMatchObject({ action: 'block', hook: 'no_sandbox' });
    expect(outcome.reason).toContain('cannot be made');
  });

  it('changes nothing where none is asked for', async () => {
    const dir = tempProject({
      '.harness/hooks/a.md': hookFile('def handle(event, payload):\n    return allow()'),
    });
    const policy = await openPolicy(dir, { places: NOWHERE, host: NO_BWRAP });
    expect(policy.problems).toEqual([]);
    const done = await policy.host.run(
      { program: { shell: 'echo ran' }, cwd: dir, env: {}, stdin: '', timeoutMs: 10_000 },
      null,
    );
    expect(done.stdout).toBe('ran\n');
  });

  it('starts no program that was to be contained, whoever starts it', async () => {
    const dir = tempProject({});
    mkdirSync(join(dir, 'w'));
    writeFileSync(join(dir, 'w', 'x'), '');
    const request = {
      program: { shell: `rm ${join(dir, 'w', 'x')}` },
      cwd: join(dir, 'w'),
      env: {},
      stdin: '',
      timeoutMs: 10_000,
    };
    const contained = containedHost(NO_BWRAP, {
      sandbox: () => DEFAULT_SANDBOX,
      workspace: join(dir, 'w'),
      guarded: () => ({ folders: [], files: [] }),
      domains: () => [],
    });
    for (const done of [
      await contained.run(request, null),
      await runProcess({ ...request, sandbox: DEFAULT_SANDBOX }, null),
    ]) {
      expect(done.startError?.code).toBe('SANDBOX_UNAVAILABLE');
      expect(done.exitCode).toBeNull();
    }
  });

  it('a limit that cannot be held is a problem as well', () => {
    const offer = { tools: TOOLS, problem: null, version: '1', filtered: true, root: true };
    const groups = { pids: null, memory: null };
    expect(limitProblem({ ...offer, groups }, DEFAULT_SANDBOX.limits)).toContain('control group');
    expect(limitProblem({ ...offer, groups }, { ...DEFAULT_SANDBOX.limits, processes: 0 })).toBeNull();
    expect(limitProblem({ ...offer, groups, root: false }, DEFAULT_SANDBOX.limits)).toBeNull();
  });
});
