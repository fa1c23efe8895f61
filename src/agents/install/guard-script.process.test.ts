/** `.harness/guard` in real shells with real programs behind it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { ALL_AGENTS } from '../all-agents.ts';
import { denyAnswer, goOnAnswer } from '../deny.ts';
import { ANSWERED, guardLine, MARK, projectEnvironment } from '../guard-line.ts';
import { NO_WHOLE_ANSWER, notInstalledText } from './guard-script.ts';
import { guardText, missingIn } from './registrations.ts';

const ALL_ADAPTERS = ALL_AGENTS.map(({ adapter }) => adapter);

const SHELLS = ['sh', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);
const root = mkdtempSync(join(tmpdir(), 'harness-guard-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const CLAUDE = ALL_ADAPTERS.find(({ agent }) => agent === 'claude-code')!;
const PRE = CLAUDE.events.find(({ native }) => native === 'PreToolUse')!;
const REFUSED = { stdout: denyAnswer(CLAUDE, PRE, NO_WHOLE_ANSWER).stdout, status: ANSWERED };
const NOT_INSTALLED = {
  stdout: denyAnswer(CLAUDE, PRE, notInstalledText('claude-code')).stdout,
  status: ANSWERED,
};

interface Engine {
  readonly version?: string;
  /** A program for Node; null: the file is missing. */
  readonly text: string | null;
}

interface World {
  readonly copy?: Engine;
  readonly project?: Engine;
  /** Of `harness-hooks` on PATH. */
  readonly onPath?: string;
  readonly client?: string;
  readonly missing?: 'refuse' | 'warn';
  readonly limit?: number;
}

let count = 0;

function world({ copy, project, onPath, client, missing = 'refuse', limit = 60 }: World) {
  const home = join(root, String(count++));
  const dir = join(home, "it's a project");
  const bin = join(home, 'bin');
  for (const each of [join(dir, '.harness'), bin]) mkdirSync(each, { recursive: true });
  writeFileSync(join(dir, '.harness/guard'), guardText(missing, limit));
  for (const name of ['sh', 'sleep', 'ps']) symlinkSync(`/bin/${name}`, join(bin, name));
  const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o755 });
  const place = (at: string, { version = '1.0.0', text }: Engine) => {
    mkdirSync(join(at, 'dist/cli'), { recursive: true });
    write(join(at, 'package.json'), `{\n  "name": "harness-hooks",\n  "version": "${version}"\n}\n`);
    if (text !== null) write(join(at, 'dist/cli/hook.cjs'), text);
  };
  const current = join(home, '.local/state/harness/engine/current');
  if (copy !== undefined) {
    place(current, copy);
    symlinkSync(process.execPath, join(current, 'node'));
  }
  if (client !== undefined) write(join(current, 'harness-client'), client);
  if (project !== undefined) {
    place(join(dir, 'node_modules/harness-hooks'), project);
    symlinkSync(process.execPath, join(bin, 'node'));
  }
  if (onPath !== undefined) write(join(bin, 'harness-hooks'), onPath);
  return { home, dir, bin };
}

function run(shell: string, given: World, input = '', around = '"$@"') {
  const { home, dir, bin } = world(given);
  const argv = [
    '-c',
    around,
    shell,
    `/bin/${shell}`,
    join(dir, '.harness/guard'),
    'claude-code',
    'PreToolUse',
  ];
  // One that is never answered for is ended, and has no status.
  const ended = { timeout: 100_000, killSignal: 'SIGKILL' } as const;
  const env = { HOME: home, PATH: bin };
  const { stdout, stderr, status } = spawnSync(`/bin/${shell}`, argv, {
    ...{ ...ended, env, input, encoding: 'utf8', maxBuffer: 1e8 },
  });
  return { stdout, stderr, status };
}

const says = (text: string) => `process.stdout.write(${JSON.stringify(text + MARK)});`;

it('has at most 60 lines and no absolute path but that of the shell', () => {
  const text = guardText('refuse');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  expect(text.replace('#!/bin/sh', '')).not.toMatch(/[\s"'=]\/(?:bin|usr|home|tmp|opt)/);
});

it('says itself what happens without Harness', () => {
  expect([missingIn(guardText('refuse')), missingIn(guardText('warn')), missingIn('exit 0')]).toEqual([
    'refuse',
    'warn',
    null,
  ]);
});

describe.each(SHELLS)('the guard in %s', (shell) => {
  it('gives the engine its words and its stdin, and passes on its answer and its exit code', () => {
    const echo = `let t='';process.stdin.on('data',d=>t+=d).on('end',()=>{process.stdout.write(JSON.stringify([t.length,process.argv.slice(2)])+'${MARK}');process.exitCode=3})`;
    const { stdout, status } = run(shell, { copy: { text: echo } }, 'x'.repeat(2_000_000));
    const [length, words] = JSON.parse(stdout);
    expect([length, status]).toEqual([2_000_000, 3]);
    expect(words).toEqual([
      ...['claude-code', 'PreToolUse', '--dir', expect.stringMatching(/it's a project$/)],
      ...['--deadline', '45000', '--mark'],
    ]);
  });

  it('of a user names the policy folder of the user', () => {
    const { home, bin } = world({
      copy: { text: `process.stdout.write(process.argv.slice(4).join(' ')+'${MARK}')` },
    });
    const path = join(home, 'guard');
    writeFileSync(path, guardText('refuse'));
    const env = { HOME: home, PATH: bin };
    const { stdout } = spawnSync(`/bin/${shell}`, [path, 'codex', 'SessionEnd'], { env, encoding: 'utf8' });
    expect(stdout).toBe(`--user ${home} --deadline 1500 --mark`);
  });

  it('passes on a large answer whole, and a silent one as silence', () => {
    const large = run(shell, { copy: { text: `process.stdout.write('x'.repeat(3e6)+'${MARK}')` } });
    expect(large.stdout.length).toBe(3e6);
    expect(run(shell, { copy: { text: says('') } })).toMatchObject({ stdout: '', status: ANSWERED });
  });

  it.each([
    ['is killed after half an answer', `process.stdout.write('{"a');process.kill(process.pid,'SIGKILL')`],
    ['ends well and says nothing', ''],
    ['ends well after half an answer', `process.stdout.write('{"a":1}')`],
    ['throws', 'throw new Error("x")'],
    ['is no program', 'const a = {'],
    ['dies by another signal', `process.kill(process.pid,'SIGSEGV')`],
  ])('refuses for an engine that %s', (_what, text) => {
    expect(run(shell, { copy: { text } })).toMatchObject(REFUSED);
  });

  it.each([
    ['stops', `process.kill(process.pid,'SIGSTOP')`],
    ['hangs', 'setInterval(()=>{},1000)'],
    ['spins after half an answer', `process.stdout.write('{"a');for(;;);`],
    ['takes no notice of signals', `process.on('SIGTERM',()=>{});setInterval(()=>{},1000)`],
  ])('refuses for an engine that %s', (_what, text) => {
    expect(run(shell, { copy: { text }, limit: 1 })).toMatchObject(REFUSED);
  });

  it('without an engine refuses, and says what to type', () => {
    for (const given of [{}, { copy: { text: null } }, { project: { text: null } }])
      expect(run(shell, given)).toMatchObject(NOT_INSTALLED);
    expect(NOT_INSTALLED.stdout).toContain('npm ci, then: npx harness-hooks install claude-code');
  });

  it('without an engine goes on and says so, if the team chose that', () => {
    const text = notInstalledText('claude-code');
    const { stdout } = goOnAnswer(CLAUDE, PRE, text);
    expect(run(shell, { missing: 'warn' })).toEqual({ stdout, stderr: `${text}\n`, status: ANSWERED });
    // One that is there and fails is another matter.
    expect(run(shell, { missing: 'warn', copy: { text: '' } })).toMatchObject(REFUSED);
  });

  it.each([
    ['1.0.0', '1.0.0', 'copy'],
    ['1.0.1', '1.0.0', 'copy'],
    ['1.0.0', '1.0.1', 'project'],
    ['0.9.9', '0.10.0', 'project'],
    ['2.0.0', '10.0.0', 'project'],
    ['1.0.0', 'oddly', 'copy'],
    ['1.0.0', '1.0.0-rc.1', 'copy'],
  ])('runs the newer one of a copy of %s and a package of %s: the %s', (own, other, which) => {
    const given = {
      copy: { version: own, text: says('copy') },
      project: { version: other, text: says('project') },
    };
    expect(run(shell, given)).toEqual({ stdout: which, stderr: '', status: ANSWERED });
  });

  it('runs the package of the project without a copy, and the command on PATH without either', () => {
    expect(run(shell, { project: { text: says('project') } }).stdout).toBe('project');
    const onPath = `#!/bin/sh\nprintf '%s ' "$@"; printf '${MARK}'\n`;
    expect(run(shell, { onPath }).stdout).toMatch(/^hook claude-code PreToolUse --dir .* --mark $/);
  });

  it('puts the client in front of the user’s copy, and believes it no more than the engine', () => {
    const copy = { text: says('engine') };
    const client = `#!/bin/sh\nprintf '%s|' "$1" "$2"; shift 2; exec "$@"\n`;
    const { stdout } = run(shell, { copy, client });
    expect(stdout).toMatch(/\/harness\/daemon\|54000\|engine$/);
    for (const broken of ['', '#!/bin/sh\nkill -9 $$\n', '#!/bin/sh\necho "{}"\n'])
      expect(run(shell, { copy, client: broken })).toMatchObject(REFUSED);
    const stopped = { copy, client: '#!/bin/sh\nkill -STOP $$\n', limit: 1 };
    expect(run(shell, stopped)).toMatchObject(REFUSED);
  });

  it('refuses for an agent that gives it no stdin', () => {
    // As ours does without a payload: shells differ in what they put in the place of a closed stdin.
    const text = `if (require('fs').readFileSync(0).length > 0) ${says('fine')}`;
    expect(run(shell, { copy: { text } }, '', 'exec "$@" <&-')).toMatchObject(REFUSED);
  });

  it('cut off anywhere after its first line exits with an error', () => {
    const text = guardText('refuse');
    const { dir, home, bin } = world({ copy: { text: says('') } });
    const path = join(dir, '.harness/guard');
    for (let length = text.indexOf('\n') + 2; length < text.length - 2; length += 97) {
      writeFileSync(path, text.slice(0, length));
      const argv = [path, 'claude-code', 'PreToolUse'];
      const { status, stdout } = spawnSync(`/bin/${shell}`, argv, {
        env: { HOME: home, PATH: bin },
        input: '',
      });
      expect({ length, silent: status === ANSWERED && stdout.length === 0 }).toEqual({
        length,
        silent: false,
      });
    }
  });

  it('leaves no process behind, neither after an answer nor after none', async () => {
    // No other sleep on this machine has this length: that of another run of these tests has its own process in it.
    const limit = 1_000_000 + process.pid;
    run(shell, { copy: { text: says('') }, limit });
    run(shell, { copy: { text: 'throw 1' }, limit });
    const sleeps = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(`sleep ${limit}`));
    // One that was killed is gone when it has had its turn.
    await until(() => sleeps().length === 0);
  });
});

describe.each(SHELLS)('a line with its guard in %s that may print nothing', (shell) => {
  const DENY = denyAnswer(CLAUDE, PRE, 'no').stdout;
  const engines = { 'denied by the engine': says(DENY), 'refused by the guard': '' };
  const fire = (text: string, around: string, client = false, native = 'PreToolUse') => {
    const shown = client ? { client: '#!/bin/sh\nshift 2; exec "$@"\n' } : {};
    const { home, dir, bin } = world({ copy: { text }, ...shown });
    const row = CLAUDE.events.find((each) => each.native === native)!;
    // Node itself opens more files than are allowed here: a shell answers in its place.
    const node = join(home, '.local/state/harness/engine/current/node');
    const program = text === '' ? 'exit 1' : `printf %s '${JSON.parse(text.slice(21, -2))}'`;
    rmSync(node);
    writeFileSync(node, `#!/bin/sh\n${program}\n`);
    chmodSync(node, 0o755);
    const env = { HOME: home, PATH: bin, ...projectEnvironment('claude-code', dir) };
    const line = guardLine({ adapter: CLAUDE, row, guard: null });
    const argv = ['-c', around, `/bin/${shell}`, line];
    return spawnSync(`/bin/${shell}`, argv, { env, input: '{}', encoding: 'utf8', timeout: 100_000 });
  };

  it.each(Object.entries(engines))(
    'says a whole deny or exits with 2 and a reason, however few files it may open: %s',
    (_, text) => {
      for (let files = 3; files <= 64; files++) {
        const { stdout, stderr, status } = fire(text, `ulimit -n ${files}; eval "$1"`, files % 2 === 0);
        const denied =
          stdout === ''
            ? status === 2 && stderr !== ''
            : status === 0 && 'hookSpecificOutput' in JSON.parse(stdout);
        expect({ files, denied, stdout, status }).toMatchObject({ files, denied: true });
      }
    },
  );

  it.each(Object.entries(engines))(
    'exits with 2 and a reason where stdout is closed or full: %s',
    (_, text) => {
      for (const to of ['>&-', '>/dev/full']) {
        const { stdout, stderr, status } = fire(text, `exec "$0" -c "$1" ${to}`);
        expect({ to, stdout, status, reason: stderr !== '' }).toEqual({
          to,
          stdout: '',
          status: 2,
          reason: true,
        });
      }
    },
  );

  it('goes on with what the policy has nothing against, and at an event that a block would send back', () => {
    for (const to of ['>&-', '>/dev/full']) {
      expect(fire(says(''), `exec "$0" -c "$1" ${to}`).status).toBe(0);
      expect(fire(says(DENY), `exec "$0" -c "$1" ${to}`, false, 'Stop').status).toBe(0);
    }
  });
});
