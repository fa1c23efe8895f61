/**
 * A call as Claude Code makes it, through the line that is registered, with a fault at one system call after another. Whatever fails, in
 * the line's shell, the guard, the native client or the launcher: a call that the policy blocks is never let through, by the agent's own
 * reading of exit codes, and the calls after it are decided as before. By hand, every system call: `npm run test:power -- --faults all`.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/agents/adapter.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, decisionIn, hook, SAMPLES } from '../adapters/launched.ts';
import { type User, user } from '../daemon/daemon.ts';

/** Of each program. */
const WANTED = process.env.LAUNCHER_FAULTS ?? '6';
const SEED = Number(process.env.POWER_SEED ?? Math.floor(Math.random() * 1e9));

/** What each system call fails with; others have no such fault in practice. */
const FAULTS: Readonly<Record<string, string>> = {
  ...{
    openat: 'EIO',
    read: 'EIO',
    pread64: 'EIO',
    statx: 'EIO',
    newfstatat: 'EIO',
    fstat: 'EIO',
    stat: 'EIO',
  },
  ...{ readlink: 'EIO', getcwd: 'EIO', access: 'EIO', faccessat2: 'EIO', getdents64: 'EIO', lseek: 'EIO' },
  ...{ write: 'ENOSPC', writev: 'ENOSPC', pwrite64: 'ENOSPC', mkdir: 'ENOSPC', link: 'ENOSPC' },
  ...{ rename: 'EIO', unlink: 'EIO', ftruncate: 'EIO', fsync: 'EIO', fdatasync: 'EIO' },
  ...{ clone: 'EAGAIN', clone3: 'EAGAIN', fork: 'EAGAIN', vfork: 'EAGAIN', execve: 'ENOMEM' },
  ...{ mmap: 'ENOMEM', brk: 'ENOMEM', pipe: 'EMFILE', pipe2: 'EMFILE', dup2: 'EMFILE', fcntl: 'EMFILE' },
  ...{ socket: 'EMFILE', connect: 'ECONNREFUSED', sendto: 'EPIPE', getsockopt: 'ENOBUFS' },
  ...{ epoll_create1: 'EMFILE', eventfd2: 'EMFILE', setitimer: 'EINVAL' },
};

/** Null where processes can be traced and a client can be compiled; else why not. */
function whyNot(): string | null {
  const tried = spawnSync('strace', ['-qq', '-o', '/dev/null', '-e', 'inject=getcwd:error=EIO', 'true']);
  if (tried.error !== undefined) return 'strace is not there (Debian: apt install strace)';
  if (tried.status !== 0) return 'strace may not trace processes here';
  return spawnSync('cc', ['--version']).status === 0 ? null : 'there is no C compiler for the client';
}

const reason = whyNot();
if (reason !== null) process.stderr.write(`SKIPPED: faults at system calls of the launcher: ${reason}\n`);

const POLICY = {
  '.harness/harness.md': '---\nname: p\nstrict: true\ntape:\n  sync: true\n---\n',
  '.harness/hooks/rule.md': hook(
    'tool.pre',
    'if "bad" in payload["args"]["command"]:',
    '  return block("no bad things")',
    'return allow()',
  ),
  '.harness/hooks/limit.md': hook('tool.pre', 'rate.limit("calls", 100000, per="1m")', 'return allow()'),
};

/** Programs on the way of a call. `wrap` puts a shell script in the place of one, which starts it with `strace`. */
interface Program {
  readonly name: string;
  readonly path: (user: User, scratch: string) => string;
  /** The program itself; null: it is moved aside. */
  readonly real: string | null;
  readonly withDaemon: boolean;
}

const engine = ({ home }: User) => join(home, '.local/state/harness/engine/current');
const PROGRAMS: readonly Program[] = [
  // The agent starts the line's shell; it finds that of the guard on PATH.
  { name: 'line', path: (_user, scratch) => join(scratch, 'line'), real: '/bin/sh', withDaemon: false },
  { name: 'guard', path: (_user, scratch) => join(scratch, 'sh'), real: '/bin/sh', withDaemon: false },
  { name: 'client', path: (one) => join(engine(one), 'harness-client'), real: null, withDaemon: true },
  { name: 'launcher', path: (one) => join(engine(one), 'node'), real: null, withDaemon: false },
];

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\nexec ${text} "$@"\n`);
  chmodSync(path, 0o700);
}

/** As Claude Code reads it: an exit code of 2 and a printed deny refuse the call; any other answer and any other code let it through. */
function judge(answer: Answer): 'denied' | 'let through' {
  if (answer.exitCode === 2) return 'denied';
  const isJson = answer.exitCode === 0 && answer.stdout.trimStart().startsWith('{');
  return isJson && decisionIn(answer) === 'deny' ? 'denied' : 'let through';
}

type Fire = (text: string, id: string, ...traced: readonly string[]) => Answer;

/** A project that is guarded, with `strace` in front of one program. `fire` makes a call, with options of strace or without it. */
async function guarded({ path: pathOf, real, withDaemon }: Program): Promise<{ one: User; fire: Fire }> {
  const one = user(POLICY);
  expect(one.harness('install', 'claude-code').status).toBe(0);
  const scratch = join(one.home, 'bin');
  mkdirSync(scratch);
  script(join(scratch, 'line'), '/bin/sh');
  const path = pathOf(one, scratch);
  const wrapped = real ?? `${path}.real`;
  if (real === null) renameSync(path, wrapped);
  if (withDaemon) await one.serve();
  const settings = JSON.parse(readFileSync(join(one.dir, '.claude/settings.json'), 'utf8'));
  const line: string = settings.hooks.PreToolUse[0].hooks[0].command;
  const env = {
    ...one.env,
    CLAUDE_PROJECT_DIR: one.dir,
    PATH: `${scratch}:${one.env.PATH}`,
    ...(!withDaemon && { HARNESS_DAEMON: 'off' }),
  };
  const fire: Fire = (text, id, ...traced) => {
    const prefix = traced.length === 0 ? '' : `strace -f -qq ${traced.join(' ')} `;
    script(path, `${prefix}'${wrapped}'`);
    const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: one.dir, ...command(text, id) });
    const said = ['stdout', 'stderr'].map((name) => join(scratch, name));
    const files = said.map((file) => openSync(file, 'w'));
    const { status } = spawnSync(join(scratch, 'line'), ['-c', line], {
      input,
      env,
      stdio: ['pipe', ...files],
    });
    for (const file of files) closeSync(file);
    if (real === null) endLeft(wrapped);
    const [stdout, stderr] = said.map((file) => readFileSync(file, 'utf8'));
    return { stdout: stdout!, stderr: stderr!, exitCode: status ?? -1 };
  };
  expect(fire('good', 'first')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  return { one, fire };
}

/**
 * Node that cannot have a thread waits for it for ever. The guard ends what it started, which is `strace`, and what that traced goes on:
 * it is not waited for, as its output goes to a file, and ended here.
 */
function endLeft(program: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${program}\0`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** What is wrong after each of the faults in a call that the policy blocks, and after the call that follows. */
function wrongAfter(fire: Fire, faults: readonly (readonly string[])[]): string[] {
  return faults.flatMap((fault) => {
    const name = fault.join(' ');
    const faulty = fire('bad', name, '-o', '/dev/null', ...fault);
    const next = fire('good', `after ${name}`);
    return [
      ...(judge(faulty) === 'let through' ? [`${name}: let through: ${JSON.stringify(faulty)}`] : []),
      ...(next.exitCode !== 0 || next.stdout !== ''
        ? [`${name}: the next call got ${next.stdout}${next.stderr}`]
        : []),
    ];
  });
}

describe.skipIf(reason !== null)('a call of which a system call fails', () => {
  it.each(PROGRAMS.map((each) => [each.name, each] as const))(
    `in the %s is not let through if the policy blocks it, and the next call is decided as before (${WANTED} system calls, seed ${SEED})`,
    async (name, program) => {
      const { one, fire } = await guarded(program);
      const log = join(one.home, 'trace');
      const traced = fire('bad', 'counted', '-o', log, '-e', `trace=${Object.keys(FAULTS).join(',')}`);
      expect(decisionIn(traced)).toBe('deny');
      const all = faultsIn(readFileSync(log, 'utf8'), name === 'line');
      expect(all.length).toBeGreaterThan(name === 'launcher' ? 300 : 5);
      const step = WANTED === 'all' ? 1 : Math.max(1, all.length / Number(WANTED));
      const sample = Array.from({ length: Math.floor(all.length / step) }, (_, at) =>
        Math.floor((at + (SEED % 1000) / 1000) * step),
      );
      const faults = WANTED === 'all' ? all : sample.map((at) => all[at]!);
      const wrong = wrongAfter(
        fire,
        faults.map((fault) => ['-e', fault]),
      );
      process.stderr.write(
        `faults in the ${name}: ${faults.length} of ${all.length}, ${wrong.length} wrong\n`,
      );
      expect(wrong).toEqual([]);
      expect(verifyTape(one.tape())).toMatchObject({ ok: true });
    },
  );

  it('on a file of the policy is not let through if the policy blocks it, and the next call of the session is decided as before', async () => {
    const { one, fire } = await guarded(PROGRAMS.find(({ name }) => name === 'launcher')!);
    const rule = join(one.dir, '.harness/hooks/rule.md');
    const log = join(one.home, 'trace');
    expect(decisionIn(fire('bad', 'counted', '-o', log, '-P', rule))).toBe('deny');
    const calls = readFileSync(log, 'utf8').match(/(?<=^\d+ +)\w+(?=\()/gm) ?? [];
    // What was read is what is judged, and what the session remembers: a second reading could find something else.
    expect(calls.filter((name) => name === 'openat')).toHaveLength(1);
    const faults = calls
      .map((name, at) => ({ name, nth: calls.slice(0, at + 1).filter((other) => other === name).length }))
      .filter(({ name }) => name !== 'close')
      .map(({ name, nth }) => ['-P', rule, '-e', `inject=${name}:error=EIO:when=${nth}`]);
    expect(faults.length).toBeGreaterThan(2);
    expect(wrongAfter(fire, faults)).toEqual([]);
  });
});

/**
 * The faults that a trace has room for: strace counts the calls of each process and thread by name. Calls of other programs that a process
 * turns into have a turn of their own. `afterStart`: without those of the first process before it starts another. A shell that cannot start
 * runs no line.
 */
function faultsIn(trace: string, afterStart: boolean): readonly string[] {
  const other = new Set<string>();
  const calls = trace.split('\n').flatMap((text, at) => {
    const [, thread, name = ''] = /^(\d+) +(\w+)\(/.exec(text) ?? [];
    if (thread === undefined || FAULTS[name] === undefined || other.has(thread)) return [];
    if (name === 'execve' && at > 0) other.add(thread);
    return [{ thread, name }];
  });
  const first = calls.findIndex(({ name }) => /^(?:clone3?|v?fork)$/.test(name));
  const start = afterStart ? calls.slice(0, first) : [];
  const counts = new Map<string, number>();
  const faults = calls.map(({ thread, name }) => {
    const nth = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, nth);
    const isOfStart = nth <= start.filter((call) => call.name === name).length;
    return isOfStart ? null : `inject=${name}:error=${FAULTS[name]}:when=${nth}`;
  });
  return [...new Set(faults)].filter((fault) => fault !== null);
}
