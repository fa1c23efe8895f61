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

function call(command: string, args: readonly string[], cwd: string, input = '') {
  const child = spawn(command, args, { cwd, env });
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
});
