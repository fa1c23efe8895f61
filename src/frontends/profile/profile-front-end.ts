/**
 * The agent.json front end as the pipeline knows it: its hooks see what registry hooks see, may watch every moment, block or ask
 * before a tool call, and never rewrite.
 */
import { HarnessError } from '../../base/index.ts';
import type { FrontEnd, Reply } from '../../engine/index.ts';
import { canStop, contextOf, LOOM_OWN_SESSION_ONLY } from '../code/registry/context.ts';
import { CommandAnswer } from '../command/body.ts';

/** What the body of an action returns; nothing else of this front end is an answer. */
export class ActionReply {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

export const DONE = new ActionReply({ decision: { action: 'allow' } });

export function denied(reason: string): ActionReply {
  return new ActionReply({ decision: { action: 'block', reason } });
}

export const profileFrontEnd: FrontEnd = {
  name: 'profile',
  ownSessionOnly: LOOM_OWN_SESSION_ONLY,
  powers: { modify: false, block: canStop },
  view: (event, payload, run, who) => contextOf(event, payload, run, who) ?? { event },
  interpret: (returned, hook, event) => {
    if (returned instanceof ActionReply) return returned.reply;
    if (returned instanceof CommandAnswer) return returned.reply(hook, event);
    const message = 'not the answer of an action';
    return { failure: { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message } };
  },
  explain: (thrown) => {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { kind: 'error', code: thrown instanceof HarnessError ? thrown.code : 'HOOK_THREW', message };
  },
};
