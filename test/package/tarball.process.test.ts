/**
 * What `npm pack` makes of the last build, fetched from a registry on loopback and used as somebody does who has nothing but Node: no
 * settings of npm, an empty folder.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/base/index.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { ROOT } from './entry-points.ts';

const LARGEST = 2_000_000;
const ON_WRITING_HOOKS = ['guide/first-hook', 'guide/authoring', 'reference/hook-artifact'].map(
  (name) => `docs/${name}.md`,
);
const scratch = mkdtempSync(join(tmpdir(), 'harness-tarball-'));
const env: Record<string, string> = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: emptyFolder('home'),
  HARNESS_DAEMON: 'off',
  npm_config_cache: join(scratch, 'cache'),
  npm_config_update_notifier: 'false',
};
let tarball = '';
let packed: readonly string[] = [];
const registry = createServer((request, response) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const bytes = readFileSync(tarball);
  if (request.url?.endsWith('.tgz') === true) {
    response.end(bytes);
    return;
  }
  if (request.url !== '/harness-hooks') {
    response.writeHead(404).end('{}');
    return;
  }
  const dist = {
    tarball: `${env.npm_config_registry}harness-hooks.tgz`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
  const { version } = manifest;
  const versions = { [version]: { ...manifest, dist } };
  response.end(JSON.stringify({ name: 'harness-hooks', 'dist-tags': { latest: version }, versions }));
});

function call(
  command: string,
  args: readonly string[],
  cwd: string,
  input = '',
  more: Readonly<Record<string, string>> = {},
) {
  const child = spawn(command, args, { cwd, env: { ...env, ...more } });
  const out = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (out[stream] += String(chunk)));
  child.stdin.end(input);
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (status) => resolve({ status, ...out })),
  );
}

function emptyFolder(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

beforeAll(async () => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch];
  const { stdout } = await call('npm', pack, ROOT);
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = join(scratch, filename);
  packed = files.map(({ path }) => path);
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  env.npm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});
afterAll(() => {
  registry.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe('the packed package', () => {
  it('weighs less than 2 MB', () => {
    expect(statSync(tarball).size).toBeLessThan(LARGEST);
  });

  it('has the pages that messages of the command name and those on writing a hook; the others are in the repository and on its site', () => {
    const messages = [...Object.values(ERRORS).map(({ fix }) => fix), ...COMMANDS.map(({ about }) => about)];
    const named = messages.flatMap((text) =>
      [...text.matchAll(/\bdocs\/[\w/-]+\.md/g)].map(([path]) => path),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(packed.filter((path) => path.startsWith('docs/')).sort()).toEqual(
      [...new Set([...named, ...ON_WRITING_HOOKS])].sort(),
    );
  });

  it('has the licences of what is inside, no picture of a screen, no source and no code twice', () => {
    const odd = packed.filter((path) => /\.(png|ts|tsx|tsv|yaml)$/.test(path) && !path.endsWith('.d.ts'));
    expect(odd).toEqual([]);
    expect(packed).not.toContain('dist/index.js');
    const notices = readFileSync(join(ROOT, 'dist/THIRD-PARTY.md'), 'utf8');
    expect(packed).toContain('dist/THIRD-PARTY.md');
    for (const name of ['yaml', 're2js', 'preact', 'sucrase'])
      expect(notices).toMatch(new RegExp(`^## .*\\b${name} \\d`, 'm'));
  });

  it('`npx harness-hooks init` in an empty folder writes a policy that is valid and decides', async () => {
    const cwd = emptyFolder('tried');
    const npx = (args: readonly string[], input?: string) =>
      call('npx', ['--yes', 'harness-hooks', ...args], cwd, input);
    const written = await npx(['init']);
    expect(written).toMatchObject({ status: 0, stderr: '' });
    expect(written.stdout).toContain('npx harness-hooks validate');
    expect(await npx(['validate', '--strict'])).toMatchObject({ status: 0, stderr: '' });
    const rm = JSON.stringify({ name: 'run_command', args: { command: 'sudo rm -rf /' } });
    const { stdout } = await npx(['decide', 'tool.pre', '--json'], rm);
    expect(JSON.parse(stdout)).toMatchObject({ action: 'block', hook: 'command_guard' });
  });

  it('is installed where Loom was, as docs/from.md says, and the code of its page runs with nothing changed', async () => {
    const cwd = emptyFolder('was-loom');
    writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}\n');
    const [line] = /(?<=`npm )install [^`]+/.exec(readFileSync(join(ROOT, 'docs/from.md'), 'utf8'))!;
    expect(await call('npm', line.split(' '), cwd)).toMatchObject({ status: 0 });
    const sample = readFileSync(join(ROOT, 'test/seeds/samples/wiring.ts.txt'), 'utf8');
    writeFileSync(
      join(cwd, 'wiring.mjs'),
      `import { scriptedProvider } from '@ownware/loom/agent'
const archiveRun = (...run) => console.log(run.join(' '))
const config = { model: 'm', sessionId: 's1' }
const tool_calls = [{ id: 'a', name: 'read', args: { file_path: '/srv/prod/x' } }]
const provider = scriptedProvider({ completions: [{ tool_calls }, { text: 'ok' }] })
const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object' }, run: () => console.log('ran') }]
${sample}
await session.run('go').result
`,
    );
    const { stdout } = await call(process.execPath, ['wiring.mjs'], cwd);
    expect(stdout).toBe('s1 end_turn\n');
  });

  it('is installed without a warning and without another package; both names of its command are there', async () => {
    const cwd = emptyFolder('installed');
    writeFileSync(join(cwd, 'package.json'), '{"private":true}\n');
    expect(await call('npm', ['install', '--no-audit', '--no-fund', 'harness-hooks'], cwd)).toMatchObject({
      status: 0,
      stderr: '',
    });
    const names = readdirSync(join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['harness-hooks']);
    for (const name of ['harness', 'harness-hooks'])
      expect(await call('npx', ['--no-install', name, '--version'], cwd)).toMatchObject({
        status: 0,
        stderr: '',
      });
    const program = "import('harness-hooks').then(({ openPolicy }) => console.log(typeof openPolicy))";
    expect((await call(process.execPath, ['-e', program], cwd)).stdout).toBe('function\n');
  });

  it('installs guards from the cache of npx that stay when that cache is gone, and names no path of it', async () => {
    const cwd = emptyFolder('by-npx');
    const HOME = emptyFolder('home-by-npx');
    const npx = (...args: string[]) =>
      call('npx', ['--yes', 'harness-hooks', ...args], cwd, '', {
        HOME,
        npm_config_cache: join(scratch, 'npx'),
      });
    expect(await npx('init', '--yes')).toMatchObject({ status: 0 });
    expect(await npx('install', 'claude-code', 'cline')).toMatchObject({ status: 0 });
    for (const folder of [cwd, HOME]) {
      const names = readdirSync(folder, { recursive: true, withFileTypes: true });
      const files = names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const own = files.filter((file) => !file.includes('/engine/') && !file.includes('/.npm/'));
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((file) => readFileSync(file, 'utf8').includes('_npx'))).toEqual([]);
    }
    rmSync(join(scratch, 'npx'), { recursive: true });
    expect((await fire(cwd, HOME, 'rm -rf ../..')).stdout).toContain('recursive rm of ../..');
    expect(await fire(cwd, HOME, 'ls')).toMatchObject({ status: 0, stdout: '' });
  });

  it('guards a clone of a repository with committed guards after `npm ci`, and refuses before it with what to type', async () => {
    const [team, HOME] = [emptyFolder('team'), emptyFolder('home-of-the-team')];
    const git = (cwd: string, ...args: string[]) =>
      call('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], cwd);
    await git(team, 'init', '-q');
    writeFileSync(join(team, 'package.json'), '{"private":true}\n');
    writeFileSync(join(team, '.gitignore'), 'node_modules\n');
    expect(await call('npm', ['install', '-D', 'harness-hooks'], team)).toMatchObject({ status: 0 });
    for (const args of [
      ['init', '--yes'],
      ['install', 'claude-code', 'codex'],
    ])
      expect(await call('npx', ['harness-hooks', ...args], team, '', { HOME })).toMatchObject({ status: 0 });
    await git(team, 'add', '-A');
    expect(await git(team, 'commit', '-qm', 'guards')).toMatchObject({ status: 0 });

    const [clone, other] = [join(scratch, 'clone'), emptyFolder('home-of-another')];
    await git(scratch, 'clone', '-q', team, clone);
    const there = (command: string, agent: Agent = 'claude-code') => fire(clone, other, command, agent);
    for (const agent of ['claude-code', 'codex'] as const) {
      const refused = (await there('ls', agent)).stdout;
      expect(JSON.parse(refused).hookSpecificOutput.permissionDecision).toBe('deny');
      expect(refused).toContain(`Run: npm ci, then: npx harness-hooks install ${agent}`);
    }

    expect(await call('npm', ['ci'], clone, '', { HOME: other })).toMatchObject({ status: 0 });
    for (const agent of ['claude-code', 'codex'] as const) {
      expect((await there('rm -rf ../..', agent)).stdout).toContain('recursive rm of ../..');
      expect(await there('ls', agent)).toMatchObject({ status: 0, stdout: '' });
    }

    // Codex skips hooks that its user has not trusted: a person trusts the folder, `install` writes the digests.
    const npx = (...args: string[]) => call('npx', ['harness-hooks', ...args], clone, '', { HOME: other });
    const untrusted = await npx('doctor', 'codex');
    expect(untrusted.status).toBe(1);
    expect(untrusted.stdout).toContain('config.toml does not hold what lets the hooks run');
    expect(untrusted.stdout).toContain('only in a folder it trusts');
    mkdirSync(join(other, '.codex'));
    writeFileSync(join(other, '.codex/config.toml'), `[projects."${clone}"]\ntrust_level = "trusted"\n`);
    expect(await npx('install', 'codex')).toMatchObject({ status: 0 });
    expect(await npx('doctor', 'codex')).toMatchObject({ status: 0 });
    expect((await git(clone, 'status', '--porcelain')).stdout).toBe('');
  });
});

type Agent = 'claude-code' | 'codex';

/** What the line that is registered in a project comes to, run as the agent runs it for a user with that home. */
function fire(cwd: string, HOME: string, command: string, agent: Agent = 'claude-code') {
  const file = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json' }[agent];
  const line = JSON.parse(readFileSync(join(cwd, file), 'utf8')).hooks.PreToolUse[0].hooks[0].command;
  const payload = {
    ...{ session_id: agent, cwd, hook_event_name: 'PreToolUse', tool_use_id: 't', turn_id: 'u' },
    ...{ tool_name: 'Bash', tool_input: { command } },
  };
  return call('sh', ['-c', line], cwd, JSON.stringify(payload), { HOME, CLAUDE_PROJECT_DIR: cwd });
}
