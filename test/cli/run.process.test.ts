/**
 * `harness run`: where the prompt and the model come from, what it prints, how it exits, and that `session.end` fires
 * whatever ends it.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, hookFile, project, write } from './harness.ts';

const WELL = 'completions:\n  - text: All is well.\n';

const GUARD = hookFile(
  'event: turn.start\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("not today") if "secret" in payload else allow()',
);

const AUDIT = hookFile(
  'event: session.end\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()',
);

const ECHO = hookFile(
  'parameters:\n  text: {type: string, required: true}\nscript: |\n  def run(args):\n      return args["text"]',
  'Says it again.\n',
);

interface Line {
  readonly event?: string;
  readonly payload?: unknown;
  readonly outcome?: { readonly action: string; readonly reason: string };
}

const parse = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const payloads = (lines: readonly Line[], event: string) =>
  lines.flatMap((line) => (line.event === event ? [line.payload] : []));

describe('harness run', () => {
  it('asks a scripted model and shows the timeline', async () => {
    const dir = project({ 'story.yaml': WELL, '.harness/hooks/guard.md': GUARD });
    const { code, stdout, stderr } = await harness([
      'run',
      dir,
      '--script',
      join(dir, 'story.yaml'),
      '--prompt',
      'Hello',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^session \S+: model scripted, 1 hook, 0 tools\n\nyou {4}Hello\n\nmodel {2}All is well\.\n/,
    );
  });

  it.each([
    ['--prompt', ['--prompt', 'one'], undefined, 'one'],
    ['stdin, where --prompt is -', ['--prompt', '-'], 'two\n', 'two\n'],
    ['what is piped in', [], 'three\n', 'three'],
    ['a script that needs no prompt', [], undefined, 'Begin.'],
  ])('takes the prompt from %s', async (_title, args, input, prompt) => {
    const dir = project({ 's.yaml': WELL, 'harness.md': 'An agent.\n' });
    const options = input === undefined ? {} : { input };
    const { code, stdout } = await harness(
      ['run', dir, '--json', '--script', join(dir, 's.yaml'), ...args],
      options,
    );
    expect(code).toBe(0);
    expect(payloads(parse(stdout), 'turn.start')).toEqual([prompt]);
  });

  it('takes prompts and model from the project where the command line says nothing', async () => {
    const dir = project({
      'harness.md': '---\nmodel: scripted:story.yaml\n---\n\nBe brief.\n',
      'story.yaml': 'prompts: [one, two]\ncompletions:\n  - text: a\n  - text: b\n',
    });
    const { code, stdout } = await harness(['run', '--json'], { cwd: dir });
    expect(code).toBe(0);
    const lines = parse(stdout);
    expect(payloads(lines, 'turn.start')).toEqual(['one', 'two']);
    expect(payloads(lines, 'completion.pre')).toMatchObject([
      { system: 'Be brief.' },
      { system: 'Be brief.' },
    ]);
    expect(payloads(lines, 'session.end')).toMatchObject([{ reason: 'end_turn' }]);
  });

  it('exits 1 when a prompt is blocked: the model is never asked, and session.end fires', async () => {
    const dir = project({ 's.yaml': WELL, '.harness/hooks/guard.md': GUARD });
    const args = ['run', dir, '--script', join(dir, 's.yaml'), '--prompt', 'tell me the secret'];
    const { code, stdout } = await harness([...args, '--json']);
    expect(code).toBe(1);
    const lines = parse(stdout);
    expect(lines.map((line) => line.event ?? line.outcome?.action)).toEqual([
      'session.start',
      'turn.start',
      'block',
      'session.end',
    ]);
    expect(payloads(lines, 'session.end')).toMatchObject([{ reason: 'user_prompt_submit_blocked' }]);
    const shown = await harness(args);
    expect(shown.stdout).toContain('✗ turn.start blocked by guard: not today');
    expect(shown.stdout).toContain('end    user_prompt_submit_blocked');
  });

  it('exits 1 when the model fails, and says how', async () => {
    const dir = project({
      's.yaml': 'completions:\n  - error: {status: 400, message: no such model}\n',
      'harness.md': 'An agent.\n',
    });
    const { code, stdout } = await harness(['run', dir, '--script', join(dir, 's.yaml')]);
    expect(code).toBe(1);
    expect(stdout).toContain('end    error: no such model');
  });

  it('--max-turns bounds how often the model is asked', async () => {
    const again = '  - tool_calls: [{name: echo, args: {text: hi}}]\n';
    const dir = project({ 's.yaml': `completions:\n${again.repeat(5)}`, '.harness/tools/echo.md': ECHO });
    const args = ['run', dir, '--script', join(dir, 's.yaml'), '--max-turns', '2', '--json'];
    const { code, stdout } = await harness(args);
    expect(code).toBe(1);
    expect(payloads(parse(stdout), 'completion.pre')).toHaveLength(2);
    expect(payloads(parse(stdout), 'session.end')).toMatchObject([{ reason: 'max_turns' }]);
  });

  it('writes a tape and a transcript into the project, out of the way of git; the tape where --tape says', async () => {
    const dir = project({ 's.yaml': WELL, 'harness.md': 'An agent.\n' });
    const { stdout } = await harness(['run', dir, '--script', join(dir, 's.yaml')]);
    for (const [name, folder] of [
      ['tape', '.harness/runs'],
      ['transcript', '.harness/transcripts'],
    ] as const) {
      const path = new RegExp(`^${name}\\s+(\\S+)$`, 'm').exec(stdout)![1]!;
      expect(readdirSync(join(dir, folder)).sort()).toEqual(['.gitignore', path.split('/').at(-1)]);
    }
    const tape = join(dir, 'deep/er/tape.jsonl');
    await harness(['run', dir, '--script', join(dir, 's.yaml'), '--tape', tape]);
    expect(existsSync(join(dir, 'deep/er/.gitignore'))).toBe(false);
    const verified = await harness(['tape', 'verify', tape, '--json']);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { ok: true }]);
    const replayed = await harness(['replay', tape, '--dir', dir, '--json']);
    expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { differences: [] }]);
  });

  it('runs with a hook that cannot be loaded: its stand-in blocks, and stderr says so', async () => {
    const dir = project({
      's.yaml': WELL,
      '.harness/hooks/broken.md': hookFile('event: turn.start\nscript: |\n  def handle('),
    });
    const { code, stdout, stderr } = await harness(['run', dir, '--script', join(dir, 's.yaml')]);
    expect(code).toBe(1);
    expect(stderr).toContain('broken.md:');
    expect(stdout).toContain('blocked by broken');
  });

  it('does not start when the settings of the agent cannot be read', async () => {
    const dir = project({ 's.yaml': WELL, 'harness.md': '---\nlimits: {max_turns: many}\n---\n\nHello.\n' });
    const { code, stdout, stderr } = await harness(['run', dir, '--script', join(dir, 's.yaml')]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Nothing was started');
  });

  it('shows the mistakes of a script with their places', async () => {
    const dir = project({ 's.yaml': 'completions:\n  - txt: hello\n', 'harness.md': 'An agent.\n' });
    const { code, stderr } = await harness(['run', dir, '--script', join(dir, 's.yaml')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/s\.yaml:2:5: .*txt.*text/);
  });

  it.each([
    ['no model', ['--prompt', 'x'], 'no model: put `model: '],
    ['a model nobody provides', ['--prompt', 'x', '--model', 'llama'], 'names no provider'],
    ['a script that is not there', ['--script', 'none.yaml'], 'cannot read the script'],
    ['an empty prompt', ['--prompt', ' '], 'the prompt is empty'],
    [
      'a limit that is none',
      ['--script', 's.yaml', '--max-turns', '0'],
      '--max-turns: expected a whole number',
    ],
    ['a tape that cannot be written', ['--script', 's.yaml', '--tape', 's.yaml/x'], 'cannot write the tape'],
  ])('%s is wrong usage', async (_title, args, message) => {
    const cwd = project({ 's.yaml': WELL, 'harness.md': 'An agent.\n' });
    const { code, stdout, stderr } = await harness(['run', '.', ...args], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('--model that nobody provides names the models of harness.md', async () => {
    const cwd = project({
      'harness.md': '---\nmodel: anthropic/a\nmodels:\n  small: {name: anthropic/b}\n---\n\nAn agent.\n',
    });
    const { code, stderr } = await harness(['run', '--prompt', 'x', '--model', 'smal'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('one of harness.md: small (did you mean small?)');
  });

  describe('--continue and --resume', () => {
    const COUNTS = hookFile(
      'event: turn.start\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("twice is enough") if metrics.incr("prompts") > 2 else allow()',
    );

    it('go on with a session: its messages, its tape and what its guards have counted', async () => {
      const cwd = project({ 's.yaml': WELL, '.harness/hooks/count.md': COUNTS });
      const env = { XDG_STATE_HOME: project() };
      const ask = (prompt: string, ...more: string[]) =>
        harness(['run', '--script', 's.yaml', '--json', '--prompt', prompt, ...more], { cwd, env });
      expect((await ask('one')).code).toBe(0);
      const second = await ask('two', '--continue');
      expect(second.code).toBe(0);
      expect(second.stderr).toMatch(/^going on with session \S+: 2 messages\ntranscript/);
      const lines = parse(second.stdout);
      expect(payloads(lines, 'session.start')).toMatchObject([{ source: 'resume' }]);
      expect(payloads(lines, 'completion.pre')).toMatchObject([
        { messages: [{ content: 'one' }, { content: 'All is well.' }, { content: 'two' }] },
      ]);
      // The policy is another one now, and that is said and recorded.
      write(cwd, '.harness/hooks/count.md', COUNTS.replace('twice', 'two'));
      const [tape] = readdirSync(join(cwd, '.harness/runs')).filter((name) => name.endsWith('.jsonl'));
      const third = await ask('three', '--resume', tape!.slice(0, 6));
      expect(third.code).toBe(1);
      expect(third.stderr).toMatch(/policy changed: it was [0-9a-f]{12} and is [0-9a-f]{12}/);
      expect(third.stdout).toContain('two is enough');
      expect(readdirSync(join(cwd, '.harness/runs')).filter((name) => name.endsWith('.jsonl'))).toEqual([
        tape,
      ]);
      const file = join(cwd, '.harness/runs', tape!);
      expect((await harness(['tape', 'verify', file])).code).toBe(0);
      expect(readFileSync(file, 'utf8').match(/"type":"policy.changed"/g)).toHaveLength(1);
      expect((await harness(['replay', file, '--dir', cwd])).stdout).toContain('no difference');
    });

    it.each([
      ['no session', ['--continue'], 'there is no session to go on with'],
      ['both of them', ['--continue', '--resume', 'a'], 'give one of them'],
    ])('%s is wrong usage', async (_title, args, message) => {
      const cwd = project({ 's.yaml': WELL, 'harness.md': 'An agent.\n' });
      const done = await harness(['run', '--script', 's.yaml', '--prompt', 'x', ...args], { cwd });
      expect(done.code).toBe(2);
      expect(done.stderr).toContain(message);
    });
  });

  it('no prompt and nobody to talk to is wrong usage', async () => {
    const dir = project({
      'harness.md': '---\nmodel: {name: openai/none, base_url: "http://127.0.0.1:9"}\n---\n\nHello.\n',
    });
    const { code, stderr } = await harness(['run', dir], { env: { OPENAI_API_KEY: 'x' } });
    expect(code).toBe(2);
    expect(stderr).toContain('no prompt');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s aborts the run, and session.end still fires',
    async (signal) => {
      const dir = project({
        's.yaml': 'completions:\n  - {text: late, delay_ms: 60000}\n',
        '.harness/hooks/audit.md': AUDIT,
      });
      const child = spawn(
        process.execPath,
        [CLI_FILE, 'run', dir, '--json', '--script', join(dir, 's.yaml')],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let stdout = '';
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        if (stdout.includes('"completion.pre"') && !child.killed) child.kill(signal);
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(code).toBe(1);
      expect(payloads(parse(stdout), 'session.end')).toMatchObject([{ reason: 'aborted' }]);
    },
  );
});
