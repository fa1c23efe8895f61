/**
 * Bad input on the real command: each kind gets a clear error at its place, nothing else is lost, and no guard goes
 * silently off.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finished, harness, hookFile, project, write } from './harness.ts';

const GOOD = hookFile(
  [
    'event: tool.pre',
    'priority: 50',
    'script: |',
    '  def handle(event, payload):',
    '      return block("good says no") if payload.get("name") == "bad" else allow()',
  ].join('\n'),
);

const SCRIPT = ['script: |', '  def handle(event, payload):', '      return allow()'].join('\n');

/** A project with one good hook and the file under test. */
function beside(content: string | Uint8Array, path = '.harness/hooks/broken.md'): string {
  return project({ '.harness/hooks/good.md': GOOD, [path]: content });
}

interface Validated {
  readonly finished: Finished;
  readonly lines: readonly string[];
}

async function validate(dir: string, ...flags: string[]): Promise<Validated> {
  const finished = await harness(['validate', dir, ...flags]);
  expect(finished.stderr).toBe('');
  const lines = finished.stdout.split('\n').filter((line) => /: (error|warning)\[/.test(line));
  return { finished, lines };
}

async function decide(dir: string, name: string, event = 'tool.pre') {
  const finished = await harness(['decide', event, '--dir', dir, '--json', '--exit-code'], {
    input: JSON.stringify({ id: '1', name, args: {} }),
  });
  return { code: finished.code, outcome: JSON.parse(finished.stdout) };
}

/** The file is reported at its place, its stand-in blocks, and the good hook is still there. */
async function expectBroken(dir: string, place: RegExp, message: RegExp): Promise<void> {
  const { finished, lines } = await validate(dir);
  expect(finished.code).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(place);
  expect(lines[0]).toMatch(message);
  expect(finished.stdout).toMatch(/2 hooks, 1 error, 0 warnings\n$/);

  const { code, outcome } = await decide(dir, 'ls');
  expect({ code, action: outcome.action, hook: outcome.hook }).toEqual({
    code: 2,
    action: 'block',
    hook: 'broken',
  });
  expect(outcome.reason).toContain('broken.md');
  expect(outcome.trace.map((entry: { hook: string }) => entry.hook).sort()).toEqual([
    'broken',
    'floor',
    'good',
    'protected',
  ]);
}

describe('a hook file that cannot be loaded', () => {
  it.each([
    ['no frontmatter', '# just text\n', /broken\.md:1:1: error\[/, /must start with a --- line/],
    ['an empty file', '', /broken\.md:1:1: error\[/, /the file is empty/],
    ['unclosed frontmatter', '---\nevent: tool.pre\npriority: 1\n', /broken\.md:1:1: error\[/, /not closed/],
    [
      'invalid YAML',
      '---\nevent: tool.pre\npriority: [1\n---\n',
      /broken\.md:\d+:\d+: error\[/,
      /parse hook broken\.md: yaml: line \d+: /,
    ],
    [
      'a missing event',
      `---\npriority: 1\n${SCRIPT}\n---\n`,
      /broken\.md:\d+:\d+: error\[/,
      /hook "broken": event field is required in frontmatter/,
    ],
    [
      'an empty event',
      `---\nevent: ""\npriority: 1\n${SCRIPT}\n---\n`,
      /broken\.md:\d+:\d+: error\[/,
      /hook "broken": event field is required in frontmatter/,
    ],
    [
      'an unknown event',
      `---\nevent: tool.per\npriority: 1\n${SCRIPT}\n---\n`,
      /broken\.md:2:8: error\[/,
      /hooks\[\d+\]\.event "tool\.per" is invalid.*did you mean tool\.pre/,
    ],
    ['non-UTF-8 text', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]), /broken\.md:1:1: error\[/, /UTF-8/],
    [
      'a syntax error in the script',
      '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow(\n---\n',
      /broken\.md:\d+:\d+: error\[/,
      /\[SCRIPT_INVALID\]/,
    ],
    [
      'an unknown name in the script',
      '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return alow()\n---\n',
      /broken\.md:6:14: error\[/,
      /undefined: alow \(did you mean allow\?\)/,
    ],
    [
      'a syntax error in when',
      `---\nevent: tool.pre\npriority: 1\nwhen: payload["name"] ==\n${SCRIPT}\n---\n`,
      /broken\.md:4:\d+: error\[/,
      /\[WHEN_INVALID\]/,
    ],
    [
      'an effect in when',
      `---\nevent: tool.pre\npriority: 1\nwhen: metrics.incr("x")\n${SCRIPT}\n---\n`,
      /broken\.md:4:7: error\[/,
      /pure/,
    ],
    [
      'a misnamed handler',
      '---\nevent: tool.pre\npriority: 1\nscript: |\n  def run(event, payload):\n      return allow()\n---\n',
      /broken\.md:\d+:\d+: error\[/,
      /handle/,
    ],
  ])('%s', async (_title, content, place, message) => {
    await expectBroken(beside(content), place, message);
  });

  it('a line of dashes inside an indented script is part of the script', async () => {
    const dir = beside(
      hookFile(
        'event: tool.pre\npriority: 1\nscript: |\n  TEXT = """\n  ---\n  """\n  def handle(event, payload):\n      return block(TEXT.strip())',
      ),
    );
    expect((await validate(dir)).finished.code).toBe(0);
    expect((await decide(dir, 'ls')).outcome).toMatchObject({
      action: 'block',
      reason: '---',
      hook: 'broken',
    });
  });

  it('a line of dashes at the margin of a script is an error that says so', async () => {
    const content =
      '---\nevent: tool.pre\npriority: 1\nscript: |\n  X = """\n---\n  """\n  def handle(event, payload):\n      return allow()\n---\n';
    await expectBroken(beside(content), /broken\.md:6:1: error\[/, /indent/);
  });

  it('a file of 50 MB is refused without being read', async () => {
    const content = Buffer.alloc(50 * 1024 * 1024, 0x61);
    content.write('---\nevent: tool.pre\n---\n');
    await expectBroken(
      beside(content),
      /broken\.md:1:1: error\[/,
      /52428800 bytes are more than an artifact may have/,
    );
  });

  it('a dangling link, a folder and a socket in place of a file', async () => {
    const dangling = project({ '.harness/hooks/good.md': GOOD });
    symlinkSync('nowhere.md', join(dangling, '.harness/hooks/broken.md'));
    await expectBroken(dangling, /broken\.md:1:1: error\[/, /link/);

    const folder = project({ '.harness/hooks/good.md': GOOD });
    mkdirSync(join(folder, '.harness/hooks/broken.md'));
    await expectBroken(folder, /broken\.md:1:1: error\[/, /folder/);

    const socket = project({ '.harness/hooks/good.md': GOOD });
    const server = createServer().listen(join(socket, '.harness/hooks/broken.md'));
    try {
      await expectBroken(socket, /broken\.md:1:1: error\[/, /cannot be read|not a regular file/);
    } finally {
      server.close();
    }
  });

  it('a broken hook whose event is known blocks that event only', async () => {
    const dir = beside('---\nevent: turn.start\npriority: 1\nscript: |\n  def run():\n      pass\n---\n');
    expect((await decide(dir, 'ls')).outcome.action).toBe('allow');
    const turn = await harness(['decide', 'turn.start', '--dir', dir, '--json'], { input: '"hello"' });
    expect(JSON.parse(turn.stdout)).toMatchObject({ action: 'block', hook: 'broken' });
  });
});

describe('fields', () => {
  it.each([
    ['event', 'event: 5', '2:8'],
    ['event as a list', 'event: [tool.pre]', '2:8'],
    ['priority as text', 'event: tool.pre\npriority: high', '3:11'],
    ['priority as a fraction', 'event: tool.pre\npriority: 1.5', '3:11'],
    ['when as a bool', 'event: tool.pre\npriority: 1\nwhen: true', '4:7'],
    ['script as a list', 'event: tool.pre\npriority: 1\nscript: [a]', '4:9'],
    ['script as a number', 'event: tool.pre\npriority: 1\nscript: 7', '4:9'],
    ['on_error', 'event: tool.pre\npriority: 1\non_error: blok', '4:11'],
    ['on_when_error', 'event: tool.pre\npriority: 1\non_when_error: [skip]', '4:16'],
    ['timeout_ms as text', 'event: tool.pre\npriority: 1\ntimeout_ms: soon', '4:13'],
    ['timeout_ms below 1', 'event: tool.pre\npriority: 1\ntimeout_ms: 0', '4:13'],
    ['mode', 'event: tool.pre\npriority: 1\nmode: shaddow', '4:7'],
    ['tests', 'event: tool.pre\npriority: 1\ntests: yes', '4:8'],
    ['description', 'event: tool.pre\npriority: 1\ndescription: {a: 1}', '4:14'],
  ])('wrong type or value: %s', async (_title, frontmatter, place) => {
    const { finished, lines } = await validate(beside(`---\n${frontmatter}\n---\n`));
    expect(finished.code).toBe(1);
    const errors = lines.filter((line) => line.includes(': error['));
    expect(errors).toEqual([expect.stringContaining(`.harness/hooks/broken.md:${place}: error[`)]);
    expect(finished.stdout).toContain('^');
  });

  it('an unknown key is a warning with the nearest name, and an error under --strict [C048]', async () => {
    const dir = beside(hookFile(`event: tool.pre\npriorty: 1\npriority: 2\n${SCRIPT}`));
    const lax = await validate(dir);
    expect(lax.finished.code).toBe(0);
    expect(lax.lines).toEqual([
      expect.stringMatching(/broken\.md:3:1: warning\[FIELD_UNKNOWN\].*priorty.*priority/),
    ]);
    expect((await decide(dir, 'ls')).outcome.action).toBe('allow');
    const strict = await validate(dir, '--strict');
    expect(strict.finished.code).toBe(1);
    expect(strict.finished.stdout).toMatch(/2 hooks, 1 error, 0 warnings\n$/);
  });

  it('all problems of all files are listed at once, by place [C055]', async () => {
    const dir = project({
      '.harness/hooks/a.md': hookFile(`event: nope\npriority: x\n${SCRIPT}`),
      '.harness/hooks/b.md': 'no frontmatter',
      '.harness/hooks/c.md': hookFile(`event: tool.pre\n${SCRIPT}`),
    });
    const { finished, lines } = await validate(dir);
    expect(finished.code).toBe(1);
    expect(lines.map((line) => line.split(': ')[0])).toEqual([
      '.harness/hooks/a.md:2:8',
      '.harness/hooks/a.md:3:11',
      '.harness/hooks/b.md:1:1',
      expect.stringMatching(/^\.harness\/hooks\/c\.md:/),
    ]);
    const json = JSON.parse((await harness(['validate', dir, '--json'])).stdout);
    expect(json).toMatchObject({ ok: false, hooks: 3, errors: 3, warnings: 1 });
    expect(json.problems).toHaveLength(4);
  });

  it('two hooks of one name are an error', async () => {
    const list = [
      'hooks:',
      ...[1, 2].map((n) => `  - {handler: twin, event: tool.pre, priority: ${n}}`),
    ].join('\n');
    const dir = project({ 'harness.md': `---\n${list}\n---\n` });
    const { finished, lines } = await validate(dir);
    expect(finished.code).toBe(1);
    expect(lines.join('\n')).toMatch(/harness\.md:\d+:\d+: error\[HOOK_DUPLICATE\]: .*twin/);
  });
});

describe('a payload', () => {
  const dir = beside(GOOD, '.harness/hooks/other.md');
  const fire = (input: string | Uint8Array, ...flags: string[]) =>
    harness(['decide', 'tool.pre', '--dir', dir, ...flags], { input });

  it('that is not JSON is refused with its place, and counts as a block', async () => {
    const done = await fire('{"name": "ls",\n oops}', '--json', '--exit-code');
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(
      '<stdin>:2:2: error: payload is not usable JSON: wanted a key in double quotes, got "o"',
    );
    expect(JSON.parse(done.stdout)).toMatchObject({ action: 'block', error: { line: 2, col: 2 } });
  });

  it('nested 100,000 deep is refused', async () => {
    const deep = `{"name":"ls","args":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const done = await fire(deep, '--json', '--exit-code');
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('nested deeper than 512 levels');
  });

  it('nested as deep as is allowed goes through everything', async () => {
    const deep = `{"name":"ls","args":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`;
    const done = await fire(deep, '--json', '--exit-code');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(done.stdout).action).toBe('allow');
  });

  it('that is not UTF-8 is refused', async () => {
    const done = await fire(Buffer.from([0x22, 0xff, 0x22]), '--exit-code');
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('not UTF-8');
  });

  it('with __proto__ keys is data like any other, and survives a rewrite', async () => {
    const rewriting = project({
      '.harness/hooks/m.md': hookFile(
        'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      args = dict(payload["args"])\n      args["seen"] = payload.get("polluted") == None\n      return modify({"args": args})',
      ),
    });
    const input =
      '{"name":"ls","__proto__":{"polluted":1},"args":{"__proto__":{"polluted":2},"constructor":3}}';
    const done = await harness(['decide', 'tool.pre', '--dir', rewriting, '--json'], { input });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('"__proto__":{"polluted":1}');
    expect(done.stdout).toContain('"args":{"__proto__":{"polluted":2},"constructor":3,"seen":true}');
    expect(JSON.parse(done.stdout).action).toBe('modify');
  });

  it('of the wrong shape is decided, with a warning that names the place', async () => {
    const done = await fire('{"name": 7}', '--json');
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('payload.name');
  });

  it('--payload takes the JSON itself', async () => {
    const payload = '{"name": "run_command", "args": {"command": "ls"}}';
    const done = await harness(['decide', 'tool.pre', '--dir', dir, '--json', '--payload', payload]);
    expect(JSON.parse(done.stdout)).toMatchObject({ payload: { name: 'run_command' } });
    const broken = await harness(['decide', 'tool.pre', '--dir', dir, '--payload', '{"name": ']);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('--payload:1:10')]);
  });

  it('in a file that is not there is wrong usage', async () => {
    const done = await harness(['decide', 'tool.pre', '--dir', dir, '--payload', join(dir, 'absent.json')]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('absent.json');
  });

  it('bad lines of a stream cost only themselves, in order', async () => {
    const input = [
      '{"name":"ls"}',
      'oops',
      '',
      '{"name":"bad"}',
      '['.repeat(2000),
      '{"name":"ls"}',
      '',
      '',
    ].join('\n');
    const done = await fire(input, '--lines');
    expect(done.code).toBe(1);
    const lines = done.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => [line.action, line.error?.line ?? null])).toEqual([
      ['allow', null],
      ['block', 2],
      ['block', 3],
      ['block', null],
      ['block', 5],
      ['allow', null],
    ]);
    expect((await fire(input, '--lines', '--exit-code')).code).toBe(2);
    expect((await fire('{"name":"ls"}\noops', '--lines', '--exit-code')).code).toBe(2);
  });
});

describe('a hook that misbehaves', () => {
  const hook = (...body: string[]) =>
    hookFile(
      [
        'event: tool.pre',
        'priority: 1',
        'timeout_ms: 2000',
        'script: |',
        ...body.map((line) => `  ${line}`),
      ].join('\n'),
    );
  const one = (...body: string[]) =>
    project({ '.harness/hooks/one.md': hook(...body), '.harness/hooks/good.md': GOOD });

  it('loops for ever: ended by its limit, and blocks [C035]', async () => {
    const dir = one(
      'def handle(event, payload):',
      '    for i in range(1000000000):',
      '        pass',
      '    return allow()',
    );
    const { code, outcome } = await decide(dir, 'ls');
    expect({ code, action: outcome.action, hook: outcome.hook }).toEqual({
      code: 2,
      action: 'block',
      hook: 'one',
    });
    expect(outcome.trace[0].failure.message).toMatch(/limit/);
  });

  it('allocates for ever: ended by its limit, and blocks', async () => {
    const dir = one(
      'def handle(event, payload):',
      '    kept = "x" * 1000',
      '    for i in range(100):',
      '        kept = kept + kept',
      '    return allow()',
    );
    const { code, outcome } = await decide(dir, 'ls');
    expect({ code, action: outcome.action, hook: outcome.hook }).toEqual({
      code: 2,
      action: 'block',
      hook: 'one',
    });
    expect(outcome.trace[0].failure.message).toMatch(/memory limit/);
  });

  it('returns 42: allowed with a warning in the trace [C028]', async () => {
    const { code, outcome } = await decide(one('def handle(event, payload):', '    return 42'), 'ls');
    expect({ code, action: outcome.action }).toEqual({ code: 0, action: 'allow' });
    expect(outcome.trace[0].warnings.join()).toMatch(/int|42/);
  });

  it('raises: blocks with the place in the Markdown file [C031]', async () => {
    const dir = one(
      'def handle(event, payload):',
      '    return inner(payload)',
      '',
      'def inner(payload):',
      '    return payload["absent"]',
    );
    const { code, outcome } = await decide(dir, 'ls');
    expect({ code, action: outcome.action, hook: outcome.hook }).toEqual({
      code: 2,
      action: 'block',
      hook: 'one',
    });
    expect(outcome.trace[0].failure.traceback).toContain('.harness/hooks/one.md:10:');
    const told = await harness(['decide', 'tool.pre', '--dir', dir, '--explain'], { input: '{"name":"ls"}' });
    expect(told.stdout).toContain('.harness/hooks/one.md:7:');
  });

  it('on_error: allow lets the operation pass and keeps the failure on the record [C030]', async () => {
    const content = hookFile(
      'event: tool.pre\npriority: 1\non_error: allow\nscript: |\n  def handle(event, payload):\n      fail("boom")',
    );
    const dir = project({ '.harness/hooks/one.md': content, '.harness/hooks/good.md': GOOD });
    const { code, outcome } = await decide(dir, 'ls');
    expect({ code, action: outcome.action }).toEqual({ code: 0, action: 'allow' });
    expect(outcome.trace[0]).toMatchObject({ onFailure: 'allowed', failure: { kind: 'error' } });
  });
});

describe('a folder', () => {
  it('that is not there is wrong usage, never an empty policy', async () => {
    const dir = join(project(), 'absent');
    for (const args of [
      ['validate', dir],
      ['hooks', dir],
      ['decide', 'tool.pre', '--dir', dir, '--exit-code'],
    ]) {
      expect(await harness(args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('no such folder'),
      });
    }
  });

  it('without a policy is wrong usage for a gate, unless that is asked for', async () => {
    const dir = project();
    const decide = ['decide', 'tool.pre', '--dir', dir, '--json'];
    const input = { input: '{"name":"ls"}' };
    expect(await harness(decide, input)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`No policy in ${dir} or its parents. Run \`harness init\`.`),
    });
    const done = await harness([...decide, '--allow-empty'], input);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout).action).toBe('allow');
  });

  describe('without a policy, so that CI in the wrong folder is not green', () => {
    const dir = project();
    const message = `No policy in ${dir} or its parents. Run \`harness init\`.`;
    const missing = { severity: 'error', code: 'POLICY_MISSING', message };

    it('fails `validate`, and says where it looked', async () => {
      expect(await harness(['validate', dir])).toEqual({
        code: 1,
        signal: null,
        stdout: `error[POLICY_MISSING]: ${message}\n\n0 hooks, 1 error, 0 warnings\n`,
        stderr: '',
      });
    });

    it('is an error in every format of `validate`', async () => {
      const inFormat = async (format: string) => {
        const { code, stdout } = await harness(['validate', dir, '--format', format]);
        expect(code).toBe(1);
        return stdout;
      };
      expect(JSON.parse(await inFormat('json'))).toMatchObject({ ok: false, errors: 1, problems: [missing] });
      const { runs } = JSON.parse(await inFormat('sarif'));
      expect(runs[0].results).toMatchObject([
        { ruleId: 'POLICY_MISSING', level: 'error', message: { text: message } },
      ]);
      expect(await inFormat('github')).toBe(`::error title=POLICY_MISSING::${message}\n`);
    });

    it('fails `test`, for people and programs', async () => {
      expect(await harness(['test', dir])).toMatchObject({
        code: 1,
        stdout: `error[POLICY_MISSING]: ${message}\n\nno tests found\n`,
      });
      const { code, stdout } = await harness(['test', dir, '--json']);
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [missing] });
    });

    it('fails `hooks`, which shows the built-in chain only', async () => {
      expect(await harness(['hooks', dir])).toMatchObject({
        code: 1,
        stderr: `error[POLICY_MISSING]: ${message}\n`,
      });
      const { code, stdout } = await harness(['hooks', dir, '--json']);
      expect({ code, problems: JSON.parse(stdout).problems }).toEqual({ code: 1, problems: 1 });
    });
  });

  it('with a policy that has no hooks allows, and says so on stderr', async () => {
    const dir = project({ 'harness.md': 'Nothing yet.\n' });
    const done = await harness(['decide', 'tool.pre', '--dir', dir, '--json'], { input: '{"name":"ls"}' });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout).action).toBe('allow');
    expect(done.stderr).toContain('no hooks');
  });

  it('with a setting whose name is misspelt says so before a decision: it is not in force', async () => {
    const dir = project({ 'harness.md': '---\nsanbox: true\n---\n', '.harness/hooks/good.md': GOOD });
    const decided = await harness(['decide', 'tool.pre', '--dir', dir], { input: '{"name":"x"}' });
    expect(decided.stderr).toContain('unknown field sanbox is ignored (did you mean sandbox?)');
  });

  it('other files in it are left alone', async () => {
    const dir = project({ '.harness/hooks/good.md': GOOD });
    write(dir, '.harness/hooks/notes.txt', 'not a hook');
    expect((await validate(dir)).finished.stdout).toBe('1 hook, 0 errors, 0 warnings\n');
    // One that looks like a hook is not read either, and said so: also before a decision.
    write(dir, '.harness/hooks/deeper/x.md', 'not a hook either');
    expect((await validate(dir)).lines).toEqual([expect.stringContaining('warning[FILE_STRAY]')]);
    const decided = await harness(['decide', 'tool.pre', '--dir', dir], { input: '{"name":"x"}' });
    expect(decided.stderr).toContain('.harness/hooks/deeper is not read');
  });
});
