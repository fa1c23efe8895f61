/**
 * Calls whose server wants something of the client first. The client calls again, with the state the server handed out: that is the
 * same call, it was judged, and what a hook made of its arguments holds.
 */

import { BoundedMap, digestOf, type JsonObject } from '../base/index.ts';
import type { CallAnswer, JudgedCall } from '../session/index.ts';
import { CLIENT_METHODS, gateOf } from './gates.ts';

/** Calls that a client never makes again must not fill the memory. */
const MOST_CALLS = 1000;

export class UnfinishedCalls {
  private readonly calls = new BoundedMap<string, JudgedCall>(MOST_CALLS);

  /** By the call as the client has it: what a hook made of it is the server's alone. */
  keep({ requestState }: JsonObject, call: JudgedCall): void {
    if (typeof requestState === 'string')
      this.calls.set(keyOf(requestState, { ...call, args: originalArgs(call) }), call);
  }

  /** The call that a request goes on with. */
  take({ requestState }: JsonObject, call: JudgedCall): JudgedCall | undefined {
    return typeof requestState === 'string' ? this.calls.take(keyOf(requestState, call)) : undefined;
  }
}

/** What was said of a call that goes on. */
export function progressNotice(
  { args }: JudgedCall,
  before: JudgedCall,
): CallAnswer & { readonly allowed: true } {
  return { allowed: true, args, rewritten: digestOf(args) !== digestOf(before.args), context: [] };
}

function keyOf(state: string, { name, args }: JudgedCall): string {
  return digestOf({ state, name, args });
}

/** As the client wrote them. */
function originalArgs({ native, args }: JudgedCall): JsonObject {
  const gate = gateOf(CLIENT_METHODS, String(native.method));
  return gate === null ? args : gate.args(native.params as JsonObject);
}
