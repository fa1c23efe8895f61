/**
 * The daemon's fault table, with real processes: whatever happens to it, the agent has an answer, which is the policy's and not that
 * of a deadline, and the tape verifies.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { askDaemon } from '../../src/launcher/daemon/client.ts';
import { entryIdentity, mountSpace } from '../../src/launcher/daemon/entry-identity.ts';
import { command, decisionIn, SAMPLES } from '../adapters/launched.ts';
import { canRun } from '../support/needs.ts';
import {
  callsOnTape,
  DENY,
  decisions,
  type Fired,
  nativeClient,
  RULES,
  takesCalls,
  type User,
  until,
  user,
  verified,
} from './daemon.ts';

describe('whatever happens to the daemon, somebody answers', () => {
  const call = (id: string) => command('forbidden', id);
  const denied = async (one: User, id: string, options: Fired = {}) => {
    const answer = await one.fire('PreToolUse', call(id), options);
    expect(decisionIn(answer)).toBe('deny');
    expect(answer.stdout).toContain('not here');
  };

  const callsSoFar = (one: User) => (existsSync(one.tape()) ? callsOnTape(one).size : 0);

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
      // A quarter of it is waited for the answer of one that was killed before it had given it.
      const calls = Array.from({ length: 6 }, (_, n) => denied(one, `${i}-${n}`, { deadlineMs: 30_000 }));
      // With one more on the tape each time, and the others on their way.
      await until(() => callsSoFar(one) > i * 7);
      daemon.kill('SIGKILL');
      await Promise.all(calls);
      await until(() => daemon.signalCode !== null);
      rmSync(join(one.folder, 'socket'), { force: true });
    }
    // Once, or twice where it was killed between its record and its answer.
    const known = callsOnTape(one);
    expect(known.size).toBe(24);
    for (const times of known.values()) expect(times).toBeLessThanOrEqual(2);
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
    expect(existsSync(join(one.folder, 'socket'))).toBe(false);
    await verified(one);
  });

  it('stopped in mid-call and continued later', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    // A daemon that is stopped while it has the lock of the session leaves nobody else to judge: then the gate denies by itself.
    const answers = Array.from({ length: 8 }, (_, n) => one.fire('PreToolUse', call(String(n))));
    await until(() => callsSoFar(one) > 0);
    daemon.kill('SIGSTOP');
    let judged = 0;
    for (const answer of await Promise.all(answers)) {
      expect(decisionIn(answer)).toBe('deny');
      expect(answer.stdout).toMatch(/not here|is being written by process/);
      if (answer.stdout.includes('not here')) judged++;
    }
    daemon.kill('SIGCONT');
    await denied(one, 'after');
    // Every call that the rule judged is on the tape, and so may be those that the daemon ends when it goes on.
    expect(callsOnTape(one).size).toBeGreaterThanOrEqual(judged + 1);
    expect(callsOnTape(one).size).toBeLessThanOrEqual(9);
    await verified(one);
  });

  it('out of file descriptors', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    const limited = spawnSync('prlimit', ['--pid', String(daemon.pid), '--nofile=24:24']);
    if (limited.status !== 0) return console.warn('SKIPPED: prlimit is missing');
    await Promise.all(Array.from({ length: 20 }, (_, n) => denied(one, String(n))));
    expect(daemon.exitCode).toBeNull();
    expect(callsOnTape(one).size).toBe(20);
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
    await until(() => takesCalls(join(one.folder, 'socket')));
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
    if (!canRun(able, 'root with setpriv, for another user')) return;
    mkdirSync(one.folder, { recursive: true, mode: 0o700 });
    for (let folder = one.folder; folder !== dirname(one.home); folder = dirname(folder))
      chmodSync(folder, 0o777);
    const socket = join(one.folder, 'socket');
    const code = `require('net').createServer(s=>{s.on('error',()=>{});s.end('harness-1 1 0.1.0\\nanswer 0 0 0\\n')}).listen(${JSON.stringify(socket)})`;
    const ids = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const squatter = spawn('setpriv', [...ids, process.execPath, '-e', code], { stdio: 'inherit' });
    onTestFinished(() => void squatter.kill('SIGKILL'));
    await until(() => takesCalls(socket));
    for (const mode of [0o777, 0o700]) {
      chmodSync(one.folder, mode);
      await denied(one, `launcher ${mode}`);
    }
    const native = nativeClient(one.home);
    if (native === null) return;
    for (const mode of [0o777, 0o700]) {
      chmodSync(one.folder, mode);
      await denied(one, `native ${mode}`, { native });
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
      // Some before they are heard, some before they have their answer, some after it: all of it is to be survived.
      setTimeout(() => child.kill('SIGKILL'), 60 + n * 8);
      await new Promise((resolve) => child.on('close', resolve));
    }
    await denied(one, 'after');
    await verified(one);
  });

  it('a thousand calls at once: each is answered, and on the tape once', async () => {
    const one = user(RULES);
    await one.serve();
    const ids = Array.from({ length: 1000 }, (_, n) => `t${n}`);
    const words = [one.dir, mountSpace(), 'claude-code', 'PreToolUse', '--dir', one.dir];
    const environment = Object.entries(one.env).map(([name, value]) => `${name}=${value}`);
    const entry = entryIdentity(HOOK_FILE);
    const asked = ids.map((id) => {
      const event = { ...SAMPLES.PreToolUse, cwd: one.dir, ...call(id) };
      const request = { operation: 'hook', entry, words, environment } as const;
      const payload = Buffer.from(JSON.stringify(event));
      return askDaemon(one.folder, { ...request, payload }, { greetingMs: 120_000, answerMs: 120_000 });
    });
    const said = (await Promise.all(asked)).map((answer) =>
      'missing' in answer ? answer.missing : decisionIn(answer),
    );
    expect(new Set(said)).toEqual(new Set(['deny']));
    expect([...callsOnTape(one)].sort()).toEqual(ids.map((id) => [id, 1]).sort());
    await verified(one);
  });

  it('two hundred calls at once', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return;
    await one.serve();
    const ids = Array.from({ length: 200 }, (_, n) => String(n));
    // No launcher: whom the daemon cannot serve in time is denied, instead of two hundred processes of Node.
    const options = { native, node: '/bin/false', deadlineMs: 60_000 };
    const answers = await Promise.all(ids.map((id) => one.fire('PreToolUse', command('ls', id), options)));
    const served = answers.filter(({ stdout, exitCode }) => stdout === '' && exitCode === 0);
    const denied = answers.filter(({ stdout }) => stdout === DENY);
    expect(served.length + denied.length).toBe(200);
    expect(served.length).toBeGreaterThan(0);
    expect(decisions(one.tape())).toBeGreaterThanOrEqual(served.length);
    await verified(one);
  });
});
