/** One event decided by the policy, or by the policy with a draft in it: what it says, what is wrong with the draft, how a command is read. */
import { isJsonObject, type Json } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import { studyCommand } from '../project/index.ts';
import { canonicalEvent } from '../terminal/index.ts';
import { draftFrom, openDraft } from './drafts.ts';
import type { Tried } from './server/api.ts';
import { PageError } from './server/app.ts';
import { commandView, problemViews, triedFrom } from './tried.ts';

export async function tryEvent(policy: Policy, body: unknown): Promise<Tried> {
  const { event: written, payload = null } = (body ?? {}) as { event?: unknown; payload?: Json };
  if (typeof written !== 'string') throw new PageError(400, 'want an event');
  const event = canonicalEvent(written);
  const draft = draftFrom(body);
  const { policy: opened, problems, close } = await openDraft(policy, draft);
  try {
    const outcome = await opened.engine({ run: opened.newRun(), canAsk: true }).decide(event, payload);
    const command = isJsonObject(payload) && isJsonObject(payload.args) ? payload.args.command : undefined;
    const read = typeof command === 'string' ? await commandIn(command, opened) : null;
    const tried = triedFrom(outcome, payload, [], read);
    const found = await problems();
    const own = draft === null ? found : found.filter(({ position }) => position?.file === draft.source);
    return { ...tried, problems: problemViews(own) };
  } finally {
    close();
  }
}

async function commandIn(text: string, policy: Policy): Promise<Tried['command']> {
  const { reading, checked, matched } = await studyCommand(text, undefined, policy);
  return commandView(reading, checked, matched);
}
