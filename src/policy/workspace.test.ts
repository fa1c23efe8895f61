/** The workspace of an agent that does not say it: the git checkout around its folder, within bounds. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { workspaceFrom } from './workspace.ts';

const noHome = { env: () => undefined };

it('is the top of the checkout, from any folder inside', () => {
  const dir = tempProject({ '.git/HEAD': 'ref: refs/heads/main\n', 'a/b/c.txt': '' });
  expect(workspaceFrom(join(dir, 'a/b'), noHome)).toBe(dir);
  expect(workspaceFrom(`${dir}/`, noHome)).toBe(dir);
});

it('is the worktree, whose .git is a file, and not the checkout around it', () => {
  const dir = tempProject({ '.git/HEAD': '', 'trees/one/.git': 'gitdir: elsewhere\n', 'trees/one/a/b': '' });
  expect(workspaceFrom(join(dir, 'trees/one/a'), noHome)).toBe(join(dir, 'trees/one'));
});

it('is the folder itself where there is no checkout: a .git without a HEAD is none', () => {
  const dir = tempProject({ '.git/config': '', 'a/b': '' });
  expect(workspaceFrom(join(dir, 'a'), noHome)).toBe(join(dir, 'a'));
});

it('is never the home folder for a folder below it, also if that is a checkout', () => {
  const home = tempProject({ '.git/HEAD': '', 'project/a': '' });
  const host = { env: (name: string) => (name === 'HOME' ? home : undefined) };
  expect(workspaceFrom(join(home, 'project'), host)).toBe(join(home, 'project'));
});

it('keeps the name that it was reached by', () => {
  const dir = tempProject({ 'real/.git/HEAD': '' });
  symlinkSync('real', join(dir, 'link'));
  mkdirSync(join(dir, 'real/a'));
  expect(workspaceFrom(join(dir, 'link/a'), noHome)).toBe(join(dir, 'link'));
});
