/**
 * One call, heard of twice: some agents read the configuration files of others, and fire each hook once for each. The second
 * line gets the answer of the first, so that nothing is counted twice and both say the same. Those of past turns are removed.
 *
 * A call without an id is known by its content and its number among equal ones: the second of one agent's lines is the second
 * of the other's. Lines of one agent alone never meet, so that two equal calls in a row are two.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, NativeCall, Verdict } from '../agents/index.ts';
import { canonicalJson, isJsonObject, type Json, sha256Hex } from '../base/index.ts';
import type { AnswerStore, StoredAnswer } from './answers.ts';

/** Equal calls of one turn that are told apart; those after it are each decided. */
const MOST_EQUAL = 1000;

export class DuplicateAnswers {
  private readonly store: AnswerStore;
  private readonly folder: string;
  private readonly agent: string;
  private readonly call: NativeCall;
  private readonly waitMs: number;
  private path: string | null = null;
  /** Which of equal calls without an id this is, among those of one agent. */
  private own: string | null = null;

  constructor(store: AnswerStore, folder: string, agent: string, call: NativeCall, deadlineMs: number) {
    const { row, session } = call;
    this.store = store;
    this.folder = join(folder, sha256Hex(session).slice(0, 32));
    this.agent = agent;
    this.call = call;
    this.waitMs = deadlineMs / 4;
    if (row.event === 'turn.start' || row.event === 'session.end') store.clear(this.folder);
  }

  /** The answer that was given to the same call, or null: then this process decides. */
  async find(): Promise<StoredAnswer | null> {
    const path = this.place();
    this.path = path;
    if (path === null || this.isFirst(path)) return null;
    for (let waited = 0; waited < this.waitMs; waited += PAUSE_MS) {
      const given = this.store.read(path);
      if (given !== null) return given;
      await sleep(PAUSE_MS);
    }
    return null;
  }

  keep(answer: Answer, verdict: Verdict): void {
    if (this.path !== null) this.store.write(this.path, { agent: this.agent, answer, verdict });
  }

  /** There is no answer: the next process that hears of the call is the first, and does not wait for one. */
  release(): void {
    for (const path of [this.path, this.own]) if (path !== null) this.store.remove(path);
  }

  /** The path of this call; null if there can be none. */
  private place(): string | null {
    const { row, callId, payloads } = this.call;
    if (callId !== null) return join(this.folder, nameOf([row.native, callId, payloads]));
    const told = isAboutTheRun(row.event) ? null : contentOf(payloads);
    const base = join(this.folder, nameOf([row.event, told]));
    for (let number = 1; number <= MOST_EQUAL; number++) {
      const own = `${base}.${this.agent}.${number}`;
      const isMine = this.store.claim(own);
      if (isMine) this.own = own;
      if (isMine !== false) return isMine ? `${base}.${number}` : null;
    }
    return null;
  }

  private isFirst(path: string): boolean {
    if (this.store.claim(path)) return true;
    if (!this.store.isOld(path)) return false;
    this.store.remove(path);
    this.store.claim(path);
    return true;
  }
}

const PAUSE_MS = 5;

/** Agents do not tell the same of it: only its number counts. */
function isAboutTheRun(event: string): boolean {
  return event.startsWith('session.') || event === 'agent.stop';
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
