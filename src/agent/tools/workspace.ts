/**
 * Files of one folder and of nothing outside it. Every path is resolved, links included, before it is judged, and what
 * is opened is opened without following a link, so that neither `..` nor a link leads out.
 */

import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { quote } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import type { PathGuard } from '../tool.ts';
import { TOOL_LIMITS } from './tool-limits.ts';

/** What is wrong with a path or with what stands there, for the script and through it for the model. */
export class FileFault extends Error {}

/** No file has a longer one: each folder of it would be looked for. */
export const LONGEST_PATH = 4096;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export class Workspace {
  private readonly given: string;
  private readonly guard: PathGuard | null;
  private root: Promise<string> | null = null;

  constructor(folder: string, guard: PathGuard | null = null) {
    this.given = folder;
    this.guard = guard;
  }

  /** The text of a regular file. */
  async read(path: string): Promise<string> {
    const file = await this.openFile(path, await this.locate(path), O_RDONLY);
    try {
      const { size } = await file.stat();
      if (size > TOOL_LIMITS.fileBytes) throw tooLarge(path, size);
      return decode(path, await readUpTo(path, file));
    } finally {
      await file.close();
    }
  }

  /** Replaces or makes a file; folders on the way are made. */
  write(path: string, text: string): Promise<void> {
    return this.put(path, text, 0);
  }

  append(path: string, text: string): Promise<void> {
    return this.put(path, text, O_APPEND);
  }

  /** Names in a folder, sorted; those of folders end in a slash. */
  async list(path: string): Promise<string[]> {
    const entries = await this.entries(path);
    if (entries.length > TOOL_LIMITS.listedNames) {
      throw new FileFault(`${quote(path)} holds more than ${TOOL_LIMITS.listedNames} names`);
    }
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  }

  async entries(path: string): Promise<Dirent[]> {
    const at = await this.locate(path);
    return withFileFault(path, () => readdir(at, { withFileTypes: true }));
  }

  /** Whether something stands there. A path that leads out of the workspace is an error, not a no. */
  async exists(path: string): Promise<boolean> {
    const { at, there } = await this.settle(path);
    return there && (await exists(at));
  }

  /** A file, a link (not what it leads to) or an empty folder; with `recursive`, a folder and all in it. */
  async remove(path: string, recursive: boolean): Promise<void> {
    const at = await this.place(path);
    this.mayGo(path, at);
    const found = await withFileFault(path, () => lstat(at));
    if (found.isDirectory() && !recursive && (await readdir(at)).length > 0) {
      throw new FileFault(`${quote(path)} is a folder that is not empty: want recursive=True`);
    }
    await withFileFault(path, () => rm(at, { recursive: found.isDirectory() }));
  }

  /** Never over something that is there. */
  async move(from: string, to: string): Promise<void> {
    const source = await this.place(from);
    await withFileFault(from, () => lstat(source));
    this.mayGo(from, source);
    const target = await this.place(to);
    this.mayChange(to, target);
    if (await exists(target)) throw new FileFault(`${quote(to)} exists already`);
    await withFileFault(to, () => mkdir(dirname(target), { recursive: true }));
    await withFileFault(from, () => rename(source, target));
  }

  async mkdir(path: string): Promise<void> {
    const { at } = await this.settle(path);
    this.mayChange(path, at);
    await withFileFault(path, () => mkdir(at, { recursive: true }));
  }

  /** Where a path leads with all links followed; it must be there and inside. */
  async locate(path: string): Promise<string> {
    const { at, there } = await this.settle(path);
    if (!there) throw new FileFault(`${quote(path)} does not exist`);
    return at;
  }

  /** How a path is called in messages, events and results: relative to the workspace, with forward slashes. */
  async name(path: string): Promise<string> {
    const top = await this.top();
    const full = this.absolute(path, top);
    const given = resolve(this.given);
    return (
      relative(isWithin(full, given) ? given : top, full)
        .split(sep)
        .join('/') || '.'
    );
  }

  private async put(path: string, text: string, how: number): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > TOOL_LIMITS.fileBytes) throw tooLarge(path, bytes.length);
    const { at } = await this.settle(path);
    if (at === (await this.top())) throw new FileFault(`${quote(path)} is a folder, not a file`);
    this.mayChange(path, at);
    await withFileFault(path, () => mkdir(dirname(at), { recursive: true }));
    const { file, made } = await this.openToWrite(path, at, how);
    try {
      // Judged once more now that it is open: a link or a second name may have been put there in between.
      if (!(await this.isWhere(file, at))) {
        if (made && (await sameFile(file, at))) await unlink(at);
        throw guardedFault(path);
      }
      if (how !== O_APPEND) await file.truncate(0);
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }

  /** Nothing is cut off before it is known what was opened. `made`: it was not there before. */
  private async openToWrite(
    path: string,
    at: string,
    how: number,
  ): Promise<{ file: FileHandle; made: boolean }> {
    try {
      const file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | how, 0o644);
      return { file, made: true };
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw new FileFault(`${quote(path)}: ${reasonOf(thrown)}`);
    }
    return { file: await this.openFile(path, at, O_WRONLY | how), made: false };
  }

  /** Whether an open file is the one that was judged and no guarded one. */
  private async isWhere(file: FileHandle, at: string): Promise<boolean> {
    if (this.guard === null) return true;
    if (this.guard.holds(await file.stat({ bigint: true }))) return false;
    const parent = await realpath(dirname(at)).catch(() => null);
    return parent === dirname(at) && this.guard.reach(at, this.given) === null;
  }

  private mayChange(path: string, at: string): void {
    if (this.guard !== null && this.guard.reach(at, this.given) !== null) throw guardedFault(path);
  }

  /** A folder that holds something guarded does not go either. */
  private mayGo(path: string, at: string): void {
    this.mayChange(path, at);
    if (this.guard !== null && this.guard.below(at, this.given) !== null) throw guardedFault(path);
  }

  private async openFile(path: string, at: string, flags: number): Promise<FileHandle> {
    // Non-blocking, so that a named pipe cannot hang the call.
    const file = await withFileFault(path, () => open(at, flags | O_NOFOLLOW | O_NONBLOCK, 0o644));
    const stat = await file.stat();
    if (stat.isFile()) return file;
    await file.close();
    throw new FileFault(
      `${quote(path)} is ${stat.isDirectory() ? 'a folder, not a file' : 'not a regular file'}`,
    );
  }

  /** Where a name itself stands, its own link not followed: for what acts on names. Never the workspace itself. */
  private async place(path: string): Promise<string> {
    const top = await this.top();
    const full = this.absolute(path, top);
    const itself = new FileFault(`${quote(path)} is the workspace itself`);
    if (full === resolve(this.given) || full === top) throw itself;
    const parent = await this.settle(dirname(full));
    const at = join(parent.at, basename(full));
    if (at === top) throw itself;
    return at;
  }

  /** The path with every link followed as far as it is there, judged. */
  private async settle(path: string): Promise<{ at: string; there: boolean }> {
    const top = await this.top();
    const full = this.absolute(path, top);
    const missing: string[] = [];
    for (let known = full; ; known = dirname(known)) {
      const real = await follow(path, known);
      if (real === null) {
        missing.unshift(basename(known));
        continue;
      }
      const at = missing.length === 0 ? real : join(real, ...missing);
      if (!isWithin(at, top)) throw outsideFault(path);
      return { at, there: missing.length === 0 };
    }
  }

  /** Both spellings of the workspace count: as it was given, and as a program that runs in it sees it. */
  private absolute(path: string, top: string): string {
    if (path.includes('\0')) throw new FileFault('a path cannot hold a NUL character');
    if (path === '') throw new FileFault('the path is empty');
    if (path.length > LONGEST_PATH) throw new FileFault(`a path has at most ${LONGEST_PATH} characters`);
    const full = resolve(this.given, path);
    // Said before the disk is asked: what stands outside is nobody's business.
    if (!isWithin(full, resolve(this.given)) && !isWithin(full, top)) throw outsideFault(path);
    return full;
  }

  private top(): Promise<string> {
    this.root ??= realpath(this.given).catch((thrown: unknown) => {
      this.root = null;
      throw new FileFault(`the workspace cannot be used: ${reasonOf(thrown)}`);
    });
    return this.root;
  }
}

/** The real path, or null if nothing stands there. A link to nothing is something, and leads nowhere good. */
async function follow(path: string, full: string): Promise<string | null> {
  try {
    return await realpath(full);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new FileFault(`${quote(path)}: ${reasonOf(thrown)}`);
    if (await exists(full))
      throw new FileFault(`${quote(path)} is or leads through a link to something that does not exist`);
    return null;
  }
}

async function exists(full: string): Promise<boolean> {
  try {
    await lstat(full);
    return true;
  } catch {
    return false;
  }
}

/** A file can grow while it is read: never more than the limit comes in. */
async function readUpTo(path: string, file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const buffer = Buffer.alloc(256 * 1024);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    length += bytesRead;
    if (length > TOOL_LIMITS.fileBytes) throw tooLarge(path, length);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileFault(`${quote(path)} is not UTF-8 text`);
  }
}

async function withFileFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof FileFault ? thrown : new FileFault(`${quote(path)}: ${reasonOf(thrown)}`);
  }
}

/** How the operating system's refusals read; its own texts hold absolute paths, which are nobody's business. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'exists already',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ELOOP: 'it is a link, or its links go in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'it is not a regular file',
  ENOSPC: 'no space left on the disk',
  EROFS: 'the file system is read-only',
  EINVAL: 'a folder cannot be moved into itself',
  EXDEV: 'it cannot be moved to another file system',
};

function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  return REASONS[code] ?? (code === '' ? String(thrown) : code);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

function guardedFault(path: string): FileFault {
  return new FileFault(
    `${quote(path)} belongs to the policy and its records, and is not the agent's to change`,
  );
}

async function sameFile(file: FileHandle, at: string): Promise<boolean> {
  const [open, there] = [await file.stat(), await lstat(at).catch(() => null)];
  return there !== null && there.ino === open.ino && there.dev === open.dev;
}

function outsideFault(path: string): FileFault {
  return new FileFault(`${quote(path)} is outside the workspace`);
}

function tooLarge(path: string, bytes: number): FileFault {
  return new FileFault(`${quote(path)}: ${bytes} bytes are more than ${TOOL_LIMITS.fileBytes}`);
}
