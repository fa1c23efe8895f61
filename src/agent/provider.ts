/**
 * A model behind one interface. A provider makes one attempt at one completion; retries, limits and hooks are the loop's.
 * It never throws for what the service said: an error is part of the answer.
 */
import type { JsonObject } from '../base/index.ts';
import type { Message, ToolCall, Usage } from './message.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, `type: object`. */
  readonly parameters: JsonObject;
}

export interface CompletionRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly max_tokens?: number;
}

/** In the words of this project; each provider maps its own. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'refusal' | 'pause_turn';

export interface Completion {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
  readonly stop_reason: StopReason;
  readonly usage: Usage;
  /** Where the provider or its price table knows. */
  readonly cost_usd?: number;
}

/** Why an attempt failed, and whether trying again may help. */
export interface ProviderFailure {
  readonly code:
    | 'rate_limited'
    | 'overloaded'
    | 'timeout'
    | 'network'
    | 'auth'
    | 'bad_request'
    /** More than the model takes. */
    | 'too_long'
    | 'malformed'
    | 'aborted'
    | 'unknown';
  readonly message: string;
  readonly status?: number;
  readonly retryable: boolean;
  /** The service asked to wait this long. */
  readonly retryAfterMs?: number;
}

export type Attempt =
  | { readonly ok: true; readonly completion: Completion }
  | { readonly ok: false; readonly failure: ProviderFailure };

export interface Provider {
  readonly name: string;
  /** Resolves always; `onText` gets pieces of the answer as they arrive, where the provider streams. */
  complete(
    request: CompletionRequest,
    options: { signal: AbortSignal; onText?: (piece: string) => void },
  ): Promise<Attempt>;
}
