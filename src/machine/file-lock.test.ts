import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { sha256Hex } from '../base/sha256.ts';
import { isLocked, keepLockFiles, lockInfo, lockLater, lockWithin, tryLock } from './file-lock.ts';

/** A folder in which this process keeps the file that becomes its locks. */
function keeping(): { readonly file: string; readonly kept: string } {
  const dir = tempProject({});
  onTestFinished(keepLockFiles('test'));
  return { file: join(dir, 'x'), kept: join(dir, '.lock-of-test') };
}

function taken(file: string): () => void {
  const attempt = tryLock(file);
  if ('heldBy' in attempt) throw new Error(`held by ${attempt.heldBy}`);
  return attempt.release;
}

describe('a lock of a process that keeps its file', () => {
  it('is one for each name, and free again when it is let go', () => {
    const { file } = keeping();
    const release = taken(file);
    expect(tryLock(file)).toMatchObject({ heldBy: expect.stringContaining(String(process.pid)) });
    const other = taken(`${file}2`);
    release();
    expect(existsSync(`${file}.lock`)).toBe(false);
    expect(existsSync(`${file}2.lock`)).toBe(true);
    other();
    taken(file)();
  });

  it('is let go though the file was taken away meanwhile, and made anew for another one', () => {
    const { file, kept } = keeping();
    const release = taken(file);
    rmSync(kept);
    taken(`${file}2`)();
    release();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is not taken from somebody who has it by now', () => {
    const { file } = keeping();
    const release = taken(file);
    rmSync(`${file}.lock`);
    writeFileSync(`${file}.lock`, '{"pid":1,"host":"elsewhere"}');
    release();
    expect(existsSync(`${file}.lock`)).toBe(true);
    expect(tryLock(file)).toMatchObject({
      heldBy: expect.stringMatching(/^process 1 on elsewhere since \d{4}-\d\d-\d\dT/),
    });
  });

  it('leaves nothing behind when none is kept any more', () => {
    const dir = tempProject({});
    const forget = keepLockFiles('test');
    taken(join(dir, 'x'))();
    forget();
    expect(readdirSync(dir).filter((name) => name.includes('lock'))).toEqual([]);
  });
});

const HOUR = 3600;

/** A lock file that was written so many seconds ago. */
function lockOf(file: string, content: string, secondsAgo: number): string {
  return writeAt(`${file}.lock`, content, secondsAgo);
}

function writeAt(path: string, content: string, secondsAgo: number): string {
  writeFileSync(path, content);
  const at = Date.now() / 1000 - secondsAgo;
  utimesSync(path, at, at);
  return path;
}

describe('a lock that a loss of power left', () => {
  it.each([
    ['is empty', '', HOUR],
    ['is full of NUL bytes', '\0'.repeat(180), HOUR],
    ['is cut off in the middle', '{"pid":12,"ho', HOUR],
    ['names no process', '{}', HOUR],
    ['is empty and of a time that is still to come', '', -HOUR],
    ['is of another boot', `{"pid":1,"host":"${hostname()}","boot":"another","space":"","started":""}`, HOUR],
  ])('is taken over at once if it %s', (_name, content, secondsAgo) => {
    const file = join(tempProject({}), 'x');
    lockOf(file, content, secondsAgo);
    expect(isLocked(file)).toBe(false);
    const release = taken(file);
    expect(tryLock(file)).toMatchObject({ heldBy: expect.stringContaining(`process ${process.pid} `) });
    release();
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  it('is taken over though the claim of a process that was taking it over is damaged as well', () => {
    const file = join(tempProject({}), 'x');
    const path = lockOf(file, '', HOUR);
    const { dev, ino, mtimeMs } = statSync(path);
    writeAt(`${path}.${sha256Hex(`${dev} ${ino} ${mtimeMs} `).slice(0, 16)}`, '', HOUR);
    taken(file)();
    expect(existsSync(path)).toBe(false);
  });

  it('is waited for while it is so young that a process may be writing it, and taken over within a second', async () => {
    const file = join(tempProject({}), 'x');
    lockOf(file, '', 0);
    expect(tryLock(file)).toMatchObject({ heldBy: expect.stringContaining('not written its name yet') });
    expect(lockWithin(file, 1000)).toHaveProperty('release');
    const other = `${file}2`;
    lockOf(other, '', 0);
    expect(await lockLater(other, 1000)).toHaveProperty('release');
  });

  it('is named with its holder if the holder is on another machine, and stays', () => {
    const file = join(tempProject({}), 'x');
    const path = lockOf(file, '{"pid":7,"host":"elsewhere"}', HOUR);
    expect(lockInfo(file)).toMatchObject({
      alive: false,
      holder: expect.stringContaining('process 7 on elsewhere since '),
    });
    expect(tryLock(file)).toHaveProperty('heldBy');
    expect(readFileSync(path, 'utf8')).toContain('elsewhere');
  });
});
