/**
 * A channel that asks the person here and, at the same time, the people who look at the queue: the first answer counts. If nobody is
 * here, it waits only if somebody looks; otherwise it is a no, and the question stays open for a later try.
 */
import { type Approval, type ApprovalRequest, type Approvals, STAYS_OPEN } from '../../engine/index.ts';
import type { Answer, Asking, Question } from './question.ts';
import type { ApprovalQueue } from './queue.ts';
import type { AskWebhook } from './webhook.ts';

/** Null: nobody could be asked. */
export type Person = (asked: ApprovalRequest, signal: AbortSignal) => Promise<Approval | null>;

export interface QueueChannel {
  /** Null if there is no place for one: then the person alone is asked. */
  readonly queue: ApprovalQueue | null;
  readonly about: Pick<Asking, 'host' | 'session' | 'folder'>;
  readonly person: Person | null;
  /** The user's webhook, if there is one. */
  readonly away?: AskWebhook | null;
}

export function withQueue({ queue, about, person, away = null }: QueueChannel): Approvals {
  return {
    request: async (asked, signal) => {
      const put = queue?.ask(askingOf(asked, about)) ?? { problem: 'no person can be asked' };
      if ('known' in put) return approvalOf(put.known);
      if ('problem' in put) return (await person?.(asked, signal)) ?? no(asked, put.problem);
      return race(queue!, put.question, asked, signal, person, away);
    },
  };
}

async function race(
  queue: ApprovalQueue,
  question: Question,
  asked: ApprovalRequest,
  signal: AbortSignal,
  person: Person | null,
  away: AskWebhook | null,
): Promise<Approval> {
  const over = new AbortController();
  const end = () => over.abort();
  signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, asked.windowMs);
  try {
    const elsewhere = queue.wait(question, over.signal).then((answer) => answer && approvalOf(answer));
    const waits = away !== null || queue.isWatched();
    away?.(question, over.signal);
    const here = (person?.(asked, over.signal) ?? Promise.resolve(null)).then((said) => {
      if (said === null || over.signal.aborted) return waits ? elsewhere : null;
      return firstAnswer(queue, question, said);
    });
    return (await Promise.race([here, elsewhere.then((answer) => answer ?? here)])) ?? no(asked, STAYS_OPEN);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}

/** What the person here said, unless somebody else was sooner. */
function firstAnswer(queue: ApprovalQueue, question: Question, said: Approval): Approval {
  const { receipt, answer } = queue.answer(question.id, {
    approved: said.approved,
    by: 'keyboard',
    ...(said.reason !== undefined && { reason: said.reason }),
  });
  if (answer !== null) queue.use(question, answer);
  return receipt === 'answered already' && answer !== null ? approvalOf(answer) : said;
}

function askingOf(asked: ApprovalRequest, about: QueueChannel['about']): Asking {
  const { toolName, toolInput, cwd, asks = [], reason = 'it needs approval', hook } = asked;
  const unnamed = { hook: hook ?? 'permissions', layer: 'code', rank: 900, reason, source: '' };
  return {
    ...about,
    ...(cwd !== undefined && { cwd }),
    tool: toolName,
    args: toolInput,
    asks: asks.length > 0 ? asks : [unnamed],
    reason,
  };
}

export function approvalOf({ approved, reason, by }: Answer): Approval {
  if (approved) return { approved: true, ...(reason !== null && { reason }) };
  return { approved: false, reason: reason ?? `it was refused (${by})` };
}

function no({ reason = 'it needs approval' }: ApprovalRequest, why: string): Approval {
  return { approved: false, reason: `${reason} (needs approval: ${why})` };
}
