/**
 * Appends text to a file below a folder and never outside it: links on the way are resolved before anything is written,
 * and a link in the place of the file itself is refused.
 */

import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isWithin } from './is-within.ts';

export interface AppendRequest {
  /** Absolute. */
  readonly root: string;
  /** Relative to `root`, with forward slashes. Folders on the way are made. */
  readonly path: string;
  readonly text: string;
}

/** Why a path cannot be meant to stay below its folder, seen from its text alone; null if nothing is wrong. */
export function pathProblem(path: string): string | null {
  if (path.trim() === '') return 'wanted a path, got an empty one';
  if (path.includes('\0')) return 'wanted a path, got one with a NUL character';
  if (isAbsolute(path) || path.startsWith('\\') || /^[A-Za-z]:/.test(path)) {
    return `wanted a relative path, got ${JSON.stringify(path)}`;
  }
  const parts = path.split(/[\\/]/);
  if (parts.includes('..')) return `wanted a path that stays inside, got ${JSON.stringify(path)}`;
  const last = parts.at(-1);
  return last === '' || last === '.' ? `wanted a file, got the folder ${JSON.stringify(path)}` : null;
}

/** Rejects with the reason, and then has written nothing. */
export async function appendBelow({ root, path, text }: AppendRequest): Promise<void> {
  const problem = pathProblem(path);
  if (problem !== null) throw new Error(problem);
  const top = await realpath(root);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const name = parts.pop()!;
  let folder = top;
  // One step at a time: a link is followed only to find out where it leads.
  for (const part of parts) {
    folder = await realpath(await ensureFolder(join(folder, part)));
    if (!isWithin(folder, top)) throw new Error(`${path} leads out of its folder through a link`);
  }
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  // Windows has no O_NOFOLLOW; there the look before opening has to do. Non-blocking, for a named pipe nobody reads.
  const flags = O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  const full = join(folder, name);
  if ((await lstat(full).catch(() => null))?.isSymbolicLink()) throw new Error(`${path} is a link`);
  const file = await open(full, flags, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}

async function ensureFolder(path: string): Promise<string> {
  try {
    await mkdir(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  return path;
}
