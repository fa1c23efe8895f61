/**
 * The methods of both eras of the protocol: which are judged, and as what, and which are passed on. What is judged is a tool call to
 * the policy, so that a guard on `tool.pre` and the permission table see it without having heard of MCP. A method that the table does
 * not have is judged too, and goes on only once a person has accepted it.
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
  /** The method is of no era that this table has. */
  readonly isUnknown?: true;
}

/** `passed`: nothing in it is for a policy. What the other side answers may be: lists, introductions, results of tasks. */
export type Methods = Readonly<Record<string, Gate | 'passed'>>;

const whole = (name: string): Gate => ({
  args: ({ _meta, ...params }) => params,
  tool: () => name,
  problem: () => null,
  rewritten: ({ _meta }, args) => ({ ...args, ...(_meta !== undefined && { _meta }) }),
  refusedInResult: false,
});

const passed = (...methods: readonly string[]): Methods =>
  Object.fromEntries(methods.map((method) => [method, 'passed']));

const CALL: Gate = {
  args: ({ arguments: args }) => (isJsonObject(args) ? args : {}),
  tool: ({ name }) => (typeof name === 'string' ? name : null),
  problem: ({ name, arguments: args }) => {
    if (typeof name !== 'string') return 'tools/call names no tool';
    return args === undefined || isJsonObject(args) ? null : 'tools/call needs arguments that are an object';
  },
  rewritten: (params, args) => ({ ...params, arguments: args }),
  refusedInResult: true,
};

/** Either side may send these. */
const BOTH = passed(
  'ping',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/tasks/status',
);

/** From the client to the server. */
export const CLIENT_METHODS: Methods = {
  'tools/call': CALL,
  'resources/read': whole('resources_read'),
  'resources/directory/read': whole('resources_directory_read'),
  'prompts/get': whole('prompts_get'),
  'skills/get': whole('skills_get'),
  ...BOTH,
  ...passed(
    'initialize',
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'skills/list',
    'resources/subscribe',
    'resources/unsubscribe',
    'subscriptions/listen',
    'completion/complete',
    'logging/setLevel',
    'tasks/update',
    'notifications/initialized',
    'notifications/roots/list_changed',
  ),
};

/** From the server to the client, as requests of their own or inside `input_required`. */
export const SERVER_METHODS: Methods = {
  'sampling/createMessage': whole('sampling_create'),
  'elicitation/create': whole('elicitation_create'),
  ...BOTH,
  ...passed(
    'roots/list',
    'notifications/message',
    'notifications/elicitation/complete',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/skills/list_changed',
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ),
};

/** Null: it is passed on. */
export function gateOf(methods: Methods, method: string): Gate | null {
  const known = Object.hasOwn(methods, method) ? methods[method]! : unknownGate(method);
  return known === 'passed' ? null : known;
}

function unknownGate(method: string): Gate {
  return { ...whole(method.replace(/[^\w.-]+/g, '_')), isUnknown: true };
}

/** As other hosts spell tools of servers, so that one condition holds everywhere. */
export function policyName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** What the model reads of a result. Plain text where that is all there is; otherwise all of it, as data. */
export function resultPayload(result: JsonObject): { readonly content?: string; readonly result?: Json } {
  const text = onlyText(result);
  return text === null ? { result: withoutProtocolFields(result) } : { content: text };
}

/** The result as the policy left it; null if what it left is no such result. */
export function rewrittenResult(result: JsonObject, payload: JsonObject): JsonObject | null {
  if (onlyText(result) !== null) {
    const { content } = payload;
    return typeof content === 'string' ? { ...result, content: [{ type: 'text', text: content }] } : null;
  }
  const left = payload.result;
  const before = withoutProtocolFields(result);
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
function withoutProtocolFields({
  _meta,
  resultType,
  isError,
  ttlMs,
  cacheScope,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}
