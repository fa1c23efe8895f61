/** The warm path, with real processes: the daemon answers as the launcher would, and whatever happens to it, somebody answers. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { command, decisionIn, hook } from '../adapters/launched.ts';
import { callsOnTape, DENY, decisions, nativeClient, RULES, until, user, verified } from './daemon.ts';

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

  it('with it the launcher loads its entry and nothing else; without it, all that decides', async () => {
    const one = user(RULES);
    const [spy, loaded, node] = ['spy.cjs', 'loaded', 'node'].map((name) => join(one.home, name));
    writeFileSync(
      spy!,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join('\\n')));`,
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
    expect(names().length).toBeGreaterThan(2);
  });

  it('practises by itself, on nothing that is anybody’s, and leaves nothing of it', async () => {
    const one = user(RULES);
    const scratch = join(one.home, 'tmp');
    mkdirSync(scratch);
    // The policy of a folder above all others of this user.
    mkdirSync(join(one.home, '.harness'));
    cpSync(join(one.dir, '.harness/hooks'), join(one.home, '.harness/hooks'), { recursive: true });
    await one.serve(['/usr/bin/env', `TMPDIR=${scratch}`]);
    await until(() => readdirSync(scratch).length > 0);
    expect(readdirSync(scratch)).toEqual([expect.stringMatching(/^harness-practice-/)]);
    await until(() => readdirSync(scratch).length === 0);
    expect(one.state()).toMatchObject({ practised: true, answered: 0, refused: 0, policies: 0 });
    expect(existsSync(join(one.dir, '.harness/runs'))).toBe(false);
    expect(existsSync(join(one.home, '.harness/runs'))).toBe(false);
    expect(readdirSync(join(one.home, '.local/state/harness'))).toEqual(['daemon']);
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '1')))).toBe('deny');
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
    const stopped = { native, deadlineMs: 20_000 };
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', '3'), stopped))).toBe('deny');
    const both = { ...stopped, entry: gone };
    expect((await one.fire('PreToolUse', command('ls', '4'), both)).stdout).toBe(DENY);
    await verified(one);
  });

  it('has the launcher started by the script that is named; if that does not answer, the next call is started plainly', async () => {
    const one = user(RULES);
    const native = nativeClient(one.home);
    if (native === null) return console.warn('SKIPPED: no C compiler');
    const [starter, said] = [join(one.dir, 'start here.sh'), join(one.home, 'said')];
    const asked = () => (existsSync(said) ? readFileSync(said, 'utf8').split('\n') : []);
    one.write('start here.sh', 'echo "$1" >>"$HOME/said"\nexec "$@"\n');
    const blocked = await one.fire('PreToolUse', command('forbidden', '1'), { native, starter });
    expect(decisionIn(blocked)).toBe('deny');
    expect(asked()).toEqual([process.execPath, '']);
    one.write('start here.sh', 'echo "$@" >>"$HOME/said"\n');
    expect((await one.fire('PreToolUse', command('ls', '2'), { native, starter })).stdout).toBe(DENY);
    await until(() => asked().some((line) => line.startsWith(`--forget ${process.execPath} `)));
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
      const options = { native, entry: join(one.dir, 'launcher.cjs'), deadlineMs: 1000 };
      const answer = await one.fire('PreToolUse', command('ls', name), options);
      expect([name, answer.stdout, answer.exitCode]).toEqual([name, DENY, 0]);
    }
  });
});
