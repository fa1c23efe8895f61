/**
 * A call as Claude Code makes it, through the line that is registered, with a fault at one system call after another. Whatever fails, in
 * the line's shell, the guard, the native client or the launcher: a call that the policy blocks is never let through, by the agent's own
 * reading of exit codes, and the calls after it are decided as before. By hand, every system call: `npm run test:power -- --faults all`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

describe.skipIf(reason !== null)('a call of which a system call fails', () => {
  it.each(PROGRAMS.map((each) => [each.name, each] as const))(
    `in the %s is not let through if the policy blocks it, and the next call is decided as before (${WANTED} system calls, seed ${SEED})`,
    async (program, { path: pathOf, real, withDaemon }) => {
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
      const fire = (text: string, id: string, ...traced: readonly string[]): Answer => {
        const prefix = traced.length === 0 ? '' : `strace -f -qq ${traced.join(' ')} `;
        script(path, `${prefix}'${wrapped}'`);
        const env = {
          ...one.env,
          CLAUDE_PROJECT_DIR: one.dir,
          PATH: `${scratch}:${one.env.PATH}`,
          ...(!withDaemon && { HARNESS_DAEMON: 'off' }),
        };
        const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: one.dir, ...command(text, id) });
        const { stdout, stderr, status } = spawnSync(join(scratch, 'line'), ['-c', line], {
          ...{ input, env, encoding: 'utf8' },
        });
        return { stdout, stderr, exitCode: status ?? -1 };
      };
      const SILENCE = { exitCode: 0, stdout: '', stderr: '' };
      expect(fire('good', 'first')).toEqual(SILENCE);
      const log = join(one.home, 'trace');
      const traced = fire('bad', 'counted', '-o', log, '-e', `trace=${Object.keys(FAULTS).join(',')}`);
      expect(decisionIn(traced)).toBe('deny');
      const all = faultsIn(readFileSync(log, 'utf8'), program === 'line');
      expect(all.length).toBeGreaterThan(program === 'launcher' ? 300 : 5);
      const step = WANTED === 'all' ? 1 : Math.max(1, all.length / Number(WANTED));
      const wrong: string[] = [];
      const answers = new Map<string, number>();
      for (let at = WANTED === 'all' ? 0 : ((SEED % 1000) / 1000) * step; at < all.length; at += step) {
        const fault = all[Math.floor(at)]!;
        const faulty = fire('bad', fault, '-o', '/dev/null', '-e', fault);
        const judged = judge(faulty);
        answers.set(judged, (answers.get(judged) ?? 0) + 1);
        if (judged === 'let through') wrong.push(`${fault}: let through: ${JSON.stringify(faulty)}`);
        const next = fire('good', `after ${fault}`);
        if (next.exitCode !== 0 || next.stdout !== '')
          wrong.push(`${fault}: the next call got ${next.stdout}${next.stderr}`);
      }
      process.stderr.write(`faults in the ${program}: ${JSON.stringify([...answers])} of ${all.length}\n`);
      expect(wrong).toEqual([]);
      expect(verifyTape(one.tape())).toMatchObject({ ok: true });
    },
  );
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
