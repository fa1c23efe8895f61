import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { sha256Hex } from '../base/sha256.ts';
import { isLocked, lockInfo, lockLater, lockWithin, reuseLockFiles, tryLock } from './file-lock.ts';
import { bootMark, system, thisMachine } from './this-machine.ts';

/** A folder in which this process keeps the file that becomes its locks. */
function keeping(): { readonly file: string; readonly kept: string } {
  const dir = tempProject({});
  onTestFinished(reuseLockFiles('test'));
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
    const forget = reuseLockFiles('test');
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

describe('a lock of a process that is gone, while another one takes it over', () => {
  const GONE = `{"pid":1,"host":"${hostname()}","boot":"another","space":"","started":""}`;
  /** As a process that lives writes it. */
  const living = () => readFileSync(`${lockOfMine({})}.lock`, 'utf8');

  it('is left to that one, which has claimed it', () => {
    const file = join(tempProject({}), 'x');
    const path = lockOf(file, GONE, HOUR);
    writeAt(`${path}.${sha256Hex(GONE).slice(0, 16)}`, living(), 0);
    expect(tryLock(file)).toMatchObject({ heldBy: expect.stringContaining(`process ${process.pid} `) });
    expect(readFileSync(path, 'utf8')).toBe(GONE);
  });

  it('is not taken from that one, which has taken it over since it was seen', () => {
    const file = join(tempProject({}), 'x');
    const other = living();
    const path = lockOf(file, other.replace(`"pid":${process.pid},`, '"pid":99999999,'), HOUR);
    const kill = vi.spyOn(process, 'kill').mockImplementationOnce((pid) => {
      // Seen to be gone; before that is acted on, the other one has it.
      writeFileSync(path, other);
      throw Object.assign(new Error(`kill ${pid}`), { code: 'ESRCH' });
    });
    expect(tryLock(file)).toMatchObject({ heldBy: expect.stringContaining(`process ${process.pid} `) });
    expect(kill).toHaveBeenCalled();
    expect(readFileSync(path, 'utf8')).toBe(other);
    expect(readdirSync(join(file, '..'))).toEqual(['x.lock']);
  });
});

/** A lock of this process, which lives, with other words in it. */
function lockOfMine(words: Readonly<Record<string, unknown>>): string {
  const file = join(tempProject({}), 'x');
  const release = taken(file);
  const own = JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as Record<string, unknown>;
  release();
  lockOf(file, JSON.stringify({ ...own, ...words }), HOUR);
  return file;
}

/** What another process on this machine would see there now. */
function systemSays(
  facts: { readonly [Name in keyof typeof system]?: ReturnType<(typeof system)[Name]> },
): void {
  for (const [name, value] of Object.entries(facts))
    vi.spyOn(system, name as 'now').mockReturnValue(value as number);
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

describe('a lock on a system that does not name its starts, whose process number another process has', () => {
  it.each([
    ['had been running for longer than it has now', 90 * MINUTE],
    ['was started after the lock was made', 10 * MINUTE],
  ])('is taken over if the machine %s', (_name, uptimeMs) => {
    systemSays({ bootId: '', now: NOW - 80 * MINUTE, uptimeMs });
    const file = lockOfMine({ boot: bootMark() });
    systemSays({ now: NOW, uptimeMs: 70 * MINUTE });
    expect(lockInfo(file)).toBeNull();
    taken(file)();
  });

  it.each([
    ['as it was', 0],
    ['set forward by some seconds', 5000],
    ['set back by an hour', -60 * MINUTE],
  ])('is not taken over in the same start of the machine, with the clock %s', (_name, step) => {
    systemSays({ bootId: '', now: NOW, uptimeMs: 1000 });
    const file = lockOfMine({ boot: bootMark() });
    systemSays({ now: NOW + MINUTE + step, uptimeMs: 1000 + MINUTE });
    expect(lockInfo(file)).toMatchObject({ alive: true });
    expect(tryLock(file)).toHaveProperty('heldBy');
  });

  it('is not taken over if it has no mark of a start', () => {
    systemSays({ bootId: '', now: NOW, uptimeMs: 1000 });
    expect(tryLock(lockOfMine({ boot: '' }))).toHaveProperty('heldBy');
  });
});

describe('a lock of this machine under another host name', () => {
  const renamed = { host: 'the-name-before' };

  it.each([
    ['the id of the system', 'aaaa'],
    ['an id in the state folder, where the system has none', ''],
  ])('is known by %s: taken over if its process is gone, and waited for if it lives', (_name, machineId) => {
    vi.stubEnv('XDG_STATE_HOME', tempProject({}));
    systemSays({ machineId });
    const { machine } = thisMachine();
    expect(machine).not.toBe('');
    expect(thisMachine().machine).toBe(machine);
    expect(tryLock(lockOfMine({ ...renamed, machine }))).toHaveProperty('heldBy');
    expect(lockInfo(lockOfMine({ ...renamed, machine }))).toMatchObject({ alive: true });
    taken(lockOfMine({ ...renamed, machine, started: '1' }))();
    taken(lockOfMine({ ...renamed, machine, boot: 'another' }))();
  });

  it('stays if it has no id, or that of another machine, though that one has the same host name', () => {
    vi.stubEnv('XDG_STATE_HOME', tempProject({}));
    expect(tryLock(lockOfMine({ ...renamed, machine: '', boot: 'another' }))).toHaveProperty('heldBy');
    expect(tryLock(lockOfMine({ ...renamed, machine: 'user:1', boot: 'another' }))).toHaveProperty('heldBy');
    systemSays({ machineId: 'aaaa' });
    const { machine } = thisMachine();
    systemSays({ machineId: 'bbbb' });
    expect(tryLock(lockOfMine({ machine, boot: 'another' }))).toHaveProperty('heldBy');
  });

  it('is judged by the host name alone where no id can be written down', () => {
    vi.stubEnv('XDG_STATE_HOME', '');
    vi.stubEnv('HOME', '');
    systemSays({ machineId: '' });
    expect(thisMachine().machine).toBe('');
    taken(lockOfMine({ machine: '', boot: 'another' }))();
  });
});
