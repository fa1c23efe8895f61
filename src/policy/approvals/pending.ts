/**
 * A channel for answers that come from elsewhere: a web page, a chat, another process. Questions wait in a list, and are
 * answered by their id, once and in time.
 */
import { BoundedMap } from '../../base/index.ts';
import type { Approval, ApprovalRequest, Approvals } from '../../engine/index.ts';

/** `taken`, or why the answer changes nothing. */
export type AnswerReceipt = 'taken' | 'answered already' | 'too late' | 'unknown';

export interface IgnoredAnswer {
  readonly id: string;
  readonly approved: boolean;
  readonly why: Exclude<AnswerReceipt, 'taken'>;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly resolve: (answer: Approval) => void;
}

/** Limit of questions that are over, and of answers that were ignored. */
const MOST_NOTED = 1000;

export class PendingApprovals implements Approvals {
  private readonly waiting = new Map<string, Waiting>();
  private readonly over = new BoundedMap<string, 'answered already' | 'too late'>(MOST_NOTED);
  private readonly refused: IgnoredAnswer[] = [];
  private readonly onRequest: ((request: ApprovalRequest) => void) | undefined;
  private questions = 0;

  /** `onRequest` is told of each question as it comes. */
  constructor(onRequest?: (request: ApprovalRequest) => void) {
    this.onRequest = onRequest;
  }

  /** The questions nobody has answered yet, the oldest first. */
  get pending(): readonly ApprovalRequest[] {
    return [...this.waiting.values()].map(({ request }) => request);
  }

  /** The answers that came twice, too late, or to nothing that was asked. */
  get ignored(): readonly IgnoredAnswer[] {
    return this.refused;
  }

  request(asked: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
    const id = asked.id ?? `question-${++this.questions}`;
    const request = { ...asked, id };
    return new Promise((resolve) => {
      const leave = () => {
        this.close(id, 'too late');
        resolve({ approved: false, reason: 'the call no longer waits for the answer' });
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.set(id, {
        request,
        resolve: (answer) => {
          signal.removeEventListener('abort', leave);
          resolve(answer);
        },
      });
      this.onRequest?.(request);
    });
  }

  answer(id: string, answer: Approval): AnswerReceipt {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) {
      const why = this.over.get(id) ?? 'unknown';
      this.refused.push({ id, approved: answer.approved === true, why });
      if (this.refused.length > MOST_NOTED) this.refused.shift();
      return why;
    }
    this.close(id, 'answered already');
    waiting.resolve(answer);
    return 'taken';
  }

  private close(id: string, how: 'answered already' | 'too late'): void {
    this.waiting.delete(id);
    this.over.set(id, how);
  }
}
