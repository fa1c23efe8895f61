/** The OpenAI Chat Completions API: `POST /v1/chat/completions`, whole or in chunks. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Answer, type AnswerCall, piecesOf, type StopReason } from './answer.ts';
import type { AnswerStamp, Dialect, RequestTarget, StreamEvent } from './dialect.ts';
import {
  contentText,
  decodedArguments,
  estimateTokens,
  type ModelRequest,
  numberOf,
  type OfferedTool,
  objectOf,
  objectsOf,
  type RequestMessage,
  stringOf,
} from './model-request.ts';
import { openAiFailure } from './openai-failure.ts';

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  stop_sequence: 'stop',
  refusal: 'content_filter',
  pause_turn: 'stop',
};

const SYSTEM_ROLES: readonly Json[] = ['system', 'developer'];

export const openAiChatDialect: Dialect = {
  name: 'openai-chat',
  read,
  body: (answer, request, stamp) => ({
    ...frame(request, stamp, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' && answer.calls.length > 0 ? null : answer.text,
          refusal: null,
          ...(answer.calls.length > 0 && { tool_calls: answer.calls.map((call) => callOf(call, request)) }),
        },
        logprobs: null,
        finish_reason: FINISH_REASONS[answer.stopReason],
      },
    ],
    usage: usageOf(answer),
  }),
  events,
  endOfStream: 'data: [DONE]\n\n',
  failure: openAiFailure,
  tokenCount: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
};

function read(body: JsonObject, { characters }: RequestTarget): ModelRequest {
  const messages = objectsOf(body.messages);
  const format = objectOf(body.response_format);
  const schema = objectOf(format.json_schema).schema;
  return {
    dialect: 'openai-chat',
    model: stringOf(body.model),
    framing: body.stream === true ? 'sse' : 'json',
    system: messages
      .filter(({ role }) => SYSTEM_ROLES.includes(role ?? null))
      .map(({ content }) => contentText(content))
      .join('\n'),
    tools: objectsOf(body.tools).map(toolOf),
    messages: messages.flatMap(messagesOf),
    maxTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    schema: isJsonObject(schema) ? schema : format.type === 'json_object' ? { type: 'object' } : null,
    inputTokens: estimateTokens(characters),
    wantsUsage: objectOf(body.stream_options).include_usage === true,
  };
}

function toolOf(tool: JsonObject): OfferedTool {
  if (tool.type === 'custom') return { name: stringOf(objectOf(tool.custom).name), isCustom: true };
  return { name: stringOf(objectOf(tool.function).name) };
}

function messagesOf(message: JsonObject): RequestMessage[] {
  const { role = null, content, tool_call_id, tool_calls } = message;
  if (SYSTEM_ROLES.includes(role)) return [];
  const text = contentText(content);
  if (role === 'tool') return [{ role: 'result', id: stringOf(tool_call_id), text }];
  if (role !== 'assistant') return [{ role: 'user', text }];
  const calls = objectsOf(tool_calls).map((call): RequestMessage => {
    const { name, arguments: args, input } = objectOf(call.function ?? call.custom);
    return {
      role: 'call',
      id: stringOf(call.id),
      name: stringOf(name),
      args: decodedArguments(args ?? input),
    };
  });
  return [...(text === '' && calls.length > 0 ? [] : [{ role, text } as const]), ...calls];
}

function frame({ model }: ModelRequest, { number, unixSeconds }: AnswerStamp, object: string): JsonObject {
  return { id: `chatcmpl-${number}`, object, created: unixSeconds, model };
}

function callOf({ id, name, arguments: text }: AnswerCall, request: ModelRequest): JsonObject {
  if (isCustom(name, request)) return { id, type: 'custom', custom: { name, input: text } };
  return { id, type: 'function', function: { name, arguments: text } };
}

function isCustom(name: string, { tools }: ModelRequest): boolean {
  return tools.some((tool) => tool.name === name && tool.isCustom === true);
}

function usageOf({ usage: { input_tokens, output_tokens } }: Answer): JsonObject {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function events(answer: Answer, request: ModelRequest, stamp: AnswerStamp): readonly StreamEvent[] {
  const { text, calls, stopReason } = answer;
  const base = frame(request, stamp, 'chat.completion.chunk');
  const chunk = (delta: JsonObject, finish_reason: string | null = null): StreamEvent => ({
    data: { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
  });
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...piecesOf(text).map((content) => chunk({ content })),
    ...calls.flatMap((call, index) =>
      callDeltas(call, index, request).map((tool_calls) => chunk({ tool_calls })),
    ),
    chunk({}, FINISH_REASONS[stopReason]),
    ...(request.wantsUsage ? [{ data: { ...base, choices: [], usage: usageOf(answer) } }] : []),
  ];
}

/** The name comes first and the arguments after it, in pieces that belong together by their index. */
function callDeltas(call: AnswerCall, index: number, request: ModelRequest): JsonObject[][] {
  const { id, name, arguments: text } = call;
  if (isCustom(name, request)) return [[{ index, ...callOf(call, request) }]];
  return [
    [{ index, id, type: 'function', function: { name, arguments: '' } }],
    ...piecesOf(text).map((piece) => [{ index, function: { arguments: piece } }]),
  ];
}
