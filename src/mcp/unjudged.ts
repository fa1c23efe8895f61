/**
 * Messages of a gated method that no policy can judge: without an id that can be answered, with params or arguments that are no
 * object, in a batch. They are refused before anything is passed on, in both directions.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { JudgedCall } from '../session/index.ts';
import { gateOf, type Methods, policyName } from './gates.ts';
import { isMessageId, type MessageId } from './message.ts';

export interface Unjudged {
  /** Null: there is nobody to answer. */
  readonly id: MessageId | null;
  /** For the tape. */
  readonly call: JudgedCall;
  readonly reason: string;
}

/** Null if the message is of no gated method, or can be judged. `problem`: what is wrong with it already. */
export function unjudged(
  methods: Methods,
  server: string,
  message: { readonly id?: Json; readonly method?: Json; readonly params?: Json },
  problem: string | null,
): Unjudged | null {
  const { id = null, method, params = {} } = message;
  const gate = typeof method === 'string' ? gateOf(methods, method) : null;
  if (gate === null) return null;
  // A notification of an unknown method may be one that a person accepted.
  if (gate.isUnknown && message.id === undefined && problem === null && isJsonObject(params)) return null;
  const answerTo = isMessageId(id) ? id : null;
  const given: JsonObject = isJsonObject(params) ? params : {};
  const reason =
    problem ??
    (answerTo === null ? `${method} needs an id that is a string or a number` : null) ??
    (isJsonObject(params) ? gate.problem(given) : `${method} needs params that are an object`);
  if (reason === null) return null;
  const tool = gate.tool(given) ?? String(method).replaceAll('/', '_');
  const native = { protocol: 'mcp', server, method: method!, params };
  const call = { id: String(answerTo ?? ''), name: policyName(server, tool), args: {}, native };
  return { id: answerTo, call, reason };
}
