/** The clients of docs/guide/other-languages.md, as they stand there, against a real daemon. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTape } from '../../src/exports/tape.ts';
import { type User, user } from './daemon.ts';

const PAGE = readFileSync('docs/guide/other-languages.md', 'utf8');

function program(language: string): string {
  const [, after = ''] = PAGE.split(`\`\`\`${language}\n`);
  return after.split('```')[0]!;
}

const HOOK = (event: string, says: string) =>
  `---\nevent: ${event}\npriority: 1\nscript: |\n  def handle(event, payload):\n      return ${says}\n---\n`;

const POLICY = {
  '.harness/hooks/pre.md': HOOK(
    'tool.pre',
    'block("not this word") if "forbidden" in payload["args"]["command"] else ask("sure?") if "doubtful" in payload["args"]["command"] else fail("broken") if "crash" in payload["args"]["command"] else modify({"args": {"command": payload["args"]["command"].replace("yes", "no")}})',
  ),
  '.harness/hooks/post.md': HOOK(
    'tool.post',
    'block("too secret") if "hide" in payload["content"] else modify({"content": payload["content"].replace("TOKEN", "[token]")})',
  ),
};

const COMMANDS = [
  'echo yes TOKEN',
  'echo forbidden > ran',
  'echo doubtful > ran',
  'echo crash > ran',
  'echo hide',
  'exit 3',
];

/** What the tape says last of each call: of one that may run, that it was allowed, and then what the client reports. */
function judged(one: User): unknown[] {
  const folder = join(one.dir, '.harness/runs');
  const tapes = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const calls = tapes.flatMap((name) =>
    [...readTape(join(folder, name)).entries].flatMap(({ record }) =>
      record.type === 'call' ? [record] : [],
    ),
  );
  const last = new Map(calls.map(({ callId, verdict, reason }) => [callId, [verdict, reason]]));
  return [...last.values()];
}

const VERDICTS = [
  ['ran', null],
  ['blocked', 'not this word'],
  ['denied', expect.stringContaining('sure?')],
  ['blocked', expect.stringContaining('broken')],
  ['hidden', 'too secret'],
  ['failed', null],
];

const has = (program: string, asked = '--version') => spawnSync(program, [asked]).status === 0;

/** The client of the page with these lines as its program: compiled as the machine compiles, run as the user. */
function goClient(one: User, lines: readonly string[]) {
  const folder = join(one.home, 'client');
  mkdirSync(folder);
  const run = `func run(args Object) (string, error) {
\tsaid, err := exec.Command("sh", "-c", args["command"].(string)).Output()
\treturn strings.TrimSpace(string(said)), err
}`;
  const imports = '"fmt"; "os/exec"; "strings"';
  const main = `package main\nimport (${imports})\n${run}\nfunc main() {\n${lines.join('\n')}\n}\n`;
  writeFileSync(join(folder, 'harness.go'), program('go'));
  writeFileSync(join(folder, 'main.go'), main);
  const env = { ...process.env, GO111MODULE: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' };
  const built = spawnSync('go', ['build', '-o', 'client', '.'], { cwd: folder, env, encoding: 'utf8' });
  expect(built.stderr).toBe('');
  return spawnSync(join(folder, 'client'), [], { cwd: one.dir, env: one.env, encoding: 'utf8' });
}

describe('a program in another language', () => {
  it('asks the daemon in Python: calls are blocked, asked about, rewritten, redacted, hidden, and on the tape with what became of them', async () => {
    if (!has('python3')) return console.warn('SKIPPED: python3 is missing');
    const one = user(POLICY);
    await one.serve([], '--http', '0');
    const lines = COMMANDS.map(
      (command, at) => `print(call("c${at}", "run_command", {"command": ${JSON.stringify(command)}}, run))`,
    );
    const run =
      'import subprocess\ndef run(args):\n    return subprocess.run(args["command"], shell=True, check=True, capture_output=True, text=True).stdout.strip()\n';
    const file = join(one.home, 'client.py');
    writeFileSync(file, `${program('python')}\n${run}\n${lines.join('\n')}\n`);
    const said = spawnSync('python3', [file], { cwd: one.dir, env: one.env, encoding: 'utf8' });
    expect(said.stderr).toBe('');
    expect(said.stdout.split('\n').slice(0, 5)).toEqual([
      'no [token]',
      expect.stringContaining('not this word'),
      expect.stringContaining('sure?'),
      expect.stringContaining('broken'),
      expect.stringContaining('too secret'),
    ]);
    expect(said.stdout).toContain('exit status 3');
    expect(existsSync(join(one.dir, 'ran'))).toBe(false);
    expect(judged(one)).toEqual(VERDICTS);
  });

  it('believes nobody in Python who has taken the port of the daemon', async () => {
    if (!has('python3')) return console.warn('SKIPPED: python3 is missing');
    const one = user(POLICY);
    const daemon = await one.serve([], '--http', '0');
    writeFileSync(join(one.folder, 'http-proof-key'), 'another key', { mode: 0o600 });
    const file = join(one.home, 'client.py');
    writeFileSync(
      file,
      `${program('python')}\nprint(decide("tool.pre", {"id": "1", "name": "x", "args": {}}))\n`,
    );
    const said = spawnSync('python3', [file], { cwd: one.dir, env: one.env, encoding: 'utf8' });
    expect(said.stderr).toContain('another process answered in place of the daemon');
    expect(said.stdout).toBe('');
    daemon.kill('SIGKILL');
  });

  it('asks the daemon in Go, to the same end', async () => {
    if (!has('go', 'version')) return console.warn('SKIPPED: go is missing');
    const one = user(POLICY);
    await one.serve([], '--http', '0');
    const lines = COMMANDS.map(
      (command, at) =>
        `fmt.Println(call("c${at}", "run_command", Object{"command": ${JSON.stringify(command)}}, run))`,
    );
    const said = goClient(one, lines);
    expect(said.stderr).toBe('');
    expect(said.stdout.split('\n')).toEqual([
      'no [token] <nil>',
      expect.stringContaining('not this word'),
      expect.stringContaining('sure?'),
      expect.stringContaining('broken'),
      expect.stringContaining('too secret'),
      'exit status 3 <nil>',
      '',
    ]);
    expect(existsSync(join(one.dir, 'ran'))).toBe(false);
    expect(judged(one)).toEqual(VERDICTS);
  });

  it('believes nobody in Go who has taken the port of the daemon', async () => {
    if (!has('go', 'version')) return console.warn('SKIPPED: go is missing');
    const one = user(POLICY);
    const daemon = await one.serve([], '--http', '0');
    writeFileSync(join(one.folder, 'http-proof-key'), 'another key', { mode: 0o600 });
    const said = goClient(one, ['fmt.Println(call("1", "x", Object{}, run))']);
    expect(said.stdout).toBe(' another process answered in place of the daemon\n');
    daemon.kill('SIGKILL');
  });

  it('asks the daemon in a shell, to the same end', async () => {
    if (!has('jq') || !has('curl')) return console.warn('SKIPPED: jq or curl is missing');
    const one = user(POLICY);
    await one.serve([], '--http', '0');
    const file = join(one.home, 'client.sh');
    writeFileSync(file, program('bash'));
    const said = COMMANDS.map((command) => {
      const { status, stdout, stderr } = spawnSync('bash', [file, command], {
        cwd: one.dir,
        env: one.env,
        encoding: 'utf8',
      });
      return [status, stdout, stderr];
    });
    expect(said).toEqual([
      [0, 'no [token]\n', ''],
      [1, '', expect.stringContaining('not this word')],
      [1, '', expect.stringContaining('sure?')],
      [1, '', expect.stringContaining('broken')],
      [1, '', expect.stringContaining('too secret')],
      [0, '\n', ''],
    ]);
    expect(existsSync(join(one.dir, 'ran'))).toBe(false);
    expect(judged(one)).toEqual(VERDICTS);
  });
});
