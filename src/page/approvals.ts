/**
 * Questions that wait for a person, shown and answered from the page. To answer takes two steps: the whole call is looked at once more,
 * and what comes back names that look and the digest of what was seen. The queue itself sees to it that the first answer counts.
 */
import { randomBytes } from 'node:crypto';
import {
  type ApprovalQueue,
  askPlace,
  askStats,
  type Entry,
  type RuleCount,
  ruleName,
  showCall,
} from '../policy/index.ts';
import type { ApprovalsView, QuestionView } from './server/api.ts';
import { PageError } from './server/app.ts';

/** A look counts for so long. */
const LOOK_MS = 2 * 60 * 1000;
/** A page that has not asked for so long is not looked at. */
const AWAY_MS = 10_000;
/** Answered ones stay in sight for so long. */
const RECENT_MS = 60 * 60 * 1000;
const MOST = 100;
const LONGEST_REASON = 500;

interface QueueSnapshot {
  readonly id: string;
  readonly digest: string;
  readonly until: number;
}

export class ApprovalsDesk {
  private readonly queue: ApprovalQueue | null;
  /** Why nobody can answer here; null if somebody can. */
  private readonly mute: string | null;
  private readonly looks = new Map<string, QueueSnapshot>();
  private release: (() => void) | null = null;
  private seen = 0;

  constructor(queue: ApprovalQueue | null, mute: string | null) {
    this.queue = queue;
    this.mute =
      queue === null ? 'there is no place for questions: want HOME or XDG_STATE_HOME to be set' : mute;
  }

  /** `folder`: only questions of this project; null: of all. */
  list(folder: string | null): ApprovalsView {
    if (this.queue === null || this.queue.problem() !== null)
      return { mute: this.mute ?? this.queue!.problem(), questions: [], folder, others: 0 };
    if (this.mute === null) this.isLookedAt(this.queue);
    const now = Date.now();
    const recent = this.queue
      .list()
      .filter(({ state, answer }) => state === 'open' || (answer !== null && answer.at > now - RECENT_MS));
    const isHere = ({ question }: Entry) => folder === null || question.folder === folder;
    return {
      mute: this.mute,
      questions: recent.filter(isHere).slice(-MOST).map(questionView),
      folder,
      others: recent.filter((entry) => !isHere(entry) && waits(entry)).length,
    };
  }

  /** How often each rule asked since a moment, and what became of it. */
  counts(since: number): readonly RuleCount[] {
    return this.queue === null || this.queue.problem() !== null ? [] : askStats(this.queue.folder, since);
  }

  look(id: string): { ticket: string; question: QuestionView } {
    const entry = this.entry(id);
    const ticket = randomBytes(18).toString('base64url');
    const now = Date.now();
    for (const [key, { until }] of this.looks) if (until < now) this.looks.delete(key);
    this.looks.set(ticket, { id: entry.question.id, digest: entry.question.digest, until: now + LOOK_MS });
    return { ticket, question: questionView(entry) };
  }

  answer(id: string, body: unknown): { receipt: string; question: QuestionView } {
    const { question } = this.entry(id);
    const { ticket, digest, approved, scope = 'once', reason } = (body ?? {}) as Record<string, unknown>;
    const look = typeof ticket === 'string' ? this.looks.get(ticket) : undefined;
    if (look === undefined || look.id !== question.id || look.until < Date.now())
      throw new PageError(409, 'look at the call once more before you answer');
    this.looks.delete(ticket as string);
    if (look.digest !== digest) throw new PageError(409, 'that is another call than the one that was shown');
    if (typeof approved !== 'boolean') throw new PageError(400, 'want yes or no');
    if (scope !== 'once' && scope !== 'session') throw new PageError(400, 'want once or session');
    const why = typeof reason === 'string' ? reason.trim().slice(0, LONGEST_REASON) : '';
    if (!approved && why === '') throw new PageError(400, 'a no needs a reason: the agent sees it');
    const given = {
      approved,
      by: 'page',
      scope,
      digest: look.digest,
      ...(why !== '' && { reason: why }),
    } as const;
    const { receipt } = this.queue!.answer(question.id, given);
    return { receipt, question: questionView(this.entry(id)) };
  }

  private entry(id: string): Entry {
    if (this.mute !== null) throw new PageError(403, this.mute);
    const entry = this.queue?.list().find(({ question }) => question.id === id);
    if (entry === undefined) throw new PageError(404, 'there is no such question');
    return entry;
  }

  /** Agents wait for an answer only while somebody looks. */
  private isLookedAt(queue: ApprovalQueue): void {
    this.seen = performance.now();
    if (this.release !== null) return;
    this.release = queue.watch();
    const timer = setInterval(() => {
      if (performance.now() - this.seen < AWAY_MS) return;
      clearInterval(timer);
      this.release?.();
      this.release = null;
    }, AWAY_MS / 4);
    timer.unref();
  }
}

/** What the agent asks its own user waits there, and not for an answer here. */
function waits({ state, question }: Entry): boolean {
  return state === 'open' && question.elsewhere !== true;
}

function questionView({ question, state, answer, leftMs }: Entry): QuestionView {
  const { whole, does, warnings } = showCall(question.tool, question.args);
  return {
    id: question.id,
    digest: question.digest,
    state,
    host: question.host,
    session: question.session,
    folder: question.folder,
    cwd: question.cwd ?? null,
    tool: question.tool,
    call: whole,
    warnings,
    does,
    reason: question.reason,
    asks: question.asks.map((ask) => ({ rule: ruleName(ask), place: askPlace(ask), reason: ask.reason })),
    asked: question.asked,
    waitedMs: Math.max(0, Date.now() - question.asked),
    leftMs,
    elsewhere: question.elsewhere === true,
    answer:
      answer === null
        ? null
        : {
            approved: answer.approved,
            by: answer.by,
            at: answer.at,
            scope: answer.scope,
            reason: answer.reason,
          },
  };
}
