/**
 * The command line itself: help, mistakes in usage, output that goes where it should.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type Finished, harness, hookFile, project } from './harness.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const ALLOWS = hookFile(
  'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()',
);

let printed: Promise<Finished[]> | null = null;
/** What each command prints of itself, in their order. */
function pages(): Promise<Finished[]> {
  printed ??= Promise.all(COMMANDS.map(({ name }) => harness([name, '--help'])));
  return printed;
}

describe('the command line', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await harness(['--version'])).toEqual({
      code: 0,
      signal: null,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it('runs through the link that a package manager makes, from a path with spaces', () => {
    const folder = join(project(), 'a bin folder');
    mkdirSync(folder);
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    expect(Object.keys(bin)).toEqual(['harness', 'harness-hooks']);
    const dir = project({ '.harness/hooks/a.md': ALLOWS });
    for (const [name, file] of Object.entries(bin)) {
      symlinkSync(join(root, file), join(folder, name));
      const done = spawnSync(join(folder, name), ['decide', 'tool.pre', '--json'], {
        cwd: dir,
        input: '{"name":"ls"}',
        encoding: 'utf8',
      });
      expect(done).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(done.stdout)).toMatchObject({ action: 'allow' });
    }
  });

  it('helps with every command, and says the same in three ways', async () => {
    const overview = await harness(['help']);
    expect(overview.code).toBe(0);
    for (const [at, page] of (await pages()).entries()) {
      const { name, options } = COMMANDS[at]!;
      expect(overview.stdout).toContain(`  ${name}`);
      expect(page.code).toBe(0);
      for (const option of options) expect(page.stdout).toContain(`--${option.name}`);
      // One way to all of them: some stand for the others.
      if (at % 6 > 0) continue;
      const others = await Promise.all([harness([name, '-h']), harness(['help', name])]);
      expect(others.map(({ stdout }) => stdout)).toEqual([page.stdout, page.stdout]);
    }
  });

  it.each([
    [['decid', 'tool.pre'], 'unknown command decid (did you mean decide?)'],
    [['--vershun'], 'unknown option --vershun'],
    [['decide'], 'decide needs EVENT'],
    [['decide', 'tool.per'], 'event "tool.per" is invalid (did you mean tool.pre?)'],
    [['decide', 'tool.pre', '--explian'], 'unknown option --explian (did you mean --explain?)'],
    [['hooks', '--event', 'nope.nope'], 'event "nope.nope" is invalid'],
    [['validate', 'a', 'b'], 'validate does not take "b"'],
    [['decide', 'tool.pre', '--lines', '--explain'], '--lines'],
  ])('%j is wrong usage', async (args, message) => {
    const done = await harness(args, { cwd: project() });
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain(message);
  });

  it('lists every command once in the overview, and no line of help is wider than 80 columns', async () => {
    const { stdout } = await harness(['help']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name!);
    expect(listed.filter((name) => name !== 'harness').sort()).toEqual(
      COMMANDS.map(({ name }) => name).sort(),
    );
    const lines = [stdout, ...(await pages()).map((page) => page.stdout.split('\nExamples\n')[0]!)]
      .join('\n')
      .split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('without a command it names the next command to type in this folder', async () => {
    const empty = await harness([], { cwd: project() });
    expect(empty).toMatchObject({ code: 0, stderr: '' });
    expect(empty.stdout).toMatch(/no policy here[\s\S]*harness init /);
    const dir = project({ '.harness/hooks/a.md': ALLOWS });
    const unconnected = await harness([], { cwd: dir });
    expect(unconnected.stdout).toMatch(/a policy of 1 hook, connected to no agent[\s\S]*harness install /);
    expect((await harness(['install', 'claude-code'], { cwd: dir })).code).toBe(0);
    expect((await harness([], { cwd: dir })).stdout).toContain('connected to claude-code');
  });

  it('colours only when asked to or on a terminal', async () => {
    const dir = project({ '.harness/hooks/a.md': ALLOWS });
    const styled = '\u001b[';
    expect((await harness(['hooks', dir])).stdout).not.toContain(styled);
    expect((await harness(['hooks', dir], { env: { FORCE_COLOR: '1' } })).stdout).toContain(styled);
    expect((await harness(['hooks', dir], { env: { FORCE_COLOR: '0' } })).stdout).not.toContain(styled);
    expect((await harness(['hooks', dir, '--json'], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
      escape,
    );
  });

  it('a reader that goes away is no error', () => {
    const dir = project({ '.harness/hooks/a.md': ALLOWS });
    const payloads = '{"name":"ls"}\\n';
    const script = `yes '${payloads.slice(0, -2)}' | head -n 5000 | "$1" "$2" decide tool.pre --dir "$3" --lines | head -n 1`;
    const done = spawnSync(
      'bash',
      ['-o', 'pipefail', '-c', script, 'bash', process.execPath, CLI_FILE, dir],
      {
        encoding: 'utf8',
        timeout: 120_000,
      },
    );
    expect(done.stderr).toBe('');
    expect(JSON.parse(done.stdout)).toMatchObject({ action: 'allow' });
  });

  it('aliases of event names are understood [C005]', async () => {
    const dir = project({ '.harness/hooks/a.md': ALLOWS });
    for (const name of ['tool.pre', 'PreToolUse', 'pre_tool_use']) {
      const done = await harness(['decide', name, '--dir', dir, '--json'], { input: '{"name":"ls"}' });
      expect(JSON.parse(done.stdout)).toMatchObject({ event: 'tool.pre', action: 'allow' });
    }
  });

  it('shows what a hook changed, and where hooks differ from the ordinary', async () => {
    const dir = project({
      '.harness/hooks/quiet.md': hookFile(
        'event: tool.pre\npriority: 5\nmode: shadow\non_error: allow\nscript: |\n  def handle(event, payload):\n      return block("never")',
      ),
      '.harness/hooks/rewrite.md': hookFile(
        'event: tool.pre\npriority: 9\nscript: |\n  def handle(event, payload):\n      return modify({"args": {"command": "ls -l"}})',
      ),
    });
    const listed = await harness(['hooks', dir]);
    expect(listed.stdout).toMatch(/5 {2}quiet +— A hook of a test\. \[mode shadow, on_error allow\]/);
    const done = await harness(['decide', 'tool.pre', '--dir', dir], {
      input: '{"id":"1","name":"run_command","args":{"command":"ls"}}',
    });
    expect(done.stdout).toContain('modify');
    expect(done.stdout).toContain('- payload.args.command: "ls"');
    expect(done.stdout).toContain('+ payload.args.command: "ls -l"');
    expect(done.stdout).not.toContain('payload.arguments');
    expect(done.stdout).toContain('quiet: block (never) does not count: ');
  });

  it('lists one event as data, under any of its names', async () => {
    const dir = project({
      '.harness/hooks/a.md': ALLOWS.replace('priority: 1', 'priority: 7\nwhen: payload["name"] == "x"'),
      '.harness/hooks/b.md': ALLOWS.replace('tool.pre', 'tool.post'),
    });
    const listed = JSON.parse((await harness(['hooks', dir, '--event', 'PreToolUse', '--json'])).stdout);
    expect(listed.chains).toHaveLength(1);
    expect(listed.chains[0]).toMatchObject({
      event: 'tool.pre',
      hooks: [
        {
          name: 'a',
          priority: 7,
          when: 'payload["name"] == "x"',
          source: '.harness/hooks/a.md',
          onError: 'block',
          layer: 'project',
        },
        { name: 'floor', layer: 'built-in' },
        { name: 'protected', layer: 'built-in' },
      ],
    });
  });

  it('an ask exits 2 with --exit-code: nobody can be asked', async () => {
    const dir = project({
      '.harness/hooks/a.md': hookFile(
        'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return ask("sure?")',
      ),
    });
    const done = await harness(['decide', 'tool.pre', '--dir', dir, '--json', '--exit-code'], {
      input: '{"name":"ls"}',
    });
    expect(done.code).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ action: 'ask', reason: 'sure?', hook: 'a' });
  });

  it('without a payload the event is fired with none', async () => {
    const dir = project({ '.harness/hooks/a.md': ALLOWS.replace('tool.pre', 'session.start') });
    const done = await harness(['decide', 'session.start', '--dir', dir, '--json']);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(done.stdout)).toMatchObject({ action: 'allow', payload: null });
  });
});
