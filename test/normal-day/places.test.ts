/**
 * Where an agent works, on a real disk: through links, in worktrees, in further folders and in folders of Windows its writes pass under
 * the policy of `init`, and those that lead out of them do not.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAdapter } from '../../src/agents/load-adapter.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { remove } from '../support/remove.ts';
import { DayJudge, initPolicy } from './judge.ts';

const PATH_GUARD = '.harness/hooks/path_guard.md';
/** The folders stand in a temporary one, in which every write would pass. */
const TEMPORARY = /^ {2}TEMPORARY = .*$/m;

let root: string;
let policy: Policy;

async function policyWith(temporary: string): Promise<Policy> {
  const dir = join(root, `policy-${temporary.length}`);
  mkdirSync(dir);
  const made = await initPolicy(dir, { env: {}, links: {} });
  const guard = readFileSync(join(dir, PATH_GUARD), 'utf8');
  writeFileSync(join(dir, PATH_GUARD), guard.replace(TEMPORARY, `  TEMPORARY = ${temporary}`));
  return temporary === '' ? made : initPolicyAgain(dir);
}

async function initPolicyAgain(dir: string): Promise<Policy> {
  const { openPolicy } = await import('../../src/policy/open-policy.ts');
  return openPolicy(dir, { places: { managed: null, user: null } });
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'harness-places-')));
  for (const folder of ['app/packages/core', 'app/node_modules', 'shared', 'elsewhere'])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(root, 'app'), join(root, 'link'));
  symlinkSync('../packages/core', join(root, 'app/node_modules/core'));
  symlinkSync(join(root, 'elsewhere'), join(root, 'app/out'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: join(root, 'app'),
      stdio: 'ignore',
    });
  git('init');
  git('commit', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '../hotfix');
  policy = await policyWith('[]');
});

afterAll(() => remove(root));

/** What becomes of a write of Claude Code that was started in `project`. */
async function write(
  file: string,
  project: string,
  { cwd = project, under = policy, transcript = null as string | null } = {},
) {
  const adapter = (await loadAdapter('claude-code'))!;
  const env = { HOME: root, PATH: '/usr/bin:/bin', CLAUDE_PROJECT_DIR: project };
  const judge = new DayJudge(adapter, under, { env, links: {} });
  const { action } = await judge.judge('PreToolUse', {
    session_id: 's',
    transcript_path: transcript,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: file, content: 'x' },
    tool_use_id: 'c',
  });
  return action;
}

describe('a write', () => {
  it('passes through a link to the project, in either spelling', async () => {
    const [app, link] = [join(root, 'app'), join(root, 'link')];
    expect(await write(join(link, 'src/a.ts'), link)).toBe('allow');
    expect(await write(join(app, 'src/a.ts'), link)).toBe('allow');
    expect(await write(join(link, 'src/a.ts'), app)).toBe('allow');
  });

  it('passes through a link inside of the project, and is blocked through one that leads out', async () => {
    const app = join(root, 'app');
    expect(await write(join(app, 'node_modules/core/index.ts'), app)).toBe('allow');
    expect(await write(join(app, 'out/a.ts'), app)).toBe('block');
    expect(await write(join(app, 'node_modules/core/../../../elsewhere/a.ts'), app)).toBe('block');
  });

  it('passes in a worktree in which the agent was started, and leaves the main one alone', async () => {
    const hotfix = join(root, 'hotfix');
    expect(await write(join(hotfix, 'src/a.ts'), hotfix)).toBe('allow');
    expect(await write(join(root, 'app/src/a.ts'), hotfix)).toBe('block');
  });

  it('passes in a folder that the agent was given with `--add-dir`, and not in one that holds the home folder', async () => {
    const app = join(root, 'app');
    const transcript = join(root, 'transcript.jsonl');
    const snapshot = { additionalWorkingDirectories: [join(root, 'shared'), '/', root] };
    writeFileSync(
      transcript,
      JSON.stringify({ type: 'attachment', attachment: { type: 'environment', snapshot } }),
    );
    expect(await write(join(root, 'shared/api.md'), app, { transcript })).toBe('allow');
    expect(await write(join(root, 'shared/api.md'), app)).toBe('block');
    expect(await write(join(root, 'elsewhere/a.md'), app, { transcript })).toBe('block');
  });

  it('passes in a subfolder that the agent has gone to', async () => {
    const app = join(root, 'app');
    expect(await write('src/a.ts', app, { cwd: join(app, 'packages/core') })).toBe('allow');
    expect(await write(join(app, 'README'), app, { cwd: join(app, 'packages/core') })).toBe('allow');
  });

  it('passes in a temporary folder of the system, unless the list of them is empty', async () => {
    const app = join(root, 'app');
    const listed = await policyWith('["/tmp"]');
    expect(await write('/tmp/bench.mjs', app, { under: listed })).toBe('allow');
    expect(await write('/tmp/bench.mjs', app)).toBe('block');
  });

  it('passes in a workspace of Windows, and not beside it', async () => {
    const app = 'C:\\Users\\ann\\app';
    expect(await write('C:\\Users\\ann\\app\\src\\a.ts', app)).toBe('allow');
    expect(await write('c:/users/Ann/app/src/a.ts', app)).toBe('allow');
    expect(await write('C:\\Users\\ann\\other\\a.ts', app)).toBe('block');
    expect(await write('C:\\Users\\ann\\app\\..\\other\\a.ts', app)).toBe('block');
    expect(await write('D:\\Users\\ann\\app\\a.ts', app)).toBe('block');
  });
});
