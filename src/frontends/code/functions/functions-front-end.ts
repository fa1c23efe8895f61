/**
 * The Harn front end as the pipeline knows it. Handlers may decide, rewrite and leave reminders; an answer outside of the
 * protocol of their event is a failure, and fails the operation unless the hook says otherwise.
 */
import {
  type Body,
  type Effect,
  type FrontEnd,
  type Hook,
  isThenable,
  type Reply,
} from '../../../engine/index.ts';
import { explain } from '../code-hook.ts';
import { InvalidReturn, unfold } from './effects.ts';
import { decide, type ProtocolAnswer, protocolOf } from './protocols.ts';
import { type HarnView, harnViewInSession } from './view.ts';

/** An answer together with what it answers: some rewrites add to what earlier hooks did. */
class AnswerWithEvent {
  readonly seen: HarnView;
  readonly returned: unknown;

  constructor(seen: HarnView, returned: unknown) {
    this.seen = seen;
    this.returned = returned;
  }
}

/** A handler as the body of a hook. */
export function handlerBody(handler: (event: never) => unknown): Body {
  return (seen) => {
    const returned = handler(seen as never);
    if (!isThenable(returned)) return new AnswerWithEvent(seen as HarnView, returned);
    return Promise.resolve(returned).then((late) => new AnswerWithEvent(seen as HarnView, late));
  };
}

/** What a handler returned, as a reply. Shared by every front end whose hooks speak this protocol. */
export function interpretHarn(returned: unknown, hook: Hook, event: string): Reply {
  const answer = returned instanceof AnswerWithEvent ? returned : { seen: null, returned };
  const protocol = protocolOf(event);
  const noted: string[] = [];
  const answered: ProtocolAnswer = { event, seen: answer.seen, warn: (message) => noted.push(message) };
  try {
    const { control, reminders, warnings } = unfold(answer.returned, protocol.lists);
    const decision = decide(protocol, control, answered);
    const effects = reminders.map((reminder): Effect => ({ kind: 'reminder', hook: hook.name, reminder }));
    return { decision, effects, warnings: [...warnings, ...noted] };
  } catch (thrown) {
    if (!(thrown instanceof InvalidReturn)) throw thrown;
    return {
      failure: { kind: 'invalid_return', code: thrown.code, message: thrown.message },
      warnings: noted,
    };
  }
}

/** A session hook watches the session it was registered for; what its sub-agents do it hears as tool and turn events. */
export const HARN_OWN_SESSION_ONLY: ReadonlySet<string> = new Set([
  'session.start',
  'session.end',
  'turn.start',
  'error',
]);

export const harnFrontEnd: FrontEnd = {
  name: 'harn',
  runsInProgram: true,
  ownSessionOnly: HARN_OWN_SESSION_ONLY,
  powers: { modify: true },
  view: harnViewInSession,
  interpret: interpretHarn,
  explain,
};
