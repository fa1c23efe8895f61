import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { Protected } from '../../policy/protected.ts';
import type { PathGuard } from '../tool.ts';
import { Workspace } from './workspace.ts';

const NO = "is not the agent's to change";

function world() {
  const dir = realpathSync(
    tempProject({ '.harness/hooks/guard.md': 'guard', 'src/a.txt': 'a', 'x.txt': 'x' }),
  );
  symlinkSync('.harness/hooks', join(dir, 'docs'));
  linkSync(join(dir, '.harness/hooks/guard.md'), join(dir, 'copy.md'));
  const guarded = new Protected(() => ({ folders: [join(dir, '.harness')], files: [] }));
  return {
    dir,
    guarded,
    workspace: new Workspace(dir, guarded),
    guard: join(dir, '.harness/hooks/guard.md'),
  };
}

describe('a workspace with something guarded in it', () => {
  it.each([
    '.harness/hooks/guard.md',
    '.harness/new/x.md',
    'docs/guard.md',
    'docs/new.md',
    'copy.md',
    'src/../docs/guard.md',
  ])('is not written at %s, and the file stays whole', async (path) => {
    const { workspace, guard, dir } = world();
    await expect(workspace.write(path, 'mine')).rejects.toThrow(NO);
    await expect(workspace.append(path, 'mine')).rejects.toThrow(NO);
    expect(readFileSync(guard, 'utf8')).toBe('guard');
    expect(existsSync(join(dir, '.harness/hooks/new.md'))).toBe(false);
    expect(existsSync(join(dir, '.harness/new'))).toBe(false);
  });

  it('is not removed, moved or moved over, also by the folder around it', async () => {
    const { workspace, guard } = world();
    await expect(workspace.remove('.harness', true)).rejects.toThrow(NO);
    await expect(workspace.remove('docs/guard.md', false)).rejects.toThrow(NO);
    await expect(workspace.move('.harness', 'h')).rejects.toThrow(NO);
    await expect(workspace.move('x.txt', '.harness/hooks/x.md')).rejects.toThrow(NO);
    await expect(workspace.mkdir('docs/deep')).rejects.toThrow(NO);
    expect(readFileSync(guard, 'utf8')).toBe('guard');
  });

  it('is read as before, and everything else is written', async () => {
    const { workspace, dir } = world();
    expect(await workspace.read('docs/guard.md')).toBe('guard');
    await workspace.write('src/a.txt', 'long and then');
    await workspace.write('src/a.txt', 'b');
    await workspace.append('src/a.txt', 'c');
    await workspace.write('src/new/deep.txt', 'd');
    await workspace.move('x.txt', 'src/x.txt');
    await workspace.remove('src/x.txt', false);
    expect(readFileSync(join(dir, 'src/a.txt'), 'utf8')).toBe('bc');
    expect(readFileSync(join(dir, 'src/new/deep.txt'), 'utf8')).toBe('d');
  });

  it('is not written by way of a link that is put there while the call is judged', async () => {
    const { guarded, dir } = world();
    mkdirSync(join(dir, 'free'));
    let first = true;
    const racing: PathGuard = {
      below: (path, cwd) => guarded.below(path, cwd),
      holds: (file) => guarded.holds(file),
      reach: (path, cwd) => {
        const found = guarded.reach(path, cwd);
        // Judged; now the folder becomes a link, before the file is opened.
        if (first) {
          first = false;
          renameSync(join(dir, 'free'), join(dir, 'was-free'));
          symlinkSync('.harness/hooks', join(dir, 'free'));
        }
        return found;
      },
    };
    const workspace = new Workspace(dir, racing);
    await expect(workspace.write('free/evil.md', 'mine')).rejects.toThrow(NO);
    expect(existsSync(join(dir, '.harness/hooks/evil.md'))).toBe(false);
    const again = new Workspace(dir, { ...racing, reach: () => null });
    await expect(again.write('free/guard.md', 'mine')).rejects.toThrow(NO);
    expect(readFileSync(join(dir, '.harness/hooks/guard.md'), 'utf8')).toBe('guard');
  });
});
