/** Fifty calls at once, and calls on a machine that is busy: every one is answered, counted and on the tape. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, hook, project } from './launched.ts';

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

  it('ten at once beside eight busy loops', async () => {
    const loops = Array.from({ length: 8 }, () =>
      spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
    );
    try {
      await crowd(10);
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  });
});
