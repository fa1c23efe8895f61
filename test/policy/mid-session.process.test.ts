/**
 * In a session a policy only tightens: what a background job, a patch that comes later, a checkout or a worktree makes of it waits, until a
 * person accepts it. Real git, the launcher as an agent calls it, and a person at a terminal.
 */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, decisionIn, hook, type Launched, project } from '../adapters/launched.ts';
import { canBePerson, person } from '../support/person.ts';

const RULE = '.harness/hooks/rule.md';
const REFUSES = hook(
  'tool.pre',
  'if "bad" in payload["args"]["command"]:',
  '  return block("no bad things")',
  'return allow()',
);
const ALLOWS = hook('tool.pre', 'return allow()');
const MORE = hook(
  'tool.pre',
  'if "worse" in payload["args"]["command"]:',
  '  return block("nor worse")',
  'return allow()',
);

/** A repository whose branch `open` has a policy that allows, and whose branch `closed` has one more that refuses. */
function repository() {
  const one = project({ [RULE]: REFUSES, '.gitignore': '.harness/runs/\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: one.dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: dirname(one.dir) },
    });
  const branch = (name: string, path: string, text: string) => {
    git('checkout', '-q', '-b', name, 'main');
    one.write(path, text);
    git('add', '-A');
    git('commit', '-q', '-m', name);
    git('checkout', '-q', 'main');
  };
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'policy');
  branch('open', RULE, ALLOWS);
  branch('closed', '.harness/hooks/more.md', MORE);
  return { ...one, git };
}

let calls = 0;
/** What the agent is told of a command, in a session of its own or the usual one. */
async function told({ fire }: Launched, text: string, more = {}) {
  return decisionIn(await fire('PreToolUse', { ...command(text, `call-${++calls}`), ...more }));
}

function changes({ tape }: Launched) {
  return tape().filter(({ type }) => type === 'policy.changed');
}

describe('[S24] in a session a policy only tightens:', () => {
  it.each([
    [
      'a background job that checks another branch out',
      async ({ dir, git }: ReturnType<typeof repository>) => {
        const job = spawn('sh', ['-c', 'git checkout -q open'], {
          cwd: dir,
          detached: true,
          stdio: 'ignore',
        });
        await new Promise((done) => job.on('close', done));
        expect(git('branch', '--show-current').trim()).toBe('open');
      },
    ],
    [
      'a patch that comes later',
      async ({ dir, git }: ReturnType<typeof repository>) => {
        writeFileSync(join(dir, 'late.patch'), git('diff', 'main', 'open'));
        git('apply', 'late.patch');
      },
    ],
    [
      'a file checked out of another branch',
      async ({ git }: ReturnType<typeof repository>) => {
        git('checkout', '-q', 'open', '--', RULE);
      },
    ],
    [
      'a policy removed by git, and the folder with it',
      async ({ git }: ReturnType<typeof repository>) => {
        git('rm', '-q', '-r', '.harness');
      },
    ],
    [
      'a sparse checkout that leaves the policy out',
      async ({ git }: ReturnType<typeof repository>) => {
        git('sparse-checkout', 'set', '--no-cone', '/late/');
      },
    ],
    [
      'a call that is open meanwhile',
      async (one: ReturnType<typeof repository>) => {
        await told(one, 'ls');
        one.git('merge', '-q', 'open');
      },
    ],
  ])('%s changes nothing', async (_what, change) => {
    const one = repository();
    expect(await told(one, 'bad')).toBe('deny');
    await change(one);
    expect(await told(one, 'bad')).toBe('deny');
    expect(changes(one)).toMatchObject([{ accepted: false }]);
  });

  it('a worktree of another branch is another folder: its policy is not that of the session', async () => {
    const one = repository();
    expect(await told(one, 'bad')).toBe('deny');
    const tree = join(dirname(one.dir), 'tree');
    one.git('worktree', 'add', '-q', tree, 'open');
    expect(await told(one, 'bad', { cwd: tree })).toBe('deny');
    expect(changes(one)).toEqual([]);
  });

  it('a hook more that only refuses is in force with the next event, and on the tape', async () => {
    const one = repository();
    expect(await told(one, 'worse')).toBeNull();
    one.git('checkout', '-q', 'closed');
    expect(await told(one, 'worse')).toBe('deny');
    expect(changes(one)).toMatchObject([{ accepted: true }]);
    one.git('checkout', '-q', 'main');
    expect(await told(one, 'worse')).toBe('deny');
  });

  it('a new session reads what is there', async () => {
    const one = repository();
    expect(await told(one, 'bad')).toBe('deny');
    one.git('checkout', '-q', 'open');
    expect(await told(one, 'bad', { session_id: 'another' })).toBeNull();
  });
});

describe.skipIf(!canBePerson)('harness accept', () => {
  it('puts a change that waits in force in its session, once the person has typed the word', async () => {
    const one = repository();
    const env = { PATH: process.env.PATH, HOME: dirname(one.dir) };
    const accept = (types?: (word: string) => string) =>
      person(['accept', 'session'], { cwd: one.dir, env, ...(types !== undefined && { types }) });
    expect(await told(one, 'bad')).toBe('deny');
    expect(await told(one, 'bad', { session_id: 'other' })).toBe('deny');
    one.git('checkout', '-q', 'open');
    expect(await told(one, 'bad')).toBe('deny');
    expect(await told(one, 'bad', { session_id: 'other' })).toBe('deny');

    const refused = await accept(() => 'n');
    expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('rule.md has changed') });
    expect(await told(one, 'bad')).toBe('deny');

    expect(await accept()).toMatchObject({ status: 0, said: expect.stringContaining('Accepted') });
    expect(await told(one, 'bad')).toBeNull();
    expect(changes(one)).toMatchObject([{ accepted: false }, { accepted: true }]);
    expect(await told(one, 'bad', { session_id: 'other' })).toBe('deny');
  });
});
