/** The warm path, with real processes: the daemon answers as the launcher would, and whatever happens to it, somebody answers. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { command, decisionIn, hook } from '../adapters/launched.ts';
import {
  callsOnTape,
  DENY,
  decisions,
  nativeClient,
  RULES,
  type User,
  until,
  user,
  verified,
} from './daemon.ts';

describe('harness daemon', () => {
  it('start, status, stop: one process a user, behind a socket only its owner can reach', () => {
    const { harness, folder } = user(RULES);
    expect(harness('daemon', 'status').status).toBe(1);
    const first = JSON.parse(harness('daemon', 'start', '--json').stdout);
    expect(first).toMatchObject({ state: 'answers', says: { stale: false, idleMs: 1_800_000 } });
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

  it('an answer of the daemon that the launcher reads after its deadline is a deny', async () => {
    const { serve, fire, write, env, home } = user(RULES);
    await serve();
    expect(decisionIn(await fire('PreToolUse', command('ls', '1')))).toBeNull();
    // The process is stopped before it reads the answer, for longer than its deadline.
    write(
      '../stopped.cjs',
      `const { Socket } = require('node:net');
       const push = Socket.prototype.push;
       let chunks = 0;
       Socket.prototype.push = function (chunk, ...rest) {
         const isStdin = chunk?.[0] === 0x7b;
         if (chunk && !isStdin && ++chunks === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);
         return push.call(this, chunk, ...rest);
       };`,
    );
    env.NODE_OPTIONS = `--require=${join(home, 'stopped.cjs')}`;
    const answer = await fire('PreToolUse', command('ls', '2'), { deadlineMs: 5000 });
    delete env.NODE_OPTIONS;
    expect(decisionIn(answer)).toBe('deny');
    expect(answer.stdout).toContain('no decision within 5000 ms');
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
    // Denials within a second count as one round trip: by now both were denied before.
    await new Promise((resolve) => setTimeout(resolve, 1100));
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

  it('with it the launcher loads its entry and nothing else; without it, all that decides, and no module of Node that this call does not use', async () => {
    const one = user(RULES);
    const [spy, loaded, node] = ['spy.cjs', 'loaded', 'node'].map((name) => join(one.home, name));
    writeFileSync(
      spy!,
      `process.on('exit', () => {
         require('node:fs').writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join('\\n'));
         require('node:fs').writeFileSync(${JSON.stringify(`${loaded}.builtin`)}, process.moduleLoadList.join('\\n'));
       });`,
    );
    writeFileSync(node!, `#!/bin/sh\nexec ${process.execPath} --require ${spy} "$@"\n`, { mode: 0o755 });
    const names = () =>
      readFileSync(loaded!, 'utf8')
        .split('\n')
        .filter((file) => file !== spy);
    const spied = { node: node! };
    const daemon = await one.serve();
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1'), spied))).toBe('deny');
    expect(names()).toEqual([HOOK_FILE]);
    daemon.kill('SIGTERM');
    await until(() => daemon.exitCode !== null);
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '2'), spied))).toBe('deny');
    expect(names()).toEqual([HOOK_FILE, join(dirname(HOOK_FILE), 'core.cjs')]);
    const builtin = readFileSync(`${loaded}.builtin`, 'utf8').split('\n');
    const unused = ['child_process', 'http', 'readline', 'fs/promises'];
    expect(builtin.filter((name) => unused.includes(name.replace('NativeModule ', '')))).toEqual([]);
  });

  it('decides a call once that two lines ask about, without a file for its answer; what a launcher answered before counts too', async () => {
    const one = user({
      '.harness/hooks/rule.md': hook('tool.pre', 'return block("call %d" % metrics.incr("calls"))'),
    });
    await one.serve();
    const cold = join(one.home, 'cold');
    writeFileSync(cold, `#!/bin/sh\nexec ${process.execPath} "$@" --cold\n`, { mode: 0o755 });
    const ask = async (id: string, how: object = {}) =>
      (await one.fire('PreToolUse', command('ls', id), how)).stdout.match(/call \d/)?.[0];
    expect(await Promise.all([ask('1'), ask('1')])).toEqual(['call 1', 'call 1']);
    const state = join(one.home, '.local/state/harness/sessions');
    const files = () =>
      readdirSync(state, { recursive: true }).filter((name) => /answers/.test(String(name)));
    expect(files()).toEqual([]);
    expect(await ask('2', { node: cold })).toBe('call 2');
    expect(files()).not.toEqual([]);
    expect(await ask('2')).toBe('call 2');
    expect(await ask('3')).toBe('call 3');
    expect(Object.fromEntries(callsOnTape(one))).toEqual({ 1: 1, 2: 1, 3: 1 });
  });

  it('decides in turns with launchers of the same session: nothing is lost, nothing twice; what is deleted behind it begins anew', async () => {
    const one = user(RULES);
    await one.serve();
    const cold = join(one.home, 'cold');
    writeFileSync(cold, `#!/bin/sh\nexec ${process.execPath} "$@" --cold\n`, { mode: 0o755 });
    const ids = ['1', '2', '3', '4', '5', '6'];
    for (const id of ids) {
      const how = Number(id) % 2 === 0 ? { node: cold } : {};
      expect(decisionIn(await one.fire('PreToolUse', command('ls', id), how))).toBeNull();
    }
    // And at once.
    const more = ['7', '8', '9', '10'];
    await Promise.all(
      more.map((id, i) => one.fire('PreToolUse', command('ls', id), i < 2 ? { node: cold } : {})),
    );
    expect((await one.fire('Stop')).stdout).toContain('calls: 10');
    const calls = callsOnTape(one);
    expect([...ids, ...more].map((id) => calls.get(id))).toEqual(Array(10).fill(1));
    await verified(one);
    const sessions = join(one.home, '.local/state/harness/sessions');
    for (const name of readdirSync(sessions)) rmSync(join(sessions, name, 'state/sessions/session.jsonl'));
    rmSync(one.tape());
    await one.fire('PreToolUse', command('ls', '11'));
    expect((await one.fire('Stop')).stdout).toContain('calls: 1');
    expect(callsOnTape(one).get('11')).toBe(1);
    await verified(one);
    expect(one.state()).toMatchObject({ answered: 8 });
  });

  it('killed at any moment, it loses nothing that was answered, and the tape goes on', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    const ids = Array.from({ length: 40 }, (_, i) => String(i));
    for (const id of ids)
      expect(decisionIn(await one.fire('PreToolUse', command('forbidden', id)))).toBe('deny');
    daemon.kill('SIGKILL');
    await until(() => daemon.signalCode !== null);
    expect(callsOnTape(one)).toEqual(new Map(ids.map((id) => [id, 1])));
    await verified(one);
    await one.fire('PreToolUse', command('ls', 'after'));
    expect((await one.fire('Stop')).stdout).toContain('calls: 41');
    expect(readFileSync(one.tape(), 'utf8')).not.toContain('"kind":"repaired"');
    await verified(one);
    expect(one.harness('replay', one.tape())).toMatchObject({ status: 0 });
  });

  it('one that was killed leaves its socket to the next launcher, which takes it away after its answer', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    daemon.kill('SIGKILL');
    await until(() => daemon.signalCode !== null);
    expect(existsSync(join(one.folder, 'socket'))).toBe(true);
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1')))).toBe('deny');
    expect(existsSync(join(one.folder, 'socket'))).toBe(false);
    await one.serve();
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '2')))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 1 });
  });

  it('decides by a policy that starts programs, with the environment of the caller', async () => {
    const one = user({
      ...RULES,
      '.harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: './guard.sh' }] }] },
      }),
      'guard.sh': '#!/bin/sh\n[ "$LANG" = xx_YY ] || { echo "LANG is $LANG" >&2; exit 2; }\n',
    });
    chmodSync(join(one.dir, 'guard.sh'), 0o755);
    one.env.HARNESS_TRUST = 'all';
    await one.serve();
    const other = await one.fire('PreToolUse', command('ls', '1'));
    expect([decisionIn(other), other.stdout]).toEqual(['deny', expect.stringContaining('LANG is')]);
    one.env.LANG = 'xx_YY';
    expect(decisionIn(await one.fire('PreToolUse', command('ls', '2')))).toBeNull();
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '3')))).toBe('deny');
    // What one caller had in its environment is nothing of the next.
    delete one.env.LANG;
    const next = await one.fire('PreToolUse', command('ls', '4'));
    expect([decisionIn(next), next.stdout]).toEqual(['deny', expect.not.stringContaining('xx_YY')]);
    expect(one.state()).toMatchObject({ answered: 4, refused: 0 });
    await verified(one);
  });

  it('lets a call pass while the guards are paused, says so, and writes it down', async () => {
    const one = user(RULES);
    await one.serve();
    const state = join(one.home, '.local/state/harness');
    const now = Date.now();
    const pause = { version: 1, since: now - 1000, until: now + 60_000, reason: 'a test' };
    writeFileSync(join(state, 'pause.json'), JSON.stringify(pause), { mode: 0o600 });
    const passed = await one.fire('PreToolUse', command('forbidden', '1'));
    expect([decisionIn(passed), passed.stderr]).toEqual([null, expect.stringContaining('GUARD PAUSED')]);
    expect(readFileSync(join(state, 'pauses.jsonl'), 'utf8')).toContain('"what":"passed"');
    expect(one.state()).toMatchObject({ answered: 1, refused: 0 });
  });

  it('leaves a policy with a module to the launcher, whose process has the environment of the caller', async () => {
    const one = user({
      ...RULES,
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "guard::check"\n',
      'guard.mjs': 'export function check() { return { deny: "LANG is " + process.env.LANG }; }\n',
    });
    Object.assign(one.env, { HARNESS_TRUST: 'all', LANG: 'xx_YY' });
    await one.serve();
    const answer = await one.fire('PreToolUse', command('ls', '1'));
    expect([decisionIn(answer), answer.stdout]).toEqual(['deny', expect.stringContaining('LANG is xx_YY')]);
    expect(one.state()).toMatchObject({ answered: 0, refused: 1 });
  });

  it('ends once its socket is gone: no call can reach it any more', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    rmSync(join(one.folder, 'socket'));
    await until(() => daemon.exitCode !== null);
    expect(daemon.exitCode).toBe(0);
  });
});

describe('the daemon that a launcher starts', () => {
  const started = async (one: User) => {
    let pid = 0;
    await until(() => {
      pid = JSON.parse(one.harness('daemon', 'status', '--json').stdout).says?.pid ?? 0;
      return pid !== 0;
    });
    return pid;
  };

  it('starts with the first call, which is decided without it; the next one is its own', async () => {
    const one = user(RULES, { starts: true });
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1')))).toBe('deny');
    await started(one);
    expect(one.state()).toMatchObject({ answered: 0, idleMs: 1_800_000 });
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '2')))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 1 });
    await verified(one);
  });

  it('has a session of its own in /, no descriptor of the launcher, and of its environment only names of folders', async () => {
    const one = user(RULES, { starts: true });
    Object.assign(one.env, { OPENAI_API_KEY: 'sk-of-the-caller', XDG_CACHE_HOME: join(one.home, 'cache') });
    // Descriptor 50 is a pipe: whoever reads it waits until every process that has it is gone.
    const node = join(one.home, 'node');
    const pipe = join(one.home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const program = `#!${process.execPath}
      const stdio = ['inherit', 'inherit', 'inherit', ...Array(47).fill('ignore')];
      stdio.push(require('node:fs').openSync('${pipe}', 'r+'));
      const { status } = require('node:child_process').spawnSync(process.execPath, process.argv.slice(2), { stdio });
      process.exit(status);`;
    writeFileSync(node, program, { mode: 0o755 });
    await one.fire('PreToolUse', command('ls', '1'), { node });
    const pid = await started(one);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(open).not.toContain(pipe);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
    expect(Number(fields.split(' ')[3])).toBe(pid);
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(names.sort()).toEqual([`HOME=${one.home}`, `XDG_CACHE_HOME=${join(one.home, 'cache')}`]);
  });

  it.each([
    ['HARNESS_DAEMON', 'off'],
    ['CI', 'true'],
    ['CI', '1'],
  ])('is neither started nor asked with %s=%s', async (name, value) => {
    const one = user(RULES, { starts: true });
    one.env[name] = value;
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1')))).toBe('deny');
    expect(existsSync(one.folder)).toBe(false);
    await one.serve();
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '2')))).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 0, refused: 0 });
  });

  it('is replaced when another build stands where it was started from', async () => {
    const one = user(RULES, { starts: true });
    const copy = join(one.home, 'copy');
    cpSync(dirname(HOOK_FILE), copy, { recursive: true });
    const entry = join(copy, 'hook.cjs');
    await one.fire('PreToolUse', command('ls', '1'), { entry });
    const before = await started(one);
    writeFileSync(entry, `${readFileSync(entry, 'utf8')}\n`);
    // Launchers try to start one at most every half minute.
    rmSync(join(one.folder, 'started'));
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '2'), { entry }))).toBe('deny');
    await until(() => !existsSync(`/proc/${before}`));
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '3'), { entry }))).toBe('deny');
    expect(await started(one)).not.toBe(before);
    expect(callsOnTape(one)).toEqual(
      new Map([
        ['1', 1],
        ['2', 1],
        ['3', 1],
      ]),
    );
    await verified(one);
  });
});

describe('the native client', () => {
  it('answers as the launcher does, without starting it', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return;
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

  it('runs the launcher if no daemon answers, and gives no answer if that is gone', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return;
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1'), { native }))).toBe('deny');
    const gone = join(one.home, 'gone.cjs');
    expect((await one.fire('PreToolUse', command('ls', '2'), { native, entry: gone })).stdout).toBe(DENY);
    const daemon = await one.serve();
    daemon.kill('SIGSTOP');
    const stopped = { native, deadlineMs: 20_000 };
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '3'), stopped))).toBe('deny');
    const both = { ...stopped, entry: gone };
    expect((await one.fire('PreToolUse', command('ls', '4'), both)).stdout).toBe(DENY);
    await verified(one);
  });

  it('ends in time without an answer if the launcher hangs, dies or says something half', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return;
    const programs = {
      hangs: 'setInterval(() => {}, 1000)',
      spins: 'process.stdout.write("{"); for (;;);',
      dies: 'process.stdout.write("{"); process.kill(process.pid, "SIGKILL")',
      'says half': 'process.stdout.write("{}")',
    };
    for (const [name, text] of Object.entries(programs)) {
      one.write('launcher.cjs', text);
      const options = { native, entry: join(one.dir, 'launcher.cjs'), deadlineMs: 1000 };
      const answer = await one.fire('PreToolUse', command('ls', name), options);
      expect([name, answer.stdout, answer.exitCode]).toEqual([name, DENY, 1]);
    }
  });
});
