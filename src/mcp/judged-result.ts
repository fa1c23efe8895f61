/**
 * What a policy leaves of an answer: the same message, another one, or nothing but a reason. An error a server answers with is judged
 * as a result too, since the model reads it.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { GovernedSession, JudgedCall } from '../session/index.ts';
import {
  errorPayload,
  policyName,
  resultPayload,
  rewrittenError,
  rewrittenResult,
  withContext,
} from './gates.ts';
import type { Message, MessageId } from './message.ts';

export type ResultVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly message: Message }
  | { readonly kind: 'hidden'; readonly reason: string };

/** `context` is what hooks wanted the model to read when the call was judged. */
export async function judgedResult(
  session: GovernedSession,
  call: JudgedCall,
  message: Message,
  context: readonly string[],
): Promise<ResultVerdict> {
  const { result, error } = message;
  try {
    const payload = isJsonObject(result) ? resultPayload(result) : errorPayload(error);
    const failed = !isJsonObject(result) || result.isError === true;
    const said = await session.afterCall(call, payload as JsonObject, failed);
    if (said.kind === 'hidden') return said;
    const notes = [...context, ...said.context];
    const changed = said.kind === 'rewritten' ? said.payload : null;
    if (changed === null && notes.length === 0) return { kind: 'same' };
    const left = isJsonObject(result)
      ? asMember('result', withContext(changed === null ? result : rewrittenResult(result, changed), notes))
      : asMember('error', changed === null ? error! : rewrittenError(error, changed));
    if (left === null)
      return { kind: 'hidden', reason: 'a hook rewrote the result into something that is none' };
    return { kind: 'changed', message: { ...message, ...left } };
  } catch (thrown) {
    const reason = `the policy could not decide about the result: ${(thrown as Error).message}`;
    return { kind: 'hidden', reason };
  }
}

/** A result that comes later than its call. */
export function taskCall(
  server: string,
  method: string,
  params: JsonObject | undefined,
  id: MessageId,
): JudgedCall {
  const name = policyName(server, method.replaceAll('/', '_'));
  return { id: String(id), name, args: {}, native: { protocol: 'mcp', method, params: params ?? {} } };
}

function asMember(key: 'result' | 'error', value: Json | null): JsonObject | null {
  return value === null ? null : { [key]: value };
}
