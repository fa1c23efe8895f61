/**
 * Models behind the OpenAI Chat Completions API, or a server that speaks like it, through the official SDK, which is loaded
 * when a provider is made.
 */

import type OpenAI from 'openai';
import { type Host, importModule } from '../../machine/index.ts';
import type { Message } from '../message.ts';
import type { CompletionRequest, Provider, StopReason, ToolDefinition } from '../provider.ts';
import { withEveryCallAnswered } from './conversation.ts';
import { type Answer, answerOf, readAnswer } from './openai-stream.ts';
import {
  attemptAt,
  clientOptions,
  costOf,
  loadSdk,
  openService,
  type Service,
  type ServiceOptions,
} from './sdk.ts';

export type OpenAiOptions = ServiceOptions;

const OPENAI = {
  name: 'openai',
  url: 'https://api.openai.com/v1',
  urlEnv: 'OPENAI_BASE_URL',
  keyEnv: 'OPENAI_API_KEY',
};

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

/** Rejects without the SDK or without a key. */
export async function openAiProvider(options: OpenAiOptions, host: Host): Promise<Provider> {
  const service = openService(OPENAI, options, host);
  const { default: Sdk } = await loadSdk('openai', () => importModule<typeof import('openai')>('openai'));
  // Null keeps the SDK from reading the environment past the host.
  const unread = { adminAPIKey: null, organization: null, project: null, webhookSecret: null };
  const client = new Sdk({ ...clientOptions(service), ...unread });
  return {
    name: service.name,
    complete: (request, { signal, onText = () => {} }) =>
      attemptAt(service, Sdk, signal, async (bounded) => {
        const body = bodyOf(request, service);
        const inTime = { signal: bounded };
        const answer = service.stream
          ? await readAnswer(await client.chat.completions.create(streamed(body), inTime), onText)
          : answerOf(await client.chat.completions.create(body, inTime));
        return {
          text: answer.text,
          tool_calls: answer.calls,
          stop_reason: stopReasonOf(answer),
          ...costOf(answer.tokens, service.price),
        };
      }),
  };
}

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

function bodyOf({ model, system, messages, tools, max_tokens }: CompletionRequest, service: Service): Body {
  const first: OpenAI.ChatCompletionMessageParam[] =
    system === '' ? [] : [{ role: 'system', content: system }];
  return {
    model,
    messages: [...first, ...withEveryCallAnswered(messages).map(messageOf)],
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(max_tokens !== undefined && limitOf(max_tokens, service)),
  };
}

/** The service takes only the new name of the limit; most servers that speak like it know only the old one. */
function limitOf(limit: number, { isOwn }: Service) {
  return isOwn ? { max_completion_tokens: limit } : { max_tokens: limit };
}

/** Tokens are counted in a stream only where one asks for it. */
function streamed(body: Body): OpenAI.ChatCompletionCreateParamsStreaming {
  return { ...body, stream: true, stream_options: { include_usage: true } };
}

function toolOf({ name, description, parameters }: ToolDefinition): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

function messageOf(message: Message): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.content };
  if (message.role === 'tool') {
    const { call_id, content, is_error } = message;
    // There is no field for it, so the text has to say it.
    return { role: 'tool', tool_call_id: call_id, content: is_error ? `Error: ${content}` : content };
  }
  const { content, tool_calls } = message;
  if (tool_calls.length === 0) return { role: 'assistant', content };
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: tool_calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
}

function stopReasonOf({ finishReason, isRefused, calls }: Answer): StopReason {
  if (isRefused) return 'refusal';
  const reason = STOP_REASONS[finishReason] ?? 'end_turn';
  // Some servers say that the model has stopped when it has called a tool.
  return reason === 'end_turn' && calls.length > 0 ? 'tool_use' : reason;
}
