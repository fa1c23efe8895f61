/**
 * More of the daemon's fault table: no disk, a policy that changes while somebody is asked, a clock that steps, a long
 * stop, an end while a person is waited for. Each time the agent has a valid answer, and every call it was answered
 * for stands on a tape that verifies.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import { WarmPolicies } from '../../src/launcher/daemon/warm-policies.ts';
import { type HookOptions, parseHookOptions } from '../../src/launcher/hook-options.ts';
import { launch, ownContext } from '../../src/launcher/launch.ts';
import { machineHost } from '../../src/machine/host.ts';
import { type ApprovalQueue, openQueue } from '../../src/policy/approvals/queue.ts';
import { command, decisionIn, hook, SAMPLES } from '../adapters/launched.ts';
import { callsOnTape, RULES, type User, until, user, verified } from './daemon.ts';

const ASKS = { '.harness/hooks/pushes.md': hook('tool.pre', 'return ask("it pushes")') };

function queueOf(one: User): ApprovalQueue {
  return openQueue({ env: (name) => one.env[name], now: Date.now, uuid: () => machineHost.uuid() })!;
}

/** Somebody looks, as far as hosts can see: this process. */
function lookedAt(one: User): ApprovalQueue {
  const folder = join(one.home, '.config/harness');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An address where nobody listens: questions are waited for, and only the queue answers.
  writeFileSync(
    join(folder, 'harness.md'),
    '---\napprovals:\n  webhook: http://127.0.0.1:1/\n  key: key\n---\n',
  );
  return queueOf(one);
}

describe('whatever happens to the daemon, somebody answers', () => {
  it.each([
    ['tapes', (one: User) => join(one.dir, '.harness/runs')],
    ['what sessions remember', (one: User) => join(one.folder, '../sessions')],
  ])(
    'the disk of %s is full for everybody: a deny, and the tape before it is whole',
    async (_of, placeIn) => {
      const one = user(RULES);
      const place = placeIn(one);
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k,mode=700', 'tmpfs', place]);
      if (mounted.status !== 0) return console.warn('SKIPPED: a small disk takes root and mount');
      onTestFinished(() => void spawnSync('umount', ['-l', place]));
      await one.serve();
      const said: unknown[] = [decisionIn(await one.fire('PreToolUse', command('ls', 'first')))];
      fill(place);
      // The last page of a file has room for some calls.
      for (let n = 0; n < 40 && !said.includes('deny'); n++)
        said.push(decisionIn(await one.fire('PreToolUse', command('ls', String(n)))));
      expect(said[0]).toBeNull();
      expect(said.at(-1)).toBe('deny');
      await verified(one);
    },
  );

  it('it alone cannot write: the launcher decides, without waiting for it, and every call is on the tape once', async () => {
    const one = user(RULES);
    const daemon = await one.serve();
    await one.fire('PreToolUse', command('ls', 'before'));
    const most = statSync(one.tape()).size + 300;
    const limited = spawnSync('prlimit', ['--pid', String(daemon.pid), `--fsize=${most}:${most}`]);
    if (limited.status !== 0) return console.warn('SKIPPED: prlimit is missing');
    const ids = ['1', '2', '3'];
    // Longer than the test has would be waited for an answer that never comes, were a place not given up with the call.
    const options = { deadlineMs: 4 * 3_600_000 };
    for (const id of ids)
      expect(decisionIn(await one.fire('PreToolUse', command('forbidden', id), options))).toBe('deny');
    expect(callsOnTape(one)).toEqual(new Map(['before', ...ids].map((id) => [id, 1])));
    expect(one.state()).toMatchObject({ answered: 1, refused: 3 });
    await verified(one);
  });

  it('stopped for longer than it waits for a client or for work (as a machine that sleeps), and then there again', async () => {
    const one = user(RULES);
    const daemon = await one.serve([], '--idle', '15s');
    await one.fire('PreToolUse', command('ls', 'before'));
    daemon.kill('SIGSTOP');
    const asked = [1, 2].map((id) => one.fire('PreToolUse', command('forbidden', `during-${id}`)));
    for (const answer of await Promise.all(asked)) expect(decisionIn(answer)).toBe('deny');
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    daemon.kill('SIGCONT');
    expect(decisionIn(await one.fire('PreToolUse', command('forbidden', 'after')))).toBe('deny');
    // Those that gave up were decided once, by their launcher, and not again when the daemon woke.
    const ids = ['before', 'during-1', 'during-2', 'after'];
    expect([...callsOnTape(one)].sort()).toEqual(ids.map((id) => [id, 1]).sort());
    await verified(one);
  });

  it('killed while a person is waited for: the launcher goes on waiting, and takes the answer', async () => {
    const one = user(ASKS);
    const queue = lookedAt(one);
    const daemon = await one.serve();
    const asked = one.fire('PreToolUse', command('git push', '1'), { deadlineMs: 240_000 });
    await until(() => queue.list().length === 1);
    daemon.kill('SIGKILL');
    await until(() => daemon.signalCode !== null);
    const { id } = queue.list()[0]!.question;
    expect(queue.answer(id, { approved: false, by: 'test', reason: 'not today' }).receipt).toBe('taken');
    const answer = await asked;
    expect(decisionIn(answer)).toBe('deny');
    expect(answer.stdout).toContain('not today');
    await verified(one);
  });

  it('the policy changes while somebody is asked: the call is what was judged, the next one is judged anew', async () => {
    const one = user(ASKS);
    const queue = lookedAt(one);
    await one.serve();
    const asked = one.fire('PreToolUse', command('git push', '1'), { deadlineMs: 240_000 });
    await until(() => queue.list().length === 1);
    one.write('.harness/hooks/pushes.md', hook('tool.pre', 'return block("no more")'));
    expect(queue.answer(queue.list()[0]!.question.id, { approved: true, by: 'test' }).receipt).toBe('taken');
    expect(decisionIn(await asked)).toBeNull();
    const other = await one.fire('PreToolUse', { ...command('git push', '2'), session_id: 'other' });
    expect(decisionIn(other)).toBe('deny');
    expect(other.stdout).toContain('no more');
    await verified(one);
  });

  it('the clock steps: a changed rule is seen all the same', async () => {
    const one = user(RULES);
    const policies = new WarmPolicies();
    const clock = { by: 0 };
    const host = { ...machineHost, env: (name: string) => one.env[name], now: () => Date.now() + clock.by };
    const digest = async () => {
      const policy = await policies.open({ dir: one.dir, user: null }, one.dir, host);
      return 'problem' in policy ? policy.problem : policy.digest.digest;
    };
    const seen = new Set<string>();
    for (const [i, by] of [0, -86_400_000, 86_400_000, -1, 0].entries()) {
      clock.by = by;
      one.write('.harness/hooks/rule.md', RULES['.harness/hooks/rule.md'].replace('forbidden', `word${i}`));
      seen.add(await digest());
      expect(seen.size).toBe(i + 1);
    }
  });

  it('the clock steps: each call is answered, and on the tape once', async () => {
    // Put in by the build.
    vi.stubGlobal('HARNESS_VERSION', 'of a test');
    const one = user(RULES);
    const { adapter } = await ADAPTERS['claude-code']!();
    const options = parseHookOptions(['claude-code', 'PreToolUse', '--dir', one.dir]) as HookOptions;
    const ids = [0, -86_400_000, 86_400_000, -1, 0].map((by, n) => ({ by, id: `c${n}` }));
    for (const { by, id } of ids) {
      const host = { ...machineHost, env: (name: string) => one.env[name], now: () => Date.now() + by };
      const around = { ...ownContext(), host, limits: () => undefined };
      const text = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: one.dir, ...command('forbidden', id) });
      const answer = await launch(adapter, options, text, { event: () => {}, session: () => {} }, around);
      expect('problem' in answer ? answer.problem : decisionIn(answer)).toBe('deny');
    }
    expect([...callsOnTape(one)]).toEqual(ids.map(({ id }) => [id, 1]));
    await verified(one);
  });
});

/** Takes what is left of a small disk. */
function fill(folder: string): void {
  try {
    for (;;) appendFileSync(join(folder, 'filler'), Buffer.alloc(4096));
  } catch {
    // Full.
  }
}
