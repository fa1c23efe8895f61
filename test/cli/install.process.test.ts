/**
 * `install`, `uninstall`, `doctor`, `status` and `pause` as a person uses them: real files in a home of their own, real lines run by a
 * real shell.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { wholeTree } from '../support/whole-tree.ts';
import { type Finished, harness, hookFile, project, write } from './harness.ts';

const AGENTS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'qwen-code',
  'copilot',
  'cline',
  'opencode',
  'pi',
  'cursor',
];

const NO_SECRETS = hookFile(
  'event: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("not that file") if "secret" in str(payload["args"]) else allow()',
);

interface World {
  readonly dir: string;
  readonly home: string;
  readonly run: (...args: string[]) => Promise<Finished>;
}

/** A home and a project with a policy in it. */
function world(files: Readonly<Record<string, string>> = {}): World {
  const root = project({ 'p/.harness/hooks/no-secrets.md': NO_SECRETS, 'home/.keep': '' });
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  const [dir, home] = [join(root, 'p'), join(root, 'home')];
  return { dir, home, run: (...args) => harness(args, { cwd: dir, env: { HOME: home } }) };
}

const CLAUDE =
  '{\r\n\t// mine\r\n\t"permissions": { "allow": ["Bash(ls)"] }, // keep\r\n\t"hooks": {\r\n\t\t"PreToolUse": [\r\n\t\t\t{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine.sh" }] },\r\n\t\t],\r\n\t},\r\n}';
const FOUND: Readonly<Record<string, string>> = {
  'p/.claude/settings.json': CLAUDE,
  'p/.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  'home/.codex/config.toml': '# mine\nmodel = "gpt"\n[projects."/elsewhere"]\ntrust_level = "trusted"',
  'p/.gemini/settings.json': '\ufeff{\n    "theme": "dark"\n}\n',
  'home/.copilot/config.json':
    '// User settings belong elsewhere\n{\n  "trustedFolders": [\n    "/other"\n  ]\n}\n',
  'p/opencode.jsonc': '{\n  // providers\n  "provider": {}\n}\n',
  'p/.clinerules/rules.md': 'be nice\n',
};

describe('install and uninstall', () => {
  it('every agent at once, into nothing: all is gone again, folders too', async () => {
    const { dir, home, run } = world();
    const before = wholeTree(dir, home);
    const installed = await run('install', ...AGENTS);
    expect({ code: installed.code, stderr: installed.stderr }).toEqual({ code: 0, stderr: '' });
    expect(installed.stdout).toContain('Next: harness doctor claude-code codex');
    expect(Object.keys(wholeTree(dir)).length).toBeGreaterThan(Object.keys(before).length + 10);
    expect((await run('uninstall', ...AGENTS)).code).toBe(0);
    expect(wholeTree(dir, home)).toEqual(before);
  });

  it('keeps every byte of what it finds, twice is once, and uninstall restores the bytes and modes', async () => {
    const { dir, home, run } = world(FOUND);
    chmodSync(join(dir, '.claude/settings.json'), 0o640);
    const before = wholeTree(dir, home);
    await run('install', ...AGENTS);
    const once = wholeTree(dir, home);
    const claude = readFileSync(join(dir, '.claude/settings.json'), 'utf8');
    expect(claude.startsWith(CLAUDE.slice(0, CLAUDE.indexOf('\r\n\t\t],')))).toBe(true);
    expect(claude.replaceAll('\r\n', '')).not.toContain('\n');
    expect(statSync(join(dir, '.claude/settings.json')).mode & 0o777).toBe(0o640);
    expect(existsSync(join(dir, 'opencode.json'))).toBe(false);
    expect((await run('install', ...AGENTS)).stdout).toContain('claude-code is installed already');
    expect(wholeTree(dir, home)).toEqual(once);
    await run('uninstall', ...AGENTS);
    expect(wholeTree(dir, home)).toEqual(before);
  });

  it('takes out only what is ours from a file that was edited since, and from one whose record is lost', async () => {
    const { dir, home, run } = world(FOUND);
    await run('install', 'claude-code', 'codex');
    const settings = join(dir, '.claude/settings.json');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('Bash(ls)', 'Bash(cat)'));
    rmSync(join(home, '.local/state/harness'), { recursive: true });
    expect((await run('uninstall', 'claude-code', 'codex')).code).toBe(0);
    expect(readFileSync(settings, 'utf8')).toBe(CLAUDE.replace('Bash(ls)', 'Bash(cat)'));
    expect(readFileSync(join(dir, '.codex/hooks.json'), 'utf8')).toBe(FOUND['p/.codex/hooks.json']);
    const config = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    expect(config.trimEnd()).toBe(FOUND['home/.codex/config.toml']);
  });

  it('refuses what it cannot parse, with its place, and writes nothing of that agent', async () => {
    const { dir, home, run } = world({
      'p/.claude/settings.json': '{\n  "hooks": {\n    "PreToolUse": oops\n  }\n}\n',
      'home/.codex/config.toml': 'model = "gpt\n',
      'p/.gemini/settings.json': '{"hooks": []}',
    });
    const before = wholeTree(dir, home);
    const finished = await run('install', 'claude-code', 'codex', 'gemini-cli', 'qwen-code');
    expect(finished.code).toBe(1);
    expect(finished.stderr).toMatch(
      /claude-code: .*settings\.json:3:19: want a value, got "o"; nothing of it was written/,
    );
    expect(finished.stderr).toMatch(/codex: .*config\.toml:1:\d+: /);
    expect(finished.stderr).toMatch(
      /gemini-cli: .*settings\.json:1:11: want an object in "hooks", got a list/,
    );
    // The one beside them is whole.
    expect(existsSync(join(dir, '.qwen/settings.json'))).toBe(true);
    await run('uninstall', 'qwen-code');
    expect(wholeTree(dir, home)).toEqual(before);
  });

  it('--print shows the diff and writes nothing', async () => {
    const { dir, home, run } = world({ 'p/.claude/settings.json': '{\n  "a": 1\n}\n', 'p/.git/HEAD': '' });
    const before = wholeTree(dir, home);
    const { stdout, stderr, code } = await run('install', 'claude-code', '--print');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`--- ${join(dir, '.claude/settings.json')}\n+++ `);
    expect(stdout).toMatch(/^- {2}"a": 1$/m);
    expect(stdout).toMatch(/^\+ {2}"a": 1,$/m);
    expect(wholeTree(dir, home)).toEqual(before);
  });

  it('follows no link out of the project, and one of the user with --user', async () => {
    const { dir, home, run } = world({
      'elsewhere/settings.json': '{}',
      'home/.config/harness/hooks/x.md': NO_SECRETS,
    });
    const real = join(dirname(dir), 'elsewhere/settings.json');
    mkdirSync(join(dir, '.claude'));
    mkdirSync(join(home, '.claude'));
    symlinkSync(real, join(dir, '.claude/settings.json'));
    symlinkSync(real, join(home, '.claude/settings.json'));
    const refused = await run('install', 'claude-code');
    expect(refused.stderr).toContain(`leads to ${real}, out of ${dir}; it is not followed`);
    expect(readFileSync(real, 'utf8')).toBe('{}');
    const followed = await run('install', 'claude-code', '--user');
    expect(followed.stdout).toContain(`(a link: it stands at ${real})`);
    expect(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('PreToolUse');
    await run('uninstall', 'claude-code', '--user');
    expect(readFileSync(real, 'utf8')).toBe('{}');
  });

  it('two projects share one table of trust; each goes alone', async () => {
    const { dir, home, run } = world({ ...FOUND, 'q/.harness/hooks/no-secrets.md': NO_SECRETS });
    const other = join(dirname(dir), 'q');
    const config = () => readFileSync(join(home, '.codex/config.toml'), 'utf8');
    const entries = () => config().match(/trusted_hash/g)?.length ?? 0;
    await run('install', 'codex');
    const alone = entries();
    await run('install', 'codex', '--dir', other);
    expect([alone > 0, entries()]).toEqual([true, 2 * alone]);
    await run('uninstall', 'codex');
    expect(config()).toContain(`${other}/.codex/hooks.json:pre_tool_use:0:0`);
    expect(config()).not.toContain(`${dir}/.codex`);
    await run('uninstall', 'codex', '--dir', other);
    expect(config()).toBe(FOUND['home/.codex/config.toml']);
  });

  it('leaves a hook file of somebody else alone, and uses the next folder', async () => {
    const { dir, run } = world({ 'p/.clinerules/hooks/PreToolUse': '#!/bin/sh\necho mine\n' });
    expect((await run('install', 'cline')).code).toBe(0);
    expect(readFileSync(join(dir, '.clinerules/hooks/PreToolUse'), 'utf8')).toBe('#!/bin/sh\necho mine\n');
    expect(statSync(join(dir, '.cline/hooks/PreToolUse')).mode & 0o111).toBe(0o111);
    await run('uninstall', 'cline');
    expect(existsSync(join(dir, '.cline'))).toBe(false);
  });

  it('an agent that cannot be stopped is installed only to be watched, and never called guarded', async () => {
    const { dir, home, run } = world();
    mkdirSync(join(dir, '.git'));
    const before = wholeTree(dir, home);
    const refused = await run('install', 'goose');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--observe-only');
    expect(refused.stderr).not.toContain('what was written');
    expect(wholeTree(dir, home)).toEqual(before);
    const installed = await run('install', 'goose', '--observe-only');
    expect(installed.code).toBe(0);
    expect(installed.stdout).toContain('  records SessionStart');
    expect(existsSync(join(dir, '.agents/plugins/harness/hooks/hooks.json'))).toBe(true);
    const [said, data] = [await run('doctor', 'goose'), await run('doctor', 'goose', '--json')];
    expect(said.stdout).toContain(`goose  RECORDED ONLY in ${dir}`);
    expect(said.stdout).not.toContain('guarded');
    expect(JSON.parse(data.stdout).agents).toMatchObject([{ agent: 'goose', guarded: false, problems: [] }]);
    await run('uninstall', 'goose');
    expect(existsSync(join(dir, '.agents'))).toBe(false);
  });

  it('is refused on Windows, in plain words, before anything is written', async () => {
    const { dir, home } = world();
    const before = wholeTree(dir, home);
    const windows = join(dirname(dir), 'windows.cjs');
    writeFileSync(windows, "Object.defineProperty(process, 'platform', { value: 'win32' });");
    for (const command of ['install', 'uninstall', 'doctor']) {
      const { code, stderr } = await harness([command, 'claude-code'], {
        cwd: dir,
        env: { HOME: home, NODE_OPTIONS: `--require ${windows}` },
      });
      expect({ command, code }).toEqual({ command, code: 2 });
      expect(stderr).toContain('agents cannot be guarded on Windows');
    }
    expect(wholeTree(dir, home)).toEqual(before);
  });

  it('in a git worktree the files of the other one hold for the worktree itself', async () => {
    const { dir, home, run } = world();
    await run('install', 'claude-code', 'cline', 'pi');
    const other = `${dir}-worktree`;
    cpSync(dir, other, { recursive: true });
    writeFileSync(join(other, '.git'), `gitdir: ${dir}/.git/worktrees/other\n`);
    const there = (...args: string[]) => harness(args, { cwd: other, env: { HOME: home } });
    expect(await there('doctor', 'cline', 'pi')).toMatchObject({ code: 0 });
    expect(fire({ dir: other, home }, CALL).stdout).toContain('not that file');
    expect(existsSync(join(other, '.harness/runs'))).toBe(true);
    expect(existsSync(join(dir, '.harness/runs'))).toBe(false);
    await run('uninstall', 'claude-code', 'cline', 'pi');
    await there('uninstall', 'claude-code', 'cline', 'pi');
    expect(existsSync(join(home, '.local'))).toBe(false);
    expect(existsSync(join(other, '.harness/guard'))).toBe(false);
  });

  it('wrong usage: no policy, an unknown agent, both places', async () => {
    const { dir, home, run } = world();
    const empty = join(dir, 'empty');
    mkdirSync(empty);
    expect(await run('install', 'codex', '--dir', empty)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no policy'),
    });
    expect(await run('install', 'codex', '--user')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${join(home, '.config/harness')} is not there`),
    });
    expect(await run('install', 'claud-code')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-code'),
    });
    expect((await run('install', 'codex', '--user', '--dir', dir)).stderr).toContain('want --dir or --user');
  });

  it('killed at any moment, the file is whole, and installing again mends it', async () => {
    const { dir, home, run } = world(FOUND);
    const settings = join(dir, '.claude/settings.json');
    await run('install', 'claude-code');
    const full = readFileSync(settings, 'utf8');
    await run('uninstall', 'claude-code');
    for (let delay = 60; delay < 200; delay += 20) {
      const child = spawn(process.execPath, [CLI_FILE, 'install', 'claude-code'], {
        cwd: dir,
        env: { HOME: home },
      });
      const closed = new Promise((resolve) => child.on('close', resolve));
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await closed;
      expect([CLAUDE, full]).toContain(readFileSync(settings, 'utf8'));
      expect((await run('install', 'claude-code')).code).toBe(0);
      expect(readFileSync(settings, 'utf8')).toBe(full);
      await run('uninstall', 'claude-code');
      expect(readFileSync(settings, 'utf8')).toBe(CLAUDE);
    }
  });
});

/** The line that is registered for an event of Claude Code. */
function lineOf(dir: string, event: string): string {
  const text = readFileSync(join(dir, '.claude/settings.json'), 'utf8');
  return JSON.parse(text).hooks[event][0].hooks[0].command;
}

const CALL = {
  session_id: 's1',
  transcript_path: null,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'cat secret.txt' },
  tool_use_id: 't1',
};

/** As Claude Code runs a line in a project. */
function fire({ dir, home }: Pick<World, 'dir' | 'home'>, input: object, path = '/usr/bin:/bin') {
  return spawnSync('/bin/sh', ['-c', lineOf(dir, 'PreToolUse')], {
    cwd: home,
    input: JSON.stringify({ ...input, cwd: dir }),
    env: { PATH: path, HOME: home, CLAUDE_PROJECT_DIR: dir, HARNESS_DAEMON: 'off' },
    encoding: 'utf8',
  });
}

describe('an event that is registered on demand', () => {
  const ON = (event: string) =>
    hookFile(`event: ${event}\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()`);

  it('is registered while the policy has a hook on it; until it is, status says so and the gates refuse', async () => {
    const { dir, home, run } = world();
    const registered = () => readFileSync(join(dir, '.claude/settings.json'), 'utf8');
    const call = (id: string) =>
      fire({ dir, home }, { ...CALL, session_id: id, tool_use_id: id, tool_input: { command: 'ls' } });
    await run('install', 'claude-code');
    expect(registered()).not.toMatch(/MessageDisplay|TaskCreated/);

    write(dir, '.harness/hooks/shown.md', ON('native.message_display'));
    expect((await run('status')).stdout).toContain('hook "shown" on native.message_display does not run');
    expect(call('first').stdout).toBe('');

    write(dir, '.harness/hooks/tasks.md', ON('native.task_created'));
    expect((await run('status')).stdout).toContain(
      'hook "tasks" on native.task_created does not run, since TaskCreated was not registered: run `harness install claude-code` again',
    );
    expect(await run('doctor', 'claude-code')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('hook "tasks" on native.task_created does not run'),
    });
    expect(call('second').stdout).toContain('The policy has a hook on TaskCreated, which is not registered');

    await run('install', 'claude-code');
    for (const event of ['MessageDisplay', 'TaskCreated']) expect(registered()).toContain(event);
    expect((await run('status')).stdout).not.toContain('does not run');
    expect(call('third').stdout).toBe('');

    rmSync(join(dir, '.harness/hooks/tasks.md'));
    await run('install', 'claude-code');
    expect(registered()).not.toContain('TaskCreated');
    expect(registered()).toContain('MessageDisplay');
  });
});

describe('what is registered', () => {
  it('blocks what the policy blocks, with its reason, and is silent otherwise, wherever it is started', async () => {
    const { dir, home, run } = world();
    await run('install', 'claude-code');
    const blocked = fire({ dir, home }, CALL);
    expect(blocked.stdout).toContain('not that file');
    expect(JSON.parse(blocked.stdout).hookSpecificOutput.permissionDecision).toBe('deny');
    const fine = { ...CALL, tool_use_id: 't2', tool_input: { command: 'ls' } };
    expect(fire({ dir, home }, fine)).toMatchObject({ status: 0, stdout: '' });
  });

  it('holds after the package of the project is deleted, since the user’s copy is run first', async () => {
    const { dir, home, run } = world({
      'p/node_modules/harness-hooks/package.json': '{\n  "version": "0.0.1"\n}\n',
    });
    await run('install', 'claude-code');
    rmSync(join(dir, 'node_modules'), { recursive: true });
    expect(fire({ dir, home }, CALL).stdout).toContain('not that file');
    const engine = join(home, '.local/state/harness/engine');
    for (const folder of [engine, join(engine, 'current')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('in a clone on a machine without Harness refuses and says what to type; after install it is guarded', async () => {
    const { dir, run } = world();
    await run('install', 'claude-code');
    const [clone, other] = [join(dirname(dir), 'clone'), join(dirname(dir), 'other-home')];
    cpSync(dir, clone, { recursive: true });
    mkdirSync(other);
    const there = { dir: clone, home: other };
    const refused = fire(there, CALL);
    expect(JSON.parse(refused.stdout).hookSpecificOutput.permissionDecision).toBe('deny');
    expect(refused.stdout).toContain('Run: npm ci, then: npx harness-hooks install claude-code');
    // As `npm ci` leaves it.
    const package_ = join(clone, 'node_modules/harness-hooks');
    mkdirSync(package_, { recursive: true });
    symlinkSync(join(dirname(CLI_FILE), '..'), join(package_, 'dist'));
    write(package_, 'package.json', '{\n  "version": "0.3.0"\n}\n');
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    expect(fire(there, CALL, path).stdout).toContain('not that file');
    rmSync(join(clone, 'node_modules'), { recursive: true });
    const before = wholeTree(clone);
    const installed = await harness(['install', 'claude-code'], { cwd: clone, env: { HOME: other } });
    expect(installed.stdout).toContain('claude-code is installed already');
    expect(wholeTree(clone)).toEqual(before);
    expect(fire(there, CALL).stdout).toContain('not that file');
    const doctor = await harness(['doctor', 'claude-code'], { cwd: clone, env: { HOME: other } });
    expect(doctor).toMatchObject({ code: 0, stdout: expect.not.stringContaining('note') });
  });

  it('lets a team choose that a machine without Harness is only warned, and says so', async () => {
    const { dir, home, run } = world();
    expect((await run('install', 'claude-code', '--missing', 'warn')).code).toBe(0);
    const doctor = await run('doctor', 'claude-code');
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('--missing warn') });
    expect((await run('status')).stdout).toContain('--missing warn');
    // Kept by the next installation, which does not say anything about it.
    expect((await run('install', 'codex')).code).toBe(0);
    rmSync(join(home, '.local/state/harness/engine'), { recursive: true });
    const { stdout, stderr, status } = fire({ dir, home }, CALL);
    expect({ status, said: Object.keys(JSON.parse(stdout)) }).toEqual({ status: 0, said: ['systemMessage'] });
    expect(stderr).toContain('Harness is not installed on this machine');
    expect((await run('install', 'codex', '--missing', 'maybe')).stderr).toContain('want refuse or warn');
  });

  it('passes, loudly and on record, while a person paused it', async () => {
    if (existsSync('/etc/harness')) return;
    const { dir, home, run } = world();
    await run('install', 'claude-code');
    const state = join(home, '.local/state/harness');
    const now = Date.now();
    const pause = { version: 1, since: now, until: now + 60_000, reason: 'locked out' };
    writeFileSync(join(state, 'pause.json'), JSON.stringify(pause), { mode: 0o600 });
    const passed = fire({ dir, home }, CALL);
    expect(passed).toMatchObject({ status: 0, stderr: expect.stringContaining('GUARD PAUSED until') });
    // The person at the agent reads it too, and nothing else is said.
    expect(Object.keys(JSON.parse(passed.stdout))).toEqual(['systemMessage']);
    expect(readFileSync(join(state, 'pauses.jsonl'), 'utf8')).toContain(
      '"what":"passed","agent":"claude-code"',
    );
    expect((await run('status')).stdout).toContain('everything: paused until');
    expect((await run('doctor', 'claude-code')).code).toBe(1);
    writeFileSync(join(state, 'pause.json'), JSON.stringify({ ...pause, until: now }), { mode: 0o600 });
    expect(fire({ dir, home }, CALL).stdout).toContain('not that file');
  });
});

describe('a folder with an odd name', () => {
  it('is guarded like any other, and nothing of its name is run', async () => {
    const { home, run } = world();
    const dir = join(dirname(home), `it's a "dir" $(touch ran) \\ é`);
    write(dir, '.harness/hooks/no-secrets.md', NO_SECRETS);
    const agents = ['claude-code', 'codex', 'copilot', 'cline', 'opencode', 'pi'];
    write(home, '.codex/config.toml', `[projects.${JSON.stringify(dir)}]\ntrust_level = "trusted"\n`);
    expect((await run('install', ...agents, '--dir', dir)).code).toBe(0);
    // Claude Code's line is run below.
    for (const agent of agents.slice(1)) {
      const { code, stdout } = await run('doctor', agent, '--dir', dir, '--json');
      const [{ problems }] = JSON.parse(stdout).agents;
      expect({ agent, code, problems }).toEqual({ agent, code: 0, problems: [] });
    }
    const blocked = fire({ dir, home }, CALL);
    expect(blocked.stdout).toContain('not that file');
    expect(readdirSync(home)).not.toContain('ran');
    expect((await run('uninstall', ...agents, '--dir', dir)).code).toBe(0);
    expect(readdirSync(dir)).toEqual(['.harness']);
  });
});

describe('pause', () => {
  it('is refused without a terminal', async () => {
    const { home, run } = world();
    const finished = await run('pause', '--for', '10m', '--reason', 'x');
    expect(finished).toMatchObject({ code: 2, stderr: expect.stringContaining('a person at a terminal') });
    expect(existsSync(join(home, '.local'))).toBe(false);
  });
});

describe('doctor', () => {
  it('finds every guard of every agent in order: each event and each fault is answered', async () => {
    const { dir, home, run } = world({
      'home/.gemini/settings.json': '{"security":{"folderTrust":{"enabled":false}}}',
    });
    write(home, '.codex/config.toml', `[projects."${dir}"]\ntrust_level = "trusted"\n`);
    await run('install', ...AGENTS);
    for (const agent of AGENTS) {
      const { code, stdout } = await run('doctor', agent, '--json');
      const [report] = JSON.parse(stdout).agents;
      expect({ agent, code, problems: report.problems }).toEqual({ agent, code: 0, problems: [] });
      expect(report.canaries.length).toBeGreaterThanOrEqual(report.events.length);
    }
    // It looked, and left nothing: no session, no tape.
    expect(existsSync(join(dir, '.harness/runs'))).toBe(false);
  });

  it('lets ordinary calls pass under the policy of init, and is red if one line of path_guard is wrong', async () => {
    const { dir, run } = world();
    rmSync(join(dir, '.harness'), { recursive: true });
    await run('init');
    await run('install', 'cline');
    const good = await run('doctor', 'cline');
    expect({ code: good.code, stdout: good.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('4 of 4 ordinary calls passed'),
    });
    const guard = join(dir, '.harness/hooks/path_guard.md');
    const text = readFileSync(guard, 'utf8');
    const wrong = text.replace('if not fault:', 'if fault:');
    expect(wrong).not.toBe(text);
    writeFileSync(guard, wrong);
    const { code, stdout } = await run('doctor', 'cline');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /problem .*ordinary work, write a file in the project: hook "path_guard" \(\.harness\/hooks\/path_guard\.md:\d+\) blocks it/,
    );
    expect(stdout).toContain('3 of 4 ordinary calls passed');
    // A guard that stops nothing lets all ordinary work pass: its own tests give it away.
    writeFileSync(guard, text.replace('return block(', 'return allow() or ('));
    const off = await run('doctor', 'cline');
    expect(off).toMatchObject({ code: 1, stdout: expect.stringContaining('4 of 4 ordinary calls passed') });
    expect(off.stdout).toMatch(
      /problem .*hook "path_guard" \(\.harness\/hooks\/path_guard\.md:\d+\) does not decide as its test/,
    );
  });

  it('notes an ordinary call that a hook of the person stops, and stays green', async () => {
    const { dir, run } = world();
    const stops = 'return block("not on Fridays") if "git" in str(payload["args"]) else allow()';
    write(
      dir,
      '.harness/hooks/fridays.md',
      hookFile(`event: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      ${stops}`),
    );
    await run('install', 'cline');
    const { code, stdout } = await run('doctor', 'cline', '--json');
    const [report] = JSON.parse(stdout).agents;
    expect({ code, problems: report.problems }).toEqual({ code: 0, problems: [] });
    expect(report.notes).toContainEqual(
      expect.stringMatching(
        /^ordinary work, commit: hook "fridays" \(.*fridays\.md:\d+\) blocks it: not on Fridays$/,
      ),
    );
  });

  it('reports everything that is wrong at once', async () => {
    const { dir, home, run } = world();
    await run('install', 'claude-code');
    edit(dir, (hooks, all) => {
      delete hooks.PreToolUse;
      all.disableAllHooks = true;
    });
    writeFileSync(join(dir, '.harness/guard'), 'exit 0\n');
    writeFileSync(join(home, '.local/state/harness/engine/current/dist/cli/hook.cjs'), '');
    const { code, stdout } = await run('doctor');
    expect(code).toBe(1);
    for (const words of [
      'not registered for PreToolUse',
      'disableAllHooks is set',
      'guard is not the guard that this version writes',
      "the user's copy of Harness, was changed",
    ])
      expect(stdout).toContain(words);
  });

  it.each<[string, (world: World) => void, RegExp]>([
    [
      'the policy is gone',
      ({ dir }) => rmSync(join(dir, '.harness'), { recursive: true }),
      /guard is missing or cannot be read, so every call is blocked/,
    ],
    [
      'the settings are broken',
      ({ dir }) => writeFileSync(join(dir, '.claude/settings.json'), '{"hooks": {'),
      /settings\.json:1:12: want/,
    ],
    [
      'everything was taken out',
      ({ dir }) => writeFileSync(join(dir, '.claude/settings.json'), '{}'),
      /nothing of it stands in/,
    ],
    [
      'the line is another',
      ({ dir }) => edit(dir, ({ Stop }) => (Stop[0].hooks[0].command = 'exit 0 # harness-guard:claude-code')),
      /Stop, faults: not tried/,
    ],
  ])('reports it if %s', async (_title, spoil, words) => {
    const here = world();
    await here.run('install', 'claude-code');
    spoil(here);
    const { code, stdout } = await here.run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(words);
  });

  /** Each leaves the registered line whole, and keeps it from being run or heard. */
  const EDITED: readonly (readonly [agent: string, file: string, from: RegExp, to: string])[] = [
    ['claude-code', '.claude/settings.json', /"matcher": "\*"/, '"matcher": "NoSuchTool"'],
    ['codex', '.codex/hooks.json', /"matcher": "\.\*"/, '"matcher": "NoSuchTool"'],
    ['gemini-cli', '.gemini/settings.json', /"timeout": \d+/, '"timeout": 1'],
    ['qwen-code', '.qwen/settings.json', /"timeout": \d+/, '"timeout": 1'],
    ['copilot', '.github/hooks/harness.json', /"bash":/, '"powershell":'],
    ['cursor', '.cursor/hooks.json', /"failClosed": true/, '"failClosed": false'],
    ['cline', '.clinerules/hooks/PreToolUse', /\n/, '\nexit 0\n'],
    ['opencode', '.harness-guard/opencode.js', /export const Harness/, 'const Harness'],
    ['pi', '.pi/extensions/harness.ts', /pi\.on\('tool_call'/, "pi.on('tool_begun'"],
  ];
  it('and `status` report an entry that was edited around its line, of every agent', async () => {
    const { dir, run } = world();
    await run('install', ...AGENTS);
    for (const [, file, from, to] of EDITED) {
      const before = readFileSync(join(dir, file), 'utf8');
      const after = before.replace(from, to);
      expect(after, file).not.toBe(before);
      writeFileSync(join(dir, file), after);
    }
    const { stdout } = await run('status', '--json');
    const { agents, off } = JSON.parse(stdout);
    expect(agents.map(({ agent }: { agent: string }) => agent).sort()).toEqual([...AGENTS].sort());
    for (const { agent, problems } of agents) {
      expect(problems.join('\n'), agent).toContain('since it was installed');
      expect(off.join('\n'), agent).toContain(`${agent}: `);
    }
    expect((await run('doctor', 'claude-code')).code).toBe(1);
    await run('install', ...AGENTS);
    const mended = JSON.parse((await run('status', '--json')).stdout);
    expect(JSON.stringify(mended.agents)).not.toContain('since it was installed');
    await run('uninstall', ...AGENTS);
  });

  it('reports a trust entry that is gone', async () => {
    const { dir, home, run } = world();
    write(home, '.codex/config.toml', `[projects."${dir}"]\ntrust_level = "trusted"\n`);
    await run('install', 'codex');
    expect((await run('doctor', 'codex')).code).toBe(0);
    write(home, '.codex/config.toml', `[projects."${dir}"]\ntrust_level = "trusted"\n`);
    const { code, stdout } = await run('doctor', 'codex');
    expect(code).toBe(1);
    expect(stdout).toContain('config.toml does not hold what lets the hooks run');
  });

  /** The agent's own trust step, missing: with what the user's folder then says, and the words of the person's next step. */
  const UNTRUSTED: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['codex', {}, 'codex reads DIR/.codex only in a folder it trusts: start codex there once and trust it'],
    [
      'gemini-cli',
      {},
      'gemini reads DIR/.gemini only in a folder it trusts: start gemini there once and trust it',
    ],
    [
      'qwen-code',
      { '.qwen/settings.json': '{"security":{"folderTrust":{"enabled":true}}}' },
      'qwen reads DIR/.qwen only in a folder it trusts: start qwen there once and trust it',
    ],
  ];
  const TRUSTED: Readonly<Record<string, (dir: string) => readonly [string, string]>> = {
    codex: (dir) => ['.codex/config.toml', `[projects."${dir}"]\ntrust_level = "trusted"\n`],
    'gemini-cli': (dir) => ['.gemini/trustedFolders.json', JSON.stringify({ [dir]: 'TRUST_FOLDER' })],
    'qwen-code': (dir) => ['.qwen/trustedFolders.json', JSON.stringify({ [dir]: 'TRUST_FOLDER' })],
  };
  it.each(UNTRUSTED)(
    'and `status` are red while %s does not trust the folder, say what to do, and are green after it',
    async (agent, files, words) => {
      const { dir, home, run } = world();
      for (const [path, text] of Object.entries(files)) write(home, path, text);
      await run('install', agent);
      const problem = words.replace('DIR', dir);
      const untrusted = [await run('doctor', agent), await run('status')];
      for (const { stdout } of untrusted) expect(stdout).toContain(problem);
      expect(untrusted[0]!.code).toBe(1);
      const [path, text] = TRUSTED[agent]!(dir);
      write(
        home,
        path,
        `${existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : ''}${text}`,
      );
      expect(await run('doctor', agent)).toMatchObject({ code: 0 });
      expect((await run('status')).stdout).not.toContain('only in a folder it trusts');
    },
  );

  it('reports a session that the agent wrote down and no tape has', async () => {
    const { dir, home, run } = world();
    await run('install', 'claude-code');
    const folder = join(home, '.claude/projects', dir.replace(/[^A-Za-z0-9]/g, '-'));
    const entry = (time: number) =>
      `${JSON.stringify({ type: 'user', timestamp: new Date(time).toISOString() })}\n`;
    write(folder, 'before.jsonl', entry(Date.now() - 3_600_000));
    write(folder, 's1.jsonl', entry(Date.now() + 1000));
    write(folder, 'ghost.jsonl', entry(Date.now() + 1000));
    fire({ dir, home }, CALL);
    const { code, stdout } = await run('doctor', 'claude-code');
    expect(code).toBe(1);
    expect(stdout).toContain('session ghost is on no tape');
    expect(stdout).not.toMatch(/session (s1|before) /);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: settings of another program, spoiled on purpose
function edit(dir: string, change: (hooks: any, all: any) => unknown): void {
  const file = join(dir, '.claude/settings.json');
  const all = JSON.parse(readFileSync(file, 'utf8'));
  change(all.hooks, all);
  writeFileSync(file, JSON.stringify(all));
}

describe('status', () => {
  it('shows agents, policy, the last decision and what is off', async () => {
    const { dir, home, run } = world();
    const nothing = await run('status');
    expect(nothing.stdout).toContain('no agent is guarded here');
    await run('install', 'claude-code');
    fire({ dir, home }, CALL);
    const { stdout } = await run('status', '--json');
    const status = JSON.parse(stdout);
    expect(status.agents).toMatchObject([{ agent: 'claude-code', scope: 'project', problems: [] }]);
    expect(status.last).toMatchObject({
      host: 'claude-code',
      event: 'tool.pre',
      action: 'block',
      hook: 'no-secrets',
    });
    expect(status.policy.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await run('status')).stdout).toMatch(/claude-code {2}project {2}\d+ events {2}registered/);
    // Looking makes nothing.
    expect(existsSync(join(home, '.config'))).toBe(false);
  });

  it('says that a folder requests capabilities that nobody has agreed to', async () => {
    const { dir, home, run } = world();
    expect((await run('status')).stdout).toContain('nothing is asked for');
    const handler = { type: 'command', command: 'true' };
    write(dir, '.harness/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks: [handler] }] } }));
    expect((await run('status')).stdout).toContain('is trusted with 1 capability');
    const { stdout } = await harness(['status'], { cwd: dir, env: { HOME: home, HARNESS_TRUST: '' } });
    expect(stdout).toContain('requests 1 capability and is not trusted');
  });
});
