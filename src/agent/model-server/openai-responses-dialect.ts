/**
 * The OpenAI Responses API: `POST /v1/responses`, whole or as a stream of named events. A call is written as the kind of
 * tool that the request declares under that name: function, custom (free text) or part of a namespace.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Answer, type AnswerCall, piecesOf } from './answer.ts';
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

export const openAiResponsesDialect: Dialect = {
  name: 'openai-responses',
  read,
  body: (answer, request, stamp) => ({
    ...response(request, stamp),
    ...outcomeOf(answer),
    output: outputOf(answer, request, stamp).map(({ item }) => item),
    usage: usageOf(answer),
  }),
  events,
  failure: openAiFailure,
  tokenCount: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
};

const SYSTEM_ROLES: readonly Json[] = ['system', 'developer'];

function read(body: JsonObject, { characters }: RequestTarget): ModelRequest {
  const input = objectsOf(body.input);
  const { schema, type } = objectOf(objectOf(body.text).format);
  const instructions = input.filter(({ role }) => SYSTEM_ROLES.includes(role ?? null));
  return {
    dialect: 'openai-responses',
    model: stringOf(body.model),
    framing: body.stream === true ? 'sse' : 'json',
    system: [stringOf(body.instructions), ...instructions.map(({ content }) => contentText(content))]
      .filter((text) => text !== '')
      .join('\n'),
    tools: objectsOf(body.tools).flatMap(toolsOf),
    messages:
      typeof body.input === 'string'
        ? [{ role: 'user', text: body.input }]
        : input.flatMap((item) => messagesOf(item)),
    maxTokens: numberOf(body.max_output_tokens),
    schema: isJsonObject(schema) ? schema : type === 'json_object' ? { type: 'object' } : null,
    inputTokens: estimateTokens(characters),
    wantsUsage: true,
  };
}

/** Tools of the service itself have a type and no name. */
function toolsOf(tool: JsonObject): OfferedTool[] {
  const name = stringOf(tool.name) || stringOf(tool.type);
  if (tool.type === 'custom') return [{ name, isCustom: true }];
  if (tool.type !== 'namespace') return [{ name }];
  return objectsOf(tool.tools)
    .flatMap(toolsOf)
    .map((inner) => ({ ...inner, namespace: name }));
}

function messagesOf(item: JsonObject): RequestMessage[] {
  const type = stringOf(item.type);
  const id = stringOf(item.call_id);
  if (type.endsWith('_call_output')) {
    return [{ role: 'result', id, text: contentText(item.output) }];
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    return [
      { role: 'call', id, name: stringOf(item.name), args: decodedArguments(item.arguments ?? item.input) },
    ];
  }
  if (type !== '' && type !== 'message') return [];
  if (SYSTEM_ROLES.includes(item.role ?? null)) return [];
  return [{ role: item.role === 'assistant' ? 'assistant' : 'user', text: contentText(item.content) }];
}

function response({ model }: ModelRequest, { number, unixSeconds }: AnswerStamp): JsonObject {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: unixSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
  };
}

function outcomeOf({ stopReason }: Answer): JsonObject {
  if (stopReason === 'max_tokens')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (stopReason === 'refusal')
    return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return { status: 'completed' };
}

function usageOf({ usage: { input_tokens, output_tokens } }: Answer): JsonObject {
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
}

/** An item of the output as it ends, as it begins, and what a stream says in between. */
interface OutputItem {
  readonly item: JsonObject;
  readonly begun: JsonObject;
  readonly between: readonly (readonly [type: string, rest: JsonObject])[];
}

function outputOf({ text, calls }: Answer, request: ModelRequest, { number }: AnswerStamp): OutputItem[] {
  const texts = text === '' ? [] : [messageItem(`msg_${number}`, text)];
  return [...texts, ...calls.map((call, at) => callItem(call, `${number}_${at}`, request))];
}

function messageItem(id: string, text: string): OutputItem {
  const base = { type: 'message', id, role: 'assistant' };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const at = { content_index: 0 };
  return {
    item: { ...base, status: 'completed', content: [part] },
    begun: { ...base, status: 'in_progress', content: [] },
    between: [
      ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
      ...piecesOf(text).map(
        (delta) => ['response.output_text.delta', { ...at, delta, logprobs: [] }] as const,
      ),
      ['response.output_text.done', { ...at, text, logprobs: [] }],
      ['response.content_part.done', { ...at, part }],
    ],
  };
}

function callItem(
  { id, name, arguments: text }: AnswerCall,
  suffix: string,
  request: ModelRequest,
): OutputItem {
  const tool = request.tools.find((offered) => offered.name === name);
  const base = { call_id: id, name, ...(tool?.namespace !== undefined && { namespace: tool.namespace }) };
  const [type, prefix, key, event] = tool?.isCustom
    ? (['custom_tool_call', 'ctc', 'input', 'custom_tool_call_input'] as const)
    : (['function_call', 'fc', 'arguments', 'function_call_arguments'] as const);
  const item = { type, id: `${prefix}_${suffix}`, ...base };
  return {
    item: { ...item, status: 'completed', [key]: text },
    begun: { ...item, status: 'in_progress', [key]: '' },
    between: [
      ...piecesOf(text).map((delta) => [`response.${event}.delta`, { delta }] as const),
      [`response.${event}.done`, { [key]: text, name }],
    ],
  };
}

function events(answer: Answer, request: ModelRequest, stamp: AnswerStamp): readonly StreamEvent[] {
  const base = response(request, stamp);
  const output = outputOf(answer, request, stamp);
  const whole = openAiResponsesDialect.body(answer, request, stamp);
  const all: [type: string, rest: JsonObject][] = [
    ['response.created', { response: base }],
    ['response.in_progress', { response: base }],
    ...output.flatMap(({ item, begun, between }, output_index): [string, JsonObject][] => [
      ['response.output_item.added', { output_index, item: begun }],
      ...between.map(([type, rest]): [string, JsonObject] => [
        type,
        { item_id: item.id!, output_index, ...rest },
      ]),
      ['response.output_item.done', { output_index, item }],
    ]),
    [whole.status === 'completed' ? 'response.completed' : 'response.incomplete', { response: whole }],
  ];
  return all.map(([type, rest], sequence_number) => ({
    event: type,
    data: { type, sequence_number, ...rest },
  }));
}
