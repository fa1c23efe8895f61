/** Answers that were given to calls, by the path of a file: in files, which all processes of a user share. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Answer, Verdict } from '../agents/index.ts';
import { makeFolder } from '../machine/index.ts';

/** A call with the same id and content after that is another one: ids come from a model. */
const WINDOW_MS = 5000;

/** Longer answers are not stored: then both processes decide. */
const MAX_ANSWER = 1024 * 1024;

/** What was answered, and what it means for an agent that wants other words. */
export interface StoredAnswer {
  readonly agent: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

export interface AnswerStore {
  /** True for the first caller only. Null: there can be no answer of this name. */
  claim(path: string): boolean | null;
  /** Null until there is one. */
  read(path: string): StoredAnswer | null;
  /** Fails silently: the next process that hears of the call decides by itself. */
  write(path: string, given: StoredAnswer): void;
  remove(path: string): void;
  isOld(path: string): boolean;
  /** Removes what is old in a folder. */
  clear(folder: string): void;
}

/** A clock that was set back must not make an answer young for ever. */
export function isOlder(since: number): boolean {
  return Math.abs(Date.now() - since) > WINDOW_MS;
}

export const answerFiles: AnswerStore = {
  claim: (path) => {
    try {
      closeSync(create(path));
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code === 'EEXIST' ? false : null;
    }
  },
  read: (path) => {
    try {
      // An object that is not whole is no JSON, and is waited for.
      return JSON.parse(readFileSync(path, 'utf8')) as StoredAnswer;
    } catch {
      return null;
    }
  },
  write: (path, given) => {
    const text = JSON.stringify(given);
    try {
      if (text.length <= MAX_ANSWER) writeFileSync(path, text, { flag: 'r+' });
    } catch {
      // A full disk, or a folder that is gone.
    }
  },
  remove: (path) => {
    try {
      rmSync(path, { force: true });
    } catch {
      // Then it is waited for in vain, and decided all the same.
    }
  },
  isOld: (path) => {
    try {
      return isOlder(statSync(path).mtimeMs);
    } catch {
      // What cannot be looked at need not be waited for.
      return true;
    }
  },
  clear: (folder) => {
    try {
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (answerFiles.isOld(path)) answerFiles.remove(path);
      }
    } catch {
      // There is none yet.
    }
  },
};

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    makeFolder(dirname(path), 0o700);
    return openSync(path, 'wx', 0o600);
  }
}
