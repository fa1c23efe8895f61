/** An exception as a change of harness.md: added to what is there, or refused; never another change. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPolicy } from '../policy/index.ts';
import { exceptionDraft, exceptionView, saveException } from './exceptions.ts';

const scratch = mkdtempSync(join(tmpdir(), 'harness-exceptions-'));
afterAll(() => rmSync(scratch, { recursive: true }));

let folders = 0;
async function policyWith(text: string) {
  const dir = join(scratch, String(++folders));
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  writeFileSync(join(dir, '.harness/harness.md'), text);
  const policy = await openPolicy(dir, { places: { managed: null, user: null } });
  return { policy, file: join(dir, '.harness/harness.md') };
}

const WISH = { rule: 'core/delete-system', folder: '', expires: '2026-12-31', reason: 'ours: "app" #1' };
const ENTRY = '- {rule: core/delete-system, expires: 2026-12-31, reason: "ours: \\"app\\" #1"}';

describe('an exception', () => {
  it.each([
    [
      'to none',
      '---\nuse:\n  core: enforce\n---\nText.\n',
      `---\nuse:\n  core: enforce\nexceptions:\n  ${ENTRY}\n---\nText.\n`,
    ],
    [
      'to a list',
      '---\nuse: [core]\nexceptions:\n    - {rule: core/power, reason: x}\n---\n',
      `---\nuse: [core]\nexceptions:\n    ${ENTRY}\n    - {rule: core/power, reason: x}\n---\n`,
    ],
    [
      'to an empty list',
      '---\nuse: [core]\nexceptions: [] # none\n---\n',
      `---\nuse: [core]\nexceptions: # none\n  ${ENTRY}\n---\n`,
    ],
  ])('is added %s, and the rest of the file stays as it is', async (_, before, after) => {
    const { policy, file } = await policyWith(before);
    expect(exceptionDraft(policy, WISH).text).toBe(after);
    const { diff, digest, source } = exceptionView(policy, WISH);
    expect(
      diff.split('\n').filter((line) => line.startsWith('+  ') || line.startsWith('+    ')),
    ).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(saveException(policy, { ...WISH, digest }).source).toBe(source);
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  it('counts once it is written', async () => {
    const { policy, file } = await policyWith('---\nuse: [core]\n---\n');
    const call = { id: '1', name: 'run_command', args: { command: 'rm -rf /var/lib/app' } };
    const said = async (dir: string) => {
      const opened = await openPolicy(dir, { places: { managed: null, user: null } });
      return (await opened.engine({ run: opened.newRun(), canAsk: false }).decide('tool.pre', call)).action;
    };
    expect(await said(policy.dir)).toBe('block');
    saveException(policy, { ...WISH, expires: '', digest: exceptionView(policy, WISH).digest });
    expect(readFileSync(file, 'utf8')).toContain('rule: core/delete-system, reason:');
    expect(await said(policy.dir)).toBe('allow');
  });

  it('is not written over a file that changed since it was shown', async () => {
    const { policy, file } = await policyWith('---\nuse: [core]\n---\n');
    const { digest } = exceptionView(policy, WISH);
    writeFileSync(file, '---\nuse: [core, git]\n---\n');
    expect(() => saveException(policy, { ...WISH, digest })).toThrow('is not what it was');
  });

  it.each([
    [{ ...WISH, rule: 'core/no-such-rule' }, 'there is no rule'],
    [{ ...WISH, reason: ' ' }, 'needs a reason'],
    [{ ...WISH, reason: 'one\ntwo' }, 'on one line'],
    [{ ...WISH, expires: 'tomorrow' }, 'want a day'],
    [{ ...WISH, folder: 'a\u0000b' }, 'on one line'],
  ])('is refused where a value is wrong: %j', async (wish, problem) => {
    const { policy } = await policyWith('---\nuse: [core]\n---\n');
    expect(() => exceptionView(policy, wish)).toThrow(problem);
  });

  it('is left to a person where the list is written in another form', async () => {
    const { policy } = await policyWith(
      '---\nuse: [core]\nexceptions: [{rule: core/power, reason: x}]\n---\n',
    );
    expect(() => exceptionView(policy, WISH)).toThrow('left to you');
  });
});
