/**
 * What a new user types, in the order they type it, against the built command.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, project } from './harness.ts';

const canBePerson = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const call = (command: unknown) => JSON.stringify({ id: '1', name: 'run_command', args: { command } });

async function governed(): Promise<string> {
  const dir = project();
  const made = await harness(['init', dir]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  return dir;
}

describe('a new user', () => {
  it('scaffolds, validates and lists the policy [C055] [C056]', async () => {
    const dir = await governed();
    const validated = await harness(['validate', '--strict', dir]);
    expect(validated).toMatchObject({
      code: 0,
      stderr: '',
      stdout: '9 hooks, 3 tools, 0 errors, 0 warnings\n',
    });

    const listed = await harness(['hooks', dir]);
    expect(listed.code).toBe(0);
    const order = [...listed.stdout.matchAll(/^\s+(\d+) {2}([\w:-]+)/gm)].map(
      (match) => `${match[2]} ${match[1]}`,
    );
    const packs = order.filter((line) => line.startsWith('pack:'));
    expect(packs).toHaveLength(15);
    expect(order.filter((line) => !packs.includes(line))).toEqual([
      'redact_prompt 40',
      'completion_window_guard 40',
      'audit_tool_pre 1',
      'command_guard 10',
      'path_guard 10',
      'prefer_named_tools 20',
      'meta_tool_guard 30',
      'audit_tool_post 1',
      'redact_tool_post 40',
    ]);
    expect(listed.stdout).toContain(
      '— Blocks commands that overwrite a disk, stop the machine, or delete the root, a home folder or the folder above.\n',
    );
  });

  it('sees a destructive command blocked, with the reason, the hook and exit code 2', async () => {
    const dir = await governed();
    const args = ['decide', 'tool.pre', '--dir', dir, '--json', '--exit-code'];
    const blocked = await harness(args, { input: call('sudo rm -rf /') });
    expect(blocked.code).toBe(2);
    expect(JSON.parse(blocked.stdout)).toMatchObject({
      event: 'tool.pre',
      action: 'block',
      hook: 'command_guard',
      reason: 'dangerous command blocked: recursive rm of /',
    });

    const allowed = await harness(args, { input: call('ls -la') });
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout)).toMatchObject({ action: 'allow', reason: null, hook: null });
  });

  it('gets the whole record: one trace entry a hook, in the order of the chain', async () => {
    const dir = await governed();
    const decided = await harness(['decide', 'tool.pre', '--dir', dir, '--json'], {
      input: call('rm -fr /'),
    });
    expect(decided.code).toBe(0);
    const outcome = JSON.parse(decided.stdout);
    expect(Object.keys(outcome)).toEqual([
      'event',
      'action',
      'reason',
      'hook',
      'payload',
      'effects',
      'trace',
    ]);
    const states = outcome.trace.map((entry: { hook: string; state: string }) => [entry.hook, entry.state]);
    expect(states.filter(([hook]: [string]) => !hook.startsWith('pack:'))).toEqual([
      ['audit_tool_pre', 'ran'],
      ['command_guard', 'ran'],
      ['path_guard', 'unreached'],
      ['prefer_named_tools', 'unreached'],
      ['meta_tool_guard', 'unreached'],
      ['floor', 'unreached'],
      ['protected', 'unreached'],
    ]);
    for (const entry of outcome.trace) {
      for (const key of [
        'hook',
        'source',
        'priority',
        'matched',
        'decision',
        'reason',
        'failure',
        'ms',
        'steps',
      ]) {
        expect(entry).toHaveProperty(key);
      }
    }
    expect(outcome.payload.arguments).toBe('{"command":"rm -fr /"}');
  });

  it('is told the story by --explain [C150]', async () => {
    const dir = await governed();
    const told = await harness(['decide', 'tool.pre', '--dir', dir, '--explain'], {
      input: call('rm -rf /'),
    });
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(/1\. +1 {2}audit_tool_pre +allow +always applies, [\d.]+ ms, \d+ steps?/);
    expect(told.stdout).toMatch(/command_guard +block +when payload\["name"\] in .* is true/);
    expect(told.stdout).toMatch(/path_guard +not reached/);
    expect(told.stdout).toContain(
      'Outcome: block by command_guard (.harness/hooks/command_guard.md:30): dangerous command blocked: recursive rm of /.',
    );
    // The list says which hooks were not reached, and says it once.
    expect(told.stdout).not.toContain('Skipped: ');
    for (const line of told.stdout.split('\n').filter((each) => each.includes('not reached')))
      expect(line).toMatch(/not reached *$/);
  });

  it('init never overwrites unless forced, and then writes all of it', async () => {
    const dir = await governed();
    const guard = join(dir, '.harness/hooks/command_guard.md');
    const original = readFileSync(guard, 'utf8');
    writeFileSync(guard, 'mine');
    const again = await harness(['init', dir]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('command_guard.md');
    expect(readFileSync(guard, 'utf8')).toBe('mine');
    expect((await harness(['init', '--force', dir])).code).toBe(0);
    expect(readFileSync(guard, 'utf8')).toBe(original);
  });

  it('an init that was cut off is named by validate and finished by the next one', async () => {
    const dir = project();
    // A file in the place of a folder: init stops after 12 of its 15 files, as if it was killed there.
    mkdirSync(join(dir, '.harness'));
    writeFileSync(join(dir, '.harness/tools'), '');
    expect((await harness(['init', dir])).code).not.toBe(0);
    rmSync(join(dir, '.harness/tools'));
    expect(existsSync(join(dir, '.harness/hooks/command_guard.md'))).toBe(true);
    const half = await harness(['validate', dir]);
    expect(half.code).toBe(1);
    expect(half.stdout + half.stderr).toMatch(
      /INIT_UNFINISHED[\s\S]*not written: \.harness\/tools\/run_command\.md/,
    );
    expect((await harness(['status', dir])).stdout).toContain('`harness init` was cut off');
    expect(await harness(['init', dir])).toMatchObject({ code: 0, stderr: '' });
    expect(await harness(['validate', '--strict', dir])).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(dir, '.harness')).filter((name) => name.includes('init'))).toEqual([]);
  });

  it('installed, status says that no guard is off, and names the pack that is in audit', async () => {
    const dir = await governed();
    expect((await harness(['install', 'claude-code'], { cwd: dir })).code).toBe(0);
    const { stdout } = await harness(['status', dir]);
    expect(stdout).toMatch(/^in audit\n {2}pack flow only records what it would stop/m);
    expect(stdout).toMatch(/^no other guard is off$/m);
  });

  it('an init that was cut off leaves alone what was changed since', async () => {
    const dir = project();
    mkdirSync(join(dir, '.harness'));
    writeFileSync(join(dir, '.harness/tools'), '');
    await harness(['init', dir]);
    rmSync(join(dir, '.harness/tools'));
    const guard = join(dir, '.harness/hooks/command_guard.md');
    writeFileSync(guard, 'mine');
    const again = await harness(['init', dir]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('command_guard.md') });
    expect(again.stderr).not.toContain('path_guard.md');
    expect(readFileSync(guard, 'utf8')).toBe('mine');
  });

  it('init at a terminal asks which agents, strict or observe, team or me, and writes what answers them', async (test) => {
    test.skip(!canBePerson, 'no `script` here to be a terminal');
    const [dir, home] = [project(), project()];
    const line = `'${process.execPath}' '${CLI_FILE}' init`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb', HARNESS_DAEMON: 'off' },
    });
    let shown = '';
    for (const [question, answer] of [
      ['Which coding agents', 'claude'],
      ['strict or observe', 'observe'],
      ['team or me', 'team'],
    ] as const) {
      while (!shown.includes(question)) shown += String((await once(child.stdout, 'data'))[0]);
      child.stdin.write(`${answer}\n`);
    }
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    expect({ code: (await once(child, 'close'))[0], shown }).toMatchObject({ code: 0 });
    const files = readdirSync(join(dir, '.harness'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'guard')
      .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, '.harness/').length));
    expect(files.filter((path) => path.startsWith('tools/'))).toEqual([]);
    const readme = readFileSync(join(dir, '.harness/README.md'), 'utf8');
    const listed = [
      ...[...readme.matchAll(/^\| (\w+) \| [\w.]+\.\w+ \|/gm)].map((row) => `hooks/${row[1]}.md`),
      ...[...(/^Beside the hooks: (.+)$/m.exec(readme)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(
        (name) => name[1],
      ),
      'README.md',
    ];
    expect(listed.sort()).toEqual(files.sort());
    expect(readFileSync(join(dir, '.harness/harness.md'), 'utf8')).toContain('observe: true');
    expect(readFileSync(join(dir, '.claude/settings.json'), 'utf8')).toContain('.harness/guard');
  });

  it('init --user writes the policy of all folders, and --agents connects them', async () => {
    const [cwd, home] = [project(), project()];
    const env = { HOME: home };
    const made = await harness(['init', '--yes', '--user', '--agents', 'claude'], { cwd, env });
    expect(made).toMatchObject({ code: 0 });
    expect(existsSync(join(home, '.config/harness/.harness/hooks/command_guard.md'))).toBe(true);
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toContain('harness');
    expect(readdirSync(cwd)).toEqual([]);
    expect((await harness(['hooks'], { cwd, env })).stdout).toContain('command_guard');
  });

  it('init makes the folder when it is not there', async () => {
    const dir = join(project(), 'new', 'folder');
    expect((await harness(['init', dir])).code).toBe(0);
    expect(existsSync(join(dir, '.harness/tools/run_command.md'))).toBe(true);
  });
});
