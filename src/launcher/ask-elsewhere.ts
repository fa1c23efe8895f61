/**
 * An ask of an outside agent, put into the user's queue. If the agent can ask its own user, it does so at once; otherwise somebody
 * who looks at the queue, or the webhook, is waited for within the deadline. What nobody answers stays open, for another try.
 */

import type { Adapter, NativeCall } from '../agents/index.ts';
import type { Host } from '../machine/index.ts';
import {
  openQueue,
  type Permitted,
  type PersonsQuestion,
  type PolicySettings,
  SEEN_TO_RUN,
  webhookAsker,
} from '../policy/index.ts';
import type { DecisionContext } from './decision-context.ts';
import type { HookOptions } from './hook-options.ts';

/** Open: the id of the question, or null if it could not be put. */
export type RemoteApproval = (
  asked: PersonsQuestion,
) => Promise<Permitted | { readonly open: string | null }>;

export interface RemoteApprovalParts {
  readonly adapter: Adapter;
  readonly call: NativeCall;
  readonly root: string;
  readonly options: HookOptions;
  readonly around: DecisionContext;
  readonly policy: PolicySettings;
}

/** Loaded with the first ask: most calls are never asked about. */
export async function askRemotely(parts: RemoteApprovalParts): Promise<RemoteApproval | null> {
  const { adapter, call, root, options, around, policy } = parts;
  const queue = openQueue(around.host);
  if (queue === null) return null;
  return async ({ call: { name, args }, cwd, asks, reason: words }) => {
    const elsewhere = call.row.honours.ask;
    const attempt = `${call.session} ${call.callId ?? around.host.uuid()}`;
    const about = { host: adapter.agent, session: call.session, folder: root };
    const asking = { ...about, ...(cwd !== null && { cwd }), tool: name, args };
    const put = queue.ask({ ...asking, asks, reason: words, elsewhere, call: attempt });
    if ('known' in put) return permitted(put.known);
    // Its own user is asked all the same.
    if ('problem' in put)
      return elsewhere
        ? { open: null }
        : { allowed: false, reason: `${words} (needs approval: ${put.problem})` };
    const { question } = put;
    const away = webhookAsker(policy.asking, queue, around.host);
    // Where the agent asks its own user, only somebody far away is worth a wait.
    const isWaitedFor = away !== null || (!elsewhere && queue.isWatched());
    const ms = around.patience(options.deadlineMs);
    if (!isWaitedFor || ms <= 0) return { open: question.id };
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), ms);
    try {
      away?.(question, over.signal);
      const answer = await queue.wait(question, over.signal, attempt);
      return answer === null ? { open: question.id } : permitted(answer);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  };
}

function permitted({
  approved,
  reason,
  by,
}: {
  approved: boolean;
  reason: string | null;
  by: string;
}): Permitted {
  return { allowed: approved, reason: reason ?? (approved ? `approved (${by})` : `it was refused (${by})`) };
}

/** Its own user let it run: the question is answered. */
export async function approvedByAgent(ids: readonly string[], host: Host): Promise<void> {
  const queue = openQueue(host);
  for (const id of ids) {
    const entry = queue?.find(id) ?? null;
    const answer = queue?.answer(id, { approved: true, by: SEEN_TO_RUN }).answer ?? null;
    if (entry !== null && answer !== null) queue?.use(entry.question, answer);
  }
}
