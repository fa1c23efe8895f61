import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { keepLockFiles, tryLock } from './file-lock.ts';

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
    expect(tryLock(file)).toEqual({ heldBy: 'process 1 on elsewhere' });
  });

  it('leaves nothing behind when none is kept any more', () => {
    const dir = tempProject({});
    const forget = keepLockFiles('test');
    taken(join(dir, 'x'))();
    forget();
    expect(readdirSync(dir).filter((name) => name.includes('lock'))).toEqual([]);
  });
});
