/**
 * Containment from one end to the other: a session with its tools, hooks and servers, an outside agent under `harness sandbox`, and the demo.
 * The agent is a stand-in that does what matters here: it runs the line that is registered with it, and tries its walls.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { enclosed, isRoot, whyNotEnclosed } from '../support/enclosed.ts';

if (spawnSync('bwrap', ['--version']).status !== 0 && isRoot) {
  spawnSync('apt-get', ['install', '-y', 'bubblewrap'], { stdio: 'ignore', timeout: 300_000 });
}

const top = mkdtempSync(join(tmpdir(), 'harness-whole-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const home = join(top, 'home');
mkdirSync(home);

function harness(args: readonly string[], cwd = top, env: Record<string, string> = {}) {
  const walls = enclosed([process.execPath, CLI_FILE, ...args], {
    ...{ place: top, cwd, env: { HOME: home, HARNESS_TRUST: 'all', ...env } },
    user: isRoot ? 'root' : 'person',
  });
  const [file = '', ...words] = walls.argv;
  const { status, stdout, stderr } = spawnSync(file, words, {
    env: walls.env,
    encoding: 'utf8',
    timeout: 110_000,
  });
  return { status, stdout, stderr };
}

function project(name: string, files: Readonly<Record<string, string>>): string {
  const dir = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

const why = whyNotEnclosed(process.execPath, CLI_FILE, '--version') ?? problemHere();
if (why !== null) console.warn(`SKIPPED: no sandbox can be made here: ${why}`);

function problemHere(): string | null {
  const { sandbox } = JSON.parse(harness(['doctor', '--json']).stdout) as {
    sandbox: { available: boolean; problem: string | null; limitProblem: string | null };
  };
  return sandbox.problem ?? sandbox.limitProblem;
}

const TOOL = `---
parameters: {command: {type: string, required: true}}
sandbox: {limits: {processes: 40}}
script: |
  def run(args):
      return exec.shell(args["command"])
---

Runs a command.
`;
const ALLOW =
  '---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n';

describe.skipIf(why !== null)('a session in a sandbox', () => {
  const files = {
    'harness.md': `---\nmodel: scripted:script.yaml\nsandbox: true\nmcp_servers:\n  notes: {command: node, args: [server.mjs]}\n---\n\nDo it.\n`,
    'script.yaml': [
      'prompts: [go]',
      'completions:',
      '  - tool_calls: [{name: run_command, args: {command: sh try.sh}}]',
      '  - tool_calls: [{name: notes__where, args: {}}]',
      '  - text: done',
    ].join('\n'),
    'try.sh':
      'echo x > .harness/hooks/a.md; ls -A ~; ls -d /proc/[0-9]* | wc -l; ulimit -p 2>/dev/null || true\n',
    '.harness/tools/run_command.md': TOOL,
    '.harness/hooks/a.md': ALLOW,
    '.harness/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'sh hook.sh' }] }] },
    }),
    'hook.sh':
      'cat > /dev/null; ls -d /proc/[0-9]* | wc -l > seen-by-hook; { echo x > .harness/hooks/by-hook.md; } 2> said-to-hook; exit 0\n',
    'server.mjs': `
import { createInterface } from 'node:readline';
import { existsSync, readdirSync } from 'node:fs';
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } });
  else if (method === 'tools/list') say(id, { tools: [{ name: 'where', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'sees ' + readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).length + ' processes' }] });
}
`,
  };

  it('its tools, command hooks and MCP servers are inside, and the tape says so', () => {
    const dir = project('session', files);
    const { status, stdout, stderr } = harness(['run', dir, '--json'], dir);
    expect(stderr).not.toMatch(/error|MCP server/);
    expect(status).toBe(0);
    expect(readFileSync(join(dir, '.harness/hooks/a.md'), 'utf8')).toBe(ALLOW);
    expect(readdirSync(join(dir, '.harness/hooks'))).toEqual(['a.md']);
    expect(Number(readFileSync(join(dir, 'seen-by-hook'), 'utf8'))).toBeLessThan(12);
    expect(readFileSync(join(dir, 'said-to-hook'), 'utf8')).toMatch(/read-only/i);
    expect(stdout).toMatch(/sees [1-9] processes/);
    const [tape] = readdirSync(join(dir, '.harness/runs')).filter((name) => name.endsWith('.jsonl'));
    const records = readFileSync(join(dir, '.harness/runs', tape!), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { record?: Record<string, unknown> }).record);
    const call = records.find((record) => record?.type === 'call');
    expect(call).toMatchObject({
      verdict: 'ran',
      sandbox: { network: 'off', workspace: 'writable', limits: { processes: 40 } },
    });
    const pre = JSON.stringify(records.find((record) => JSON.stringify(record ?? 0).includes('"tool.pre"')));
    expect(pre).toContain('"sandbox":{');
    expect(harness(['tape', 'verify', join(dir, '.harness/runs', tape!)], dir).status).toBe(0);
    const replayed = harness(['replay', join(dir, '.harness/runs', tape!), '--dir', dir, '--json'], dir);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ differences: [] });
  });

  it('where it cannot be made nothing is started, and it is said', () => {
    const dir = project('nowhere', files);
    const { status, stderr } = harness(['run', dir], dir, {
      PATH: dirname(process.execPath).replace(/^\/usr.*/, '/nonexistent'),
    });
    expect(stderr).toContain('SANDBOX_UNAVAILABLE');
    expect(stderr).toContain('Nothing was started');
    expect(status).toBe(1);
  });

  it('`harness demo --sandbox` shows attempts that the hooks let pass and the sandbox held', () => {
    const { status, stdout } = harness(['demo', '--sandbox']);
    expect(stdout).not.toContain('BROKEN');
    expect(stdout.match(/^held/gm)).toHaveLength(5);
    expect(status).toBe(0);
  });
});

describe.skipIf(why !== null)('an outside agent under `harness sandbox`', () => {
  it('has its hooks, which decide outside; its settings, but not those that guard it; and its walls', () => {
    const dir = project('agent', {
      '.harness/hooks/no.md':
        '---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("not that") if "forbidden" in str(payload["args"]) else allow()\n---\n',
      'credential-outside': '',
    });
    writeFileSync(join(home, '.netrc'), 'planted-credential');
    const bin = join(top, 'bin');
    mkdirSync(bin);
    // It does what the program of that name would: runs each registered line with its payload, and shows what came of it.
    writeFileSync(
      join(bin, 'claude'),
      `#!${process.execPath}
const { execSync, spawnSync } = require('node:child_process');
const { readFileSync, writeFileSync, renameSync, readdirSync } = require('node:fs');
const { homedir } = require('node:os');
const said = {};
const tried = (name, work) => { try { said[name] = work() ?? 'done'; } catch (error) { said[name] = error.code ?? 'failed'; } };
const settings = JSON.parse(readFileSync('.claude/settings.json', 'utf8'));
const line = settings.hooks.PreToolUse[0].hooks[0].command;
const ask = (command) => spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8', env: { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() }, input: JSON.stringify({ session_id: 's1', cwd: process.cwd(), hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: command, tool_input: { command } }) });
said.allowed = ask('ls').stdout;
said.blocked = ask('forbidden thing').stdout;
tried('config', () => writeFileSync(homedir() + '/.claude/session', 'x'));
tried('settings', () => writeFileSync('.claude/settings.json', '{}'));
tried('local', () => writeFileSync('.claude/settings.local.json', '{"disableAllHooks": true}'));
tried('policy', () => writeFileSync('.harness/hooks/no.md', ''));
tried('tape', () => writeFileSync('.harness/runs/x', ''));
tried('state', () => writeFileSync(homedir() + '/.local/state/harness/x', ''));
tried('user', () => writeFileSync(homedir() + '/.config/harness/harness.md', ''));
tried('netrc', () => readFileSync(homedir() + '/.netrc', 'utf8'));
tried('work', () => writeFileSync('made', 'x'));
said.home = readdirSync(homedir()).sort();
console.log(JSON.stringify(said));
`,
    );
    chmodSync(join(bin, 'claude'), 0o755);
    mkdirSync(join(home, '.claude'), { recursive: true });
    expect(harness(['install', 'claude-code', '--dir', dir], dir).status).toBe(0);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const { status, stdout, stderr } = harness(['sandbox', '--', 'claude'], dir, env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const said = JSON.parse(stdout) as Record<string, unknown>;
    expect(said.allowed).toBe('');
    expect(said.blocked).toContain('not that');
    expect(said).toMatchObject({ config: 'done', work: 'done', netrc: 'ENOENT' });
    for (const name of ['settings', 'local', 'policy', 'tape', 'state', 'user'])
      expect(said[name]).toMatch(/^E(ROFS|NOENT|ACCES)$/);
    expect(said.home).not.toContain('.netrc');
    expect(readFileSync(join(home, '.claude/session'), 'utf8')).toBe('x');
    const tapes = readdirSync(join(dir, '.harness/runs')).filter((name) => name.endsWith('.jsonl'));
    expect(tapes).toHaveLength(1);
    expect(readFileSync(join(dir, '.harness/runs', tapes[0]!), 'utf8')).toContain('not that');
  });

  it('a program behind a link finds what stands beside it', () => {
    const dir = project('linked', { 'a.txt': '' });
    const own = join(top, 'node_modules/tool');
    mkdirSync(join(own, 'dist'), { recursive: true });
    writeFileSync(join(own, 'dist/said.mjs'), "export const said = 'found';");
    writeFileSync(
      join(own, 'dist/cli.mjs'),
      `#!${process.execPath}\nimport { said } from './said.mjs';\nconsole.log(said);\n`,
    );
    chmodSync(join(own, 'dist/cli.mjs'), 0o755);
    symlinkSync(join(own, 'dist/cli.mjs'), join(top, 'tool'));
    const { status, stdout } = harness(['sandbox', '--', join(top, 'tool')], dir);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'found\n' });
  });

  it('a policy file that is made inside is told, and the run is no success', () => {
    const dir = project('makes', { '.harness/hooks/a.md': ALLOW });
    const { status, stderr } = harness(['sandbox', '--', 'sh', '-c', ': > harn.toml'], dir);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/harn\.toml" was not there before/),
    });
    expect(harness(['sandbox', '--', 'sh', '-c', ': > notes.toml'], dir)).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it.skipIf(!isRoot)('no control group is left, also of those who were killed', () => {
    const dir = project('groups', { 'a.txt': '' });
    const left = (group: string) =>
      spawnSync('find', ['/sys/fs/cgroup', '-name', group], { encoding: 'utf8' }).stdout;
    const script = 'cat /proc/self/cgroup; sleep 100 & :';
    const { stdout } = harness(['sandbox', '--', 'sh', '-c', script], dir);
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*\/harness-[^/\n]+)$/m.exec(stdout) ?? [];
    expect(path).not.toBe('');
    expect(left(basename(path))).toBe('');
    const forsaken = join('/sys/fs/cgroup', controllers, dirname(path), 'harness-forsaken');
    mkdirSync(forsaken, { recursive: true });
    utimesSync(forsaken, 0, 0);
    harness(['sandbox', '--', 'true'], dir);
    expect(left('harness-forsaken')).toBe('');
  });

  it('exits as the program does', () => {
    const dir = project('exits', { 'a.txt': '' });
    expect(harness(['sandbox', '--', 'sh', '-c', 'exit 7'], dir).status).toBe(7);
    expect(harness(['sandbox', '--', 'sh', '-c', 'kill -9 $$'], dir).status).toBe(137);
    const { status, stderr } = harness(['sandbox', '--', 'nosuchprogram'], dir);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('no such program') });
  });
});
