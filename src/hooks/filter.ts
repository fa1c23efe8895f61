/**
 * Filter: does a hook's condition hold? Judged when its turn comes, on the payload as it then stands, so that an earlier
 * rewrite can neither hide a call from a guard nor stand in for one.
 */
import type { Failure } from '../events/decision.ts';
import type { OpenCall } from './call.ts';
import { explain } from './failure.ts';
import { isThenable, settle } from './race.ts';

/** Yes, no, or why the condition could not say. */
export type Judgement = boolean | Failure;

export function judge(call: OpenCall, seen: unknown): Judgement | Promise<Judgement> {
  const { condition } = call.hook;
  if (condition === null) return true;
  try {
    const answer: unknown = condition.test(seen, call);
    return isThenable(answer) ? judgeLater(call, answer) : Boolean(answer);
  } catch (thrown) {
    return explain(call.hook, thrown);
  }
}

async function judgeLater(call: OpenCall, answer: PromiseLike<unknown>): Promise<Judgement> {
  const settled = await settle(answer, call.timeoutMs, call.outerSignal);
  if (settled.kind === 'value') return Boolean(settled.value);
  return settled.kind === 'failed' ? settled.failure : explain(call.hook, settled.thrown);
}
