import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { appendBelow, pathProblem } from './append-file.ts';

describe('appending below a folder', () => {
  it('makes the folders on the way and adds to what is there', async () => {
    const root = tempProject();
    await appendBelow({ root, path: 'runs/2026/log.jsonl', text: 'one\n' });
    await appendBelow({ root, path: './runs/2026/log.jsonl', text: 'two\n' });
    expect(readFileSync(join(root, 'runs/2026/log.jsonl'), 'utf8')).toBe('one\ntwo\n');
  });

  it('[C132] refuses a folder on the way that is a link leading out, and makes nothing there', async () => {
    const outside = tempProject();
    const root = tempProject();
    symlinkSync(outside, join(root, 'runs'));
    await expect(appendBelow({ root, path: 'runs/deep/log.jsonl', text: 'x' })).rejects.toThrow(
      'leads out of its folder',
    );
    await expect(appendBelow({ root, path: 'runs/log.jsonl', text: 'x' })).rejects.toThrow();
    expect(readdirSync(outside)).toEqual([]);
  });

  it('[C132] refuses a link in the place of the file, wherever it leads', async () => {
    const outside = tempProject({ target: 'kept' });
    const root = tempProject({ 'inside.log': 'kept' });
    symlinkSync(join(outside, 'target'), join(root, 'out.log'));
    symlinkSync(join(outside, 'not-there'), join(root, 'dangling.log'));
    symlinkSync(join(root, 'inside.log'), join(root, 'in.log'));
    for (const path of ['out.log', 'dangling.log', 'in.log']) {
      await expect(appendBelow({ root, path, text: 'x' })).rejects.toThrow(`${path} is a link`);
    }
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('kept');
    expect(readdirSync(outside)).toEqual(['target']);
    expect(readFileSync(join(root, 'inside.log'), 'utf8')).toBe('kept');
  });

  it('follows links that stay inside, and a root that is itself a link', async () => {
    const real = tempProject();
    mkdirSync(join(real, 'archive'));
    symlinkSync(join(real, 'archive'), join(real, 'runs'));
    const around = tempProject();
    symlinkSync(real, join(around, 'profile'));
    await appendBelow({ root: join(around, 'profile'), path: 'runs/log.jsonl', text: 'x' });
    expect(readFileSync(join(real, 'archive/log.jsonl'), 'utf8')).toBe('x');
  });

  it('refuses what is not a regular file', async () => {
    const root = tempProject({ 'plain/file': '' });
    writeFileSync(join(root, 'a'), '');
    await expect(appendBelow({ root, path: 'plain', text: 'x' })).rejects.toThrow();
    await expect(appendBelow({ root, path: 'a/b.log', text: 'x' })).rejects.toThrow();
  });

  it.each([
    ['/etc/passwd', 'wanted a relative path'],
    ['C:\\temp\\x', 'wanted a relative path'],
    ['\\\\server\\share\\x', 'wanted a relative path'],
    ['../x.log', 'stays inside'],
    ['a/../../x.log', 'stays inside'],
    ['a\\..\\..\\x.log', 'stays inside'],
    ['', 'an empty one'],
    ['  ', 'an empty one'],
    ['runs/', 'the folder'],
    ['.', 'the folder'],
    ['a\0b', 'NUL'],
  ])('[C132] the path %j is refused by its text', async (path, message) => {
    expect(pathProblem(path)).toContain(message);
    await expect(appendBelow({ root: tempProject(), path, text: 'x' })).rejects.toThrow(message);
  });
});
