/**
 * A request to a model in one neutral form, whatever wire format it arrived in, and the helpers the dialects read with.
 * Reading never fails: what is missing or malformed reads as empty.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';

export type DialectName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** How the answer is written: one JSON body, server-sent events, or (Gemini without `alt=sse`) one JSON array. */
export type Framing = 'json' | 'sse' | 'json-array';

export interface OfferedTool {
  /** As the model would call it. */
  readonly name: string;
  /** A tool that takes free text instead of a JSON object. */
  readonly isCustom?: boolean;
  /** The group in which the tool was declared. */
  readonly namespace?: string;
}

export type RequestMessage =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'call'; readonly id: string; readonly name: string; readonly args: Json }
  | { readonly role: 'result'; readonly id: string; readonly text: string };

export interface ModelRequest {
  readonly dialect: DialectName;
  readonly model: string;
  readonly framing: Framing;
  readonly system: string;
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly RequestMessage[];
  readonly maxTokens: number | null;
  /** The JSON Schema that the answer must follow, if the request wants one. */
  readonly schema: JsonObject | null;
  /** An estimate from the size of the request. */
  readonly inputTokens: number;
  /** Whether a stream has to end with the count of tokens, which some services send only if asked. */
  readonly wantsUsage: boolean;
}

/** User messages and tool results since the last answer of the model. */
export function latestMessages({ messages }: ModelRequest): readonly RequestMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'assistant' || role === 'call') + 1);
}

/** About four characters a token: good enough for clients that watch the size of a conversation. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject);
}

export function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The text of a content field: a string, or parts of which only those with text count. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => stringOf(part.text) || stringOf(part.content))
    .filter((text) => text !== '')
    .join('\n');
}

/** Deeper than any tool answers; a request nested further must not exhaust the stack. */
const MAX_DEPTH = 32;

/** Every string inside a value, for results that are objects of the tool's own making. */
export function stringsIn(value: Json | undefined, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return '';
  return Object.values(value)
    .map((inner) => stringsIn(inner as Json, depth + 1))
    .filter((text) => text !== '')
    .join('\n');
}

/** Arguments as a service sends them back: JSON text, decoded if it is JSON. */
export function decodedArguments(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
