/**
 * A change of the policy that a running session left waiting, as a question in the user's queue of approvals: a person takes it with
 * `harness accept`, at the keyboard or on the page. A yes is for this change in this session.
 */
import type { JsonObject } from '../../base/index.ts';
import type { Ask } from '../../engine/index.ts';
import type { Policy } from '../policy.ts';
import { policyChanges } from '../policy-digest.ts';
import type { Asking } from './question.ts';
import { openQueue, type QueueHost } from './queue.ts';
import type { Person } from './with-queue.ts';

/** What the question names in the place of a tool. */
export const POLICY_CHANGE = 'policy.change';

/** A session may be left alone over a weekend. */
const OPEN_MS = 7 * 24 * 60 * 60 * 1000;
/** Of the project: a person may answer. */
const ASK: Omit<Ask, 'reason'> = { hook: 'policy', layer: 'project', rank: 900, source: '' };
/** Nobody reads more. */
const MOST_LINES = 100;

/** Which session, and of which host. */
export type ChangedSession = Pick<Asking, 'host' | 'session' | 'folder'>;

/** The id of the question; null if it cannot be asked. */
export function askToAccept(
  before: Policy,
  now: Policy,
  reason: string,
  about: ChangedSession,
  host: QueueHost,
): string | null {
  const asked = openQueue(host)?.ask(changeQuestion(before, now, reason, about), OPEN_MS);
  return asked !== undefined && 'question' in asked ? asked.question.id : null;
}

function changeQuestion(before: Policy, now: Policy, reason: string, about: ChangedSession): Asking {
  const changes = policyChanges(before.digest, now.digest).slice(0, MOST_LINES);
  // With the session: a yes in one session is none in another.
  const args: JsonObject = {
    session: about.session,
    from: before.digest.digest,
    to: now.digest.digest,
    changes,
  };
  const words = `the policy has changed and waits: ${reason}`;
  return { ...about, tool: POLICY_CHANGE, args, asks: [{ ...ASK, reason: words }], reason: words };
}

/** Whether a person said yes to this policy. */
export function isAccepted(question: string | null, digest: string, host: QueueHost): boolean {
  const queue = question === null ? null : openQueue(host);
  const entry = queue?.find(question!) ?? null;
  if (queue === null || entry === null || entry.answer?.approved !== true) return false;
  return entry.question.args.to === digest && queue.use(entry.question, entry.answer, digest);
}

export interface WaitingChange {
  readonly before: Policy;
  readonly next: Policy;
  readonly reason: string;
  readonly about: ChangedSession;
  /** Who sits here; null: nobody does. */
  readonly person: Person | null;
  /** Aborted by the next change, and by the end of the session. */
  readonly signal: AbortSignal;
}

/** Of a session in this process: asks, and resolves with whether a person accepted, here or elsewhere. `told` gets the question's id. */
export async function waitForAccept(
  { before, next, reason, about, person, signal }: WaitingChange,
  host: QueueHost,
  told: (question: string) => void,
): Promise<boolean> {
  const asking = changeQuestion(before, next, reason, about);
  const queue = openQueue(host);
  const asked = queue?.ask(asking, OPEN_MS);
  if (asked === undefined || !('question' in asked)) return false;
  const { question } = asked;
  told(question.id);
  const { tool: toolName, args: toolInput } = asking;
  const request = {
    hook: null,
    event: 'policy.changed',
    toolName,
    toolInput,
    windowMs: OPEN_MS,
    reason: asking.reason,
  };
  void person?.(request, signal).then(
    (said) => {
      if (said !== null && !signal.aborted)
        queue!.answer(question.id, { approved: said.approved, by: 'keyboard' });
    },
    () => {},
  );
  const answer = await queue!.wait(question, signal, next.digest.digest);
  return answer?.approved === true;
}
