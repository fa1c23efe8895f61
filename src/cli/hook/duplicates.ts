/**
 * One call, heard of twice: some agents read the configuration files of others, and fire each hook once for each. The second
 * process gives the answer of the first, so that nothing is counted twice and both say the same. An answer is a file that
 * only one process can make; those of past turns are taken away.
 */

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, NativeCall } from '../../adapters/adapter.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { sha256Hex } from '../../base/sha256.ts';

/** A call with the same id and content after that is another one: ids come from a model. */
const WINDOW_MS = 5000;

/** Longer answers are not kept: then both processes decide. */
const MAX_ANSWER = 1024 * 1024;

export class DuplicateAnswers {
  private readonly folder: string;
  private readonly path: string | null;
  private readonly waitMs: number;

  constructor(folder: string, { row, session, callId, payloads }: NativeCall, deadlineMs: number) {
    this.folder = join(folder, sha256Hex(session).slice(0, 32));
    this.waitMs = deadlineMs / 4;
    this.path = callId === null ? null : join(this.folder, nameOf(row.native, callId, payloads));
    if (row.event === 'turn.start' || row.event === 'session.end') this.clear();
  }

  /** The answer that another process gave to the same call, or null: then this one decides. */
  async find(): Promise<Answer | null> {
    if (this.path === null || this.isFirst(this.path)) return null;
    for (let waited = 0; waited < this.waitMs; waited += PAUSE_MS) {
      const answer = readAnswer(this.path);
      if (answer !== null) return answer;
      await sleep(PAUSE_MS);
    }
    return null;
  }

  keep(answer: Answer): void {
    if (this.path === null || answer.stdout.length > MAX_ANSWER) return;
    try {
      // Into the file that made this process the first: an object that is not whole is no JSON, and is waited for.
      writeFileSync(this.path, JSON.stringify(answer), { mode: 0o600, flag: 'r+' });
    } catch {
      // Then another process that hears of the same call decides by itself.
    }
  }

  private isFirst(path: string): boolean {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      closeSync(openSync(path, 'wx', 0o600));
      return true;
    } catch {
      if (!isOld(path)) return false;
      rmSync(path, { force: true });
      return true;
    }
  }

  private clear(): void {
    try {
      for (const name of readdirSync(this.folder)) {
        if (isOld(join(this.folder, name))) rmSync(join(this.folder, name), { force: true });
      }
    } catch {
      // There is none yet.
    }
  }
}

const PAUSE_MS = 5;

/** Also if it cannot be looked at: then there is nothing to wait for. */
function isOld(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > WINDOW_MS;
  } catch {
    return true;
  }
}

function readAnswer(path: string): Answer | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Answer;
  } catch {
    return null;
  }
}

/** With all that is judged: ids come from a model, which may use one twice. */
function nameOf(event: string, callId: string, payloads: NativeCall['payloads']): string {
  return sha256Hex(canonicalJson([event, callId, payloads])).slice(0, 32);
}
