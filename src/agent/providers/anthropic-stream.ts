/**
 * An answer of the Messages API, whole or as a stream of events, as one list of blocks. Events and blocks it does not know
 * are passed over: the service may add some at any time.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { ToolCall } from '../message.ts';
import { requestHeaders, type Tokens } from './sdk.ts';
import { Malformed, Truncated } from './sdk-failure.ts';

export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stopReason: string;
  readonly tokens: Tokens;
  /** As they would be sent back. */
  readonly blocks: readonly Anthropic.ContentBlockParam[];
}

type Usage = Partial<Pick<Anthropic.Usage, 'input_tokens' | 'output_tokens'>> &
  Partial<Pick<Anthropic.Usage, 'cache_creation_input_tokens' | 'cache_read_input_tokens'>>;

interface Part {
  readonly block: Anthropic.ContentBlock;
  /** The arguments of a call as they came, or null if the block holds them decoded. */
  json: string | null;
}

const CUT_OFF: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded']);

export function answerOf(message: Anthropic.Message): Answer {
  if (!Array.isArray(message?.content)) throw new Malformed('gave an answer without content');
  const parts = message.content.map((block): Part => ({ block, json: null }));
  return assembled(parts, message.stop_reason ?? '', message.usage ?? {});
}

export async function readAnswer(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  onText: (piece: string) => void,
): Promise<Answer> {
  const parts: Part[] = [];
  let usage: Usage = {};
  let stopReason = '';
  let seen = 0;
  let isWhole = false;
  try {
    for await (const event of events) {
      seen++;
      switch (event.type) {
        case 'message_start':
          usage = { ...event.message.usage };
          break;
        case 'content_block_start':
          parts[event.index] = begun(event.content_block, onText);
          break;
        case 'content_block_delta':
          grow(parts[event.index], event.delta, onText);
          break;
        case 'message_delta':
          usage = { ...usage, ...present(event.usage) };
          stopReason = event.delta.stop_reason ?? stopReason;
          break;
        case 'message_stop':
          isWhole = true;
      }
    }
  } catch (thrown) {
    // A connection that breaks after the last word takes nothing away.
    if (!isWhole) throw thrown;
  }
  if (seen === 0) throw new Malformed('sent no event stream: is the address right?');
  if (!isWhole) throw new Truncated('ended the stream before the answer was whole');
  return assembled(parts.filter(Boolean), stopReason, usage);
}

function begun(block: Anthropic.ContentBlock, onText: (piece: string) => void): Part {
  if (block.type === 'text' && block.text !== '') onText(block.text);
  return { block: { ...block }, json: null };
}

function grow(
  part: Part | undefined,
  delta: Anthropic.RawContentBlockDelta,
  onText: (piece: string) => void,
): void {
  if (part === undefined) throw new Malformed('sent a piece of a block that had not begun');
  const { block } = part;
  if (delta.type === 'text_delta' && block.type === 'text') {
    block.text += delta.text;
    onText(delta.text);
  } else if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
    part.json = (part.json ?? '') + delta.partial_json;
  } else if (delta.type === 'thinking_delta' && block.type === 'thinking') {
    block.thinking += delta.thinking;
  } else if (delta.type === 'signature_delta' && block.type === 'thinking') {
    block.signature = delta.signature;
  }
}

function assembled(parts: readonly Part[], stopReason: string, usage: Usage): Answer {
  const calls: ToolCall[] = [];
  const blocks: Anthropic.ContentBlockParam[] = [];
  let text = '';
  parts.forEach(({ block, json }, place) => {
    if (block.type === 'text') text += block.text;
    if (block.type === 'tool_use') {
      const isCut = CUT_OFF.has(stopReason) && place === parts.length - 1;
      const call = requestHeaders(block.id, block.name, argumentsOf(block, json, isCut), isCut);
      calls.push(call);
      blocks.push({ ...block, input: call.args });
    } else if (block.type === 'text' || block.type === 'thinking' || block.type === 'redacted_thinking') {
      blocks.push(block);
    }
  });
  return { text, calls, stopReason, tokens: tokensOf(usage), blocks };
}

/** Decoded arguments of an answer that was cut off may be the half of what was meant: then they are none. */
function argumentsOf({ input }: Anthropic.ToolUseBlock, json: string | null, isCut: boolean): string {
  if (json) return json;
  return isCut ? '' : JSON.stringify(input ?? {});
}

function tokensOf(usage: Usage): Tokens {
  return {
    input: usage.input_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
  };
}

/** The counts of the last event stand for all before it, where it has them. */
function present(usage: Anthropic.MessageDeltaUsage | undefined): Usage {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null));
}
