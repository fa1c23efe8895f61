/**
 * Sessions that an agent wrote down itself. One that is not on our tapes was not guarded. Only the first lines of files are
 * read, and only so many files: this looks, it does not import.
 */

import { closeSync, constants, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';

export interface AgentSession {
  readonly session: string;
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly began: number;
}

export const MOST_FILES = 2000;
const HEAD_BYTES = 64 * 1024;

export function sessionOf(file: string, session: string): AgentSession[] {
  const time = firstLine(file)?.timestamp;
  const began = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(began) ? [] : [{ session, file, began }];
}

/** The first line that says when it was; null if there is none at the head of the file. */
export function firstLine(file: string) {
  for (const line of firstBytesOf(file).split('\n').slice(0, 20)) {
    try {
      const value: unknown = JSON.parse(line);
      if (isJsonObject(value) && value.timestamp !== undefined) return value;
    } catch {
      // A line that is longer than what was read, or not JSON.
      const time = /^\{"timestamp":"([^"]+)"/.exec(line)?.[1];
      const id = /"id":"([\w-]+)"/.exec(line)?.[1];
      const cwd = /"cwd":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
      if (time !== undefined && id !== undefined && cwd !== undefined) {
        return { timestamp: time, payload: { id, cwd: JSON.parse(cwd) as string } };
      }
    }
  }
  return null;
}

/** The beginning of a file; empty if it cannot be read. A pipe in its place does not keep it waiting. */
export function firstBytesOf(file: string): string {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

export function foldersIn(folder: string): string[] {
  return entriesIn(folder).filter(
    (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

export function filesIn(folder: string): string[] {
  return entriesIn(folder).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function entriesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
