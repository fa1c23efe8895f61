/**
 * A message of the protocol, as far as a proxy has to understand it, and the messages a proxy writes itself.
 */
import { isJsonObject, type Json, type JsonObject, readJson } from '../base/index.ts';
import { EXACT, withExactNumbers } from './exact-numbers.ts';

export type MessageId = string | number;

export interface Message {
  readonly id?: MessageId;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: Json;
  readonly error?: Json;
  /** Numbers in it that are exact as text only. */
  readonly [EXACT]?: ReadonlyMap<string, number>;
}

export type ReadMessage =
  | { readonly ok: true; readonly message: Message }
  /** `parts`: the messages in it, where it is JSON. */
  | { readonly ok: false; readonly problem: string; readonly parts: readonly JsonObject[] };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What two programs might read in two ways is refused: doubled keys, bytes that are no UTF-8, batches. */
export function readMessage(line: Buffer): ReadMessage {
  let text: string;
  try {
    text = utf8.decode(line);
  } catch {
    return unreadable('the message is not UTF-8');
  }
  const reading = readJson(text);
  if (!reading.ok) return unreadable(`the message is not usable JSON: ${reading.message}`);
  const exact = withExactNumbers(text);
  const value = exact === null ? reading.value : (JSON.parse(exact.text.replace(/^\uFEFF/, '')) as Json);
  if (Array.isArray(value))
    return unreadable('batches are no part of the protocol any more', value.filter(isJsonObject));
  if (!isJsonObject(value)) return unreadable('the message is not an object');
  const { id, method, params } = value;
  const wellFormed =
    (id === undefined || id === null || isMessageId(id)) &&
    (method === undefined || typeof method === 'string') &&
    (params === undefined || isJsonObject(params));
  if (!wellFormed) return unreadable('the message has an id, method or params of the wrong type', [value]);
  const message = value as unknown as Message;
  return { ok: true, message: exact === null ? message : { ...message, [EXACT]: exact.counts } };
}

function unreadable(problem: string, parts: readonly JsonObject[] = []): ReadMessage {
  return { ok: false, problem, parts };
}

/** One that can be answered: what is no finite number is written as null. */
export function isMessageId(id: Json | undefined): id is MessageId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** The id to answer what was read with: that of its only message. */
export function answerIdOf(read: ReadMessage): MessageId | null {
  const [first, ...more] = read.ok ? [read.message] : read.parts;
  return more.length === 0 && isMessageId(first?.id) ? first.id : null;
}

/** JSON-RPC's own codes, and the first of those it leaves to servers. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  refused: -32000,
  /** A header of the request says another thing than its body. */
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** The status of an error over HTTP in the stateless era; other errors are answers like any, with 200. */
export const ERROR_STATUS: ReadonlyMap<Json | undefined, number> = new Map([
  [CODES.parse, 400],
  [CODES.invalidRequest, 400],
  [CODES.methodNotFound, 404],
  [CODES.missingCapability, 400],
  [CODES.unsupportedVersion, 400],
]);

export function failure(id: MessageId | null, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function success(id: MessageId, result: Json): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

function metaValue(params: JsonObject | undefined, key: string): Json | undefined {
  const meta = params?._meta;
  return isJsonObject(meta) ? meta[key] : undefined;
}

/** What a request of the stateless era says of itself; undefined in the era with a handshake. */
export function versionOf(params: JsonObject | undefined): string | undefined {
  const version = metaValue(params, VERSION_KEY);
  return typeof version === 'string' ? version : undefined;
}

/** A request that says its version itself is of the stateless era, where every result says that it is complete. */
export function isStateless(params: JsonObject | undefined): boolean {
  return versionOf(params) !== undefined;
}

/** What a message without a session has to say of itself and does not, or null. */
export function missingInMeta({ id, params }: Message): string | null {
  if (versionOf(params) === undefined)
    return 'want the header Mcp-Session-Id, or the version of the protocol in _meta';
  const isComplete = id === undefined || isJsonObject(metaValue(params, CAPABILITIES_KEY));
  return isComplete ? null : `want the capabilities of the client in _meta, as ${CAPABILITIES_KEY}`;
}

/** What the client can, as a request of the stateless era says. */
export function capabilitiesOf(params: JsonObject | undefined): JsonObject {
  const capabilities = metaValue(params, CAPABILITIES_KEY);
  return isJsonObject(capabilities) ? capabilities : {};
}

/** The request of the client that a notification belongs to: by its own id, or by the token the client gave. */
export function belongsTo(params: JsonObject | undefined): { readonly id?: Json; readonly token?: Json } {
  const id = metaValue(params, SUBSCRIPTION_KEY);
  const token = params?.progressToken;
  return { ...(id !== undefined && { id }), ...(token !== undefined && { token }) };
}

export function progressTokenOf(params: JsonObject | undefined): Json | undefined {
  return metaValue(params, 'progressToken');
}

/** What a proxy's own request to the server says of itself, as the client's does. */
export function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?._meta;
  if (!isJsonObject(meta)) return {};
  const { progressToken: _token, ...rest } = meta;
  return Object.keys(rest).length === 0 ? {} : { _meta: rest };
}

/** A result that tells the model why it gets nothing else. */
export function refusal(text: string, params: JsonObject | undefined): JsonObject {
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(isStateless(params) && { resultType: 'complete' }),
  };
}
