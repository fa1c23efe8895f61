/**
 * Commands of git, with a real git, against a repository whose guard was committed on one branch only: those after which the guard or its
 * registration is gone are asked about, with that consequence; those that leave both are not.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { hookFile } from '../support/temp-project.ts';

const HOOK = hookFile('def handle(event, payload):\n    return allow()', 'event: tool.pre\npriority: 10');
const GUARD = '.harness/guard';
const SETTINGS = '.claude/settings.json';
const REGISTERED = '{"hooks": {"PreToolUse": [{"command": "sh .harness/guard claude-code PreToolUse"}]}}';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** Branches: `main` and `topic` with the guard, `bare` without anything, `deaf` with the guard and another settings file, `other` with another guard. */
async function repository() {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'harness-guard-and-git-'));
  made.push(top);
  const dir = join(top, 'project');
  const home = join(top, 'home');
  mkdirSync(home);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const shell = (line: string) =>
    execFileSync('sh', ['-c', line], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
      },
    });
  const branch = (name: string, files: Readonly<Record<string, string | null>>) => {
    shell(`git checkout -q -b ${name} main`);
    for (const [path, text] of Object.entries(files))
      text === null ? rmSync(join(dir, path)) : write(path, text);
    shell(`git add -A; git commit -q -m ${name}; git checkout -q main`);
  };
  write('src/a.ts', 'a\n');
  shell('git init -q -b bare; git add -A; git commit -q -m bare; git checkout -q -b main');
  write(GUARD, '#!/bin/sh\n');
  write(SETTINGS, REGISTERED);
  write('.harness/hooks/rule.md', HOOK);
  write('.gitignore', '.harness/runs/\n*.log\n');
  shell('git add -A; git commit -q -m guard');
  branch('topic', { 'src/b.ts': 'b\n' });
  branch('deaf', { [SETTINGS]: '{"hooks": {}}' });
  branch('other', { [GUARD]: '#!/bin/sh\nexit 0\n' });
  branch('removed', { [GUARD]: null });
  const policy = await openPolicy(dir, {
    host: {
      ...machineHost,
      env: (name) => (name === 'HOME' ? home : name === 'PATH' ? process.env.PATH : undefined),
    },
    places: { managed: null, user: null },
  });
  const decide = (command: string) =>
    policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command } });
  return { dir, write, shell, decide };
}

const shared = repository();

/** Whether the guard and its registration are as they were. */
function isGuarded(dir: string): boolean {
  const text = (path: string) => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : '');
  return text(GUARD) === '#!/bin/sh\n' && text(SETTINGS).includes('harness');
}

const TAKES_AWAY = [
  'git checkout bare',
  'git checkout -f bare',
  'git switch bare',
  'git switch -d bare',
  'git checkout HEAD~1',
  'git checkout -b next HEAD~1',
  'git checkout -B next bare',
  'git reset --hard bare',
  'git reset --hard HEAD~1',
  'cd src && git checkout bare',
  'git -C src checkout bare',
  'git checkout deaf',
  'git checkout other',
  'git checkout other -- .',
  'git restore --source bare .',
  'git restore -s other src/..',
  'git checkout --no-overlay bare -- .',
  'git switch --orphan empty',
  'git merge -q removed',
  'git cherry-pick other',
  'git revert --no-edit HEAD',
  'git rebase -q removed',
  'git read-tree -u -m HEAD bare',
  'git branch next bare && git checkout next',
  'git update-ref refs/heads/topic bare && git checkout topic',
  'git symbolic-ref HEAD refs/heads/bare && git reset --hard',
  'git config alias.co checkout && git co bare',
  'git sparse-checkout set src',
  'git bisect start main bare && git bisect skip',
];

describe('[S24] a command of git after which the guard or its registration is gone', () => {
  it.each(TAKES_AWAY)('is asked about, with that consequence: %s', async (command) => {
    const { decide } = await shared;
    if (command.startsWith('git config alias')) (await shared).shell('git config alias.co checkout');
    const { action, reason, hook } = await decide(command);
    expect({ action, hook }).toEqual({ action: 'ask', hook: 'protected' });
    expect(reason).toMatch(/judged by nobody|is blocked|decides who judges/);
  });

  it('really takes it away', async () => {
    for (const command of TAKES_AWAY.filter((line) => !line.includes('bisect'))) {
      const { dir, shell } = await repository();
      shell(command);
      expect(isGuarded(dir), command).toBe(false);
    }
  });

  it.each(['git stash', 'git stash push', 'git reset --hard'])(
    'is asked about where the guard is only staged: %s',
    async (command) => {
      const { dir, shell, decide } = await repository();
      shell('git reset -q --soft bare');
      expect((await decide(command)).action).toBe('ask');
      shell(command);
      expect(isGuarded(dir)).toBe(false);
    },
  );

  it('is asked about where the line itself adds the guard first', async () => {
    const { dir, shell, decide } = await repository();
    shell('git reset -q bare');
    const line = 'git add -A && git commit -q -m x && git checkout -q HEAD~1';
    expect((await decide('git checkout bare')).action).toBe('allow');
    expect((await decide('git add -A && git stash')).action).toBe('ask');
    shell(line);
    expect(isGuarded(dir)).toBe(false);
  });

  it.each([
    ['git clean -fd', 'untracked'],
    ['git clean -fdx', 'untracked'],
    ['git clean --force -d', 'untracked'],
    ['git stash -u', 'untracked'],
    ['git stash push --all', 'untracked'],
    ['git clean -fdx', 'ignored'],
    ['git stash -a', 'ignored'],
  ])(
    'is asked about where it removes a guarded file that is not committed: %s, %s',
    async (command, kind) => {
      const { write, decide } = await repository();
      write(kind === 'ignored' ? '.harness/runs/one.jsonl' : '.harness/hooks/new.md', 'x');
      const { action, reason } = await decide(command);
      expect(action).toBe('ask');
      expect(reason).toContain('what is not committed cannot be brought back');
    },
  );
});

describe('[S24] a command of git that leaves the guard and its registration', () => {
  it.each([
    'git checkout main',
    'git checkout topic',
    'git checkout main --',
    'git switch topic',
    'git switch -',
    'git checkout -b next',
    'git switch -c next topic',
    'git branch next && git checkout next',
    'git checkout src/a.ts',
    'git checkout -- src',
    'git checkout bare -- src',
    'git checkout .',
    'git restore .',
    'git restore --staged .',
    'git restore --source bare src',
    'git reset',
    'git reset --soft bare',
    'git reset --hard',
    'git reset --hard topic',
    'git stash',
    'git stash -u',
    'git stash list',
    'git stash pop',
    'git clean -n',
    'git clean -fdn',
    'git clean -fd',
    'git clean -fdx',
    'git clean -fd src',
    'git merge topic',
    'git merge bare',
    'git merge --abort',
    'git rebase topic',
    'git rebase -i HEAD~1',
    'git rebase --continue',
    'git cherry-pick topic',
    'git pull',
    'git pull --rebase origin main',
    'git fetch origin && git checkout topic',
    'git commit -am x && git checkout topic',
    'git worktree add ../other bare',
    'git log bare',
    'git bisect start main HEAD',
  ])('is not asked about: %s', async (command) => {
    const { dir, shell, decide } = await shared;
    shell('git checkout -q topic; git checkout -q main');
    rmSync(join(dir, '.harness/runs'), { recursive: true, force: true });
    expect((await decide(command)).action).toBe('allow');
  });

  it('is not asked about in a repository without a guard, nor where the guard is not committed and stays', async () => {
    const { shell, decide } = await repository();
    shell('git reset -q bare');
    for (const command of ['git checkout bare', 'git stash', 'git reset --hard', 'git switch -d bare'])
      expect((await decide(command)).action, command).toBe('allow');
  });

  it('runs nothing of a repository to find out', async () => {
    const { dir, shell, decide } = await repository();
    const mark = join(dirname(dir), 'mark');
    writeFileSync(join(dir, '../run.sh'), `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
    for (const key of ['core.fsmonitor', 'core.sshCommand', 'diff.external', 'core.pager'])
      shell(`git config ${key} ${join(dirname(dir), 'run.sh')}`);
    shell('git config remote.origin.url ssh://a.example/x; git config remote.origin.promisor true');
    for (const command of ['git checkout bare', 'git merge removed', 'git clean -fdx', 'git checkout gone'])
      await decide(command);
    expect(existsSync(mark)).toBe(false);
  });
});
