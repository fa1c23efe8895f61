/**
 * The launcher with a fault at one system call after another. Whatever fails: a call that the policy blocks is never let through, and
 * the calls after it are decided as if nothing had been. By hand, every system call: `LAUNCHER_FAULTS=all`, a quarter of an hour.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, decisionIn, hook, project, SAMPLES } from '../adapters/launched.ts';

const WANTED = process.env.LAUNCHER_FAULTS ?? '20';

/** What each system call fails with; others have no such fault in practice. */
const FAULTS: Readonly<Record<string, string>> = {
  ...{ openat: 'EIO', read: 'EIO', pread64: 'EIO', statx: 'EIO', newfstatat: 'EIO', readlink: 'EIO' },
  ...{ write: 'ENOSPC', pwrite64: 'ENOSPC', mkdir: 'ENOSPC', link: 'ENOSPC', rename: 'EIO', unlink: 'EIO' },
  ...{ ftruncate: 'EIO', fsync: 'EIO', fdatasync: 'EIO', getdents64: 'EIO', lseek: 'EIO' },
};

/** Null where processes can be traced; else why not. */
function whyNot(): string | null {
  const tried = spawnSync('strace', ['-qq', '-o', '/dev/null', '-e', 'inject=getcwd:error=EIO', 'true']);
  if (tried.error !== undefined) return 'strace is not there (Debian: apt install strace)';
  return tried.status === 0 ? null : 'strace may not trace processes here';
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

describe.skipIf(reason !== null)('a launcher of which a system call fails', () => {
  const fixture = () => {
    const { dir, fire } = project(POLICY);
    const traced = (options: readonly string[], id: string) => {
      const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('bad', id) });
      const words = ['-f', '-qq', ...options, process.execPath, HOOK_FILE];
      const { stdout, stderr, status } = spawnSync(
        'strace',
        [...words, 'claude-code', 'PreToolUse', '--dir', dir],
        {
          input,
          env: { PATH: process.env.PATH, HOME: dirname(dir), HARNESS_DAEMON: 'off' },
          encoding: 'utf8',
        },
      );
      return { stdout, stderr, exitCode: status ?? -1 };
    };
    return { dir, fire, traced };
  };

  it(`lets no call through that the policy blocks, and the next call is decided as ever (${WANTED} system calls)`, async () => {
    const { dir, fire, traced } = fixture();
    expect(decisionIn(await fire('PreToolUse', command('good', 'first')))).toBeNull();
    const log = join(dirname(dir), 'trace');
    expect(decisionIn(traced(['-o', log, '-e', `trace=${Object.keys(FAULTS).join(',')}`], 'counted'))).toBe(
      'deny',
    );
    const all = callsIn(readFileSync(log, 'utf8'));
    expect(all.length).toBeGreaterThan(300);
    const step = WANTED === 'all' ? 1 : Math.max(1, all.length / Number(WANTED));
    const wrong: string[] = [];
    const answers = new Map<string, number>();
    for (let at = Math.random() * step; at < all.length; at += step) {
      const { name, nth } = all[Math.floor(at)]!;
      const fault = `inject=${name}:error=${FAULTS[name]}:when=${nth}`;
      const faulty = traced(['-o', '/dev/null', '-e', fault], fault);
      const said =
        faulty.exitCode === 0 && faulty.stdout === ''
          ? 'let through'
          : faulty.exitCode === 0
            ? 'denied'
            : 'ended';
      answers.set(said, (answers.get(said) ?? 0) + 1);
      if (said === 'let through') wrong.push(`${fault}: let through`);
      const next = await fire('PreToolUse', command('good', `after ${fault}`));
      if (next.exitCode !== 0 || next.stdout !== '')
        wrong.push(`${fault}: the next call got ${next.stdout}${next.stderr}`);
    }
    process.stderr.write(`faults at system calls: ${JSON.stringify([...answers])}\n`);
    expect(wrong).toEqual([]);
    expect(verifyTape(join(dir, '.harness/runs/session.jsonl'))).toMatchObject({ ok: true });
  });
});

/** The file calls of a trace, each with its number among those of its name and thread, without those before the program is loaded. */
function callsIn(trace: string): readonly { readonly name: string; readonly nth: number }[] {
  const counts = new Map<string, number>();
  return trace.split('\n').flatMap((line) => {
    const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (name === undefined || FAULTS[name] === undefined) return [];
    const nth = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, nth);
    return [{ name, nth }];
  });
}
