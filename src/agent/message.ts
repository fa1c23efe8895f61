/**
 * The conversation as the loop keeps it, the same for every provider. Providers translate it to their wire format and
 * back; hooks see it as plain JSON in `completion.pre` and `completion.post`.
 */
import type { JsonObject } from '../base/index.ts';

export interface ToolCall {
  /** Assigned by the provider; ties the result to the call. */
  readonly id: string;
  readonly name: string;
  /** Decoded. What could not be decoded never becomes a call; see `malformed`. */
  readonly args: JsonObject;
  /** The model's own text where it was no JSON object: the call is answered with an error instead of run. */
  readonly malformed?: string;
}

export type Message =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly call_id: string;
      readonly name: string;
      readonly content: string;
      readonly is_error: boolean;
    };

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input_tokens: a.input_tokens + b.input_tokens, output_tokens: a.output_tokens + b.output_tokens };
}
