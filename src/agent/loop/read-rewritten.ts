/**
 * What came from outside the loop, read back into its own types: requests and answers that hooks rewrote, and what a
 * provider resolved to. Nothing is guessed: what does not fit is named by its path.
 */

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MAX_PAYLOAD_NESTING } from '../../base/json-text.ts';
import { isTooDeep } from '../../match/check-arguments.ts';
import type { Message, ToolCall, Usage } from '../message.ts';
import type { Attempt, Completion, ProviderFailure, StopReason, ToolDefinition } from '../provider.ts';
import { failureOf } from '../providers/failure.ts';

export interface Reading<T> {
  readonly value: T;
  /** Empty where all of it could be read. */
  readonly problems: string[];
}

const TOO_DEEP = `one nested deeper than ${MAX_PAYLOAD_NESTING} levels`;

export const STOP_REASONS: readonly StopReason[] = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'pause_turn',
];

export function isStopReason(value: unknown): value is StopReason {
  return STOP_REASONS.includes(value as StopReason);
}

export function messagesFrom(json: Json): Reading<Message[]> {
  return readList(json, 'messages', messageFrom);
}

export function toolsFrom(json: Json): Reading<ToolDefinition[]> {
  return readList(json, 'tools', (tool, path, problems) => {
    if (typeof tool.name !== 'string') problems.push(`${path}.name is no text`);
    if (!isJsonObject(tool.parameters)) problems.push(`${path}.parameters is no object`);
    return {
      name: String(tool.name),
      description: typeof tool.description === 'string' ? tool.description : '',
      parameters: isJsonObject(tool.parameters) ? tool.parameters : {},
    };
  });
}

export interface Choice {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stopReason: StopReason;
}

/** The first choice of a `completion.post` payload; a finish reason that is none of ours leaves the model's own. */
export function choiceFrom(payload: JsonObject, stopReason: StopReason): Reading<Choice> {
  const choice = Array.isArray(payload.choices) ? (payload.choices as readonly Json[])[0] : undefined;
  const message = isJsonObject(choice) ? choice.message : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message)) {
    return { value: { text: '', calls: [], stopReason }, problems: ['choices[0].message is no object'] };
  }
  const problems: string[] = [];
  const path = 'choices[0].message';
  if (typeof message.content !== 'string') problems.push(`${path}.content is no text`);
  const calls = readList(message.tool_calls ?? [], `${path}.tool_calls`, callFrom);
  const given = [payload.finish_reason, choice.finish_reason].find((said) => said !== stopReason);
  return {
    value: {
      text: String(message.content),
      calls: calls.value,
      stopReason: isStopReason(given) ? given : stopReason,
    },
    problems: [...problems, ...calls.problems],
  };
}

/** A provider is somebody else's program: an answer that is none is a failed attempt. */
export function attemptFrom(value: unknown): Attempt {
  const attempt = value as { ok?: unknown; failure?: ProviderFailure; completion?: Completion } | undefined;
  const { failure } = attempt ?? {};
  if (attempt?.ok === false && typeof failure?.message === 'string') return { ok: false, failure };
  const completion = attempt?.ok === true ? attempt.completion : undefined;
  const calls = Array.isArray(completion?.tool_calls) ? completion.tool_calls.map(saidCall) : [null];
  if (typeof completion?.text !== 'string' || calls.includes(null)) {
    return {
      ok: false,
      failure: failureOf('malformed', 'the provider gave an answer that is no completion'),
    };
  }
  const { text, cost_usd: cost } = completion;
  return {
    ok: true,
    completion: {
      text,
      tool_calls: calls as ToolCall[],
      stop_reason: isStopReason(completion.stop_reason) ? completion.stop_reason : 'end_turn',
      usage: usageFrom(completion.usage),
      ...(isAmount(cost) ? { cost_usd: cost } : {}),
    },
  };
}

/** The call as the loop can handle it, or null if it does not even name a tool. */
function saidCall(call: Partial<ToolCall> | null): ToolCall | null {
  if (typeof call?.name !== 'string') return null;
  const { name, malformed } = call;
  const id = typeof call.id === 'string' ? call.id : '';
  if (typeof malformed === 'string') return { id, name, args: {}, malformed };
  if (!isJsonObject(call.args)) return { id, name, args: {}, malformed: JSON.stringify(call.args) ?? '' };
  // Before any hook or transcript has to walk down there.
  if (isTooDeep(call.args)) return { id, name, args: {}, malformed: TOO_DEEP };
  return { id, name, args: call.args };
}

function usageFrom(usage: Partial<Usage> | undefined): Usage {
  return { input_tokens: amount(usage?.input_tokens), output_tokens: amount(usage?.output_tokens) };
}

/** A number that is none would make every sum of tokens one, and a limit that is never reached. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}

function amount(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function messageFrom(message: JsonObject, path: string, problems: string[]): Message {
  const { role } = message;
  if (typeof message.content !== 'string') problems.push(`${path}.content is no text`);
  const content = String(message.content);
  if (role === 'user') return { role, content };
  if (role === 'assistant') {
    const calls = readList(message.tool_calls ?? [], `${path}.tool_calls`, callFrom);
    problems.push(...calls.problems);
    return { role, content, tool_calls: calls.value };
  }
  if (role === 'tool') {
    for (const key of ['call_id', 'name'] as const) {
      if (typeof message[key] !== 'string') problems.push(`${path}.${key} is no text`);
    }
    const { call_id, name, is_error } = message;
    return { role, call_id: String(call_id), name: String(name), content, is_error: is_error === true };
  }
  problems.push(`${path}.role is ${JSON.stringify(role ?? null)} (want "user", "assistant" or "tool")`);
  return { role: 'user', content };
}

function callFrom(call: JsonObject, path: string, problems: string[]): ToolCall {
  const id = typeof call.id === 'string' ? call.id : '';
  if (typeof call.name !== 'string') problems.push(`${path}.name is no text`);
  if (!isJsonObject(call.args)) problems.push(`${path}.args is no object`);
  const args = isJsonObject(call.args) ? call.args : {};
  const { malformed } = call;
  return { id, name: String(call.name), args, ...(typeof malformed === 'string' ? { malformed } : {}) };
}

function readList<T>(
  json: Json,
  path: string,
  read: (item: JsonObject, path: string, problems: string[]) => T,
): Reading<T[]> {
  if (!Array.isArray(json)) return { value: [], problems: [`${path} is no list`] };
  const problems: string[] = [];
  const value: T[] = [];
  (json as readonly Json[]).forEach((item, place) => {
    const at = `${path}[${place}]`;
    if (isJsonObject(item)) value.push(read(item, at, problems));
    else problems.push(`${at} is no object`);
  });
  return { value, problems };
}
