/**
 * What the launcher remembers of a session of an outside agent: nothing that a checkout brings is taken for it, and a tape that went
 * away, was cut or was made anew between two events is noticed at the next one.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { type Repository, repository } from './repository.ts';
import { forge } from './tapes.ts';

const hook = (body: string) =>
  `---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return ${body}\n---\n`;
const ALLOWS = { '.harness/hooks/a.md': hook('allow()') };

const as = (repo: Repository, ...args: string[]) =>
  harness(args, { cwd: repo.dir, env: { HOME: repo.home } });

/** What Claude Code is told about a call; null for silence. */
async function fire(repo: Repository, id: string, session = 'session'): Promise<string | null> {
  const { stdout } = await harness(['hook', 'claude-code', 'PreToolUse', '--dir', repo.dir], {
    cwd: repo.dir,
    env: { HOME: repo.home },
    input: JSON.stringify({
      session_id: session,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_use_id: id,
      tool_input: { command: 'ls' },
      cwd: repo.dir,
    }),
  });
  return stdout === '' ? null : String(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason);
}

function userPolicy({ home }: Repository, files: Readonly<Record<string, string>>): string {
  const folder = join(home, '.config/harness');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('a checkout with the memory of a session whose id can be guessed', () => {
  it('does not put its policy in the place of the user’s', async () => {
    // The session as it is on the machine of somebody who has no policy of their own, with a call still open.
    const theirs = repository(ALLOWS);
    expect(await fire(theirs, '1')).toBeNull();
    const mine = repository(ALLOWS);
    userPolicy(mine, { 'hooks/no.md': hook('block("not here")') });
    const runs = join(mine.dir, '.harness/runs');
    cpSync(join(theirs.dir, '.harness/runs'), runs, { recursive: true });
    // Where it was kept, under each name that a checkout could give it.
    const kept = join(theirs.home, '.local/state/harness/sessions');
    cpSync(kept, join(mine.dir, '.harness/sessions'), { recursive: true });
    for (const name of ['state', 'policies'])
      cpSync(join(kept, readdirSync(kept)[0]!, name), join(runs, name), { recursive: true });
    expect(await fire(mine, '2')).toContain('not here');
  });
});

describe('the tape of a session between two events', () => {
  async function begun() {
    const repo = repository(ALLOWS);
    expect(await fire(repo, '1')).toBeNull();
    expect(await fire(repo, '2')).toBeNull();
    return { repo, tape: join(repo.dir, '.harness/runs/session.jsonl') };
  }

  it.each<[string, (tape: string) => void, string]>([
    ['taken away', (tape) => rmSync(tape), 'is gone'],
    ['moved away', (tape) => renameSync(tape, `${tape}.old`), 'is gone'],
    ['emptied', (tape) => writeFileSync(tape, ''), 'is gone'],
    [
      'cut',
      (tape) => writeFileSync(tape, `${readFileSync(tape, 'utf8').split('\n').slice(0, 4).join('\n')}\n`),
      'is no record any more',
    ],
    ['made anew', (tape) => forge(tape, '"allow"', '"block"'), 'is no record any more'],
  ])('%s: the next gate denies, and the one after it', async (_what, change, why) => {
    const { repo, tape } = await begun();
    change(tape);
    for (const id of ['3', '4']) expect(await fire(repo, id)).toContain(why);
    expect(await fire(repo, '5', 'another')).toBeNull();
  });

  it('goes on behind what another process has added to it', async () => {
    const { repo, tape } = await begun();
    const runs = await Promise.all(['3', '4', '5', '6'].map((id) => fire(repo, id)));
    expect([...runs, await fire(repo, '7')]).toEqual([null, null, null, null, null]);
    expect((await as(repo, 'tape', 'verify', tape)).code).toBe(0);
  });

  it('made anew by somebody who also knows what is remembered: the signature does not vouch for it', async () => {
    const repo = repository(ALLOWS);
    const user = userPolicy(repo, { 'harness.md': '---\ntape: {key: mine}\n---\n' });
    await as(repo, 'tape', 'keygen', join(user, 'mine'));
    const tape = join(repo.dir, '.harness/runs/session.jsonl');
    const verify = () => as(repo, 'tape', 'verify', tape, '--key', join(user, 'mine.pub'));
    await fire(repo, '1');
    await fire(repo, '2');
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('with your key') });
    forge(tape, '"allow"', '"block"');
    for (const signature of ['with', 'without']) {
      rmSync(join(repo.home, '.local/state/harness/sessions'), { recursive: true });
      if (signature === 'without') rmSync(`${tape}.sig`);
      expect(await fire(repo, signature)).toBeNull();
      expect(existsSync(`${tape}.sig`)).toBe(true);
      const { code, stdout } = await verify();
      expect([signature, code, stdout]).toEqual([
        signature,
        1,
        expect.stringMatching(/^unsigned.*entries 0 to \d+/),
      ]);
    }
  });

  it('signed from the middle on: what was there before is told, and stays told', async () => {
    // No call is open: then a change of the policy is in force at the next event.
    const repo = repository({ '.harness/hooks/a.md': hook('block("no")') });
    await fire(repo, '1');
    const user = userPolicy(repo, {});
    mkdirSync(user, { recursive: true });
    await as(repo, 'tape', 'keygen', join(user, 'mine'));
    userPolicy(repo, { 'harness.md': '---\ntape: {key: mine}\n---\n' });
    for (const id of ['2', '3']) await fire(repo, id);
    const tape = join(repo.dir, '.harness/runs/session.jsonl');
    const { code, stdout } = await as(repo, 'tape', 'verify', tape, '--key', join(user, 'mine.pub'));
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^unsigned.*is signed without entries 0 to 4:/),
    ]);
    expect((await as(repo, 'tape', 'verify', tape)).code).toBe(0);
    // A person with the key may vouch for it.
    await as(repo, 'tape', 'repair', tape, '--key', join(user, 'mine'));
    expect((await as(repo, 'tape', 'verify', tape, '--key', join(user, 'mine.pub'))).code).toBe(0);
  });
});
