/**
 * The door of S6: what a model chooses, such as the size of a call, does not turn a guard off. A guard of settings.json that
 * fails lets the call go on, as its specification says, and that is never silent; under strict it blocks.
 */
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { repository } from './repository.ts';

const settings = (entry: Record<string, unknown>) =>
  JSON.stringify({ hooks: { PreToolUse: [{ path: 'guard.sh', ...entry }] } });

const STRICT = { 'harness.md': '---\nstrict: true\n---\n' };

/** Repeats its input, as many a guard does, and blocks a call that says so. */
const ECHOES = '#!/bin/sh\ncat\nexit 2\n';
/** The same as an answer: the input is in its reason. */
const ANSWERS =
  'let text = "";\nprocess.stdin.on("data", (part) => { text += part; });\nprocess.stdin.on("end", () => { process.stdout.write(JSON.stringify({ decision: "block", reason: text })); });\n';

function decide(files: Record<string, string>, size: number) {
  const repo = repository(files);
  const input = JSON.stringify({ id: '1', name: 'x', args: { text: '\\"'.repeat(size / 2) } });
  const env = { HOME: repo.home, HARNESS_TRUST: 'all' };
  return harness(['decide', 'tool.pre', '--json', '--exit-code'], { cwd: repo.dir, env, input });
}

/** The size is what is tested: on a busy machine ten million characters take longer than a hook has by default. */
const UNHURRIED = { timeout: 100_000 };

const actionOf = (stdout: string) => (JSON.parse(stdout) as { action: string }).action;

describe('a guard that repeats its input', () => {
  it.each([1_000, 1_500_000, 9_500_000])('blocks a call of %i characters', async (size) => {
    const done = await decide({ '.harness/settings.json': settings(UNHURRIED), 'guard.sh': ECHOES }, size);
    expect([done.code, actionOf(done.stdout)]).toEqual([2, 'block']);
  });

  it.each([1_000, 2_000_000])('blocks by its answer, at %i characters', async (size) => {
    const files = {
      '.harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ path: 'guard.mjs', ...UNHURRIED }] },
      }),
      'guard.mjs': ANSWERS,
    };
    const done = await decide(files, size);
    expect([done.code, actionOf(done.stdout)]).toEqual([2, 'block']);
  });
});

describe('a guard that gives no answer', () => {
  // Only the slow one is short of time: on a busy machine the others must not look like it.
  const guards: [string, string, string, number][] = [
    [
      'floods',
      '#!/bin/sh\nhead -c 40000000 /dev/zero\nexit 0\n',
      'COMMAND_OUTPUT_TOO_LARGE',
      UNHURRIED.timeout,
    ],
    ['is slow', '#!/bin/sh\nsleep 3600\nexit 2\n', 'HOOK_TIMEOUT', 700],
    ['crashes', '#!/bin/sh\nexit 1\n', 'COMMAND_EXIT', UNHURRIED.timeout],
  ];

  it.each(guards)(
    'because it %s: the call goes on, and stderr says so',
    async (_how, guard, code, timeout) => {
      const done = await decide({ '.harness/settings.json': settings({ timeout }), 'guard.sh': guard }, 10);
      expect([done.code, actionOf(done.stdout)]).toEqual([0, 'allow']);
      expect(done.stderr).toContain(`warning[${code}]: hook "guard" has not judged this, and it goes on`);
      const { trace } = JSON.parse(done.stdout) as { trace: { failure: { code: string } | null }[] };
      expect(trace[0]!.failure!.code).toBe(code);
    },
  );

  it.each(guards)('because it %s: under strict it blocks', async (_how, guard, _code, timeout) => {
    const done = await decide(
      { ...STRICT, '.harness/settings.json': settings({ timeout }), 'guard.sh': guard },
      10,
    );
    expect([done.code, actionOf(done.stdout)]).toEqual([2, 'block']);
  });
});
