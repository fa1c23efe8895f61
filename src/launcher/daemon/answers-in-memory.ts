/**
 * The answers of a daemon, which hears of both lines of a call: it makes no file for each. Files of launchers that decided before it
 * was there count too. A launcher that has to decide behind its back finds nothing, and decides again.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AnswerStore, answerFiles, isOlder, type StoredAnswer } from '../answers.ts';
import { IdleMap } from './idle-map.ts';

interface Claimed {
  readonly at: number;
  readonly given: StoredAnswer | null;
}

/** Two of a call, and answers are short; the last ones count. */
const MOST = 4096;

/** Longer answers are not stored: then both calls are decided. */
const MAX_ANSWER = 64 * 1024;

export class AnswersInMemory implements AnswerStore {
  private readonly claimed = new IdleMap<Claimed>(MOST);

  claim(path: string): boolean {
    if (this.claimed.has(path) || existsSync(path)) return false;
    this.claimed.set(path, { at: Date.now(), given: null });
    return true;
  }

  read(path: string): StoredAnswer | null {
    const claimed = this.claimed.use(path);
    return claimed === undefined ? answerFiles.read(path) : claimed.given;
  }

  write(path: string, given: StoredAnswer): void {
    const { stdout, stderr } = given.answer;
    if (stdout.length + stderr.length <= MAX_ANSWER) this.claimed.set(path, { at: Date.now(), given });
  }

  remove(path: string): void {
    if (!this.claimed.delete(path)) answerFiles.remove(path);
  }

  isOld(path: string): boolean {
    const claimed = this.claimed.get(path);
    return claimed === undefined ? answerFiles.isOld(path) : isOlder(claimed.at);
  }

  clear(folder: string): void {
    for (const [path, { at }] of this.claimed)
      if (dirname(path) === folder && isOlder(at)) this.claimed.delete(path);
    answerFiles.clear(folder);
  }

  sweep(): void {
    this.claimed.sweep();
  }
}
