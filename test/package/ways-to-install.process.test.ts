/**
 * The ways to install Harness that are files of this repository: the action of GitHub, with a recorded event and a server in the place
 * of GitHub; the hooks of pre-commit, with a real commit; the plugin for Claude Code, by the lines that it registers.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { finish, harness, project, write } from '../cli/harness.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** As GitHub sends it for a pull request, shortened to what an action may rely on. */
const EVENT = {
  action: 'synchronize',
  number: 7,
  pull_request: { number: 7, base: { ref: 'main' }, head: { ref: 'looser' } },
  repository: { full_name: 'ann/app' },
};

describe('the action of GitHub', () => {
  const comments: { id: number; body: string }[] = [];
  const asked: string[] = [];
  let server: Server;
  let dir: string;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      if (request.method === 'POST') comments.push({ id: comments.length + 40, body: JSON.parse(text).body });
      if (request.method === 'PATCH') comments[0]!.body = JSON.parse(text).body;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(comments));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    dir = join(project(), 'demo');
    expect(await harness(['demo', dir])).toMatchObject({ code: 0 });
  });
  afterAll(() => server.close());

  const act = (event: unknown = EVENT) => {
    write(dir, 'event.json', JSON.stringify(event));
    for (const file of ['summary.md', 'output']) writeFileSync(join(dir, file), '');
    const { port } = server.address() as AddressInfo;
    return finish([process.execPath, join(root, 'scripts/github-action.mjs')], {
      cwd: dir,
      env: {
        PATH: '/usr/bin:/bin',
        GITHUB_EVENT_PATH: join(dir, 'event.json'),
        GITHUB_STEP_SUMMARY: join(dir, 'summary.md'),
        GITHUB_OUTPUT: join(dir, 'output'),
        GITHUB_API_URL: `http://127.0.0.1:${port}`,
        GITHUB_TOKEN: 'from-the-workflow',
        INPUT_FAIL_ON: 'block->allow',
      },
    });
  };

  it('names each input that its script reads, and passes it on without a shell', () => {
    const { inputs, runs } = parse(read('action.yml'));
    const [{ env, run }] = runs.steps;
    expect(run).toBe('node "$GITHUB_ACTION_PATH/scripts/github-action.mjs"');
    const passed = Object.entries(env).map(([name, value]) => [
      name,
      /\$\{\{ inputs\.([\w-]+) \}\}/.exec(String(value))?.[1],
    ]);
    expect(passed.map(([, name]) => name).sort()).toEqual(Object.keys(inputs).sort());
    const used = [...read('scripts/github-action.mjs').matchAll(/input\('(\w+)'/g)].map(
      ([, name]) => `INPUT_${name}`,
    );
    expect([...new Set(used), 'GITHUB_TOKEN'].sort()).toEqual(passed.map(([name]) => name).sort());
  });

  it('passes a policy that is fine: problems as SARIF, tests run, the backtest as a comment', async () => {
    const done = await act();
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(dir, 'harness.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(readFileSync(join(dir, 'output'), 'utf8')).toBe('sarif=harness.sarif\n');
    expect(done.stdout).toMatch(/\d+ passed of \d+ tests/);
    expect(comments).toHaveLength(1);
    expect(readFileSync(join(dir, 'summary.md'), 'utf8')).toBe(comments[0]!.body.replace(/^.*\n/, ''));
    expect(asked.every((line) => line.endsWith('Bearer from-the-workflow'))).toBe(true);
  });

  it('fails where a change would let a recorded call through, and renews its comment', async () => {
    rmSync(join(dir, '.harness/hooks/prefer_named_tools.md'));
    const before = comments[0]!.body;
    expect(await act()).toMatchObject({ code: 1 });
    expect(comments).toHaveLength(1);
    expect(comments[0]!.body).not.toBe(before);
    expect(comments[0]!.body).toContain('prefer_named_tools');
    expect(asked.at(-1)).toMatch(/^PATCH \/repos\/ann\/app\/issues\/comments\/40 /);
  });

  it('outside of a pull request only validates and tests, and fails for an error in a hook', async () => {
    const count = asked.length;
    write(dir, '.harness/hooks/broken.md', '---\nevent: tool.pred\nscript: x\n---\n');
    const done = await act({ ref: 'refs/heads/main' });
    expect(done.code).toBe(1);
    expect(done.stdout).toMatch(/^::error file=.*broken\.md/m);
    expect(asked).toHaveLength(count);
  });
});

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly language: string;
  readonly files: string;
}

describe('the hooks of pre-commit', () => {
  const hooks = parse(read('.pre-commit-hooks.yaml')) as Hook[];

  it('install this package, and look at files of a policy only', () => {
    const { bin } = JSON.parse(read('package.json'));
    for (const { entry, language, files } of hooks) {
      expect([language, Object.hasOwn(bin, entry.split(' ')[0]!)]).toEqual(['node', true]);
      for (const path of ['.harness/hooks/a.md', 'app/.harness/x', 'harness.md', 'app/harn.toml'])
        expect(path).toMatch(new RegExp(files));
      for (const path of ['src/harness.mdx', 'docs/harness.md.txt', 'README.md'])
        expect(path).not.toMatch(new RegExp(files));
    }
  });

  it('let a commit of a good policy through, and stop one with an error', async () => {
    const dir = project();
    expect(await harness(['init', '--yes', dir])).toMatchObject({ code: 0 });
    const bin = project();
    symlinkSync(CLI_FILE, join(bin, 'harness-hooks'));
    const env = { PATH: `${bin}:${process.env.PATH}`, GIT_CONFIG_GLOBAL: '/dev/null' };
    const git = (...args: string[]) =>
      finish(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: dir, env });
    await git('init', '-q');
    mkdirSync(join(dir, '.git/hooks'), { recursive: true });
    const script = join(dir, '.git/hooks/pre-commit');
    writeFileSync(script, ['#!/bin/sh', 'set -e', ...hooks.map(({ entry }) => entry), ''].join('\n'));
    chmodSync(script, 0o755);
    await git('add', '.');
    expect(await git('commit', '-qm', 'policy')).toMatchObject({ code: 0 });
    write(dir, '.harness/hooks/broken.md', '---\nevent: tool.pred\nscript: x\n---\n');
    await git('add', '.');
    const stopped = await git('commit', '-qm', 'broken');
    expect(stopped.code).not.toBe(0);
    expect(stopped.stdout + stopped.stderr).toContain('did you mean tool.pre?');
    expect(existsSync(join(dir, '.git/MERGE_MSG'))).toBe(false);
  });
});

describe('the plugin for Claude Code', () => {
  const plugin = join(root, 'editors/claude-code');

  it('is in the marketplace of this repository, with the version of the package', () => {
    const { plugins } = JSON.parse(read('.claude-plugin/marketplace.json'));
    expect(plugins).toMatchObject([{ name: 'harness', source: './editors/claude-code' }]);
    const { version } = JSON.parse(read('editors/claude-code/.claude-plugin/plugin.json'));
    expect(version).toBe(JSON.parse(read('package.json')).version);
  });

  it('refuses calls while there is no policy, and says what to type; with one it decides as the policy does', async () => {
    const { hooks } = JSON.parse(readFileSync(join(plugin, 'hooks/hooks.json'), 'utf8'));
    const line = hooks.PreToolUse[0].hooks[0].command;
    const [dir, home, bin] = [project(), project(), project()];
    symlinkSync(CLI_FILE, join(bin, 'harness-hooks'));
    const call = (command: string) =>
      finish(['sh', '-c', line], {
        cwd: dir,
        input: JSON.stringify({
          ...{ session_id: 's', cwd: dir, hook_event_name: 'PreToolUse', tool_use_id: 't' },
          ...{ tool_name: 'Bash', tool_input: { command } },
        }),
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: home,
          CLAUDE_PROJECT_DIR: dir,
          CLAUDE_PLUGIN_ROOT: plugin,
        },
      });
    expect((await call('ls')).stdout).toMatch(/"deny"[\s\S]*No policy here\. Run: harness init/);
    expect(await harness(['init', '--yes', dir])).toMatchObject({ code: 0 });
    expect(await call('ls')).toMatchObject({ code: 0, stdout: '' });
    expect((await call('rm -rf ../..')).stdout).toMatch(/"deny"[\s\S]*recursive rm of \.\.\/\.\./);
  });
});
