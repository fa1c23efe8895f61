import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { FolderSnapshot } from '../files/folder-snapshot.ts';
import { changedFile, programFiles, shellWords } from './capability-files.ts';

const filesOf = (dir: string, line: string) =>
  Object.keys(programFiles(new FolderSnapshot(dir), dir, shellWords(line)));

const FILES = {
  'hooks/guard.mjs': 'import "./lib.mjs";',
  'hooks/lib.mjs': '',
  'run.sh': 'cd "$(dirname "$0")/lib" && . ./x.sh',
  'go.sh': 'cd hooks\nnode guard.mjs\n',
  'lib/x.sh': '',
  'pkg/__main__.py': '',
  'pkg/mod.py': '',
};

describe('the files that a program runs', () => {
  it.each([
    ['cd hooks && node guard.mjs', ['hooks/guard.mjs', 'hooks/lib.mjs']],
    ['env -C hooks node guard.mjs', ['hooks/guard.mjs', 'hooks/lib.mjs']],
    ['sh run.sh', ['lib/x.sh', 'run.sh']],
    ['sh go.sh', ['go.sh', 'hooks/guard.mjs', 'hooks/lib.mjs']],
    ['python3 pkg', ['pkg/__main__.py']],
    ['python3 -m pkg.mod', ['pkg/mod.py']],
  ])('are found from the folders that are named with them: %s', (line, files) => {
    expect(filesOf(tempProject(FILES), line)).toEqual(files);
  });

  it('are found beside what a link leads to, which is where a runtime looks', () => {
    const dir = tempProject(FILES);
    symlinkSync('hooks/guard.mjs', join(dir, 'guard.mjs'));
    expect(filesOf(dir, 'node guard.mjs')).toEqual(['guard.mjs', 'hooks/lib.mjs']);
  });

  it('are known to their last byte', () => {
    const dir = tempProject({ 'large.sh': '' });
    truncateSync(join(dir, 'large.sh'), 9 * 1024 * 1024);
    const files = programFiles(new FolderSnapshot(dir), dir, ['large.sh']);
    expect(changedFile(dir, files)).toBeNull();
    writeFileSync(join(dir, 'large.sh'), Buffer.alloc(9 * 1024 * 1024).fill(1, 9 * 1024 * 1024 - 1));
    expect(changedFile(dir, files)).toBe('large.sh');
  });

  it.each([
    ['files', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d/${i}.sh`, `${i}`]))],
    ['words', { 'd/0.sh': '' }],
  ])(
    'are more than are watched: the list says so, and a repository cannot make it long (%s)',
    (what, more) => {
      const names = Array.from({ length: what === 'files' ? 300 : 100_000 }, (_, i) => `. ./d/${i}.sh`);
      const dir = tempProject({ ...more, 'run.sh': names.join('\n') });
      const files = programFiles(new FolderSnapshot(dir), dir, ['run.sh']);
      expect(Object.keys(files).at(-1)).toBe('… and more files than are watched');
      expect(Object.keys(files).length).toBeLessThan(260);
      expect(changedFile(dir, files)).toBeNull();
    },
  );
});
