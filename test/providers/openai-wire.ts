/**
 * Chunk streams of the OpenAI Chat Completions API, as the service sends them.
 */
import type { Json, JsonObject } from '../../src/base/json.ts';

export const DONE = 'data: [DONE]\n\n';

export function chunk(choices: Json, more: JsonObject = {}): string {
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'gpt-test',
    service_tier: 'default',
    system_fingerprint: 'fp_1',
    choices,
    usage: null,
    ...more,
  };
  return `data: ${JSON.stringify(body)}\n\n`;
}

export function delta(piece: JsonObject): string {
  return chunk([{ index: 0, delta: piece, logprobs: null, finish_reason: null }]);
}

/** The first chunk names the role. */
export const START = delta({ role: 'assistant', content: '', refusal: null });

export function finish(finish_reason: string): string {
  return chunk([{ index: 0, delta: {}, logprobs: null, finish_reason }]);
}

export function usage(prompt_tokens = 25, completion_tokens = 15, cached_tokens = 0): string {
  const counts = {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens, audio_tokens: 0 },
  };
  return chunk([], { usage: counts });
}

export function callStart(index: number, id: string, name: string): string {
  return delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
}

export function callPiece(index: number, text: string): string {
  return delta({ tool_calls: [{ index, function: { arguments: text } }] });
}

/** A whole answer that says this. */
export function saying(...pieces: string[]): string {
  return START + pieces.map((content) => delta({ content })).join('') + finish('stop') + usage() + DONE;
}
