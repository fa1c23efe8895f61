/** The Anthropic Messages API: `POST /v1/messages`, whole or as a stream of named events. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Answer, piecesOf } from './answer.ts';
import {
  type AnswerStamp,
  type Dialect,
  type RequestTarget,
  type StreamEvent,
  wordForStatus,
} from './dialect.ts';
import {
  contentText,
  estimateTokens,
  type ModelRequest,
  numberOf,
  objectOf,
  objectsOf,
  type RequestMessage,
  stringOf,
} from './model-request.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export const anthropicDialect: Dialect = {
  name: 'anthropic',
  read,
  body: (answer, request, stamp) => ({
    ...message(answer, request, stamp),
    content: contentOf(answer),
    stop_reason: answer.stopReason,
    usage: { ...inputUsage(answer), output_tokens: answer.usage.output_tokens },
  }),
  events,
  failure: ({ status, message }) => ({
    type: 'error',
    error: { type: wordForStatus(ERROR_TYPES, status, ['invalid_request_error', 'api_error']), message },
  }),
  tokenCount: (input_tokens) => ({ input_tokens }),
};

function read(body: JsonObject, { characters }: RequestTarget): ModelRequest {
  const format = objectOf(objectOf(body.output_config).format ?? body.output_format);
  return {
    dialect: 'anthropic',
    model: stringOf(body.model),
    framing: body.stream === true ? 'sse' : 'json',
    system: contentText(body.system),
    tools: objectsOf(body.tools).map(({ name }) => ({ name: stringOf(name) })),
    messages: objectsOf(body.messages).flatMap(messagesOf),
    maxTokens: numberOf(body.max_tokens),
    schema: isJsonObject(format.schema) ? format.schema : null,
    inputTokens: estimateTokens(characters),
    wantsUsage: true,
  };
}

function messagesOf({ role, content }: JsonObject): RequestMessage[] {
  const speaker = role === 'assistant' ? 'assistant' : 'user';
  if (typeof content === 'string') return [{ role: speaker, text: content }];
  return objectsOf(content).flatMap((block): RequestMessage[] => {
    switch (block.type) {
      case 'text':
        return [{ role: speaker, text: stringOf(block.text) }];
      case 'tool_use':
        return [
          { role: 'call', id: stringOf(block.id), name: stringOf(block.name), args: block.input ?? null },
        ];
      case 'tool_result':
        return [{ role: 'result', id: stringOf(block.tool_use_id), text: contentText(block.content) }];
      default:
        return [];
    }
  });
}

function message(answer: Answer, { model }: ModelRequest, { number }: AnswerStamp): JsonObject {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(answer), output_tokens: 1 },
  };
}

function inputUsage({ usage }: Answer): JsonObject {
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    service_tier: 'standard',
  };
}

/** The API refuses an empty text, and never sends one. */
function contentOf({ text, calls }: Answer): JsonObject[] {
  const texts = text === '' ? [] : [{ type: 'text', text }];
  return [...texts, ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))];
}

function events(answer: Answer, request: ModelRequest, stamp: AnswerStamp): readonly StreamEvent[] {
  const { text, calls, stopReason, usage } = answer;
  const texts = text === '' ? [] : [block({ type: 'text', text: '' }, textDeltas(text))];
  const blocks = [
    ...texts,
    ...calls.map(({ id, name, arguments: json }) =>
      block({ type: 'tool_use', id, name, input: {} }, inputDeltas(json)),
    ),
  ];
  return [
    named('message_start', { message: message(answer, request, stamp) }),
    named('ping', {}),
    ...blocks.flatMap((build, index) => build(index)),
    named('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    named('message_stop', {}),
  ];
}

const textDeltas = (text: string) => piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece }));

const inputDeltas = (json: string) =>
  piecesOf(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));

function block(content_block: JsonObject, deltas: readonly JsonObject[]) {
  return (index: number): StreamEvent[] => [
    named('content_block_start', { index, content_block }),
    ...deltas.map((delta) => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ];
}

function named(type: string, rest: Readonly<Record<string, Json>>): StreamEvent {
  return { event: type, data: { type, ...rest } };
}
