/**
 * Call one hook and understand what it said. Whatever happens, the result is a reply: a decision or a failure.
 */
import type { OpenCall } from './call.ts';
import { explain } from './failure.ts';
import type { Reply } from './hook.ts';
import { isThenable, settle } from './race.ts';

/** A placeholder looks like a guard in a list of the chain, so the trace says what it is. */
const NO_BODY: Reply = Object.freeze({
  decision: Object.freeze({ action: 'allow' }),
  warnings: Object.freeze(['the hook has no script: it allows everything']),
});

export function invoke(call: OpenCall, seen: unknown): Reply | Promise<Reply> {
  const { hook } = call;
  if (hook.body === null) return NO_BODY;
  try {
    const returned = hook.body(seen, call);
    if (isThenable(returned)) return invokeLater(call, returned);
    return hook.frontEnd.interpret(returned, hook, call.event);
  } catch (thrown) {
    return { failure: explain(hook, thrown) };
  }
}

async function invokeLater(call: OpenCall, returned: PromiseLike<unknown>): Promise<Reply> {
  const { hook } = call;
  const settled = await settle(returned, call.timeoutMs, call.outerSignal);
  if (settled.kind === 'failed') return { failure: settled.failure };
  if (settled.kind === 'thrown') return { failure: explain(hook, settled.thrown) };
  try {
    return hook.frontEnd.interpret(settled.value, hook, call.event);
  } catch (thrown) {
    return { failure: explain(hook, thrown) };
  }
}
