/**
 * What a request of the stateless era repeats in its headers: its method, the name in it, and the arguments that a tool's schema
 * marks with `x-mcp-header`. They are always made of the body that is sent, so that no guard judges one thing and a server in
 * between routes by another.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';

export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const MARK = 'x-mcp-header';
const PREFIX = 'mcp-param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Schemas come from a server. */
const MOST_DEEP = 16;

/** By tool; those that mark nothing are left out. */
export function paramHeadersOf(tools: readonly Json[]): ReadonlyMap<string, readonly ParamHeader[]> {
  const found = new Map<string, readonly ParamHeader[]>();
  for (const tool of tools) {
    if (!isJsonObject(tool) || typeof tool.name !== 'string') continue;
    const headers = marked(tool.inputSchema, []);
    if (headers.length > 0) found.set(tool.name, headers);
  }
  return found;
}

function marked(schema: Json | undefined, path: readonly string[]): ParamHeader[] {
  if (!isJsonObject(schema) || path.length > MOST_DEEP) return [];
  const { properties, [MARK]: name } = schema;
  const own = typeof name === 'string' && path.length > 0 && TOKEN.test(name) ? [{ path, header: name }] : [];
  const below = isJsonObject(properties) ? Object.entries(properties) : [];
  return [...own, ...below.flatMap(([key, value]) => marked(value, [...path, key]))];
}

/** Which part of the params is the name. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The name a request carries for its headers; undefined if it has none. */
export function requestName(method: string, params: JsonObject | undefined): string | undefined {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method]! : null;
  const value = field === null ? undefined : params?.[field];
  return typeof value === 'string' ? value : undefined;
}

export function paramHeaderName({ header }: ParamHeader): string {
  return PREFIX + header.toLowerCase();
}

/** All headers that a request of the stateless era repeats of its body. */
export function bodyHeaders(
  method: string,
  params: JsonObject,
  version: string,
  marks: readonly ParamHeader[],
): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  const name = requestName(method, params);
  if (name !== undefined) headers['mcp-name'] = encoded(name);
  for (const mark of marks) {
    let value: Json | undefined = params.arguments;
    for (const key of mark.path) value = isJsonObject(value) ? value[key] : undefined;
    if (['string', 'number', 'boolean'].includes(typeof value))
      headers[paramHeaderName(mark)] = encoded(String(value));
  }
  return headers;
}

export function isBodyHeader(name: string): boolean {
  return name === 'mcp-method' || name === 'mcp-name' || name.startsWith(PREFIX);
}

const [OPEN, CLOSE] = ['=?base64?', '?='];

/** As it is where a header can hold it; otherwise its bytes, marked. */
function encoded(text: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return plain && !(text.startsWith(OPEN) && text.endsWith(CLOSE))
    ? text
    : `${OPEN}${Buffer.from(text, 'utf8').toString('base64')}${CLOSE}`;
}

/** What a header says; null if it is marked as bytes and holds none. */
export function decoded(value: string): string | null {
  if (!value.startsWith(OPEN) || !value.endsWith(CLOSE)) return value;
  const body = value.slice(OPEN.length, -CLOSE.length);
  const bytes = Buffer.from(body, 'base64');
  return bytes.toString('base64') === body ? bytes.toString('utf8') : null;
}
