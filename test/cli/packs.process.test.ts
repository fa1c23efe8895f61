/**
 * `harness report` and `harness explain` over packs of rules, as a person uses them before a policy is put in force.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const SCRIPT = `completions:
  - tool_calls:
      - {name: run_command, args: {command: echo git push --force}}
      - {name: run_command, args: {command: git --no-pager push --force --dry-run}}
      - {name: run_command, args: {command: git update-ref -d refs/heads/no-such-branch}}
  - text: Done.
`;

describe('harness report', () => {
  it('says by rule what would have been stopped of the runs on tape, and what is not in force', async () => {
    const dir = project({
      'harness.md': '---\nname: tester\nuse: {git: audit}\n---\n',
      '.harness/tools/run_command.md': readFileSync(
        new URL('../../src/cli/init/templates/tools/run_command.md', import.meta.url),
      ),
      'script.yaml': SCRIPT,
    });
    await harness(['run', dir, '--script', join(dir, 'script.yaml'), '--prompt', 'go']);
    const report = await harness(['report', dir, '--dir', dir, '--json']);
    expect(JSON.parse(report.stdout)).toMatchObject({
      tapes: 1,
      calls: 3,
      rules: [{ rule: 'git/delete-branch', mode: 'audit', action: 'ask', calls: 1 }],
    });
    const text = await harness(['report', dir, '--dir', dir]);
    expect(text.stdout).toContain('git update-ref -d refs/heads/no-such-branch');
    expect(text.stdout).toContain('change `audit` to `enforce`');
  });
});

describe('harness validate', () => {
  const TEAM = `pack: team
version: 1
description: Ours.
rules:
  - id: deploys
    match: {program: deploy}
    reason: it deploys
    instead: Push by hand, \`git push --force\`.
    examples: {stops: [deploy now, ship now], passes: [ls, deploy later]}
`;

  it('holds a pack from elsewhere to its examples, and what it suggests to every rule in force', async () => {
    const files = (digest: string) => ({
      'harness.md': `---\nname: tester\nuse: [git, {./team.yaml: {digest: "${digest}"}}]\n---\n`,
      'team.yaml': TEAM,
    });
    const unpinned = await harness(['validate', project(files(''))]);
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(unpinned.stdout + unpinned.stderr) ?? [];
    const { code, stdout } = await harness(['validate', project(files(digest)), '--json']);
    expect(code).toBe(1);
    const messages = JSON.parse(stdout).problems.map(({ message }: { message: string }) => message);
    for (const message of [
      'the rule team/deploys does not stop its example "ship now"',
      'the rule team/deploys stops its example that must pass "deploy later"',
      'the rule team/deploys suggests "git push --force", which git/force-push refuses',
    ])
      expect(messages).toContain(message);
  });
});

describe('harness explain COMMAND', () => {
  const dir = project({ 'harness.md': '---\nname: tester\nuse: [git]\n---\n' });

  it('says how a command is read, which rule stops it, and the safer way', async () => {
    const { stdout } = await harness(['explain', 'cd app && git push -uf origin main', '--dir', dir]);
    expect(stdout).toContain('git push -uf origin main');
    expect(stdout).toContain('git/force-push');
    expect(stdout).toContain('--force-with-lease');
  });

  it('says of text about a command that no rule stops it', async () => {
    const { stdout } = await harness(['explain', 'echo git push --force', '--dir', dir]);
    expect(stdout).not.toContain('git/force-push: block');
    expect(stdout).not.toContain('is stopped');
  });
});
