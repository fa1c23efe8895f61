/**
 * One call, heard of twice: some agents read the configuration files of others, and fire each hook once for each. The second
 * process gives the answer of the first, so that nothing is counted twice and both say the same. An answer is a file that
 * only one process can make; those of past turns are taken away.
 *
 * A call without an id is known by its content and its number among equal ones: the second of one agent's lines is the second
 * of the other's. Lines of one agent alone never meet, so that two equal calls in a row are two.
 */

import {
  closeSync,
  existsSync,
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
import type { Answer, NativeCall, Verdict } from '../../adapters/adapter.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { sha256Hex } from '../../base/sha256.ts';

/** A call with the same id and content after that is another one: ids come from a model. */
const WINDOW_MS = 5000;

/** Longer answers are not kept: then both processes decide. */
const MAX_ANSWER = 1024 * 1024;

/** Equal calls of one turn that are told apart; those after it are each decided. */
const MOST_EQUAL = 1000;

/** What was answered, and what it means for an agent that wants other words. */
export interface KeptAnswer {
  readonly agent: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

export class DuplicateAnswers {
  private readonly folder: string;
  private readonly agent: string;
  private readonly call: NativeCall;
  private readonly waitMs: number;
  private path: string | null = null;
  /** Of the file that made this process the first, until the answer is in it. */
  private file: number | null = null;
  /** Which of equal calls without an id this is, among those of one agent. */
  private own: string | null = null;

  constructor(folder: string, agent: string, call: NativeCall, deadlineMs: number) {
    const { row, session } = call;
    this.folder = join(folder, sha256Hex(session).slice(0, 32));
    this.agent = agent;
    this.call = call;
    this.waitMs = deadlineMs / 4;
    if (row.event === 'turn.start' || row.event === 'session.end') this.clear();
  }

  /** The answer that another process gave to the same call, or null: then this one decides. */
  async find(): Promise<KeptAnswer | null> {
    this.path = this.place();
    if (this.path === null || this.isFirst(this.path)) return null;
    for (let waited = 0; waited < this.waitMs; waited += PAUSE_MS) {
      const answer = readAnswer(this.path);
      if (answer !== null) return answer;
      await sleep(PAUSE_MS);
    }
    return null;
  }

  keep(answer: Answer, verdict: Verdict): void {
    const text = JSON.stringify({ agent: this.agent, answer, verdict } satisfies KeptAnswer);
    const file = this.file ?? this.path;
    try {
      // An object that is not whole is no JSON, and is waited for.
      if (file !== null && text.length <= MAX_ANSWER) writeFileSync(file, text, { flag: 'r+' });
    } catch {
      // Then another process that hears of the same call decides by itself.
    } finally {
      this.letGo();
    }
  }

  /** There is no answer: the next process that hears of the call is the first, and does not wait for one. */
  release(): void {
    this.letGo();
    try {
      for (const path of [this.path, this.own]) if (path !== null) rmSync(path, { force: true });
    } catch {
      // Then it is waited for in vain, and decided all the same.
    }
  }

  /** The file of this call; null if there can be none. */
  private place(): string | null {
    const { row, callId, payloads } = this.call;
    if (callId !== null) return join(this.folder, nameOf([row.native, callId, payloads]));
    const told = isAboutTheRun(row.event) ? null : contentOf(payloads);
    const base = join(this.folder, nameOf([row.event, told]));
    for (let number = 1; number <= MOST_EQUAL; number++) {
      const own = `${base}.${this.agent}.${number}`;
      const turn = this.take(own);
      this.letGo();
      if (turn === 'mine') this.own = own;
      if (turn !== 'taken') return turn === 'mine' ? `${base}.${number}` : null;
    }
    return null;
  }

  private take(path: string): 'mine' | 'taken' | 'failed' {
    try {
      if (!existsSync(this.folder)) mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      this.file = openSync(path, 'wx', 0o600);
      return 'mine';
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code === 'EEXIST' ? 'taken' : 'failed';
    }
  }

  private letGo(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private isFirst(path: string): boolean {
    if (this.take(path) === 'mine') return true;
    if (!isOld(path)) return false;
    rmSync(path, { force: true });
    return true;
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

/** Agents do not tell the same of it: only its number counts. */
function isAboutTheRun(event: string): boolean {
  return event.startsWith('session.') || event === 'agent.stop';
}

/** Also if it cannot be looked at: then there is nothing to wait for. */
function isOld(path: string): boolean {
  try {
    // A clock that was set back must not make it young for ever.
    return Math.abs(Date.now() - statSync(path).mtimeMs) > WINDOW_MS;
  } catch {
    return true;
  }
}

function readAnswer(path: string): KeptAnswer | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as KeptAnswer;
  } catch {
    return null;
  }
}

/** With all that is judged: ids come from a model, which may use one twice. */
function nameOf(what: Json): string {
  return sha256Hex(canonicalJson(what)).slice(0, 32);
}

/** Without what is an agent's own way to put it. */
function contentOf(payloads: NativeCall['payloads']): Json {
  return payloads.map((payload): Json => {
    if (!isJsonObject(payload)) return payload;
    const { id: _id, call_id: _callId, native: _native, ...content } = payload;
    return content;
  });
}
