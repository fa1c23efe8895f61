/**
 * Which requests of the protocol are judged, and as what: every one of them is a tool call to the policy, so that a guard on
 * `tool.pre` and the permission table see it without having heard of MCP. One table.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';

export interface Gate {
  /** The arguments a policy sees. */
  readonly args: (params: JsonObject) => JsonObject;
  /** The name below the server's. */
  readonly tool: (params: JsonObject) => string | null;
  /** Why these params cannot be judged; null if they can. */
  readonly problem: (params: JsonObject) => string | null;
  /** The params with the arguments that the policy left. */
  readonly rewritten: (params: JsonObject, args: JsonObject) => JsonObject;
  /** A refusal is a result the model reads; otherwise it is an error of the protocol. */
  readonly refusedInResult: boolean;
}

/** By method. */
export type Gates = Readonly<Record<string, Gate>>;

const whole = (name: string): Gate => ({
  args: ({ _meta, ...params }) => params,
  tool: () => name,
  problem: () => null,
  rewritten: ({ _meta }, args) => ({ ...args, ...(_meta !== undefined && { _meta }) }),
  refusedInResult: false,
});

/** From the client to the server. */
export const CLIENT_GATES: Gates = {
  'tools/call': {
    args: ({ arguments: args }) => (isJsonObject(args) ? args : {}),
    tool: ({ name }) => (typeof name === 'string' ? name : null),
    problem: ({ name, arguments: args }) => {
      if (typeof name !== 'string') return 'tools/call names no tool';
      return args === undefined || isJsonObject(args)
        ? null
        : 'tools/call needs arguments that are an object';
    },
    rewritten: (params, args) => ({ ...params, arguments: args }),
    refusedInResult: true,
  },
  'resources/read': whole('resources_read'),
  'prompts/get': whole('prompts_get'),
};

/** From the server to the client, as requests of their own or inside `input_required`. */
export const SERVER_GATES: Gates = {
  'sampling/createMessage': whole('sampling_create'),
  'elicitation/create': whole('elicitation_create'),
};

export function gateOf(gates: Gates, method: string): Gate | null {
  return Object.hasOwn(gates, method) ? gates[method]! : null;
}

/** As other hosts spell tools of servers, so that one condition holds everywhere. */
export function policyName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** What the model reads of a result. Plain text where that is all there is; otherwise all of it, as data. */
export function resultPayload(result: JsonObject): { readonly content?: string; readonly result?: Json } {
  const text = onlyText(result);
  return text === null ? { result: shown(result) } : { content: text };
}

/** The result as the policy left it; null if what it left is no such result. */
export function rewrittenResult(result: JsonObject, payload: JsonObject): JsonObject | null {
  if (onlyText(result) !== null) {
    const { content } = payload;
    return typeof content === 'string' ? { ...result, content: [{ type: 'text', text: content }] } : null;
  }
  const left = payload.result;
  const before = shown(result);
  if (!isJsonObject(left)) return null;
  // What may not be there, or must be, is the protocol's to say: a policy changes values.
  const same = Object.keys(left).sort().join() === Object.keys(before).sort().join();
  const listed = Object.entries(before).every(
    ([key, value]) => Array.isArray(value) === Array.isArray(left[key]),
  );
  return same && listed ? { ...result, ...left } : null;
}

/** What hooks add for the model, behind what the tool said. A result that holds no content has no place for it. */
export function withContext(result: JsonObject | null, notes: readonly string[]): JsonObject | null {
  if (result === null || notes.length === 0 || !Array.isArray(result.content)) return result;
  return { ...result, content: [...result.content, ...notes.map((text) => ({ type: 'text', text }))] };
}

/** What the client shows of an error: its words, and the data where there is some. */
export function errorPayload(error: Json | undefined): { readonly content?: string; readonly result?: Json } {
  const { message, data } = isJsonObject(error) ? error : {};
  const text = typeof message === 'string' ? message : '';
  return data === undefined ? { content: text } : { result: { message: text, data } };
}

/** The error as the policy left it; null if what it left is no such error. */
export function rewrittenError(error: Json | undefined, payload: JsonObject): JsonObject | null {
  const before = isJsonObject(error) ? error : {};
  if (before.data === undefined) {
    const { content } = payload;
    return typeof content === 'string' ? { ...before, message: content } : null;
  }
  const left = payload.result;
  return isJsonObject(left) && typeof left.message === 'string' && left.data !== undefined
    ? { ...before, message: left.message, data: left.data }
    : null;
}

function onlyText({ content, structuredContent }: JsonObject): string | null {
  if (structuredContent !== undefined || !Array.isArray(content) || content.length !== 1) return null;
  const [part] = content;
  return isJsonObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : null;
}

/** All but what belongs to the protocol. */
function shown({ _meta, resultType, isError, ttlMs, cacheScope, ...rest }: JsonObject): JsonObject {
  return rest;
}
