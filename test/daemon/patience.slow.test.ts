/** While a person is asked, clients of the daemon wait longer than for one that hangs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/agents/adapter.ts';
import { openQueue } from '../../src/policy/approvals/queue.ts';
import { command, decisionIn, hook } from '../adapters/launched.ts';
import { decisions, nativeClient, type User, until, user } from './daemon.ts';

/** The answer to a call that a person is asked about for longer than either client waits for a daemon that says nothing. */
async function askedFor(one: User, native: string | undefined): Promise<Answer> {
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
  await new Promise((resolve) => setTimeout(resolve, 25_000));
  expect(queue.answer(queue.list()[0]!.question.id, { approved: true, by: 'test' }).receipt).toBe('taken');
  return asked;
}

describe('while a person is asked', () => {
  it('the launcher and the native client have more patience than with a daemon that hangs', async () => {
    const users = ['launcher', 'native'].map(() =>
      user({ '.harness/hooks/pushes.md': hook('tool.pre', 'return ask("it pushes")') }),
    );
    const native = nativeClient(users[1]!.home);
    const clients = users.slice(0, native === null ? 1 : 2);
    const answers = clients.map((one, at) => askedFor(one, at === 0 ? undefined : native!));
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      const one = clients[at]!;
      expect(decisionIn(answer)).toBeNull();
      expect(one.state()).toMatchObject({ answered: 1, refused: 0 });
      expect(decisions(one.tape())).toBeGreaterThan(0);
    }
  });
});
