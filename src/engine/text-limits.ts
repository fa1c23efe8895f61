/**
 * How long the words of a hook may be. What is longer is cut where it enters the pipeline, and says so itself: a record, a
 * terminal or a model that gets an outcome never has to hold more.
 */
import { head } from '../base/index.ts';
import type { Decision, Effect, Failure } from './decision.ts';
import type { Reply } from './hook.ts';
import { LIMITS } from './hook-limits.ts';

export function shortLine(text: string): string {
  return shortened(text, LIMITS.line);
}

/** The very same where nothing in it is too long. */
export function shortFailure(failure: Failure): Failure {
  const { message, traceback = '' } = failure;
  if (message.length <= LIMITS.line && traceback.length <= LIMITS.line) return failure;
  return {
    ...failure,
    message: shortLine(message),
    ...(failure.traceback !== undefined && { traceback: shortLine(traceback) }),
  };
}

/** The very same where its reason is not too long. */
export function shortReply(reply: Reply): Reply {
  const reason: unknown = (reply.decision as { readonly reason?: unknown } | null | undefined)?.reason;
  if (typeof reason !== 'string' || reason.length <= LIMITS.line) return reply;
  const { decision, effects, warnings, unclear, site } = reply as Extract<Reply, { decision: Decision }>;
  return { decision: { ...decision, reason: shortLine(reason) }, effects, warnings, unclear, site } as Reply;
}

/** The very same where nothing in it is too long. */
export function shortEffect(effect: Effect): Effect {
  switch (effect.kind) {
    case 'context':
    case 'output': {
      const text = shortened(effect.text, LIMITS.text);
      return text === effect.text ? effect : { ...effect, text };
    }
    case 'reminder': {
      const body = shortened(effect.reminder.body, LIMITS.text);
      return body === effect.reminder.body ? effect : { ...effect, reminder: { ...effect.reminder, body } };
    }
    default:
      return effect;
  }
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${head(text, most)}… (${text.length} characters)`;
}
