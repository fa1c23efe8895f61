/** While a person is asked, clients of the daemon wait longer than for one that hangs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openQueue } from '../../src/policy/approvals/queue.ts';
import { command, decisionIn, hook } from '../adapters/launched.ts';
import { decisions, nativeClient, until, user } from './daemon.ts';

describe('while a person is asked', () => {
  it.each(['launcher', 'native'])(
    'the %s has more patience than with a daemon that hangs',
    async (client) => {
      const one = user({
        '.harness/hooks/pushes.md': hook('tool.pre', 'return ask("it pushes")'),
      });
      const native = client === 'native' ? nativeClient(one.home) : undefined;
      if (native === null) return;
      await one.serve();
      const queue = openQueue({ env: (name) => one.env[name], now: Date.now, uuid: () => 'watcher' })!;
      const settings = '---\napprovals:\n  webhook: http://127.0.0.1:1/\n  key: key\n---\n';
      mkdirSync(join(one.home, '.config/harness'), { recursive: true, mode: 0o700 });
      writeFileSync(join(one.home, '.config/harness/harness.md'), settings);
      const asked = one.fire('PreToolUse', command('git push', '1'), {
        deadlineMs: 60_000,
        ...(native !== undefined && { native }),
      });
      await until(() => queue.list().length === 1);
      // Longer than either waits for a daemon that says nothing.
      await new Promise((resolve) => setTimeout(resolve, 25_000));
      expect(queue.answer(queue.list()[0]!.question.id, { approved: true, by: 'test' }).receipt).toBe(
        'taken',
      );
      expect(decisionIn(await asked)).toBeNull();
      expect(one.state()).toMatchObject({ answered: 1, refused: 0 });
      expect(decisions(one.tape())).toBeGreaterThan(0);
    },
  );
});
