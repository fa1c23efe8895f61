import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { FoundPaths } from './found-paths.ts';

/** Long enough after every change for the times of files to tell of the next one. */
const LATER = Date.now() + 60_000;

function found(files: Readonly<Record<string, string>>) {
  const dir = tempProject(files);
  const paths = new FoundPaths();
  const there = paths.thoseIn(dir, ['a', 'b/c', 'b/d/e', 'f']);
  for (const path of there) paths.file(path);
  const at = (path: string) => join(dir, path);
  return { at, paths, there: there.map((path) => path.slice(dir.length + 1)) };
}

describe('what was found at paths', () => {
  it('names the paths that are there and is unchanged until one of them changes', () => {
    const { at, paths, there } = found({ a: '1', 'b/c': '2', other: '3' });
    expect(there).toEqual(['a', 'b/c']);
    expect(paths.isUnchanged(LATER)).toBe(true);
    writeFileSync(at('other'), 'longer');
    writeFileSync(at('new'), '');
    expect(paths.isUnchanged(LATER)).toBe(true);
    writeFileSync(at('b/c'), 'longer');
    expect(paths.isUnchanged(LATER)).toBe(false);
  });

  it('changes with a path that appears or goes, at every depth', () => {
    const appears = found({ a: '1', 'b/c': '2' });
    mkdirSync(appears.at('b/d'));
    expect(appears.paths.isUnchanged(LATER)).toBe(false);
    const goes = found({ a: '1', 'b/c': '2' });
    rmSync(goes.at('a'));
    expect(goes.paths.isUnchanged(LATER)).toBe(false);
    const again = found({ a: '1' });
    // Twice: the second look trusts the times of the folder.
    expect([again.paths.isUnchanged(LATER), again.paths.isUnchanged(LATER)]).toEqual([true, true]);
    writeFileSync(again.at('f'), '');
    expect(again.paths.isUnchanged(LATER)).toBe(false);
  });

  it('changes with a file whose time was set back after it was written', () => {
    const { at, paths } = found({ a: '1' });
    const { atime, mtime } = statSync(at('a'));
    writeFileSync(at('a'), '2');
    utimesSync(at('a'), atime, mtime);
    expect(paths.isUnchanged(LATER)).toBe(false);
  });

  it('changes with a folder that another one or a link to it has replaced', () => {
    const { at, paths } = found({ 'b/c': '2' });
    renameSync(at('b'), at('moved'));
    symlinkSync('moved', at('b'));
    // The link leads to the same folder: nothing that was read is another file.
    expect(paths.isUnchanged(LATER)).toBe(true);
    rmSync(at('b'));
    mkdirSync(at('b'));
    writeFileSync(at('b/c'), '2');
    expect(paths.isUnchanged(LATER)).toBe(false);
  });

  it('is settled only once nothing changed for a moment', () => {
    const { paths } = found({ a: '1' });
    expect([paths.isSettled(Date.now()), paths.isSettled(LATER)]).toEqual([false, true]);
  });
});
