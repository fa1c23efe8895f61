/**
 * The queue of questions to a person: one for all hosts of a user, in a folder that only they can enter. A question, its answer
 * and the mark that an answer was used are a file each, made whole by the one process that comes first: so the first answer
 * counts, a yes holds once, and no lock is ever waited for. It needs no daemon. What cannot be kept or read is no yes.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../base/index.ts';
import { BUILT_IN } from '../../engine/index.ts';
import { createFile, type Host, isLocked, pause, readOwnFile, tryLock } from '../../machine/index.ts';
import { folderProblem, openFolder, stateFolder } from '../state-folder.ts';
import { callDigest } from './desk.ts';
import { appendHistory } from './history.ts';
import {
  type Answer,
  type Asking,
  answerText,
  countsFor,
  keyOf,
  type Question,
  questionText,
  readAnswer,
  readQuestion,
  type Scope,
} from './question.ts';

/** A question can be answered for so long; the host that asks waits for less. */
export const OPEN_MS = 60 * 60 * 1000;

/** A yes that came when nobody waited holds for so long, for one try. */
export const HOLD_MS = 60 * 60 * 1000;

/** So many may wait for an answer at once, and so many of one session: an agent that asks without end leaves room for others. */
const MOST_OPEN = 500;
export const MOST_OF_SESSION = 100;

/** Of those that are over, so many are kept for lists once there are many. */
const MOST_OVER = 50;

/** Who answers if a call was seen to run after the agent asked its own user: a record, and no yes to anything else. */
export const SEEN_TO_RUN = 'agent';

/** A larger call is not one that a person reads. */
const MOST_BYTES = 1024 * 1024;

/** What is over stays so long for `ls`, then it is taken away. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Longer nobody can say yes in advance. */
export const LONGEST_MS = 90 * 24 * 60 * 60 * 1000;

export type EntryState = 'open' | 'allowed' | 'denied' | 'used' | 'expired';

/** A question as lists show it. */
export interface Entry {
  readonly question: Question;
  readonly state: EntryState;
  readonly answer: Answer | null;
  /** How long it can be answered, or how long its yes holds; 0 if neither. */
  readonly leftMs: number;
}

/** `taken`, or why the answer changes nothing. */
export type Receipt =
  | { readonly receipt: 'taken'; readonly answer: Answer }
  | { readonly receipt: 'answered already'; readonly answer: Answer | null }
  | { readonly receipt: 'too late' | 'unknown' | 'another call'; readonly answer: null }
  | { readonly receipt: 'failed'; readonly answer: null; readonly problem: string };

export interface PersonsAnswer {
  readonly approved: boolean;
  readonly by: string;
  readonly scope?: Scope;
  /** For the scope `folder`: milliseconds since the epoch. */
  readonly until?: number;
  readonly reason?: string;
  /** Of the call that was shown; if it is given it has to be that of the question. */
  readonly digest?: string;
}

export type QueueHost = Pick<Host, 'env' | 'now' | 'uuid'>;

/** Null if the environment names no place for it. */
export function openQueue(host: QueueHost): ApprovalQueue | null {
  const state = stateFolder(host);
  return state === null ? null : new ApprovalQueue(join(state, 'approvals'), host);
}

export class ApprovalQueue {
  readonly folder: string;
  private readonly host: QueueHost;
  private readonly files: string;
  private readonly watchers: string;

  constructor(folder: string, host: QueueHost) {
    this.folder = folder;
    this.host = host;
    this.files = join(folder, 'queue');
    this.watchers = join(folder, 'watchers');
  }

  /** Why it cannot be relied on, or null. */
  problem(): string | null {
    return folderProblem(this.folder) ?? folderProblem(this.files);
  }

  /**
   * Asks, or finds what was answered before. `known`: a yes or no that holds for this call, used up by this. Otherwise the question
   * that waits: a new one, or the one that is open for the same call of the same session.
   */
  ask(
    asking: Asking,
    deadlineMs = OPEN_MS,
  ): { readonly known: Answer } | { readonly question: Question } | { readonly problem: string } {
    try {
      const problem = this.make();
      if (problem !== null) return { problem };
      const key = keyOf(asking);
      const now = this.host.now();
      for (const { question, answer, state } of this.entries(key)) {
        if (state === 'open' && question.session === asking.session) return { question };
        if (answer !== null && this.holds(question, answer, asking, now)) return { known: answer };
      }
      return this.put(asking, key, now + deadlineMs);
    } catch (thrown) {
      return { problem: `the question cannot be kept: ${(thrown as Error).message}` };
    }
  }

  /** All of them, the oldest first. What cannot be read is left out. */
  list(): readonly Entry[] {
    return this.entries('').sort((a, b) => a.question.asked - b.question.asked);
  }

  /** By its id or the beginning of one that only one has. */
  find(id: string): Entry | null {
    const found = id === '' ? [] : this.entries('').filter(({ question }) => question.id.startsWith(id));
    return found.length === 1 ? found[0]! : (found.find(({ question }) => question.id === id) ?? null);
  }

  /** The first answer counts. */
  answer(id: string, given: PersonsAnswer): Receipt {
    const entry = this.find(id);
    if (entry === null) return { receipt: 'unknown', answer: null };
    const { question, state } = entry;
    if (given.digest !== undefined && given.digest !== question.digest)
      return { receipt: 'another call', answer: null };
    if (entry.answer !== null) return { receipt: 'answered already', answer: entry.answer };
    if (state !== 'open') return { receipt: 'too late', answer: null };
    const now = this.host.now();
    const { approved, by, scope = 'once', until = null, reason = null } = given;
    const bounded = until === null ? null : Math.min(until, now + LONGEST_MS);
    const answer: Answer = {
      id: question.id,
      digest: question.digest,
      approved,
      by,
      at: now,
      scope,
      until: bounded,
      reason,
    };
    try {
      const taken = createFile(this.path(question, 'answer'), answerText(answer));
      if (!taken) return { receipt: 'answered already', answer: this.answerTo(question) };
    } catch (thrown) {
      return { receipt: 'failed', answer: null, problem: (thrown as Error).message };
    }
    appendHistory(this.folder, { time: now, what: approved ? 'allowed' : 'denied', id: question.id, by });
    return { receipt: 'taken', answer };
  }

  /** The answer to a question, once there is one that is about it. */
  answerTo(question: Question): Answer | null {
    const answer = read(this.path(question, 'answer'), readAnswer);
    return answer?.id === question.id && answer.digest === question.digest ? answer : null;
  }

  /** Uses a yes or a no up; false if another call did, or it was taken back. A call heard of twice is one. */
  use(question: Question, { scope }: Pick<Answer, 'scope'>, call = ''): boolean {
    const path = this.path(question, 'used');
    try {
      if (scope !== 'once') return !entryNames(this.files).includes(this.name(question, 'used'));
      return createFile(path, call) || (call !== '' && read(path, (text) => text) === call);
    } catch {
      return false;
    }
  }

  /** A yes that was given for longer holds no more. */
  withdraw(id: string): boolean {
    const entry = this.find(id);
    if (entry === null || entry.state !== 'allowed') return false;
    const done = createFile(this.path(entry.question, 'used'), '');
    if (done) appendHistory(this.folder, { time: this.host.now(), what: 'withdrawn', id: entry.question.id });
    return done;
  }

  /** Resolves with the answer, used up; null if none came before the signal. */
  async wait(question: Question, signal: AbortSignal, call = ''): Promise<Answer | null> {
    for (let ms = 20; !signal.aborted; ms = Math.min(ms * 1.5, 200)) {
      const answer = this.answerTo(question);
      if (answer?.by === SEEN_TO_RUN) return null;
      if (answer !== null) return this.use(question, answer, call) ? answer : null;
      await pause(ms, signal);
    }
    return null;
  }

  /** Whether somebody looks at the questions as they come: only then is it worth waiting for an answer. */
  isWatched(): boolean {
    return entryNames(this.watchers).some((name) => {
      if (!name.endsWith('.lock')) return false;
      const file = join(this.watchers, name.slice(0, -'.lock'.length));
      return isLocked(file);
    });
  }

  /** Says that somebody looks, until it is released or this process ends. */
  watch(): () => void {
    const problem = this.make() ?? openFolder(this.watchers);
    if (problem !== null) throw new Error(problem);
    const attempt = tryLock(join(this.watchers, this.host.uuid()));
    return 'release' in attempt ? attempt.release : () => {};
  }

  private make(): string | null {
    return openFolder(this.folder) ?? openFolder(this.files);
  }

  private put(
    asking: Asking,
    key: string,
    deadline: number,
  ): { readonly question: Question } | { readonly problem: string } {
    const problem = this.fullFor(asking.session);
    if (problem !== null) return { problem };
    const id = shortId(this.host.uuid());
    const { host, session, folder, cwd, tool, args, asks, reason, elsewhere } = asking;
    const question: Question = {
      ...{ id, digest: callDigest(tool, args, cwd), host, session, folder, tool, args, asks, reason },
      ...(cwd !== undefined && { cwd }),
      ...(elsewhere === true && { elsewhere }),
      nonce: this.host.uuid(),
      asked: this.host.now(),
      deadline,
    };
    const text = questionText(question);
    if (text.length > MOST_BYTES) return { problem: 'the call is too large to be shown to a person' };
    if (!createFile(join(this.files, `${key}.${id}.question`), text))
      return { problem: 'the question cannot be kept' };
    appendHistory(this.folder, { time: question.asked, what: 'asked', id, tool, folder, host, asks });
    return { question };
  }

  /** Why nothing more can be asked for now, or null. */
  private fullFor(session: string): string | null {
    if (entryNames(this.files).filter((name) => name.endsWith('.question')).length < MOST_OF_SESSION)
      return null;
    const open = this.prune().filter(({ state }) => state === 'open');
    const own = open.filter(({ question }) => question.session === session);
    const [full, whose] =
      own.length >= MOST_OF_SESSION ? [own, ' of this session'] : open.length >= MOST_OPEN ? [open, ''] : [];
    if (full === undefined) return null;
    const soonest = Math.ceil(Math.min(...full.map(({ leftMs }) => leftMs)) / 60_000);
    return `${full.length} questions${whose} wait for an answer already; the first of them is over in ${soonest} min`;
  }

  /** Whether an answer given before holds for this call now; one that holds once is used up by asking. */
  private holds(question: Question, answer: Answer, asking: Asking, now: number): boolean {
    // A clock that was set back must not make it hold for longer.
    if (answer.at > now || answer.by === SEEN_TO_RUN) return false;
    switch (answer.scope) {
      case 'once':
        // Said after the call was over: as a remembered yes it is none to the built-in layer.
        return (
          now < answer.at + HOLD_MS &&
          asking.asks.every(({ rank }) => rank !== BUILT_IN.rank) &&
          this.use(question, answer, asking.call)
        );
      case 'session':
        return question.session === asking.session && countsFor(asking.asks) && this.use(question, answer);
      case 'folder':
        return now < (answer.until ?? 0) && countsFor(asking.asks) && this.use(question, answer);
    }
  }

  private entries(key: string): Entry[] {
    if (this.problem() !== null) return [];
    const all = entryNames(this.files);
    const used = new Set(all.filter((name) => name.endsWith('.used')));
    const now = this.host.now();
    return all.flatMap((name) => {
      if (!name.endsWith('.question') || !name.startsWith(key)) return [];
      const question = read(join(this.files, name), readQuestion);
      if (question === null || name !== this.name(question, 'question')) return [];
      const answer = this.answerTo(question);
      return [entryOf(question, answer, used.has(this.name(question, 'used')), now)];
    });
  }

  /** Takes away what is over for long, the oldest of too much that is over, and what cannot be read. Gives what is left. */
  private prune(): readonly Entry[] {
    const recent = this.host.now() - KEPT_MS;
    const entries = this.entries('');
    const isOver = ({ state, leftMs }: Entry) => state !== 'open' && leftMs === 0;
    const over = entries
      .filter((entry) => isOver(entry) && entry.question.asked >= recent)
      .sort((a, b) => b.question.asked - a.question.asked)
      .slice(0, MOST_OVER);
    const left = [...entries.filter((entry) => !isOver(entry)), ...over];
    const kept = new Set(left.map(({ question }) => question.id));
    for (const name of entryNames(this.files)) {
      if (!kept.has(name.split('.')[1] ?? '')) rmSync(join(this.files, name), { force: true });
    }
    return left;
  }

  private name(question: Question, kind: 'question' | 'answer' | 'used'): string {
    return `${keyOf(question)}.${question.id}.${kind}`;
  }

  private path(question: Question, kind: 'answer' | 'used'): string {
    return join(this.files, this.name(question, kind));
  }
}

function entryOf(question: Question, answer: Answer | null, used: boolean, now: number): Entry {
  const left = (until: number, since: number) => (since <= now ? Math.max(0, until - now) : 0);
  if (answer === null) {
    const leftMs = left(question.deadline, question.asked);
    return { question, answer, leftMs, state: leftMs > 0 && !used ? 'open' : 'expired' };
  }
  if (used) return { question, answer, leftMs: 0, state: 'used' };
  const until = { once: answer.at + HOLD_MS, session: now + 1, folder: answer.until ?? 0 }[answer.scope];
  const leftMs = left(until, answer.at);
  if (!answer.approved) return { question, answer, leftMs, state: 'denied' };
  return { question, answer, leftMs, state: leftMs > 0 ? 'allowed' : 'expired' };
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Eight letters and digits that are not mistaken for one another. */
function shortId(uuid: string): string {
  const digits = BigInt(`0x${digestOf(uuid).slice(0, 32)}`);
  let [rest, text] = [digits, ''];
  for (let i = 0; i < 8; i++) {
    text += ALPHABET[Number(rest % BigInt(ALPHABET.length))];
    rest /= BigInt(ALPHABET.length);
  }
  return text;
}

function entryNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Only a plain file of this user's counts. */
function read<T>(path: string, parse: (text: string) => T | null): T | null {
  try {
    return parse(readOwnFile(path, 2 * MOST_BYTES, 'unwritable'));
  } catch {
    return null;
  }
}
