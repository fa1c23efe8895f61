/** The daemon beyond its socket: the address on loopback, begun on demand, and the heartbeat. */
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import type { JsonObject } from '../../src/base/json.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, decisionIn, SAMPLES } from '../adapters/launched.ts';
import { decisions, RULES, takesCalls, type User, until, user, verified } from './daemon.ts';

interface Said {
  readonly status: number;
  readonly body: string;
  readonly proof: string;
}

function ask(
  one: User,
  path: string,
  options: { readonly body?: unknown; readonly headers?: Record<string, string> },
) {
  const { url } = JSON.parse(readFileSync(join(one.folder, 'http.json'), 'utf8')) as { url: string };
  const token = readFileSync(join(one.folder, 'http-token'), 'utf8');
  const { body, headers = {} } = options;
  const sent = { authorization: `Bearer ${token}`, ...headers };
  return new Promise<Said>((resolve, reject) => {
    const asked = httpRequest(
      `${url}${path}`,
      { method: body === undefined ? 'GET' : 'POST', headers: sent },
      (answer) => {
        let text = '';
        answer.on('data', (piece) => {
          text += String(piece);
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: text,
            proof: String(answer.headers['x-harness-proof']),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
}

describe('the address of the daemon', () => {
  const decide = {
    event: 'tool.pre',
    payload: { id: '1', name: 'run_command', args: { command: 'forbidden' } },
  };

  it('decides and says how it is, for who has the token and is on this machine; a changed rule holds at once', async () => {
    const one = user(RULES);
    await one.serve([], '--http', '0');
    expect(statSync(join(one.folder, 'http-token')).mode & 0o777).toBe(0o600);
    const at = `?dir=${encodeURIComponent(one.dir)}`;
    expect(JSON.parse((await ask(one, `/v1/decide${at}`, { body: decide })).body)).toMatchObject({
      action: 'block',
      stop: true,
    });
    expect((await ask(one, `/v1/health${at}`, {})).status).toBe(200);
    const cases: readonly [Record<string, string>, number][] = [
      [{ authorization: '' }, 401],
      [{ authorization: 'Bearer nothing' }, 401],
      [{ host: 'evil.example.com' }, 421],
      [{ origin: 'http://127.0.0.1' }, 403],
    ];
    for (const [headers, status] of cases) {
      const said = await ask(one, `/v1/decide${at}`, { body: decide, headers });
      expect([headers, said.status]).toEqual([headers, status]);
      expect(said.body).toContain('"stop":true');
    }
    expect((await ask(one, '/v1/decide', { body: decide })).status).toBe(400);
    expect((await ask(one, '/v1/decide?dir=/nowhere', { body: decide })).body).toContain('"stop":true');
    one.write('.harness/hooks/rule.md', RULES['.harness/hooks/rule.md'].replace('forbidden', 'new'));
    expect(JSON.parse((await ask(one, `/v1/decide${at}`, { body: decide })).body)).toMatchObject({
      action: 'allow',
    });
    expect(one.harness('daemon', 'status').stdout).toContain('on http://127.0.0.1:');
    // All of it on one tape of that folder, with the change between.
    const runs = join(one.dir, '.harness/runs');
    const [tape = '', ...others] = readdirSync(runs).filter((name) => name.startsWith('http-'));
    expect(others).toEqual([]);
    expect(decisions(join(runs, tape))).toBe(2);
    expect(readFileSync(join(runs, tape), 'utf8')).toContain('"type":"policy.changed"');
    expect(await verifyTape(join(runs, tape))).toMatchObject({ ok: true });
  });

  it('a tape that was cut, a tape that cannot be written, a folder that was moved: each is noticed before the answer', async () => {
    const one = user(RULES);
    await one.serve([], '--http', '0');
    const at = `/v1/decide?dir=${encodeURIComponent(one.dir)}`;
    const runs = join(one.dir, '.harness/runs');
    const tape = () => join(runs, readdirSync(runs).find((name) => name.startsWith('http-'))!);
    for (let n = 0; n < 3; n++) expect((await ask(one, at, { body: decide })).status).toBe(200);
    truncateSync(tape(), statSync(tape()).size - 9);
    const cut = await ask(one, at, { body: decide });
    expect([cut.status, cut.body]).toEqual([500, expect.stringContaining('"stop":true')]);
    expect((await ask(one, at, { body: decide })).status).toBe(200);
    expect(readFileSync(tape(), 'utf8')).toContain('"kind":"repaired"');
    const whole = readFileSync(tape());
    writeFileSync(tape(), 'no tape\n');
    const unrecorded = await ask(one, at, { body: decide });
    expect([unrecorded.status, unrecorded.body]).toEqual([500, expect.stringContaining('"stop":true')]);
    writeFileSync(tape(), whole);
    expect((await ask(one, at, { body: decide })).status).toBe(200);
    expect(decisions(tape())).toBe(5);
    expect(await verifyTape(tape())).toMatchObject({ ok: true });
    renameSync(one.dir, `${one.dir}-moved`);
    const gone = await ask(one, at, { body: decide });
    expect([gone.status, gone.body]).toEqual([503, expect.stringContaining('"stop":true')]);
    renameSync(`${one.dir}-moved`, one.dir);
  });

  it('a tape that was cut is noticed by a policy that was read since, too', async () => {
    const one = user(RULES);
    await one.serve([], '--http', '0');
    const at = `/v1/decide?dir=${encodeURIComponent(one.dir)}`;
    const runs = join(one.dir, '.harness/runs');
    expect((await ask(one, at, { body: decide })).status).toBe(200);
    const tape = join(runs, readdirSync(runs).find((name) => name.startsWith('http-'))!);
    for (const rule of ['second', 'third']) {
      one.write('.harness/hooks/rule.md', RULES['.harness/hooks/rule.md'].replace('forbidden', rule));
      truncateSync(tape, statSync(tape).size - 9);
      const cut = await ask(one, at, { body: decide });
      expect([cut.status, cut.body]).toEqual([500, expect.stringContaining('"stop":true')]);
      expect((await ask(one, at, { body: decide })).status).toBe(200);
    }
    expect(readFileSync(tape, 'utf8').match(/"kind":"repaired"/g)).toHaveLength(2);
    expect(await verifyTape(tape)).toMatchObject({ ok: true });
  });

  it('proves that it is itself to who wants to know: whoever else took the port cannot, though it is shown the token', async () => {
    const one = user(RULES);
    await one.serve([], '--http', '0');
    const at = `?dir=${encodeURIComponent(one.dir)}`;
    const headers = { 'x-harness-nonce': 'a number used once' };
    const { status, body, proof } = await ask(one, `/v1/decide${at}`, { body: decide, headers });
    const secret = (name: string) => readFileSync(join(one.folder, name), 'utf8');
    const proofBy = (key: string) =>
      createHmac('sha256', key).update(`a number used once\n${status}\n${body}`).digest('hex');
    expect(proof).toBe(proofBy(secret('http-proof-key')));
    expect(proof).not.toBe(proofBy(secret('http-token')));
    expect(statSync(join(one.folder, 'http-proof-key')).mode & 0o777).toBe(0o600);
    expect((await ask(one, `/v1/decide${at}`, { body: decide })).proof).toBe('undefined');
  });

  it('with its port in the hands of another process it does not begin and says so; the registered line is not fooled', async () => {
    const one = user(RULES);
    const yes = createServer((_, answer) => answer.end('{}'));
    await new Promise<void>((listening) => yes.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void yes.close());
    const { port } = yes.address() as AddressInfo;
    const begun = one.harness('daemon', 'serve', '--http', String(port));
    expect(begun.status).not.toBe(0);
    expect(begun.stderr).toContain(`another process listens on 127.0.0.1:${port}`);
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', 'c1')))).toBe('deny');
  });

  it('denies a payload that is too large in the words of the agent', async () => {
    const one = user(RULES);
    await one.serve([], '--http', '0');
    const at = `?dir=${encodeURIComponent(one.dir)}`;
    const large = Buffer.alloc(17 * 1024 * 1024, 0x20);
    const said = await ask(one, `/v1/hook/claude-code/PreToolUse${at}`, { body: large });
    expect(said.status).toBe(200);
    expect(decisionIn({ stdout: said.body, stderr: '', exitCode: 0 })).toBe('deny');
    expect(await ask(one, `/v1/decide${at}`, { body: large })).toMatchObject({ status: 413 });
  });

  it("answers an agent's event in its own words, on the same tape; what it leaves to the launcher the launcher answers", async () => {
    const one = user(RULES);
    await one.serve(['/usr/bin/env', 'HARNESS_TRUST=all'], '--http', '0');
    const event = (id: string) => ({ ...SAMPLES.PreToolUse, cwd: one.dir, ...command('forbidden', id) });
    const path = `/v1/hook/claude-code/PreToolUse?dir=${encodeURIComponent(one.dir)}`;
    const said = await ask(one, path, { body: event('1') });
    expect(decisionIn({ stdout: said.body, stderr: '', exitCode: 0 })).toBe('deny');
    expect(decisions(one.tape())).toBe(1);
    one.write(
      '.harness/settings.json',
      JSON.stringify({
        hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'exit 0' }] }] },
      }),
    );
    const other = await ask(one, path, { body: { ...event('2'), session_id: 'other' } });
    expect(decisionIn({ stdout: other.body, stderr: '', exitCode: 0 })).toBe('deny');
    expect(decisions(one.tape('other'))).toBe(1);
    // With the environment that the daemon has: what it trusts, the launcher trusts.
    const fine = { ...SAMPLES.PreToolUse, cwd: one.dir, ...command('ls', '3'), session_id: 'other' };
    const passed = await ask(one, path, { body: fine });
    expect(decisionIn({ stdout: passed.body, stderr: '', exitCode: 0 })).toBe(null);
    const broken = Buffer.from(JSON.stringify({ ...fine, ...command('ls ?', '4') }));
    broken[broken.indexOf('?')] = 0xff;
    const odd = await ask(one, path, { body: broken });
    expect(decisionIn({ stdout: odd.body, stderr: '', exitCode: 0 })).toBe('deny');
    const garbage = await ask(one, path, { body: 'garbage' });
    expect(decisionIn({ stdout: garbage.body, stderr: '', exitCode: 0 })).toBe('deny');
    await verified(one);
  });
});

describe('begun on demand', () => {
  const wants = (one: User, text: string) => {
    mkdirSync(join(one.home, '.config/harness'), { recursive: true, mode: 0o700 });
    writeFileSync(join(one.home, '.config/harness/harness.md'), `---\n${text}\n---\n`);
  };

  it('by the launcher that finds none, if the user wants it; the next call is its own', async () => {
    const one = user(RULES);
    await one.fire('PreToolUse', command('ls', '1'));
    expect(one.state()).toBeNull();
    wants(one, 'daemon: on-demand');
    expect(decisionIn(await one.fire('PreToolUse', { ...command('forbidden', '2'), session_id: 'b' }))).toBe(
      'deny',
    );
    await until(() => takesCalls(join(one.folder, 'socket')));
    expect(decisionIn(await one.fire('PreToolUse', { ...command('forbidden', '3'), session_id: 'c' }))).toBe(
      'deny',
    );
    expect(one.state()).toMatchObject({ answered: 1 });
  });

  it('never by a project', async () => {
    const one = user({ ...RULES, 'harness.md': '---\ndaemon: on-demand\n---\n' });
    expect(one.harness('validate').stdout).toContain('daemon has no effect here');
    await one.fire('PreToolUse', command('ls', '1'));
    expect(existsSync(join(one.folder, 'on-demand'))).toBe(false);
  });
});

describe('the heartbeat', () => {
  it('raises a session that nothing guarded although the settings were edited after it', () => {
    const one = user(RULES);
    expect(one.harness('install', 'claude-code').status).toBe(0);
    session(one, 'unseen');
    const file = join(one.dir, '.claude/settings.json');
    const later = Date.now() / 1000 + 3600;
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{\n  "model": "opus",'));
    utimesSync(file, later, later);
    const { status, stdout } = one.harness('doctor', 'claude-code');
    expect(stdout).toContain('session unseen is on no tape');
    expect(status).toBe(1);
  });

  it('does not raise sessions of before the installation, and installing again does not forget later ones', () => {
    const one = user(RULES);
    session(one, 'before');
    expect(one.harness('install', 'claude-code').status).toBe(0);
    expect(one.harness('doctor', 'claude-code').stdout).not.toContain('is on no tape');
    session(one, 'unseen');
    expect(one.harness('install', 'claude-code').status).toBe(0);
    const { stdout } = one.harness('doctor', 'claude-code');
    expect(stdout).toContain('session unseen is on no tape');
    expect(stdout).not.toContain('session before');
  });

  const session = (one: User, id: string) => {
    const folder = join(one.home, '.claude/projects', one.dir.replace(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const line: JsonObject = { type: 'user', sessionId: id, timestamp: new Date().toISOString() };
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
  };

  it('of the daemon and of `doctor --watch` raises sessions that are on no tape', async () => {
    const one = user(RULES);
    expect(one.harness('install', 'claude-code').status).toBe(0);
    session(one, 'judged');
    await one.fire('PreToolUse', { ...command('ls', '1'), session_id: 'judged' });
    const child = spawn(process.execPath, [CLI_FILE, 'doctor', '--watch', '--json'], {
      env: one.env,
      cwd: one.dir,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let raised = '';
    child.stdout.on('data', (piece) => {
      raised += String(piece);
    });
    // After its first look, if the machine is quick: it is raised all the same if it is not.
    await new Promise((resolve) => setTimeout(resolve, 500));
    session(one, 'unseen');
    await until(() => raised.includes('\n'));
    expect(JSON.parse(raised)).toMatchObject({ agent: 'claude-code', session: 'unseen' });
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1);
    await one.serve([], '--beat', '0.2s');
    await until(() =>
      one.harness('daemon', 'status').stdout.includes('session unseen of claude-code is on no tape'),
    );
    const { unjudged } = one.state() as unknown as { unjudged: JsonObject[] };
    expect(unjudged).toMatchObject([{ session: 'unseen' }]);
    expect(
      spawnSync(process.execPath, [CLI_FILE, 'status', one.dir], { env: one.env, encoding: 'utf8' }).stdout,
    ).toContain('NOT JUDGED');
  });
});
