/**
 * Real programs inside try to get out: as root and as a user without rights, both in namespaces of their own, so that what got out
 * would still be nowhere. Each attempt is a script in a file; what it was after is planted, listened for or counted outside. Limits are
 * first tried with a small number, and only then with what has no end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { ProcessResult } from '../../src/machine/host.ts';
import type { WrittenSandbox } from '../../src/machine/walls/shape.ts';
import { enclosed, isRoot, NOBODY, OUTWARD, whyNotEnclosed } from '../support/enclosed.ts';

const SECRET = 'planted-credential-7f3a';
const top = mkdtempSync(join(tmpdir(), 'harness-escapes-'));
const dist = join(top, 'dist');
const RUNNER = fileURLToPath(new URL('contained.mjs', import.meta.url));

interface Attempt extends WrittenSandbox {
  readonly domains?: readonly string[];
  readonly timeoutMs?: number;
  /** Left open on 9 for whoever starts the program. */
  readonly descriptor?: string;
}

/** Whom the attempts are made as, and why not as the others. */
const USERS: readonly number[] = isRoot ? [0, NOBODY] : [process.getuid?.() ?? NOBODY];

function install(): void {
  if (spawnSync('bwrap', ['--version']).status === 0 || !isRoot) return;
  spawnSync('apt-get', ['install', '-y', 'bubblewrap'], { stdio: 'ignore', timeout: 300_000 });
}

function ask(
  user: number,
  place: Place,
  asked: object,
  descriptor?: string,
): Promise<Record<string, unknown>> {
  const walls = enclosed([process.execPath, RUNNER_COPY, dist], {
    place: place.base,
    cwd: place.workspace,
    user: user === 0 ? 'root' : 'person',
    env: { HOME: place.home },
  });
  const [file = '', ...args] = walls.argv;
  const opened = descriptor === undefined ? null : openSync(descriptor, 'r');
  const stdio = [
    'pipe',
    'pipe',
    'inherit',
    ...(opened === null ? [] : ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', opened]),
  ];
  const child = spawn(file, args, {
    env: walls.env,
    stdio: stdio as 'pipe'[],
  });
  if (opened !== null) closeSync(opened);
  let out = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stdin!.end(JSON.stringify(asked));
  return once(child, 'close').then(() => JSON.parse(out) as Record<string, unknown>);
}

/** Nobody else is in that network. */
const PORT = 8001;

interface Attempted extends ProcessResult {
  /** How often the listener was. */
  readonly reached: number;
  /** Command lines of what is still there. */
  readonly left: readonly string[];
}

const RUNNER_COPY = join(top, 'contained.mjs');

interface Place {
  readonly base: string;
  readonly home: string;
  readonly workspace: string;
  readonly outside: string;
}

/** A home with a credential, a project with a policy in it, and something beside both. */
function plant(user: number): Place {
  const base = join(top, String(user));
  const home = join(base, 'home');
  const workspace = join(home, 'project');
  const outside = join(base, 'outside');
  for (const folder of [join(home, '.aws'), join(workspace, '.harness/hooks'), outside])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.aws/credentials'), SECRET);
  writeFileSync(join(outside, 'credential'), SECRET);
  writeFileSync(join(workspace, '.harness/hooks/guard.md'), 'guard');
  writeFileSync(join(workspace, 'harness.md'), 'policy');
  writeFileSync(join(workspace, '.env'), SECRET);
  symlinkSync(join(home, '.aws/credentials'), join(workspace, 'link'));
  symlinkSync(join(workspace, '.harness'), join(workspace, 'policy-link'));
  return { base, home, workspace, outside };
}

install();
mkdirSync(dist, { recursive: true });
const built = fileURLToPath(new URL('../../dist', import.meta.url));
for (const folder of ['base', 'machine'])
  cpSync(join(built, folder), join(dist, folder), { recursive: true });
writeFileSync(join(top, 'package.json'), '{"type":"module"}');
copyFileSync(RUNNER, RUNNER_COPY);
chmodSync(top, 0o755);
afterAll(() => rmSync(top, { recursive: true, force: true }));

for (const user of USERS) {
  const place = plant(user);
  const guarded = {
    folders: [join(place.workspace, '.harness')],
    files: [join(place.workspace, 'harness.md')],
  };
  const walled = whyNotEnclosed(process.execPath, '-e', '0');
  const offered =
    walled !== null
      ? { problem: walled }
      : await ask(user, place, { sandbox: true, workspace: place.workspace });
  const missing = offered.problem as string | null;
  if (missing !== null) console.warn(`SKIPPED as user ${user}: no sandbox can be made here: ${missing}`);

  const attempt = async (lines: string, more: Attempt = {}): Promise<Attempted> => {
    const { domains, timeoutMs = 30_000, descriptor, ...sandbox } = more;
    const script = join(place.workspace, 'attempt.sh');
    writeFileSync(script, lines);
    const request = { program: { argv: ['/bin/sh', script] }, timeoutMs };
    const { workspace } = place;
    return (await ask(
      user,
      place,
      { sandbox, workspace, guarded, domains, request, port: PORT },
      descriptor,
    )) as unknown as Attempted;
  };
  const said = ({ stdout, stderr }: ProcessResult) => stdout + stderr;
  const policyIs = () => [
    readFileSync(join(place.workspace, '.harness/hooks/guard.md'), 'utf8'),
    readFileSync(join(place.workspace, 'harness.md'), 'utf8'),
    ...readdirSync(join(place.workspace, '.harness'), { recursive: true }).map(String).sort(),
  ];
  const POLICY = ['guard', 'policy', 'hooks', 'hooks/guard.md'];

  describe.skipIf(missing !== null)(`as ${user === 0 ? 'root' : `user ${user}`}, a program inside`, () => {
    it('works in the workspace', async () => {
      const done = await attempt('echo made > made && cat made && cat harness.md && id -u');
      expect(done).toMatchObject({ exitCode: 0, stdout: `made\npolicy${user}\n` });
      expect(readFileSync(join(place.workspace, 'made'), 'utf8')).toBe('made\n');
    });

    it('does not read a planted credential, by no way', async () => {
      const { home, outside } = place;
      const done = await attempt(
        [
          `cat ${home}/.aws/credentials ${outside}/credential link ../.aws/credentials`,
          `cat /proc/self/root${home}/.aws/credentials /proc/1/root${outside}/credential`,
          `cat /proc/self/cwd/../.aws/credentials; ls -a ${home}; cat .env; cat /etc/shadow && echo SHADOW; ls /root /home /run /var/lib`,
          `for p in /proc/[0-9]*; do cat $p/root${outside}/credential $p/cwd/../.aws/credentials $p/environ; done`,
        ].join('\n'),
        { hidden: ['.env'] },
      );
      expect(said(done)).not.toContain(SECRET);
      expect(said(done)).not.toContain('SHADOW');
    });

    it('reads what is listed, and only reads it', async () => {
      const done = await attempt(`cat ${place.outside}/credential; echo x > ${place.outside}/credential`, {
        readable: [place.outside],
      });
      expect(done.stdout).toBe(SECRET);
      expect(readFileSync(join(place.outside, 'credential'), 'utf8')).toBe(SECRET);
    });

    it('does not change the policy through links, names, mounts and /proc/self/root', async () => {
      const { workspace } = place;
      await attempt(
        [
          'echo x > .harness/hooks/guard.md; echo x > harness.md; echo x > .harness/new; rm -rf .harness harness.md',
          'mv .harness away; mv harness.md away.md; echo x > policy-link/hooks/guard.md; rm -rf policy-link/hooks',
          'ln .harness/hooks/guard.md hard && echo x > hard; ln harness.md hard2 && echo x > hard2',
          `echo x > /proc/self/root${workspace}/harness.md; echo x > /proc/self/cwd/harness.md`,
          'exec 7<>harness.md; echo x >&7; truncate -s 0 harness.md; chmod 777 harness.md .harness',
          'umount .harness; umount -l harness.md; mount -o remount,rw .harness; mount --bind / /tmp; mount -t tmpfs x .harness',
          'unshare -Urm sh -c "umount -l .harness; echo x > .harness/new"; nsenter -t 1 -m sh -c "echo x > harness.md"',
          `mkdir d && mv d .harness; cp -r . /tmp/copy; ln -sfn /tmp .harness`,
        ].join('\n'),
      );
      expect(policyIs()).toEqual(POLICY);
    });

    it('with a read-only workspace writes nothing at all', async () => {
      const before = readdirSync(place.workspace).sort();
      await attempt('echo x > other; rm -f made; mkdir made2', { workspace: 'read-only' });
      expect(readdirSync(place.workspace).sort()).toEqual(before);
    });

    describe('and the network', () => {
      const node = (address: string) =>
        `node -e 'require("net").connect(${PORT}, "${address}").on("connect", () => console.log("REACHED")).on("error", (e) => console.log(e.code))'`;

      it('reaches neither a loopback listener nor one outside', async () => {
        const done = await attempt([node('127.0.0.1'), node(OUTWARD)].join('\n'));
        expect(done.stdout).toMatch(/ECONNREFUSED|ENETUNREACH/);
        expect(done.stdout).not.toContain('REACHED');
        expect(done.reached).toBe(0);
      });

      it('by way of the proxy reaches a listed host and no other, and nothing around it', async () => {
        const done = await attempt(
          [
            node('127.0.0.1'),
            `node -e 'const h = require("http"); const ask = (u) => new Promise((r) => h.get({ host: "127.0.0.1", port: 3128, path: u }, (a) => { let t = ""; a.on("data", (c) => (t += c)); a.on("end", () => r(a.statusCode + " " + t.trim())); }).on("error", (e) => r(e.code))); (async () => { console.log(await ask("http://localhost:${PORT}/")); console.log(await ask("http://127.0.0.1:${PORT}/")); console.log(await ask("http://example.com/")); })()'`,
          ].join('\n'),
          { network: 'allowed', domains: ['localhost'] },
        );
        const [direct, listed, address, other] = done.stdout.trim().split('\n');
        expect(direct).not.toBe('REACHED');
        expect(listed).toBe('200 listener');
        expect(address).toMatch(/^403 .*IP address/);
        expect(other).toMatch(/^403 .*not in network.allowed_domains/);
      });

      it('with an open network reaches it: the test can fail', async () => {
        const done = await attempt([node('127.0.0.1'), node(OUTWARD)].join('\n'), { network: 'open' });
        expect([done.stdout, done.reached]).toEqual(['REACHED\nREACHED\n', 2]);
      });
    });

    it('sees no other process and signals none', async () => {
      const done = await attempt(
        `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} && echo SIGNALLED; kill -9 -1; kill -TERM ${process.ppid} && echo SIGNALLED; true`,
      );
      expect(said(done)).not.toContain('SIGNALLED');
      expect(Number(done.stdout.split('\n')[0])).toBeLessThan(12);
      expect(() => process.kill(process.pid, 0)).not.toThrow();
    });

    it('comes to the limit of processes: first a few, then without end', async () => {
      const few = await attempt('i=0; while [ $i -lt 60 ]; do sleep 3 & i=$((i+1)); done; echo ALL', {
        limits: { processes: 30 },
      });
      expect(few.stdout).not.toContain('ALL');
      expect(few.stderr).toMatch(/fork/i);
      // Proven to hold: now the real thing.
      writeFileSync(join(place.workspace, 'bomb.sh'), 'f() { f | f & }; f; sleep 2; echo SURVIVED\n');
      const bomb = await attempt('sh bomb.sh; sh bomb.sh', { limits: { processes: 30 }, timeoutMs: 5000 });
      expect(bomb.left).toEqual([]);
    });

    it('comes to the limit of memory', async () => {
      const small = await attempt('dd if=/dev/zero of=/dev/null bs=8M count=1 && echo SMALL', {
        limits: { memory_mb: 64 },
      });
      expect(small.stdout).toContain('SMALL');
      const large = await attempt('dd if=/dev/zero of=/dev/null bs=300M count=1 && echo LARGE', {
        limits: { memory_mb: 64 },
      });
      expect(said(large)).not.toContain('LARGE');
    });

    it('comes to the limit of a file, and of what is in memory', async () => {
      const done = await attempt(
        'dd if=/dev/zero of=big bs=1M count=20 2>/dev/null && echo BIG; for n in 1 2 3; do dd if=/dev/zero of=/tmp/$n bs=1M count=3 2>/dev/null && echo /tmp/$n; done; df -k /tmp | tail -1 >/dev/null',
        { limits: { file_mb: 4, scratch_mb: 8 } },
      );
      expect(done.stdout).not.toContain('BIG');
      expect(done.stdout).toContain('/tmp/2');
      expect(done.stdout).not.toContain('/tmp/3');
      rmSync(join(place.workspace, 'big'), { force: true });
    });

    it('gains nothing from setuid programs, and has no capability', async () => {
      const copy = join(top, 'setuid-id');
      copyFileSync('/usr/bin/id', copy);
      if (isRoot) chownSync(copy, 0, 0);
      chmodSync(copy, 0o4755);
      const done = await attempt(
        `${copy} -u; grep -E 'NoNewPrivs|CapEff|Seccomp:' /proc/self/status; su -c id; mknod dev c 1 1`,
        { readable: [copy] },
      );
      expect(done.stdout.split('\n')[0]).toBe(String(user));
      expect(done.stdout).toMatch(/CapEff:\s+0+\n/);
      expect(done.stdout).toMatch(/NoNewPrivs:\s+1/);
      expect(done.stdout).toMatch(/Seccomp:\s+2/);
      expect(existsSync(join(place.workspace, 'dev'))).toBe(false);
      rmSync(copy);
    });

    it('has the usual devices and no others, and cannot type on a terminal', async () => {
      const done = await attempt(
        `ls /dev; perl -e '$x = "x"; ioctl(STDIN, 0x5412, $x) or print "REFUSED: $!\\n"'; perl -e 'print syscall(250, 0, -3, 0) < 0 ? "NO KEYS: $!\\n" : "KEYS\\n"'`,
      );
      const known =
        'console core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero'.split(' ');
      const devices = done.stdout.split('\n').filter((line) => /^[a-z0-9]+$/.test(line));
      expect(devices.filter((name) => !known.includes(name))).toEqual([]);
      if (process.arch === 'x64' && existsSync('/usr/bin/perl')) {
        expect(done.stdout).toContain('REFUSED: Operation not permitted');
        expect(done.stdout).toContain('NO KEYS: Operation not permitted');
      }
    });

    it('is handed no descriptor that was left open', async () => {
      const done = await attempt(
        'cat <&9; cat /proc/self/fd/9; ls -l /proc/self/fd; for p in /proc/[0-9]*/fd/*; do readlink $p; done',
        {
          descriptor: join(place.outside, 'credential'),
        },
      );
      expect(said(done)).not.toContain(SECRET);
      expect(said(done)).not.toContain('outside/credential');
    });

    it('does not outlive its call, however it is left behind', async () => {
      const mark = `31${process.pid}`;
      const done = await attempt(
        `sleep ${mark}.1 & setsid sleep ${mark}.2 & (setsid sh -c 'trap "" TERM HUP; nohup env -i sleep ${mark}.3' &) ; echo STARTED`,
      );
      expect([done.stdout, done.left]).toEqual(['STARTED\n', []]);
      const late = await attempt(`sleep ${mark}.4 & setsid sleep ${mark}.5`, { timeoutMs: 1500 });
      expect([late.timedOut, late.left]).toEqual([true, []]);
    });

    it('says so where it cannot be started inside', async () => {
      const { workspace } = place;
      const request = { program: { argv: [join(place.outside, 'nothing')] } };
      const done = (await ask(user, place, {
        sandbox: {},
        workspace,
        guarded,
        request,
      })) as unknown as ProcessResult;
      expect(done.exitCode).not.toBe(0);
      const linked = { folders: [join(workspace, 'policy-link')], files: [] };
      const held = (await ask(user, place, {
        ...{ sandbox: {}, workspace, guarded: linked },
        request: { program: { shell: 'echo ran' } },
      })) as unknown as ProcessResult;
      expect(held.startError).toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining('link'),
      });
    });
  });
}
