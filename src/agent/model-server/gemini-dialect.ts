/**
 * The Gemini API: `POST …/models/MODEL:generateContent` and `:streamGenerateContent`, the latter as server-sent events with
 * `alt=sse` and as one JSON array without.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { type Answer, piecesOf, type StopReason } from './answer.ts';
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
  stringsIn,
} from './model-request.ts';

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  stop_sequence: 'STOP',
  refusal: 'SAFETY',
  pause_turn: 'STOP',
};

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export const geminiDialect: Dialect = {
  name: 'gemini',
  read,
  body: (answer, request, stamp) =>
    responseOf(answer, request, stamp, [...textParts([answer.text]), ...callParts(answer)], true),
  events,
  failure: ({ status, message, retryAfterMs }) => ({
    error: {
      code: status,
      message,
      status: wordForStatus(STATUSES, status, ['INVALID_ARGUMENT', 'INTERNAL']),
      ...(retryAfterMs !== undefined && { details: [retryInfo(retryAfterMs)] }),
    },
  }),
  tokenCount: (totalTokens) => ({ totalTokens }),
};

function read(body: JsonObject, { model, framing, characters }: RequestTarget): ModelRequest {
  const system = objectOf(body.systemInstruction ?? body.system_instruction);
  const config = objectOf(body.generationConfig ?? body.generation_config);
  const schema = config.responseJsonSchema ?? config.responseSchema;
  return {
    dialect: 'gemini',
    model,
    framing: framing ?? 'json',
    system: contentText(system.parts),
    tools: objectsOf(body.tools).flatMap(({ functionDeclarations, function_declarations }) =>
      objectsOf(functionDeclarations ?? function_declarations).map(({ name }) => ({ name: stringOf(name) })),
    ),
    messages: objectsOf(body.contents).flatMap(messagesOf),
    maxTokens: numberOf(config.maxOutputTokens),
    schema: isJsonObject(schema)
      ? schema
      : config.responseMimeType === 'application/json'
        ? { type: 'object' }
        : null,
    inputTokens: estimateTokens(characters),
    wantsUsage: true,
  };
}

function messagesOf({ role, parts }: JsonObject): RequestMessage[] {
  return objectsOf(parts).flatMap((part): RequestMessage[] => {
    const call = part.functionCall;
    const result = part.functionResponse;
    if (isJsonObject(call)) {
      return [{ role: 'call', id: stringOf(call.id), name: stringOf(call.name), args: call.args ?? null }];
    }
    if (isJsonObject(result)) {
      return [{ role: 'result', id: stringOf(result.id), text: stringsIn(result.response) }];
    }
    const text = stringOf(part.text);
    return text === '' ? [] : [{ role: role === 'model' ? 'assistant' : 'user', text }];
  });
}

function textParts(texts: readonly string[]): JsonObject[] {
  return texts.filter((text) => text !== '').map((text) => ({ text }));
}

function callParts({ calls }: Answer): JsonObject[] {
  return calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
}

/** Only the last response of a stream says why it ends. */
function responseOf(
  { stopReason, usage: { input_tokens, output_tokens } }: Answer,
  { model }: ModelRequest,
  { number }: AnswerStamp,
  parts: readonly JsonObject[],
  isLast: boolean,
): JsonObject {
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(isLast && { finishReason: FINISH_REASONS[stopReason] }),
      },
    ],
    usageMetadata: {
      promptTokenCount: input_tokens,
      candidatesTokenCount: output_tokens,
      totalTokenCount: input_tokens + output_tokens,
    },
    modelVersion: model,
    responseId: `response_${number}`,
  };
}

function events(answer: Answer, request: ModelRequest, stamp: AnswerStamp): readonly StreamEvent[] {
  const texts = textParts(piecesOf(answer.text)).map((part) => [part]);
  const groups = answer.calls.length > 0 ? [...texts, callParts(answer)] : texts;
  const whole = groups.length > 0 ? groups : [[]];
  return whole.map((parts, at) => ({
    data: responseOf(answer, request, stamp, parts, at === whole.length - 1),
  }));
}

function retryInfo(ms: number): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${ms / 1000}s` };
}
