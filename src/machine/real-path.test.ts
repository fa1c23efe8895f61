/** A path as the system would open it, also where parts of it are not there. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { realPath, realPathOrNull, realPathOrSame } from './real-path.ts';

it('follows links to folders, to files and to what is not there yet', () => {
  const dir = realPath(tempProject({ 'real/a.txt': '' }));
  symlinkSync('real', join(dir, 'folder'));
  symlinkSync('real/a.txt', join(dir, 'file'));
  symlinkSync('../missing/b.txt', join(dir, 'real/dangling'));
  expect(realPath(join(dir, 'folder/a.txt'))).toBe(join(dir, 'real/a.txt'));
  expect(realPath(join(dir, 'file'))).toBe(join(dir, 'real/a.txt'));
  expect(realPath(join(dir, 'folder/dangling'))).toBe(join(dir, 'missing/b.txt'));
});

it('leaves what is not there as it is written, below what is', () => {
  const dir = realPath(tempProject({ 'real/a.txt': '' }));
  symlinkSync('real', join(dir, 'folder'));
  expect(realPath(join(dir, 'folder/new/deep/b.txt'))).toBe(join(dir, 'real/new/deep/b.txt'));
  expect(realPath('/no/such/folder')).toBe('/no/such/folder');
});

it('ends where links lead to each other', () => {
  const dir = realPath(tempProject());
  symlinkSync('b', join(dir, 'a'));
  symlinkSync('a', join(dir, 'b'));
  expect(realPath(join(dir, 'a/x'))).toMatch(/\/[ab]\/x$/);
});

it('is null, or the path as it is written, where that is asked for and nothing is there', () => {
  const dir = realPath(tempProject({ 'real/a.txt': '' }));
  symlinkSync('real', join(dir, 'folder'));
  expect(realPathOrNull(join(dir, 'folder'))).toBe(join(dir, 'real'));
  expect(realPathOrNull(join(dir, 'folder/missing'))).toBe(null);
  expect(realPathOrSame(join(dir, 'folder'))).toBe(join(dir, 'real'));
  expect(realPathOrSame(join(dir, 'folder/missing'))).toBe(join(dir, 'folder/missing'));
});
