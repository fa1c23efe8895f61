/**
 * Event streams of the Anthropic Messages API, event by event as the service sends them.
 */
import type { JsonObject } from '../../src/base/json.ts';

export function event(type: string, data: JsonObject = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

export const PING = event('ping');

export function messageStart(usage: JsonObject = { input_tokens: 25, output_tokens: 1 }): string {
  return event('message_start', {
    message: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
      container: null,
      diagnostics: null,
      stop_reason: null,
      stop_details: null,
      stop_sequence: null,
      usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage },
    },
  });
}

export function messageEnd(stop_reason: string, output_tokens = 15): string {
  const delta = { stop_reason, stop_sequence: null, stop_details: null, container: null };
  const usage = { output_tokens, input_tokens: null, cache_creation_input_tokens: null };
  return event('message_delta', { delta, usage }) + event('message_stop');
}

export function textBlock(index: number, ...pieces: string[]): string {
  const block = { type: 'text', text: '', citations: null };
  return (
    event('content_block_start', { index, content_block: block }) +
    pieces.map((text) => delta(index, { type: 'text_delta', text })).join('') +
    event('content_block_stop', { index })
  );
}

export function toolBlock(index: number, id: string, name: string, ...pieces: string[]): string {
  const block = { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
  return (
    event('content_block_start', { index, content_block: block }) +
    pieces.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })).join('') +
    event('content_block_stop', { index })
  );
}

export function thinkingBlock(index: number, thinking: string, signature: string): string {
  const block = { type: 'thinking', thinking: '', signature: '' };
  return (
    event('content_block_start', { index, content_block: block }) +
    delta(index, { type: 'thinking_delta', thinking }) +
    delta(index, { type: 'signature_delta', signature }) +
    event('content_block_stop', { index })
  );
}

export function delta(index: number, piece: JsonObject): string {
  return event('content_block_delta', { index, delta: piece });
}

/** A whole answer that says this. */
export function saying(text: string): string {
  return messageStart() + PING + textBlock(0, text) + messageEnd('end_turn');
}
