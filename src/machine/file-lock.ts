/**
 * One holder a file. The lock is a file beside the one it guards (`FILE.lock`) that names the process holding it; a lock
 * whose process is gone is taken over, by exactly one of those who try. Waiting for one is always bounded.
 *
 * A lock of an earlier start of this machine is taken over, whatever name the machine has by now (this-machine.ts).
 *
 * A lock is not synced: after a loss of power it may be empty or hold NUL bytes. A lock that names no process is taken over
 * once it is older than any process takes to write one.
 *
 * Taking over must not race: a process that has seen that lock X is dead claims the right to replace X by making a file
 * named after X, which only one can, looks again whether X is still there, and only then puts its own lock in the place of X.
 */

import {
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BoundedMap, sha256Hex } from '../base/index.ts';
import { bareHost } from './bare-host.ts';
import { randomHex } from './random.ts';
import {
  bootMark,
  isOfEarlierBoot,
  isThisMachine,
  type MachineName,
  readOrEmpty,
  thisMachine,
} from './this-machine.ts';
import { pause } from './timers.ts';

export type Release = () => void;

/** What an attempt gave: the lock, or who has it, as words for a person. */
export type Attempt = { readonly release: Release } | { readonly heldBy: string };

/** Throws only what the file system throws: a folder that is not there, or may not be written. */
export function tryLock(file: string): Attempt {
  const path = `${file}.lock`;
  const mine = describeMe();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // A process that takes thousands finds nearly all of them free.
    if (attempt === 0 && reusableFiles !== null && create(path, mine))
      return { release: () => release(path, mine) };
    const found = readLockFile(path);
    const taken = found === null ? create(path, mine) : takeOver(path, found, mine);
    if (taken === true) return { release: () => release(path, mine) };
    if (taken !== false) return { heldBy: describeHolder(taken) };
  }
  return { heldBy: 'many processes at once' };
}

/** The same, trying again for as long as `waitMs`. It blocks this thread: for holders who let go within a moment. */
export function lockWithin(file: string, waitMs: number): Attempt {
  let attempt = tryLock(file);
  for (const pause of pauses(waitMs)) {
    if ('release' in attempt) break;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    attempt = tryLock(file);
  }
  return attempt;
}

/** The same for a program that has other things to do meanwhile. */
export async function lockLater(file: string, waitMs: number): Promise<Attempt> {
  let attempt = tryLock(file);
  for (const ms of pauses(waitMs)) {
    if ('release' in attempt) break;
    await pause(ms);
    attempt = tryLock(file);
  }
  return attempt;
}

/** A lock that is not free, for messages. */
export interface LockInfo {
  /** Who, and since when, as words for a person. */
  readonly holder: string;
  readonly heldMs: number;
  /** Whether the holder is a process of this machine that was seen to be alive. Nothing is known of any other holder. */
  readonly alive: boolean;
}

/** Who holds the lock of the file, and since when; null if the lock is free or would be taken over. */
export function lockInfo(file: string): LockInfo | null {
  // The lock lies beside the file itself, not beside a link to it.
  const found = readLockFile(`${existsSync(file) ? realpathSync(file) : file}.lock`);
  if (found === null || holderIsGone(found)) return null;
  const holder = parse(found.content);
  const alive = holder !== null && isThisMachine(holder) && holder.space === space();
  return { holder: describeHolder(found), alive, heldMs: bareHost.now() - found.written };
}

/** Whether a living process holds the lock of the file, as far as can be seen. */
export function isLocked(file: string): boolean {
  return lockInfo(file) !== null;
}

/** The living process of this machine that holds the lock of the file; null if there is none, or none that can be seen. */
export function lockHolder(file: string): number | null {
  const found = readLockFile(`${file}.lock`);
  if (found === null || holderIsGone(found)) return null;
  const holder = parse(found.content);
  return holder !== null && isThisMachine(holder) ? holder.pid : null;
}

/** Short at first, since most holders let go within a moment, and never more than `waitMs` in all. */
function* pauses(waitMs: number): Generator<number> {
  let left = waitMs;
  for (let pause = SHORTEST_PAUSE_MS; left > 0; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    yield Math.min(pause, left);
    left -= pause;
  }
}

const SHORTEST_PAUSE_MS = 0.2;
const LONGEST_PAUSE_MS = 10;

/** Each round somebody else won a race; so many in a row do not happen. */
const ATTEMPTS = 50;

/** Whether it is ours now; false if it is another lock by now and worth another look; or the lock whose holder lives. */
function takeOver(path: string, found: LockFile, mine: string): boolean | LockFile {
  if (!holderIsGone(found)) return found;
  const claims = [claimOn(path, found)];
  while (!create(claims.at(-1)!, mine)) {
    const other = readLockFile(claims.at(-1)!);
    if (other === null) return false;
    if (!holderIsGone(other)) return other;
    // It died while taking over: its claim is taken over like a lock.
    claims.push(claimOn(path, other));
  }
  try {
    if (readLockFile(path)?.id !== found.id) return false;
    renameSync(writeScratch(path, mine), path);
    return true;
  } finally {
    for (const claim of claims) rmSync(claim, { force: true });
  }
}

function claimOn(path: string, { id }: LockFile): string {
  return `${path}.${sha256Hex(id).slice(0, 16)}`;
}

/** A lock file as it was read. */
interface LockFile {
  readonly content: string;
  /** Tells this lock from every other: its content or, if the content names no process, the file itself. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly written: number;
}

function readLockFile(path: string): LockFile | null {
  const before = lstatSync(path, { throwIfNoEntry: false });
  const content = before === undefined ? null : read(path);
  if (before === undefined || content === null) return null;
  const { dev, ino, mtimeMs } = before;
  const id = parse(content) === null ? `${dev} ${ino} ${mtimeMs} ${content}` : content;
  return { content, id, written: mtimeMs };
}

function describeHolder({ content, written }: LockFile): string {
  const { pid, host } = parse(content) ?? {};
  const who = pid === undefined ? 'a process that has not written its name yet' : `process ${pid} on ${host}`;
  return `${who} since ${new Date(written).toISOString()}`;
}

function release(path: string, mine: string): void {
  if (!isOwnedBy(path, mine)) return;
  try {
    unlinkSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}

function isOwnedBy(path: string, mine: string): boolean {
  const own = mine === whole ? reusableFiles?.get(dirname(path)) : undefined;
  const found = own === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  // No other file has its number while it is there. It may have been taken away and made anew since: then the words tell.
  return (found !== undefined && found.ino === own?.ino && found.dev === own.dev) || read(path) === mine;
}

function read(path: string): string | null {
  // Most are free, and an error takes longer to make than to look.
  if (!existsSync(path)) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}

/** A file that appears with its content or not at all. False where there is one already. */
function create(path: string, content: string): boolean {
  if (reusableFiles !== null && content === whole) {
    try {
      return linkReusable(path, content, reusableFiles);
    } catch (thrown) {
      if (!NO_LINKS.has((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    }
  }
  const scratch = writeScratch(path, content);
  try {
    linkSync(scratch, path);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code ?? '')) throw thrown;
    return createWithoutLinks(path, content);
  } finally {
    rmSync(scratch, { force: true });
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/**
 * For a moment the file is there and empty: others wait for `WRITTEN_WITHIN_MS`. A process that was stopped for longer
 * finds the lock of another one in its place.
 */
function createWithoutLinks(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return read(path) === content;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

function writeScratch(path: string, content: string): string {
  const scratch = `${path}.${randomHex(6)}`;
  writeFileSync(scratch, content, { flag: 'wx', mode: 0o600 });
  return scratch;
}

/** A process, told apart from every other: also from a later one with the same number, or one behind other walls. */
interface Holder extends MachineName {
  readonly pid: number;
  /** When the process was started, in ticks since the system was. */
  readonly started: string;
  /** The start of the machine. */
  readonly boot: string;
  /** The space its process number counts in. */
  readonly space: string;
  readonly nonce: string;
}

function describeMe(): string {
  if (reusableFiles !== null && whole !== null) return whole;
  me ??= {
    pid: process.pid,
    ...thisMachine(),
    started: startOf(process.pid) ?? '',
    boot: bootMark(),
    space: space(),
  };
  const holder: Holder = { ...me, nonce: randomHex(8) };
  whole = JSON.stringify(holder);
  return whole;
}

/** The last that was made. */
let whole: string | null = null;

interface ReusableFile {
  readonly file: string;
  readonly dev: number;
  readonly ino: number;
}

/** Of a process that keeps them: the file that becomes its lock by a link, in each folder. */
let reusableFiles: Map<string, ReusableFile> | null = null;
const MOST_REUSABLE = 256;

/**
 * For a process that takes thousands of locks: from here on it has one file in each folder, `.lock-of-NAME`, which is linked to
 * take a lock there. To make a file takes many times as long. `name` is for one process at a time.
 */
export function reuseLockFiles(name: string): () => void {
  const files = new BoundedMap<string, ReusableFile>(MOST_REUSABLE);
  reusableFiles = files;
  reusableName = name;
  return () => {
    reusableFiles = null;
    for (const { file } of files.values()) rmSync(file, { force: true });
  };
}

let reusableName = '';

function linkReusable(path: string, content: string, known: Map<string, ReusableFile>): boolean {
  const folder = dirname(path);
  for (let attempt = 0; attempt < 2; attempt++) {
    let own = known.get(folder);
    if (own === undefined) {
      const file = join(folder, `.lock-of-${reusableName}`);
      renameSync(writeScratch(path, content), file);
      const { dev, ino } = lstatSync(file);
      own = { file, dev, ino };
      known.set(folder, own);
    }
    try {
      linkSync(own.file, path);
      return true;
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // It was taken away with its folder, or links cannot be made here.
      known.delete(folder);
      if (code !== 'ENOENT') throw thrown;
    }
  }
  return false;
}

/** The same for as long as this process lives. */
let me: Omit<Holder, 'nonce'> | null = null;

/** A lock that names no process is being written, or was damaged by a crash. */
const WRITTEN_WITHIN_MS = 500;

/**
 * A holder that cannot be seen from here, on another machine or in another process space, counts as alive: a second writer
 * does more harm than a lock a person has to remove.
 */
function holderIsGone({ content, written }: LockFile): boolean {
  const holder = parse(content);
  // The clock may have been set back since.
  if (holder === null) return Math.abs(bareHost.now() - written) > WRITTEN_WITHIN_MS;
  if (!isThisMachine(holder)) return false;
  if (isOfEarlierBoot(holder.boot ?? '')) return true;
  if (holder.space !== space()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
  return holder.started !== '' && startOf(holder.pid) !== holder.started;
}

function parse(content: string): Holder | null {
  try {
    const holder = JSON.parse(content) as Holder;
    return typeof holder?.pid === 'number' && typeof holder.host === 'string' ? holder : null;
  } catch {
    return null;
  }
}

/** The 22nd field; the second is a name in parentheses that may hold anything. A zombie writes no more: it counts as gone. */
function startOf(pid: number): string | null {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields[0] === 'Z' ? null : (fields[19] ?? null);
}

function space(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
