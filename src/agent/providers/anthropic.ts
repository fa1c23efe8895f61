/**
 * Models behind the Anthropic Messages API, through the official SDK, which is loaded when a provider is made.
 */

import type Anthropic from '@anthropic-ai/sdk';
import { type Host, importModule } from '../../machine/index.ts';
import type { Message } from '../message.ts';
import type { CompletionRequest, Provider, StopReason, ToolDefinition } from '../provider.ts';
import { type Answer, answerOf, readAnswer } from './anthropic-stream.ts';
import { ThinkingMemory, type Turn } from './anthropic-thinking.ts';
import { withEveryCallAnswered } from './conversation.ts';
import { attemptAt, clientOptions, costOf, loadSdk, openService, type ServiceOptions } from './sdk.ts';

export interface AnthropicOptions extends ServiceOptions {
  /** Whether requests ask for prompt caching; true at the service's own address by default. */
  readonly cache?: boolean;
}

const ANTHROPIC = {
  name: 'anthropic',
  url: 'https://api.anthropic.com',
  urlEnv: 'ANTHROPIC_BASE_URL',
  keyEnv: 'ANTHROPIC_API_KEY',
};

/** The service wants a limit on every request; what the model thinks counts too. */
const MAX_TOKENS = 32_000;

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
};

/** Rejects without the SDK or without a key. */
export async function anthropicProvider(options: AnthropicOptions, host: Host): Promise<Provider> {
  const service = openService(ANTHROPIC, options, host);
  const { default: Sdk } = await loadSdk('@anthropic-ai/sdk', () =>
    importModule<typeof import('@anthropic-ai/sdk')>('@anthropic-ai/sdk'),
  );
  // Its own tracing would send what hooks are there to watch past them.
  const client = new Sdk({ ...clientOptions(service), webhookKey: null, openTelemetry: false });
  const memory = new ThinkingMemory();
  const cache = options.cache ?? service.isOwn;
  return {
    name: service.name,
    complete: (request, { signal, onText = () => {} }) =>
      attemptAt(service, Sdk, signal, async (bounded) => {
        const { body, place } = bodyOf(request, memory, cache);
        const inTime = { signal: bounded };
        const answer = service.stream
          ? await readAnswer(await client.messages.create({ ...body, stream: true }, inTime), onText)
          : answerOf(await client.messages.create(body, inTime));
        memory.keep(place, answer.blocks);
        return {
          text: answer.text,
          tool_calls: answer.calls,
          stop_reason: stopReasonOf(answer),
          ...costOf(answer.tokens, service.price),
        };
      }),
  };
}

function bodyOf(
  request: CompletionRequest,
  memory: ThinkingMemory,
  cache: boolean,
): { body: Anthropic.MessageCreateParamsNonStreaming; place: number } {
  const frame = {
    ...(request.system !== '' && { system: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toolOf) }),
  };
  const { messages, place } = memory.recall(JSON.stringify(frame), turnsOf(request.messages));
  return {
    body: {
      model: request.model,
      max_tokens: request.max_tokens ?? MAX_TOKENS,
      ...frame,
      messages,
      ...(cache && { cache_control: { type: 'ephemeral' as const } }),
    },
    place,
  };
}

function toolOf({ name, description, parameters }: ToolDefinition): Anthropic.Tool {
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}

/** Results of tools are words of the user, and those of one answer must come back in one message. */
function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of withEveryCallAnswered(messages)) {
    const content = blocksOf(message);
    const last = turns.at(-1);
    if (message.role === 'assistant') {
      // The service refuses a message without content, and an answer may have none.
      if (content.length > 0) turns.push({ role: 'assistant', content, said: message });
    } else if (last?.role === 'user') last.content.push(...content);
    else turns.push({ role: 'user', content });
  }
  return turns;
}

function blocksOf(message: Message): Anthropic.ContentBlockParam[] {
  if (message.role === 'user') return [{ type: 'text', text: message.content }];
  if (message.role === 'tool') {
    const { call_id, content, is_error } = message;
    return [{ type: 'tool_result', tool_use_id: call_id, content, ...(is_error && { is_error }) }];
  }
  const blocks: Anthropic.ContentBlockParam[] = [];
  if (message.content.trim() !== '') blocks.push({ type: 'text', text: message.content });
  for (const { id, name, args } of message.tool_calls)
    blocks.push({ type: 'tool_use', id, name, input: args });
  return blocks;
}

function stopReasonOf({ stopReason, calls }: Answer): StopReason {
  return STOP_REASONS[stopReason] ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
}
