/**
 * What a wire format is to the server: how its requests are read, and the answers to them as pure functions of the answer
 * and the request.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import type { Answer } from './answer.ts';
import type { DialectName, Framing, ModelRequest } from './model-request.ts';

/** What a request has beside its body. */
export interface RequestTarget {
  /** From the path, for formats that name the model there. */
  readonly model: string;
  /** From the path; null if the body says whether to stream. */
  readonly framing: Framing | null;
  readonly characters: number;
}

/** What is new in each answer. */
export interface AnswerStamp {
  /** The number of the request, from which ids are made. */
  readonly number: number;
  readonly unixSeconds: number;
}

export interface StreamEvent {
  readonly event?: string;
  readonly data: Json;
}

export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly retryAfterMs?: number;
}

export interface Dialect {
  readonly name: DialectName;
  readonly read: (body: JsonObject, target: RequestTarget) => ModelRequest;
  /** The whole answer as one body. */
  readonly body: (answer: Answer, request: ModelRequest, stamp: AnswerStamp) => JsonObject;
  /** The same answer as the events of a stream. */
  readonly events: (answer: Answer, request: ModelRequest, stamp: AnswerStamp) => readonly StreamEvent[];
  /** Text after the last event of a stream. */
  readonly endOfStream?: string;
  readonly failure: (failure: Failure) => JsonObject;
  readonly tokenCount: (tokens: number) => JsonObject;
}

/** The word for a status; `fallbacks` are for other client errors and other server errors. */
export function wordForStatus(
  words: Readonly<Record<number, string>>,
  status: number,
  fallbacks: readonly [client: string, server: string],
): string {
  return words[status] ?? fallbacks[status < 500 ? 0 : 1];
}
