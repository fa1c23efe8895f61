/** Many calls at once, and calls on a machine that is busy: every one is answered, counted and on the tape. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/agents/adapter.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { user } from '../daemon/daemon.ts';
import { command, decisionIn, hook, project, SAMPLES } from './launched.ts';

const FILES = {
  '.harness/hooks/rule.md': hook('tool.pre', 'metrics.incr("calls")', 'return allow()'),
  '.harness/hooks/end.md': hook('agent.stop', 'return block("calls: %d" % metrics.get("calls"))'),
};

async function crowd(size: number): Promise<void> {
  const { fire, dir, tape } = project(FILES);
  const options = ['--dir', dir, '--deadline', '60000'];
  const ids = Array.from({ length: size }, (_, i) => String(i));
  const answers = await Promise.all(ids.map((id) => fire('PreToolUse', command('x', id), options)));
  expect(answers.map(({ stdout, stderr }) => stdout + stderr)).toEqual(ids.map(() => ''));
  expect((await fire('Stop', {}, options)).stdout).toContain(`calls: ${size}`);
  expect(tape().filter(({ type }) => type === 'decision')).toHaveLength(size + 1);
  expect(await verifyTape(join(dir, '.harness/runs/session.jsonl'))).toMatchObject({ ok: true });
}

describe('many calls of one session', () => {
  it('fifty at once', () => crowd(50));

  it('ten at once beside eight busy loops', () => besideLoops(() => crowd(10)));

  it.each([
    ['with a daemon that starts meanwhile', {}],
    ['without a daemon', { HARNESS_DAEMON: 'off' }],
  ])(
    'twenty registered lines at once beside eight busy loops, %s: a guard that blocks is never silent',
    async (_how, more) => {
      const { dir, env, harness } = user(
        { '.harness/hooks/rule.md': hook('tool.pre', 'return block("not here")') },
        { starts: true },
      );
      expect(harness('install', 'claude-code')).toMatchObject({ status: 0 });
      const settings = JSON.parse(readFileSync(join(dir, '.claude/settings.json'), 'utf8'));
      const line: string = settings.hooks.PreToolUse[0].hooks[0].command;
      const around = { ...env, ...more, CLAUDE_PROJECT_DIR: dir };
      const ids = Array.from({ length: 20 }, (_, i) => String(i));
      const answers = await besideLoops(() =>
        Promise.all(ids.map((id) => answerOf(line, around, { ...command('x', id), cwd: dir }))),
      );
      // The reason may be that there was no time: what counts is that nothing was let through.
      expect(answers.map((answer) => answer.exitCode === 2 || decisionIn(answer))).toEqual(
        answers.map(({ exitCode }) => exitCode === 2 || 'deny'),
      );
    },
  );
});

async function besideLoops<T>(act: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: 8 }, () =>
    spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
  );
  try {
    return await act();
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

function answerOf(line: string, env: Record<string, string>, more: object): Promise<Answer> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', line], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece) => {
      stdout += String(piece);
    });
    child.stderr.on('data', (piece) => {
      stderr += String(piece);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ ...SAMPLES.PreToolUse, ...more }));
    child.on('close', (code) => resolve({ stdout, stderr, exitCode: code ?? -1 }));
  });
}
