/**
 * What came from outside the loop, read back into its own types: requests and answers that hooks rewrote, and what a
 * provider resolved to. Nothing is guessed: what does not fit is named by its path.
 */

import {
  check,
  dict,
  type Field,
  isJsonObject,
  type Json,
  type JsonObject,
  list,
  MAX_PAYLOAD_NESTING,
  nullable,
  oneOf,
  optional,
  record,
  text,
} from '../../base/index.ts';
import { faultText, isTooDeep } from '../../engine/index.ts';
import type { Message, ToolCall, Usage } from '../message.ts';
import type { Attempt, Completion, ProviderFailure, StopReason, ToolDefinition } from '../provider.ts';
import { failureOf } from '../providers/failure.ts';

export interface RewriteResult<T> {
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

const CALL = record('A call.', { name: text('The tool.'), args: dict('Its arguments.') });
const CALLS = optional(nullable(list('Calls.', CALL)));
const CONTENT = { content: text('What was said.') };
const ROLES = {
  user: record('A prompt.', CONTENT),
  assistant: record('An answer.', { ...CONTENT, tool_calls: CALLS }),
  tool: record('A result.', { ...CONTENT, call_id: text('Its call.'), name: text('The tool.') }),
} as const;
const MESSAGES = list(
  'The conversation.',
  record('A message.', { role: oneOf('Whose it is.', ['user', 'assistant', 'tool']) }),
);
const TOOLS = list(
  'Tools that are offered.',
  record('A tool.', { name: text('Its name.'), parameters: dict('A JSON Schema.') }),
);
const CHOICE = record('A choice.', { message: ROLES.assistant });

export function messagesFrom(json: Json): RewriteResult<Message[]> {
  const problems = problemsIn(MESSAGES, json, 'messages');
  if (problems.length > 0) return { value: [], problems };
  const messages = json as unknown as readonly Message[];
  messages.forEach((message, at) => {
    problems.push(...problemsIn(ROLES[message.role], message, `messages[${at}]`));
  });
  return { value: problems.length === 0 ? messages.map(messageOf) : [], problems };
}

export function toolsFrom(json: Json): RewriteResult<ToolDefinition[]> {
  const problems = problemsIn(TOOLS, json, 'tools');
  const tools = problems.length === 0 ? (json as unknown as readonly ToolDefinition[]) : [];
  const value = tools.map(({ name, description, parameters }) => ({
    name,
    description: typeof description === 'string' ? description : '',
    parameters,
  }));
  return { value, problems };
}

export interface Choice {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stopReason: StopReason;
}

/** The first choice of a `completion.post` payload; a finish reason that is none of ours leaves the model's own. */
export function choiceFrom(payload: JsonObject, stopReason: StopReason): RewriteResult<Choice> {
  const choice = Array.isArray(payload.choices) ? (payload.choices as readonly Json[])[0] : undefined;
  const problems = problemsIn(CHOICE, choice, 'choices[0]');
  if (problems.length > 0) return { value: { text: '', calls: [], stopReason }, problems };
  const { message, finish_reason } = choice as unknown as { message: Answered; finish_reason?: Json };
  const given = [payload.finish_reason, finish_reason].find((said) => said !== stopReason);
  return {
    value: {
      text: message.content,
      calls: callsOf(message),
      stopReason: isStopReason(given) ? given : stopReason,
    },
    problems,
  };
}

const problemsIn = (field: Field, value: unknown, at: string): string[] =>
  check(field, value).map((fault) => faultText(fault, at));

/** A provider is somebody else's program: an answer that is none is a failed attempt. */
export function attemptFrom(value: unknown): Attempt {
  const attempt = value as { ok?: unknown; failure?: ProviderFailure; completion?: Completion } | undefined;
  const { failure } = attempt ?? {};
  if (attempt?.ok === false && typeof failure?.message === 'string') return { ok: false, failure };
  const completion = attempt?.ok === true ? attempt.completion : undefined;
  const calls = Array.isArray(completion?.tool_calls) ? completion.tool_calls.map(toolCallFrom) : [null];
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
function toolCallFrom(call: Partial<ToolCall> | null): ToolCall | null {
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

type Answered = Extract<Message, { role: 'assistant' }>;

/** Exactly what its type says, once it has been held against its shape. */
function messageOf(message: Message): Message {
  const { role, content } = message;
  if (role === 'user') return { role, content };
  if (role === 'assistant') return { role, content, tool_calls: callsOf(message) };
  const { call_id, name, is_error } = message;
  return { role, call_id, name, content, is_error: is_error === true };
}

function callsOf({ tool_calls }: Answered): ToolCall[] {
  return (tool_calls ?? []).map(({ id, name, args, malformed }) => ({
    id: typeof id === 'string' ? id : '',
    name,
    args,
    ...(typeof malformed === 'string' && { malformed }),
  }));
}
