import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import { findPaths } from './walk.ts';
import { FileFault, Workspace } from './workspace.ts';

/** A workspace with a secret beside it and links of every kind in it. */
function world() {
  const dir = tempProject({
    'work/a.txt': 'alpha',
    'work/sub/b.txt': 'beta',
    'work/.hidden/c.txt': 'gamma',
    'outside/secret.txt': 'secret',
  });
  const work = join(dir, 'work');
  symlinkSync('../outside', join(work, 'out'));
  symlinkSync('../outside/secret.txt', join(work, 'stolen.txt'));
  symlinkSync('../outside/new.txt', join(work, 'dangling.txt'));
  symlinkSync('sub', join(work, 'inner'));
  symlinkSync('round', join(work, 'round'));
  symlinkSync('loop', join(dir, 'outside/loop'));
  return { dir, work, workspace: new Workspace(work) };
}

describe('paths of a workspace', () => {
  it.each([
    '../outside/secret.txt',
    'sub/../../outside/secret.txt',
    'out/secret.txt',
    'stolen.txt',
    'sub/../out/secret.txt',
    '/etc/passwd',
    '..',
    '../work-too/x',
    // Not even asked about: a circle of links would otherwise be named.
    '../outside/loop',
  ])('refuse %s, whatever is done with it', async (path) => {
    const { dir, workspace } = world();
    mkdirSync(join(dir, 'work-too'));
    writeFileSync(join(dir, 'work-too/x'), 'x');
    const refused = /is outside the workspace|is the workspace itself/;
    await expect(workspace.read(path)).rejects.toThrow(refused);
    await expect(workspace.write(path, 'x')).rejects.toThrow(refused);
    await expect(workspace.append(path, 'x')).rejects.toThrow(refused);
    await expect(workspace.list(path)).rejects.toThrow(refused);
    await expect(workspace.exists(path)).rejects.toThrow(refused);
    await expect(workspace.mkdir(path)).rejects.toThrow(refused);
    expect(readFileSync(join(dir, 'outside/secret.txt'), 'utf8')).toBe('secret');
  });

  it('do not lead out through a link to a file that is not there yet', async () => {
    const { dir, workspace } = world();
    await expect(workspace.write('dangling.txt', 'x')).rejects.toThrow(
      'a link to something that does not exist',
    );
    await expect(workspace.write('out/new/deep.txt', 'x')).rejects.toThrow('is outside the workspace');
    expect(existsSync(join(dir, 'outside/new.txt'))).toBe(false);
    expect(existsSync(join(dir, 'outside/new'))).toBe(false);
  });

  it('may go through links that stay inside, and may be absolute', async () => {
    const { work, workspace } = world();
    expect(await workspace.read('inner/b.txt')).toBe('beta');
    expect(await workspace.read(join(work, 'a.txt'))).toBe('alpha');
    await workspace.write('inner/new.txt', 'new');
    expect(readFileSync(join(work, 'sub/new.txt'), 'utf8')).toBe('new');
  });

  it('may be spelt as the workspace really is, where it was given through a link', async () => {
    const { dir, work } = world();
    symlinkSync('work', join(dir, 'alias'));
    const workspace = new Workspace(join(dir, 'alias'));
    expect(await workspace.read(join(work, 'a.txt'))).toBe('alpha');
    expect(await workspace.name(join(work, 'sub/b.txt'))).toBe('sub/b.txt');
    expect(await workspace.name(join(dir, 'alias/sub/b.txt'))).toBe('sub/b.txt');
  });

  it.each([
    ['', 'the path is empty'],
    ['a\0b', 'NUL'],
    ['round', 'links go in a circle'],
    ['nowhere.txt', 'does not exist'],
    ['sub', 'is a folder, not a file'],
    ['a.txt/child', 'does not exist'],
  ])('say what is wrong with %j', async (path, message) => {
    await expect(world().workspace.read(path)).rejects.toThrow(message);
  });

  it('never name the machine around them in a message', async () => {
    const { dir, workspace } = world();
    const paths = ['nowhere.txt', 'sub', 'out/secret.txt', 'round', 'a.txt/child'];
    for (const path of paths) {
      const thrown = await workspace.read(path).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(FileFault);
      expect(String(thrown)).not.toContain(dir);
    }
  });
});

describe('files of a workspace', () => {
  it('are written, with the folders on the way, appended to and replaced', async () => {
    const { work, workspace } = world();
    await workspace.write('x/y/z.txt', 'one');
    await workspace.append('x/y/z.txt', ' two');
    expect(readFileSync(join(work, 'x/y/z.txt'), 'utf8')).toBe('one two');
    await workspace.write('x/y/z.txt', '3');
    expect(await workspace.read('x/y/z.txt')).toBe('3');
  });

  it('are text, and no larger than the limit', async () => {
    const { work, workspace } = world();
    writeFileSync(join(work, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(work, 'large'), '');
    truncateSync(join(work, 'large'), TOOL_LIMITS.fileBytes + 1);
    await expect(workspace.read('binary')).rejects.toThrow('"binary" is not UTF-8 text');
    await expect(workspace.read('large')).rejects.toThrow(`are more than ${TOOL_LIMITS.fileBytes}`);
    const text = 'x'.repeat(TOOL_LIMITS.fileBytes + 1);
    await expect(workspace.write('too-large', text)).rejects.toThrow('are more than');
    expect(existsSync(join(work, 'too-large'))).toBe(false);
  });

  it('are regular files: a pipe neither hangs nor is written to', async () => {
    const { work, workspace } = world();
    execFileSync('mkfifo', [join(work, 'pipe')]);
    await expect(workspace.read('pipe')).rejects.toThrow('not a regular file');
    await expect(workspace.write('pipe', 'x')).rejects.toThrow('not a regular file');
  });

  it('are listed with folders marked, and asked for', async () => {
    const { workspace } = world();
    expect(await workspace.list('.')).toEqual([
      '.hidden/',
      'a.txt',
      'dangling.txt',
      'inner',
      'out',
      'round',
      'stolen.txt',
      'sub/',
    ]);
    expect(await workspace.exists('sub')).toBe(true);
    expect(await workspace.exists('sub/none')).toBe(false);
    expect(await workspace.exists('a.txt/child')).toBe(false);
  });

  it('are removed as names: a link goes, what it leads to stays', async () => {
    const { dir, work, workspace } = world();
    await workspace.remove('stolen.txt', false);
    await workspace.remove('out', true);
    expect(existsSync(join(dir, 'outside/secret.txt'))).toBe(true);
    await expect(workspace.remove('sub', false)).rejects.toThrow('want recursive=True');
    await workspace.remove('sub', true);
    expect(existsSync(join(work, 'sub'))).toBe(false);
    await expect(workspace.remove('nothing', true)).rejects.toThrow('does not exist');
    for (const path of ['.', 'a/..', work]) {
      await expect(workspace.remove(path, true)).rejects.toThrow('is the workspace itself');
    }
    await expect(workspace.remove('../outside', true)).rejects.toThrow('is outside the workspace');
  });

  it('are moved, never over something and never out', async () => {
    const { dir, work, workspace } = world();
    await workspace.move('a.txt', 'moved/a.txt');
    expect(readFileSync(join(work, 'moved/a.txt'), 'utf8')).toBe('alpha');
    await expect(workspace.move('moved/a.txt', 'sub/b.txt')).rejects.toThrow('exists already');
    await expect(workspace.move('moved/a.txt', 'dangling.txt')).rejects.toThrow('exists already');
    await expect(workspace.move('moved/a.txt', 'out/a.txt')).rejects.toThrow('is outside the workspace');
    await expect(workspace.move('moved', 'moved/inside')).rejects.toThrow('cannot be moved into itself');
    await expect(workspace.move('gone', 'x')).rejects.toThrow('does not exist');
    expect(existsSync(join(dir, 'outside/a.txt'))).toBe(false);
  });

  it('need a workspace that is there', async () => {
    const { dir } = world();
    await expect(new Workspace(join(dir, 'none')).read('x')).rejects.toThrow('the workspace cannot be used');
  });
});

describe('finding paths', () => {
  const find = (workspace: Workspace, pattern: string) => findPaths(workspace, pattern, () => {});

  it.each([
    ['*.txt', ['a.txt', 'dangling.txt', 'stolen.txt']],
    ['**/*.txt', ['a.txt', 'dangling.txt', 'stolen.txt', 'sub/b.txt']],
    ['sub/*', ['sub/b.txt']],
    ['./sub/?.txt', ['sub/b.txt']],
    ['**/b.txt', ['sub/b.txt']],
    ['**/**/b.txt', ['sub/b.txt']],
    ['sub/**', ['sub/b.txt']],
    ['.hidden/*', ['.hidden/c.txt']],
    ['[ab].txt', ['a.txt']],
    ['nothing/*', []],
    ['a.txt/*', []],
  ])('%s gives %j: hidden names and links are not gone into', async (pattern, paths) => {
    expect(await find(world().workspace, pattern)).toEqual(paths);
  });

  it.each(['', '/etc/*', '../*', 'sub/../../*'])('refuses the pattern %j', async (pattern) => {
    await expect(find(world().workspace, pattern)).rejects.toThrow('must stay inside the workspace');
  });

  it('takes many stars in one stride', async () => {
    const deep = `${'d/'.repeat(20)}x.txt`;
    const dir = tempProject({ [deep]: '' });
    expect(await find(new Workspace(dir), `${'**/'.repeat(20)}x.txt`)).toEqual([deep]);
  });

  it('ends when it is told to', async () => {
    const dir = tempProject({ 'a/b/c/d.txt': '' });
    let folders = 0;
    const goOn = () => {
      if (++folders > 2) throw new Error('enough');
    };
    await expect(findPaths(new Workspace(dir), '**/*', goOn)).rejects.toThrow('enough');
  });
});
