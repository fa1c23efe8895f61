/** The warm path, with real processes: the daemon answers as the launcher would, and whatever happens to it, somebody answers. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, decisionIn, hook } from '../adapters/launched.ts';
import { DENY, decisions, nativeClient, type User, until, user } from './daemon.ts';

const RULES = {
  '.harness/hooks/rule.md': hook(
    'tool.pre',
    'metrics.incr("calls")',
    'if "forbidden" in payload["args"]["command"]:',
    '  return block("not here")',
    'return allow()',
  ),
  '.harness/hooks/end.md': hook('agent.stop', 'return block("calls: %d" % metrics.get("calls"))'),
};

async function verified({ tape }: User): Promise<void> {
  expect(await verifyTape(tape())).toMatchObject({ ok: true });
}

describe('harness daemon', () => {
  it('start, status, stop: one process a user, behind a socket only its owner can reach', () => {
    const { harness, folder } = user(RULES);
    expect(harness('daemon', 'status').status).toBe(1);
    const first = JSON.parse(harness('daemon', 'start', '--json').stdout);
    expect(first).toMatchObject({ state: 'answers', says: { stale: false, idleMs: 600_000 } });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const second = JSON.parse(harness('daemon', 'start', '--json').stdout);
    expect(second.says.pid).toBe(first.says.pid);
    expect(harness('daemon', 'serve').stderr).toContain('runs already');
    expect(harness('daemon', 'stop')).toMatchObject({ status: 0, stdout: 'The daemon has ended.\n' });
    expect(existsSync(join(folder, 'socket'))).toBe(false);
    expect(harness('daemon', 'stop').stdout).toBe('No daemon runs.\n');
  });

  it('wrong words are wrong usage', () => {
    const { harness } = user(RULES);
    expect(harness('daemon', 'strat')).toMatchObject({ status: 2 });
    expect(harness('daemon', 'strat').stderr).toContain('start');
    expect(harness('daemon', 'start', '--idle', 'soon').stderr).toContain('want a time such as 30s');
  });

  it('ends by itself when nothing was asked for a while', async () => {
    const { serve, folder } = user(RULES);
    const daemon = await serve([], '--idle', '0.3s');
    await until(() => daemon.exitCode !== null);
    expect(daemon.exitCode).toBe(0);
    expect(existsSync(join(folder, 'socket'))).toBe(false);
  });

  it('gives the answers of the launcher, with state and tape written before', async () => {
    const [cold, warm] = [user(RULES), user(RULES)];
    await warm.serve();
    for (const one of [cold, warm]) {
      expect(decisionIn(await one.fire('PreToolUse', command('ls', '1')))).toBeNull();
      expect(await one.fire('PreToolUse', command('forbidden', '2'))).toMatchObject({ exitCode: 0 });
      expect((await one.fire('Stop')).stdout).toContain('calls: 2');
      expect(decisions(one.tape())).toBe(3);
      await verified(one);
    }
    const call = command('forbidden', '3');
    expect(await warm.fire('PreToolUse', call)).toEqual(await cold.fire('PreToolUse', call));
    expect(warm.state()).toMatchObject({ answered: 4, refused: 0 });
  });

  it('a changed rule holds at the next event, as in the launcher', async () => {
    const one = user(RULES);
    await one.serve();
    // Long enough for the files to count as settled: from here on the policy is kept.
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const id of ['1', '2', '3']) {
      expect(decisionIn(await one.fire('PreToolUse', { ...command('new', id), session_id: id }))).toBeNull();
    }
    one.write('.harness/hooks/rule.md', RULES['.harness/hooks/rule.md'].replace('forbidden', 'new'));
    expect(decisionIn(await one.fire('PreToolUse', { ...command('new', '4'), session_id: '4' }))).toBe(
      'deny',
    );
    // Made during an open call of that session: the policy it began with stays in force.
    expect(decisionIn(await one.fire('PreToolUse', { ...command('new', '5'), session_id: '1' }))).toBeNull();
    one.write('.harness/hooks/other.md', hook('tool.pre', 'return block("all")'));
    expect(decisionIn(await one.fire('PreToolUse', { ...command('x', '6'), session_id: '6' }))).toBe('deny');
    rmSync(join(one.dir, '.harness/hooks'), { recursive: true });
    const gone = await one.fire('PreToolUse', { ...command('x', '7'), session_id: '7' });
    expect(decisionIn(gone)).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 6, refused: 1 });
  });

  it('leaves a policy that starts programs to the launcher', async () => {
    const one = user({
      ...RULES,
      '.harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'exit 0' }] }] },
      }),
    });
    await one.serve();
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1')))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 0, refused: 1 });
  });
});

describe('whatever happens to the daemon, somebody answers', () => {
  const call = (id: string) => command('forbidden', id);
  const denied = async (one: User, id: string, native?: string) => {
    const began = Date.now();
    const options = native === undefined ? {} : { native };
    expect(decisionIn(await one.fire('PreToolUse', call(id), options))).toBe('deny');
    expect(Date.now() - began).toBeLessThan(10_000);
  };

  it('killed', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    daemon.kill('SIGKILL');
    await until(() => daemon.signalCode !== null);
    expect(existsSync(join(one.folder, 'socket'))).toBe(true);
    await denied(one, '1');
    expect(one.harness('daemon', 'start').status).toBe(0);
    await denied(one, '2');
    expect(one.state()).toMatchObject({ answered: 1 });
    await verified(one);
  });

  it('killed in mid-call', async () => {
    const one = user(RULES);
    for (let i = 0; i < 4; i++) {
      const daemon = await one.serve();
      const calls = Array.from({ length: 6 }, (_, n) => denied(one, `${i}-${n}`));
      setTimeout(() => daemon.kill('SIGKILL'), 100 + i * 40);
      await Promise.all(calls);
      await until(() => daemon.signalCode !== null);
      rmSync(join(one.folder, 'socket'), { force: true });
    }
    await verified(one);
  });

  it('stopped (SIGSTOP), and ended by `stop` all the same', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    daemon.kill('SIGSTOP');
    await denied(one, '1');
    expect(one.harness('daemon', 'status').stdout).toContain('does not answer');
    expect(one.harness('daemon', 'stop').status).toBe(0);
    await until(() => daemon.signalCode === 'SIGKILL');
    await verified(one);
  });

  it('stopped in mid-call and continued later', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    const calls = Array.from({ length: 8 }, (_, n) => denied(one, String(n)));
    setTimeout(() => daemon.kill('SIGSTOP'), 120);
    await Promise.all(calls);
    daemon.kill('SIGCONT');
    await denied(one, 'after');
    await verified(one);
  });

  it('out of file descriptors', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    const limited = spawnSync('prlimit', ['--pid', String(daemon.pid), '--nofile=24:24']);
    if (limited.status !== 0) return console.warn('SKIPPED: prlimit is missing');
    await Promise.all(Array.from({ length: 20 }, (_, n) => denied(one, String(n))));
    expect(daemon.exitCode).toBeNull();
    await verified(one);
  });

  it('of another build', async () => {
    const one = user(RULES);
    const copy = join(one.home, 'other/cli');
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(dirname(HOOK_FILE), copy, { recursive: true });
    const other = join(copy, 'hook.cjs');
    await one.serve();
    expect(decisionIn(await one.fire('PreToolUse', call('1'), { entry: other }))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 0, refused: 1 });
  });

  it('older than what is installed: it answers nobody and ends', async () => {
    const one = user(RULES);
    const copy = join(one.home, 'other/cli');
    cpSync(dirname(HOOK_FILE), copy, { recursive: true });
    const child = spawn(process.execPath, [join(copy, 'harness.cjs'), 'daemon', 'serve'], {
      env: one.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await until(() => existsSync(join(one.folder, 'socket')));
    const entry = join(copy, 'hook.cjs');
    expect(decisionIn(await one.fire('PreToolUse', call('1'), { entry }))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 1 });
    // Another file under the same name, as an update puts it there.
    copyFileSync(entry, `${entry}.new`);
    rmSync(entry);
    copyFileSync(`${entry}.new`, entry);
    utimesSync(entry, 1, 1);
    expect(decisionIn(await one.fire('PreToolUse', call('2'), { entry }))).toBe('deny');
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(0);
  });

  it('somebody listens there who never answers, or talks nonsense', async () => {
    for (const said of ['', 'HTTP/1.1 200 OK\r\n\r\n', 'harness-1 1 0.1.0\nanswer 0 5 0\nab']) {
      const one = user(RULES);
      mkdirSync(one.folder, { recursive: true, mode: 0o700 });
      for (const folder of [one.folder, dirname(one.folder)]) chmodSync(folder, 0o700);
      const server = createServer((socket) => {
        socket.on('error', () => {});
        if (said !== '') socket.end(said);
      });
      await new Promise<void>((resolve) => server.listen(join(one.folder, 'socket'), resolve));
      await denied(one, '1');
      server.close();
    }
  });

  it('its folder is open to others, or a link: nobody is talked to', async () => {
    const one = user(RULES);
    await one.serve();
    chmodSync(one.folder, 0o755);
    await denied(one, '1');
    chmodSync(one.folder, 0o700);
    expect(one.state()).toMatchObject({ answered: 0 });
    const other = user(RULES);
    mkdirSync(dirname(other.folder), { recursive: true, mode: 0o700 });
    symlinkSync(one.folder, other.folder);
    await denied(other, '1');
    expect(one.state()).toMatchObject({ answered: 0 });
    rmSync(other.folder);
  });

  it("replaced by another user's socket", async () => {
    const one = user(RULES);
    const able = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;
    if (!able) return console.warn('SKIPPED: another user takes root and setpriv');
    mkdirSync(one.folder, { recursive: true, mode: 0o700 });
    for (let folder = one.folder; folder !== dirname(one.home); folder = dirname(folder))
      chmodSync(folder, 0o777);
    const socket = join(one.folder, 'socket');
    const code = `require('net').createServer(s=>{s.on('error',()=>{});s.end('harness-1 1 0.1.0\\nanswer 0 0 0\\n')}).listen(${JSON.stringify(socket)})`;
    const ids = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const squatter = spawn('setpriv', [...ids, process.execPath, '-e', code], { stdio: 'inherit' });
    onTestFinished(() => void squatter.kill('SIGKILL'));
    await until(() => existsSync(socket));
    for (const mode of [0o777, 0o700]) {
      chmodSync(one.folder, mode);
      await denied(one, `launcher ${mode}`);
    }
    const native = nativeClient(one.home);
    if (native === null) return console.warn('SKIPPED: no C compiler');
    for (const mode of [0o777, 0o700]) {
      chmodSync(one.folder, mode);
      await denied(one, `native ${mode}`, native);
    }
  });

  it('a client is killed in mid-answer', async () => {
    const one = user(RULES);
    await one.serve();
    for (let n = 0; n < 8; n++) {
      const line = [HOOK_FILE, 'claude-code', 'PreToolUse', '--dir', one.dir];
      const child = spawn(process.execPath, line, { env: one.env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.on('error', () => {});
      child.stdin.end(
        JSON.stringify({
          session_id: 'session',
          cwd: one.dir,
          hook_event_name: 'PreToolUse',
          ...call(`k${n}`),
        }),
      );
      setTimeout(() => child.kill('SIGKILL'), 60 + n * 8);
      await new Promise((resolve) => child.on('close', resolve));
    }
    await denied(one, 'after');
    await verified(one);
  });
});

describe('the native client', () => {
  it('answers as the launcher does, without starting it', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return console.warn('SKIPPED: no C compiler');
    await one.serve();
    const call = command('forbidden', '1');
    const answer = await one.fire('PreToolUse', call, { native });
    expect(decisionIn(answer)).toBe('deny');
    expect(await one.fire('PreToolUse', command('ls', '2'), { native })).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    const long = command(`echo ${'x'.repeat(3_000_000)} forbidden`, '3');
    expect(decisionIn(await one.fire('PreToolUse', long, { native }))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 3, refused: 0 });
    await verified(one);
  });

  it('runs the launcher if no daemon answers, and denies if that is gone', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return console.warn('SKIPPED: no C compiler');
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1'), { native }))).toBe('deny');
    const gone = join(one.home, 'gone.cjs');
    expect((await one.fire('PreToolUse', command('ls', '2'), { native, entry: gone })).stdout).toBe(DENY);
    const daemon = await one.serve();
    daemon.kill('SIGSTOP');
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '3'), { native }))).toBe('deny');
    expect((await one.fire('PreToolUse', command('ls', '4'), { native, entry: gone })).stdout).toBe(DENY);
    await verified(one);
  });

  it('denies in time if the launcher hangs, dies or says something half', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return console.warn('SKIPPED: no C compiler');
    const programs = {
      hangs: 'setInterval(() => {}, 1000)',
      spins: 'process.stdout.write("{"); for (;;);',
      dies: 'process.stdout.write("{"); process.kill(process.pid, "SIGKILL")',
      'says half': 'process.stdout.write("{}")',
    };
    for (const [name, text] of Object.entries(programs)) {
      one.write('launcher.cjs', text);
      const began = Date.now();
      const options = { native, entry: join(one.dir, 'launcher.cjs'), deadlineMs: 1000 };
      const answer = await one.fire('PreToolUse', command('ls', name), options);
      expect([name, answer.stdout, answer.exitCode]).toEqual([name, DENY, 0]);
      expect(Date.now() - began).toBeLessThan(3000);
    }
  });
});
